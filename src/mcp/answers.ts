import { isObject, show, typeOf } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { JsonRpcError } from "./failure.ts";
import { INTERNAL_ERROR } from "./jsonrpc.ts";

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
  if (!NO_ERROR.includes(error)) throw errorIn(error, report);
  if (isObject(result)) return result;
  const fault = result === undefined
    ? 'neither "error" nor "result"'
    : `"result" is no object but ${typeOf(result)}`;
  report(fault);
  if (result === null) return {};
  const more = result === undefined ? "" : `: ${show(result)}`;
  throw new JsonRpcError(INTERNAL_ERROR, `Malformed answer: ${fault}${more}`);
}

function errorIn(
  error: unknown,
  report: (fault: string) => void,
): JsonRpcError {
  const facts: Readonly<Record<string, unknown>> = isObject(error)
    ? error
    : { message: error };
  const { code, message, data } = facts;
  const isWhole = typeof code === "number" && Number.isSafeInteger(code);
  const hasText = typeof message === "string" &&
    (message !== "" || isObject(error));
  if (!isWhole || !hasText) report('"error" is malformed');
  return new JsonRpcError(
    isWhole ? code : INTERNAL_ERROR,
    hasText ? message : show(message ?? error),
    { data },
  );
}
