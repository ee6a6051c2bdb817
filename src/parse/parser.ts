import { type Excerpt, excerpt } from "../errors/excerpt.ts";
import { ParseError } from "../errors/protocol.ts";
import type { Log } from "../observe/log.ts";
import type { Message } from "../protocol/messages_other.ts";
import {
  BLOCKS,
  type Field,
  type FieldType,
  KINDS,
  REPLAY,
  RESULT_KINDS,
  SYSTEM_KINDS,
} from "../protocol/tables.ts";
import type { Stage } from "../stream/stage.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { firstProblem, isArray, Problem, wrong } from "./fields.ts";
import type { ParserMetrics } from "../types/observe.ts";
import { isObject, MOST_LEVELS } from "../errors/text.ts";

/**
 * Makes messages of JSON objects: checks what each kind must have, wraps what is unknown, copies nothing else.
 *
 * A message that lacks something is reported and skipped; what is merely unknown never is. A result is skipped only when it
 * does not say how its turn ended: a consumer would wait for that end for ever.
 */
export class Parser implements Stage<readonly JsonObject[], Message> {
  readonly #init;
  readonly #metrics: ParserMetrics | undefined;
  readonly #log: Log | undefined;
  readonly #strict: StrictCheck | undefined;
  readonly #onUnknownBlock: (type: string) => void;

  constructor(init: {
    /** Hears of every message that is skipped, and with `strict` of every deviation. */
    readonly report: (error: ParseError) => void;
    /** Counts, if anybody listens. */
    readonly metrics?: ParserMetrics | undefined;
    /** Hears of unknown kinds, if anybody listens. */
    readonly log?: Log | undefined;
    /** Compares each known message with its whole type as well. */
    readonly strict?: StrictCheck | undefined;
    /** Gives what takes the place of a message that is skipped; nothing by default. */
    readonly standIn?: (skipped: JsonObject) => JsonObject | undefined;
  }) {
    this.#init = init;
    this.#metrics = init.metrics;
    this.#log = init.log?.isOn === true ? init.log : undefined;
    this.#strict = init.strict;
    this.#onUnknownBlock = (type) => {
      this.#metrics?.unknownBlockType?.(type);
      this.#log?.debug("Unknown content block", { type });
    };
  }

  /** The same array when every object is a message as it stands; else a copy with the rest in place. */
  push(objects: readonly JsonObject[]): readonly Message[] {
    let copy: JsonObject[] | undefined;
    for (let index = 0; index < objects.length; index++) {
      const object = objects[index];
      if (object === undefined) continue;
      const message = this.#log === undefined
        ? this.#parse(object)
        : this.#trace(object, this.#log);
      if (copy === undefined) {
        if (message === object) continue;
        copy = objects.slice(0, index);
      }
      if (message !== undefined) copy.push(message);
    }
    // The checks made sure of the required fields.
    return (copy ?? objects) as unknown as readonly Message[];
  }

  #parse(object: JsonObject): JsonObject | undefined {
    const checked = this.#check(object);
    if (checked instanceof Problem) {
      this.#metrics?.parse?.(typeOfMessage(object), false);
      this.#tell(object, [checked]);
      return saysEnd(object) ? object : this.#init.standIn?.(object);
    }
    this.#metrics?.parse?.(typeOfMessage(object), true);
    if (this.#strict !== undefined) this.#tell(checked, this.#strict(checked));
    return checked;
  }

  #trace(object: JsonObject, log: Log): JsonObject | undefined {
    const type = typeOfMessage(object);
    log.debug("Parse started", { type });
    const message = this.#parse(object);
    log.debug("Parse ended", { type, success: message !== undefined });
    return message;
  }

  #check(object: JsonObject): Checked {
    switch (object.type) {
      case "stream_event":
        return checkStreamEvent(object);
      case "assistant":
        return checkAssistant(object, this.#onUnknownBlock);
      case "user":
        return checkUser(object, this.#onUnknownBlock);
      case "result":
        // An unknown subtype is no reason to lose the end of a turn.
        return firstProblem(object, KINDS.get("result") ?? []) ??
          problemOf(object, RESULT_KINDS.get(String(object.subtype)));
      case "system":
        return typeof object.subtype === "string"
          ? this.#checkOther(object, SYSTEM_KINDS.get(object.subtype))
          : wrong("subtype", "string", object.subtype);
      default:
        return typeof object.type === "string"
          ? this.#checkOther(object, KINDS.get(object.type))
          : wrong("type", "string", object.type);
    }
  }

  #checkOther(
    object: JsonObject,
    fields: readonly Field[] | undefined,
  ): Checked {
    return fields === undefined
      ? this.#wrap(object)
      : problemOf(object, fields);
  }

  #wrap(raw: JsonObject): JsonObject {
    const { type, subtype } = raw;
    this.#metrics?.unknownMessageType?.(
      type === "system" ? kindOf(raw) : String(type),
    );
    this.#log?.debug("Unknown message", { kind: kindOf(raw) });
    return {
      type: "unknown",
      originalType: String(type),
      ...(typeof subtype === "string" && { originalSubtype: subtype }),
      raw,
    };
  }

  #tell(raw: JsonObject, problems: readonly Problem[]): void {
    if (problems.length === 0) return;
    const shown = excerpt(raw);
    // By itself: the excerpt of the whole may end before them.
    const { type, subtype } = raw;
    const kind = excerpt<JsonObject>({ type, subtype }).value;
    for (const problem of problems) {
      this.#metrics?.parseError?.(typeOfMessage(raw), problem.field);
      this.#init.report(toError(shown, kind, problem));
    }
  }
}

