import { isObject, show, typeOf } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { JsonObject } from "../types/json.ts";
import { INTERNAL_ERROR } from "./jsonrpc.ts";

/** A message that is still to be repaired. */
export type RawMessage = Record<string, unknown>;

/** Repairs an answer in its place; returns whether anything had to be changed. */
export type AnswerRepair = (message: RawMessage) => boolean;

/** Whether a message answers a request. */
export function isAnswer(message: unknown): message is RawMessage {
  return isObject<unknown>(message) && message.method === undefined &&
    message.id !== undefined;
}

/** Whether an answer carries the id of a request; some servers make a text of the number. */
export function answersTo({ id }: RawMessage, requestId: number): boolean {
  return id === requestId || id === String(requestId);
}

/**
 * Repairs the answers of one server, with a warning for each kind of fault.
 *
 * The transports of the MCP SDK drop what is not of the exact form, which would leave its request without an end.
 * An error of any form stays an error, in the server's words; a result that is no object is one too.
 */
export function answerRepair(server: string, log: Log): AnswerRepair {
  const reported = new Set<string>();
  return (message) => {
    const faults = repairAnswer(message);
    for (const fault of faults) {
      if (reported.has(fault)) continue;
      reported.add(fault);
      log.warn("MCP server sent a malformed answer", { server, fault });
    }
    return faults.length > 0;
  };
}

const MEMBERS: readonly string[] = ["jsonrpc", "id", "result", "error"];

/** Values of `error` that report none, as some languages write them beside a result. */
const NO_ERROR: readonly unknown[] = [undefined, null, false];

/** Repairs an answer in its place; returns what was wrong with it. */
export function repairAnswer(message: RawMessage): readonly string[] {
  if (isRight(message)) return [];
  const faults: string[] = [];
  const { jsonrpc, id, result, error } = message;
  if (jsonrpc !== "2.0") faults.push('"jsonrpc" is not "2.0"');
  if ("error" in message && "result" in message) {
    faults.push('"error" and "result" at once');
  }
  for (const key of Object.keys(message)) {
    if (!MEMBERS.includes(key)) faults.push("a member that no answer has");
    delete message[key];
  }
  Object.assign(message, { jsonrpc: "2.0", id });
  if (!NO_ERROR.includes(error)) {
    message.error = repairError(error, faults);
  } else if (result === undefined) {
    message.error = malformed('neither "error" nor "result"', faults);
  } else if (result === null) {
    faults.push('"result" is null');
    message.result = {};
  } else if (isObject(result)) {
    message.result = repairResult(result, faults);
  } else {
    const fault = `"result" is no object but ${typeOf(result)}`;
    message.error = malformed(fault, faults, `: ${show(result)}`);
  }
  return faults;
}

/** Whether it is a result as almost every server sends it. */
function isRight(message: RawMessage): boolean {
  const { jsonrpc, result } = message;
  return jsonrpc === "2.0" && isObject(result) && hasRightMeta(result) &&
    Object.keys(message).length === 3;
}

function hasRightMeta({ _meta }: JsonObject): boolean {
  return _meta === undefined || isObject(_meta);
}

function malformed(fault: string, faults: string[], more = ""): JsonObject {
  faults.push(fault);
  return {
    code: INTERNAL_ERROR,
    message: `Malformed answer: ${fault}${more}`,
  };
}

function repairError(error: unknown, faults: string[]): JsonObject {
  if (!isObject(error)) {
    faults.push(`"error" is no object but ${typeOf(error)}`);
    return { code: INTERNAL_ERROR, message: wordsOf(error) };
  }
  const { code, message, data } = error;
  const hasCode = typeof code === "number" && Number.isSafeInteger(code);
  const hasText = typeof message === "string";
  if (!hasCode) faults.push('"error.code" is no whole number');
  if (!hasText) faults.push('"error.message" is no text');
  return {
    code: hasCode ? code : INTERNAL_ERROR,
    message: hasText ? message : wordsOf(message ?? error),
    ...data !== undefined && { data },
  };
}

function wordsOf(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : show(value);
}

function repairResult(result: JsonObject, faults: string[]): JsonObject {
  if (hasRightMeta(result)) return result;
  const { _meta, ...rest } = result;
  faults.push('"result._meta" is no object');
  return rest;
}
