import { isObject, textOfError, typeOf } from "../errors/text.ts";
import { ParseError, ProtocolError } from "../errors/cli.ts";
import { type Excerpt, excerpt } from "../errors/clean.ts";
import type { Scrub } from "../errors/secrets.ts";
import type { Log } from "../observe/log.ts";
import type { Stage } from "../stream/stage.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { textProblem } from "./malformed.ts";

/**
 * Takes control lines off the line, where they never wait behind messages, and reports what is no message.
 *
 * Objects pass in the array they came in, which is compacted in place.
 */
export class Router implements Stage<JsonValue[], JsonObject> {
  readonly #init;
  readonly #log: Log | undefined;

  constructor(init: {
    readonly onRequest: (line: JsonObject) => void;
    /** The CLI takes a request back. */
    readonly onCancel: (line: JsonObject) => void;
    /** An answer to a request of ours. */
    readonly onResponse: (line: JsonObject) => void;
    /** What the CLI writes to disk, for who keeps a copy. */
    readonly onMirror?: ((line: JsonObject) => void) | undefined;
    /** A value that is no message, or a control line whose handling threw. */
    readonly report: (error: ParseError | ProtocolError) => void;
    readonly log?: Log;
    readonly scrub?: Scrub;
  }) {
    this.#init = init;
    this.#log = init.log?.isOn === true ? init.log : undefined;
  }

  /**
   * The messages among the values.
   *
   * @param values What was decoded
   * @param goAhead Takes the messages that stand in front of a question about a tool call, before that is asked
   * @returns The rest of the messages
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
    // Whatever is no object was taken out above.
    return values as JsonObject[];
  }

  #passes(
    value: JsonValue,
    ahead: (() => void) | undefined,
  ): value is JsonObject {
    if (!isObject(value)) {
      this.#init.report(notAnObject(excerpt(value, this.#init.scrub)));
      return false;
    }
    switch (value.type) {
      case "control_request":
        if (asksForTool(value)) ahead?.();
        return this.#route(value, this.#init.onRequest);
      case "control_response":
        if (bringsQuestions(value)) ahead?.();
        return this.#route(value, this.#init.onResponse);
      case "control_cancel_request":
        return this.#route(value, this.#init.onCancel);
      case "transcript_mirror": {
        const { onMirror } = this.#init;
        return onMirror === undefined ? false : this.#route(value, onMirror);
      }
      case "keep_alive":
        return false;
    }
    if (typeof value.type === "string") return true;
    this.#init.report(withoutType(excerpt(value, this.#init.scrub)));
    return false;
  }

  /** One line that cannot be handled must not stop those behind it. */
  #route(line: JsonObject, handle: (line: JsonObject) => void): false {
    try {
      handle(line);
    } catch (cause) {
      this.#init.report(
        new ProtocolError({
          message: `Control line could not be handled: ${textOfError(cause)}`,
          category: "handler",
          cause,
          requestData: excerpt(line, this.#init.scrub).value,
        }),
      );
    }
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
  return request !== undefined && isObject(request) &&
    request.subtype === "can_use_tool";
}

/** Questions that are still open ride on an answer. */
function bringsQuestions({ response }: JsonObject): boolean {
  if (!isObject(response)) return false;
  const { pending_permission_requests: asked } = response;
  return Array.isArray(asked) && asked.length > 0;
}

function notAnObject({ value, details }: Excerpt<JsonValue>): ParseError {
  return new ParseError({
    message: `Line of the CLI is no message, it is ${typeOf(value)}`,
    messageType: "line",
    rawData: value,
    details,
  });
}

function withoutType({ value, details }: Excerpt<JsonObject>): ParseError {
  const { problem = "" } = textProblem(value.type, "type") ?? {};
  return new ParseError({
    message: `Field "type" ${problem}`,
    messageType: "line",
    field: "type",
    rawData: value,
    details,
  });
}
