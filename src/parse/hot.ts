import { isObject, MOST_LEVELS } from "../errors/text.ts";
import { BLOCKS, type Field, KINDS, REPLAY } from "../protocol/tables.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
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

/** Content: as it came, as a copy where unknown blocks are wrapped, or what is wrong with it. */
type CheckedContent = readonly JsonValue[] | Problem;

/**
 * Checks the blocks of one content array, those inside tool results too, which may stand 200 deep.
 *
 * @param content What came
 * @param path Where it is, for the problem's field
 * @param onUnknown Hears the `type` of each unknown block
 * @param level How many tool results it is in
 * @returns The array itself when every block is known and well
 */
function checkContent(
  content: readonly JsonValue[],
  path: string,
  onUnknown: (type: string) => void,
  level: number = 0,
): CheckedContent {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < content.length; index++) {
    const block = content[index];
    const checked = isObject(block)
      ? checkBlock(block, index, path, onUnknown, level)
      : wrong(`${path}[${index}]`, "object", block, { type: undefined, index });
    if (checked === block) continue;
    if (checked instanceof Problem) return checked;
    copy ??= content.slice();
    copy[index] = checked;
  }
  return copy ?? content;
}

function checkBlock(
  block: JsonObject,
  index: number,
  path: string,
  onUnknown: (type: string) => void,
  level: number,
): JsonObject | Problem {
  switch (block.type) {
    case "text":
      if (typeof block.text === "string") return block;
      break;
    case "tool_use":
      if (
        typeof block.id === "string" && typeof block.name === "string" &&
        isObject(block.input)
      ) return block;
      break;
    case "tool_result":
      if (typeof block.tool_use_id === "string") {
        if (!isArray(block.content)) return block;
        if (level === MOST_LEVELS) return tooDeep(path, index);
        const at = `${path}[${index}].content`;
        const content = checkContent(block.content, at, onUnknown, level + 1);
        if (content instanceof Problem) return content;
        return content === block.content ? block : { ...block, content };
      }
      break;
  }
  const { type } = block;
  const at = `${path}[${index}]`;
  if (typeof type !== "string") {
    return wrong(`${at}.type`, "string", type, { type: undefined, index });
  }
  const fields = BLOCKS.get(type);
  if (fields === undefined) {
    onUnknown(type);
    return { type: "unknown", originalType: type, raw: block };
  }
  return firstProblem(block, fields, { path: at, block: { type, index } }) ??
    block;
}

/** Names where it began: the whole way down is longer than any text. */
function tooDeep(path: string, index: number): Problem {
  const [field = path] = path.split(/(?<=\])/);
  return new Problem(
    field,
    `must hold at most ${MOST_LEVELS} tool results inside each other`,
    { type: "tool_result", index },
  );
}
