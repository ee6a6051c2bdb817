import { isObject } from "../errors/is_object.ts";
import { type Field, KINDS, REPLAY, RESULT_KINDS } from "../protocol/tables.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { checkContent } from "./blocks.ts";
import { firstProblem, isArray, Problem, wrong } from "./fields.ts";

/** A message: as it came, as a copy where unknown blocks are wrapped, or what is wrong with it. */
export type Checked = JsonObject | Problem;

/** Most of all lines; the tables say the same, four times slower. */
export function checkStreamEvent(line: JsonObject): Checked {
  return isObject(line.event) && isStringOrNull(line.parent_tool_use_id) &&
      typeof line.session_id === "string" && typeof line.uuid === "string"
    ? line
    : problemOf(line, KINDS.get("stream_event"));
}

/** Content is always an array here. */
export function checkAssistant(
  line: JsonObject,
  onUnknownBlock: (type: string) => void,
): Checked {
  const { message } = line;
  if (
    !isObject(message) || !isStringOrNull(line.parent_tool_use_id) ||
    typeof line.session_id !== "string" || typeof line.uuid !== "string"
  ) return problemOf(line, KINDS.get("assistant"));
  return isArray(message.content)
    ? checkBlocks(line, message, message.content, onUnknownBlock)
    : wrong("message.content", "array", message.content);
}

/** Content may be text; an echo must have its identity. */
export function checkUser(
  line: JsonObject,
  onUnknownBlock: (type: string) => void,
): Checked {
  const { message } = line;
  if (!isObject(message) || !isStringOrNull(line.parent_tool_use_id)) {
    return problemOf(line, KINDS.get("user"));
  }
  if (
    line.isReplay === true &&
    (typeof line.session_id !== "string" || typeof line.uuid !== "string")
  ) return problemOf(line, REPLAY);
  if (typeof message.content === "string") return line;
  return isArray(message.content)
    ? checkBlocks(line, message, message.content, onUnknownBlock)
    : wrong("message.content", "string or array", message.content);
}

/** An unknown subtype is no reason to lose the end of a turn. */
export function checkResult(line: JsonObject): Checked {
  if (
    line.subtype === "success" && typeof line.result === "string" &&
    typeof line.is_error === "boolean" &&
    typeof line.duration_ms === "number" &&
    typeof line.duration_api_ms === "number" &&
    typeof line.num_turns === "number" && isStringOrNull(line.stop_reason) &&
    typeof line.total_cost_usd === "number" && isObject(line.usage) &&
    isObject(line.modelUsage) && Array.isArray(line.permission_denials) &&
    typeof line.session_id === "string" && typeof line.uuid === "string"
  ) return line;
  return firstProblem(line, KINDS.get("result") ?? []) ??
    problemOf(line, RESULT_KINDS.get(String(line.subtype)));
}

function checkBlocks(
  line: JsonObject,
  message: JsonObject,
  blocks: readonly JsonValue[],
  onUnknownBlock: (type: string) => void,
): Checked {
  const content = checkContent(blocks, "message.content", onUnknownBlock);
  if (content === blocks) return line;
  if (content instanceof Problem) return content;
  return { ...line, message: { ...message, content } };
}

function problemOf(line: JsonObject, fields: readonly Field[] = []): Checked {
  return firstProblem(line, fields) ?? line;
}

function isStringOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}
