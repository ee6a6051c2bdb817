import { type Excerpt, excerpt } from "../errors/clean.ts";
import { ParseError } from "../errors/cli.ts";
import type { Scrub } from "../errors/secrets.ts";
import type { Log } from "../observe/log.ts";
import type { Message } from "../protocol/messages_other.ts";
import {
  type Field,
  KINDS,
  RESULT_KINDS,
  SYSTEM_KINDS,
} from "../protocol/tables.ts";
import type { Stage } from "../stream/stage.ts";
import type { JsonObject } from "../types/json.ts";
import { firstProblem, Problem, wrong } from "./fields.ts";
import {
  checkAssistant,
  type Checked,
  checkStreamEvent,
  checkUser,
} from "./hot.ts";
import type { ParserMetrics } from "../types/observe.ts";

/** What a {@link Parser} is made from. */
export interface ParserInit {
  /** Hears of every message that is skipped, and with `strict` of every deviation. */
  readonly report: (error: ParseError) => void;
  /** Counts, if anybody listens. */
  readonly metrics?: ParserMetrics | undefined;
  /** Hears of unknown kinds, if anybody listens. */
  readonly log?: Log | undefined;
  /** Compares each known message with its whole type as well. */
  readonly strict?: StrictCheck | undefined;
  /** Gives what takes the place of a message that is skipped; nothing unless given. */
  readonly standIn?: (skipped: JsonObject) => JsonObject | undefined;
  /** Takes secrets out of what errors show. */
  readonly scrub?: Scrub;
}

/**
 * Makes messages of JSON objects: checks what each kind must have, wraps what is unknown, copies nothing else.
 *
 * A message that lacks something is reported and skipped; what is merely unknown never is. A result is skipped only when it
 * does not say how its turn ended: whoever waits for that end would wait for ever.
 */
export class Parser implements Stage<readonly JsonObject[], Message> {
  readonly #report: (error: ParseError) => void;
  readonly #metrics: ParserMetrics | undefined;
  readonly #log: Log | undefined;
  readonly #strict: StrictCheck | undefined;
  readonly #scrub: Scrub | undefined;
  readonly #standIn: ParserInit["standIn"];
  readonly #onUnknownBlock: (type: string) => void;

  constructor({ report, metrics, log, strict, scrub, standIn }: ParserInit) {
    this.#report = report;
    this.#metrics = metrics;
    this.#log = log?.isOn === true ? log : undefined;
    this.#strict = strict;
    this.#scrub = scrub;
    this.#standIn = standIn;
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
    // What passed the checks has the fields that its kind requires.
    return (copy ?? objects) as unknown as readonly Message[];
  }

  #parse(object: JsonObject): JsonObject | undefined {
    const checked = this.#check(object);
    if (checked instanceof Problem) {
      this.#metrics?.parse?.(typeOfMessage(object), false);
      this.#tell(object, [checked]);
      return saysEnd(object) ? object : this.#standIn?.(object);
    }
    this.#metrics?.parse?.(typeOfMessage(object), true);
    if (this.#strict !== undefined) this.#compare(checked, this.#strict);
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
          firstProblem(
            object,
            RESULT_KINDS.get(String(object.subtype)) ?? [],
          ) ?? object;
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
    if (fields === undefined) return this.#wrap(object);
    return firstProblem(object, fields) ?? object;
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

  #compare(message: JsonObject, strict: StrictCheck): void {
    const problems = strict(message);
    if (problems.length > 0) this.#tell(message, problems);
  }

  #tell(raw: JsonObject, problems: readonly Problem[]): void {
    const shown = excerpt(raw, this.#scrub);
    for (const problem of problems) {
      this.#metrics?.parseError?.(typeOfMessage(raw), problem.field);
      this.#report(toError(shown, problem));
    }
  }
}

function toError(
  { value: raw, details }: Excerpt<JsonObject>,
  { field, fact, block }: Problem,
): ParseError {
  const facts = [
    `message: ${kindOf(raw)}`,
    ...(block?.type === undefined ? [] : [`block: ${block.type}`]),
    ...(block === undefined ? [] : [`index: ${block.index}`]),
  ];
  // The schema check says it without a verb.
  const text = `Field "${field}"${/^expected/.test(fact) ? ":" : ""} ${fact}`;
  return new ParseError({
    message: `${text} (${facts.join(", ")})`,
    messageType: typeOfMessage(raw),
    field,
    rawData: raw,
    cause: new TypeError(text),
    details: {
      ...(typeof raw.subtype === "string" && { subtype: raw.subtype }),
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
