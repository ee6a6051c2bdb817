import { isObject, textOfError, typeOf } from "../errors/text.ts";
import { ParseError, ProtocolError } from "../errors/protocol.ts";
import { fieldsIn } from "./fields_in.ts";
import type { Log } from "../observe/log.ts";
import { wrong } from "./malformed.ts";
import type { Stage } from "../stream/stage.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Piece } from "../stream/line_framer.ts";

/**
 * Separates control lines, which never wait behind messages, and reports lines that are no messages.
 *
 * Works in place: messages stay in the array they came in.
 */
export class Router implements Stage<JsonValue[], JsonObject> {
  readonly #init;
  readonly #log: Log | undefined;

  constructor(init: {
    readonly onRequest: (line: JsonObject) => void;
    readonly onCancel: (line: JsonObject) => void;
    readonly onResponse: (line: JsonObject) => void;
    /** The beginning of a request whose line was skipped. */
    readonly onSkippedRequest?: (line: JsonObject) => void;
    /** Copies of what the CLI writes to disk. */
    readonly onMirror?: ((line: JsonObject) => void) | undefined;
    /** Signs of life. */
    readonly onAlive?: ((line: JsonObject) => void) | undefined;
    /** Called with values that are no messages, and control lines whose handling threw. */
    readonly report: (error: ParseError | ProtocolError) => void;
    readonly log?: Log;
  }) {
    this.#init = init;
    this.#log = init.log?.isOn === true ? init.log : undefined;
  }

  /**
   * Returns the messages among decoded values.
   *
   * @param goAhead Gets the messages in front of a question about a tool call, before that is asked
   */
  push(
    values: JsonValue[],
    goAhead?: (objects: JsonObject[]) => void,
  ): JsonObject[] {
    let kept = 0;
    const ahead = goAhead && (() => {
      if (kept > 0) goAhead(values.slice(0, kept) as JsonObject[]);
      kept = 0;
    });
    for (let i = 0; i < values.length; i++) {
      // The index is in bounds.
      const value = values[i] as JsonValue;
      const passes = this.#passes(value, ahead);
      if (this.#log !== undefined) traceRoute(value, passes, this.#log);
      if (!passes) continue;
      if (kept !== i) values[kept] = value;
      kept++;
    }
    values.length = kept;
    // Only objects are left.
    return values as JsonObject[];
  }

  /** Looks at the beginning of a line that was skipped: the CLI waits for the answer to a request. */
  skipped(start: string): void {
    const line = fieldsIn(start);
    if (line.type !== "control_request") return;
    this.#route(line, this.#init.onSkippedRequest);
  }

  #passes(
    value: JsonValue,
    ahead: (() => void) | undefined,
  ): value is JsonObject {
    if (!isObject(value)) return this.#refuse(value);
    switch (value.type) {
      case "control_request":
        if (asksForTool(value)) ahead?.();
        return this.#route(value, this.#init.onRequest);
      case "control_response":
        if (bringsQuestions(value)) ahead?.();
        return this.#route(value, this.#init.onResponse);
      case "control_cancel_request":
        return this.#route(value, this.#init.onCancel);
      case "transcript_mirror":
        return this.#route(value, this.#init.onMirror);
      case "keep_alive":
        return this.#route(value, this.#init.onAlive);
    }
    return typeof value.type === "string" || this.#refuse(value);
  }

  /** One line that cannot be handled must not stop those behind it. */
  #route(
    line: JsonObject,
    handle: ((line: JsonObject) => void) | undefined,
  ): false {
    try {
      handle?.(line);
    } catch (cause) {
      this.#init.report(
        new ProtocolError({
          message: `Control line could not be handled: ${textOfError(cause)}`,
          category: "handler",
          cause,
          requestData: line,
        }),
      );
    }
    return false;
  }

  #refuse(value: JsonValue): false {
    const text = `Line of the CLI is no message, it is ${typeOf(value)}`;
    let what: { message: string; field?: string } = { message: text };
    if (isObject(value)) {
      const { field, problem } = wrong("type", value.type, "a string");
      what = { message: `Field "${field}" ${problem}`, field };
    }
    this.#init.report(
      new ParseError({ ...what, messageType: "line", rawData: value }),
    );
    return false;
  }
}