function toError(
  { value: rawData, details }: Excerpt<JsonObject>,
  kind: JsonObject,
  { field, fact, block }: Problem,
): ParseError {
  const facts = [
    `message: ${kindOf(kind)}`,
    ...(block?.type === undefined ? [] : [`block: ${block.type}`]),
    ...(block === undefined ? [] : [`index: ${block.index}`]),
  ];
  // The schema check says it without a verb.
  const text = `Field "${field}"${/^expected/.test(fact) ? ":" : ""} ${fact}`;
  return new ParseError({
    message: `${text} (${facts.join(", ")})`,
    messageType: typeOfMessage(kind),
    field,
    rawData,
    cause: new TypeError(text),
    details: {
      ...(typeof kind.subtype === "string" && { subtype: kind.subtype }),
      ...(block?.type !== undefined && { blockType: block.type }),
      ...(block !== undefined && { index: block.index }),
      ...details,
    },
  });
}

function saysEnd({ type, subtype, is_error: isError }: JsonObject): boolean {
  return type === "result" && typeof subtype === "string" &&
    typeof isError === "boolean";
}

function typeOfMessage({ type }: JsonObject): string {
  return typeof type === "string" ? type : "line";
}

/** `assistant`, `system/init`. */
function kindOf(raw: JsonObject): string {
  const type = typeOfMessage(raw);
  return typeof raw.subtype === "string" ? `${type}/${raw.subtype}` : type;
}

/** Everything about a known message that differs from its type; empty for an unknown one. */
type StrictCheck = (message: JsonObject) => readonly Problem[];

/** Loads the schemas of all messages, and the library they are written with: only `validation: "strict"` pays for it. */
export async function loadStrictCheck(): Promise<StrictCheck> {
  const { deviations } = await import("./schemas.ts");
  return deviations;
}

/** A message: as it came, as a copy where unknown blocks are wrapped, or what is wrong with it. */
type Checked = JsonObject | Problem;

/** Most of all lines; the tables say the same, four times slower. */
function checkStreamEvent(line: JsonObject): Checked {
  return isObject(line.event) && isStringOrNull(line.parent_tool_use_id) &&
      typeof line.session_id === "string" && typeof line.uuid === "string"
    ? line
    : problemOf(line, KINDS.get("stream_event"));
}

/** Content is always an array here. */
function checkAssistant(
  line: JsonObject,
  onUnknownBlock: (type: string) => void,
): Checked {
  const { message } = line;
  if (
    !isObject(message) || !isStringOrNull(line.parent_tool_use_id) ||
    typeof line.session_id !== "string" || typeof line.uuid !== "string"
  ) return problemOf(line, KINDS.get("assistant"));
  return checkBlocks(line, message, "array", onUnknownBlock);
}

/** Content may be text; an echo must have its identity. */
function checkUser(
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
  return checkBlocks(line, message, "string or array", onUnknownBlock);
}

function checkBlocks(
  line: JsonObject,
  message: JsonObject,
  type: FieldType,
  onUnknownBlock: (type: string) => void,
): Checked {
  const { content: blocks } = message;
  if (!isArray(blocks)) return wrong("message.content", type, blocks);
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

/**
 * Checks the blocks of one content array, those inside tool results too, which may stand 200 deep.
 *
 * @param content What came
 * @param path Where it is, for the problem's field
 * @param onUnknown Hears the `type` of each unknown block
 * @param level How many tool results it is in
 * @returns The array itself when every block is known and well, a copy where unknown ones are wrapped, or what is wrong
 */
function checkContent(
  content: readonly JsonValue[],
  path: string,
  onUnknown: (type: string) => void,
  level: number = 0,
): readonly JsonValue[] | Problem {
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
