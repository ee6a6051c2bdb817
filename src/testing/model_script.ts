import type { Clock } from "../ports/clock.ts";
import type { JsonObject } from "../types/json.ts";

/** One answer of a scripted model: a text, a description, or a function of the request. */
export type ModelTurn =
  | string
  | ModelAnswer
  | ((request: ModelRequest) => string | ModelAnswer);

/** A tool call of the model. */
export interface ModelToolCall {
  /** Name of the tool; `mcp__server__tool` for one of an MCP server. */
  readonly name: string;
  /** Its input; `{}` by default. */
  readonly input?: JsonObject | undefined;
  /** Id of the call; a new one by default. */
  readonly id?: string | undefined;
}

/**
 * The answer to one request, in this order: thinking, text, tool calls, raw blocks.
 *
 * `error` replaces it; `disconnect`, `streamError` and `hang` make it fail on the way.
 */
export interface ModelAnswer {
  /** Its thinking. */
  readonly thinking?: string | undefined;
  /** Thinking in encrypted form. */
  readonly redactedThinking?: string | undefined;
  /** Its text. */
  readonly text?: string | undefined;
  /** Name of a tool to call. */
  readonly tool?: string | undefined;
  /** Input of {@link ModelAnswer.tool}; `{}` by default. */
  readonly input?: JsonObject | undefined;
  /** Several tools to call at once. */
  readonly tools?: readonly ModelToolCall[] | undefined;
  /** Content blocks of any kind, sent as they are. */
  readonly content?: readonly JsonObject[] | undefined;
  /** The API rejects the request. */
  readonly error?: ModelError | undefined;
  /** The API reports an error in mid-stream, after the content; `true` for an overloaded one. */
  readonly streamError?: boolean | {
    /** Kind of error, `overloaded_error` by default. */
    readonly type?: string | undefined;
    /** Its text. */
    readonly message?: string | undefined;
  } | undefined;
  /** The connection is cut after half of the content. */
  readonly disconnect?: boolean | undefined;
  /** The stream stalls after the content, until `release()` or `close()`. */
  readonly hang?: boolean | undefined;
  /** Reserves the turn for a matching request. */
  readonly match?: ModelMatch | undefined;
  /** Number of requests that it answers, 1 by default; `true` for all further ones. */
  readonly repeat?: number | boolean | undefined;
  /** Number of pieces of each streamed block; one for each word by default, at most 200 of a scripted model. */
  readonly chunks?: number | undefined;
  /** Milliseconds between the pieces; 0 by default. */
  readonly delayMs?: number | undefined;
  /** Milliseconds until the answer begins; 0 by default. */
  readonly startDelayMs?: number | undefined;
  /** Stop reason; `tool_use` with tool calls, else `end_turn`, by default. */
  readonly stopReason?: string | undefined;
  /** Token counts, merged into 100 input and 20 output tokens. */
  readonly usage?: JsonObject | undefined;
  /** Name of the model; the requested one by default. */
  readonly model?: string | undefined;
  /** Headers of the answer, such as `retry-after` beside an `error`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An error response of the API. */
export interface ModelError {
  /** HTTP status: 400, 401, 429, 500, 529, ... */
  readonly status: number;
  /** Kind of error; by the status by default. */
  readonly type?: string | undefined;
  /** Its text; by the status by default. */
  readonly message?: string | undefined;
  /** Headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Selects requests; a text or an expression is searched in the last user message. */
export type ModelMatch =
  | string
  | RegExp
  | ((request: ModelRequest) => boolean)
  | ModelMatchFields;

/** Selects requests by several conditions, which all have to hold. */
export interface ModelMatchFields {
  /** Found in the system prompt. */
  readonly system?: string | RegExp | undefined;
  /** Found in the last user message, tool results included. */
  readonly lastText?: string | RegExp | undefined;
  /** Found in the name of the requested model. */
  readonly model?: string | RegExp | undefined;
  /** True for side requests of the CLI, which no other turn answers. */
  readonly isSide?: boolean | undefined;
}

/** A request to a scripted model. */
export interface ModelRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path, without host and query. */
  readonly path: string;
  /** Headers without those that carry secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; `{}` without one. */
  readonly body: JsonObject;
  /** Text of the last user message, tool results included. */
  readonly lastText: string;
  /** Text of the system prompt. */
  readonly system: string;
  /** Whether it is a side request of the CLI (a title, a model check, a token count), which uses up no turn unless one asks for it. */
  readonly isSide: boolean;
}

/** Settings of a scripted model. */
export interface ScriptedModelOptions {
  /** Answer to side requests; valid JSON where they ask for JSON, else `"ok"`, by default. */
  readonly sideText?: string | undefined;
  /** Time for delays. */
  readonly clock?: Clock | undefined;
}