const ROUTES: Readonly<Record<string, string>> = {
  control_request: "handler",
  control_cancel_request: "handler",
  control_response: "caller",
};

function traceRoute(value: JsonValue, passes: boolean, log: Log): void {
  const type = isObject(value) && typeof value.type === "string"
    ? value.type
    : typeOf(value);
  const to = passes ? "parser" : ROUTES[type] ?? "nowhere";
  log.debug("Line routed", { type, to });
}

function asksForTool({ request }: JsonObject): boolean {
  return isObject(request) && request.subtype === "can_use_tool";
}

/** Questions that are still open ride on an answer. */
function bringsQuestions({ response }: JsonObject): boolean {
  if (!isObject(response)) return false;
  const { pending_permission_requests: asked } = response;
  return Array.isArray(asked) && asked.length > 0;
}

const NEWLINE = 0x0a;
const CLOSING_BRACE = 0x7d;
const BACKSLASH = 0x5c;
const encoder = new TextEncoder();
const START = encoder.encode('{"type":"');
/** Rest of a system line behind the `s`, up to its subtype. */
const SYSTEM = encoder.encode('ystem","subtype":"');

const [A, B, C, E, I, N, R, S, T, Y] = encoder.encode("abceinrsty");

/**
 * Whether the lines of a piece may stay bytes until they are taken: no control line, no result, nothing about the state of
 * the session or its tasks, no unfinished line, and no line that a mirror copies.
 *
 * Never wrongly true for a line without repeated keys. Looks at the first and last bytes of each line and makes no
 * garbage: parsing would cost what waiting saves.
 */
export function mayWait({ head, body }: Piece, isMirrored = false): boolean {
  // Text instead of bytes is a line of megabytes.
  if (typeof head === "string") return false;
  return (head === undefined || linesMayWait(head, isMirrored)) &&
    (body === undefined || linesMayWait(body, isMirrored));
}

function linesMayWait(bytes: Uint8Array, isMirrored: boolean): boolean {
  for (let from = 0;;) {
    const newline = bytes.indexOf(NEWLINE, from);
    const end = newline === -1 ? bytes.length : newline;
    if (!lineMayWait(bytes, from, end, isMirrored)) return false;
    if (newline === -1) return true;
    from = newline + 1;
  }
}

function lineMayWait(
  bytes: Uint8Array,
  from: number,
  end: number,
  isMirrored: boolean,
): boolean {
  if (bytes[end - 1] !== CLOSING_BRACE) return false;
  if (!startsWith(bytes, from, START)) return false;
  const at = from + START.length;
  switch (bytes[at]) {
    // control_..., command_lifecycle, result, or an escape for one of their letters.
    case C:
    case R:
    case BACKSLASH:
      return false;
    case S:
      return isQuietFrom(bytes, at + 1);
    // transcript_mirror, where a copy is kept.
    case T:
      return !isMirrored;
    default:
      return true;
  }
}

/** Whether the bytes behind the `s` of a type are of a line that says nothing about turns and tasks. */
function isQuietFrom(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== Y) return bytes[at] !== BACKSLASH;
  if (!startsWith(bytes, at, SYSTEM)) return false;
  const first = bytes[at + SYSTEM.length];
  const second = bytes[at + SYSTEM.length + 1];
  if (first === BACKSLASH || second === BACKSLASH) return false;
  // session_..., background_..., task_..., init
  return !(first === S && second === E) && !(first === B && second === A) &&
    !(first === T && second === A) && !(first === I && second === N);
}

function startsWith(
  bytes: Uint8Array,
  from: number,
  text: Uint8Array,
): boolean {
  for (let i = 0; i < text.length; i++) {
    if (bytes[from + i] !== text[i]) return false;
  }
  return true;
}
