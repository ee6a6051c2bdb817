import { isObject, show, typeOf } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { JsonRpcError } from "./failure.ts";
import { INTERNAL_ERROR } from "./jsonrpc.ts";

/** Whether a message answers a request. */
export function isAnswer(message: unknown): message is JsonObject {
  return isObject(message) && message.method === undefined &&
    message.id !== undefined;
}

/** Whether an answer carries the id of a request; some servers make a text of the number. */
export function answersTo({ id }: JsonObject, requestId: number): boolean {
  return id === requestId || id === String(requestId);
}

/** Values of `error` that report none, as some languages write them beside a result. */
const NO_ERROR: readonly unknown[] = [undefined, null, false];

/**
 * The result in an answer; throws a `JsonRpcError` without one.
 *
 * An error of any form stays an error, in the server's words; a result that is not an object is one too.
 *
 * @param report Called with each departure from the protocol
 */
export function resultIn(
  { jsonrpc, result, error }: JsonObject,
  report: (fault: string) => void,
): JsonObject {
  if (jsonrpc !== "2.0") report('"jsonrpc" is not "2.0"');
  if (!NO_ERROR.includes(error)) {
    if (result !== undefined) report('"error" and "result" at once');
    throw errorIn(error, report);
  }
  if (isObject(result)) return withRightMeta(result, report);
  if (result === null) {
    report('"result" is null');
    return {};
  }
  const fault = result === undefined
    ? 'neither "error" nor "result"'
    : `"result" is no object but ${typeOf(result)}`;
  report(fault);
  const more = result === undefined ? "" : `: ${show(result)}`;
  throw new JsonRpcError(INTERNAL_ERROR, `Malformed answer: ${fault}${more}`);
}

/** Whether an answer has the form of the protocol; transports of the MCP SDK drop every other one. */
export function isWellFormed(message: JsonObject): boolean {
  const { jsonrpc, result, error } = message;
  const isRight = isObject(result)
    ? result._meta === undefined || isObject(result._meta)
    : isObject(error) && Number.isSafeInteger(error.code) &&
      typeof error.message === "string";
  return jsonrpc === "2.0" && Object.keys(message).length === 3 && isRight;
}

function withRightMeta(
  result: JsonObject,
  report: (fault: string) => void,
): JsonObject {
  const { _meta, ...rest } = result;
  if (_meta === undefined || isObject(_meta)) return result;
  report('"result._meta" is no object');
  return rest;
}

function errorIn(
  error: unknown,
  report: (fault: string) => void,
): JsonRpcError {
  if (!isObject(error)) {
    report(`"error" is no object but ${typeOf(error)}`);
    return new JsonRpcError(INTERNAL_ERROR, wordsOf(error));
  }
  const { code, message, data } = error;
  const hasCode = typeof code === "number" && Number.isSafeInteger(code);
  const hasText = typeof message === "string";
  if (!hasCode) report('"error.code" is no whole number');
  if (!hasText) report('"error.message" is no text');
  return new JsonRpcError(
    hasCode ? code : INTERNAL_ERROR,
    hasText ? message : wordsOf(message ?? error),
    { data },
  );
}

function wordsOf(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : show(value);
}
