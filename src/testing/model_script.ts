import { isObject } from "../errors/text.ts";
import type { Clock } from "../ports/clock.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { asList, fieldOf } from "./lines.ts";

/** One answer of a scripted model: a text, a description, or a function of the request. */
export type ModelTurn =
  | string
  | ModelAnswer
  | ((request: ModelRequest) => string | ModelAnswer);

/** A tool call of the model. */
export interface ModelToolCall {
  /** Name of the tool; `mcp__server__tool` for one of an MCP server. */
  readonly name: string;
  /** Its input; `{}` unless given. */
  readonly input?: JsonObject | undefined;
  /** Id of the call; a new one unless given. */
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
  /** Input of {@link ModelAnswer.tool}; `{}` unless given. */
  readonly input?: JsonObject | undefined;
  /** Several tools to call at once. */
  readonly tools?: readonly ModelToolCall[] | undefined;
  /** Content blocks of any kind, sent as they are. */
  readonly content?: readonly JsonObject[] | undefined;
  /** The API rejects the request. */
  readonly error?: ModelError | undefined;
  /** The API reports an error in mid-stream, after the content; `true` for an overloaded one. */
  readonly streamError?: boolean | {
    /** Kind of error, `overloaded_error` unless given. */
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
  /** Number of requests that it answers, 1 unless given; `true` for all further ones. */
  readonly repeat?: number | boolean | undefined;
  /** Number of pieces of each streamed block; one for each word unless given, at most 200 of a scripted model. */
  readonly chunks?: number | undefined;
  /** Milliseconds between the pieces; 0 unless given. */
  readonly delayMs?: number | undefined;
  /** Milliseconds until the answer begins; 0 unless given. */
  readonly startDelayMs?: number | undefined;
  /** Stop reason; `tool_use` with tool calls, else `end_turn`, unless given. */
  readonly stopReason?: string | undefined;
  /** Token counts, merged into 100 input and 20 output tokens. */
  readonly usage?: JsonObject | undefined;
  /** Name of the model; the requested one unless given. */
  readonly model?: string | undefined;
  /** Headers of the answer, such as `retry-after` beside an `error`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An error response of the API. */
export interface ModelError {
  /** HTTP status: 400, 401, 429, 500, 529, ... */
  readonly status: number;
  /** Kind of error; by the status unless given. */
  readonly type?: string | undefined;
  /** Its text; by the status unless given. */
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
  /** Answer to side requests; valid JSON where they ask for JSON, else `"ok"`, unless given. */
  readonly sideText?: string | undefined;
  /** Time for delays. */
  readonly clock?: Clock | undefined;
}

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "x-api-key",
]);

/** Begins the request for a suggestion, which otherwise looks like the conversation's next. Source: CLI 2.1.328. */
const SUGGESTION = "[SUGGESTION MODE";

export async function readRequest(request: Request): Promise<ModelRequest> {
  const headers = Object.fromEntries(
    [...request.headers].filter(([name]) => !SECRET_HEADERS.has(name)),
  );
  const body = parseBody(await request.text());
  const messages = asList(body["messages"]).filter(isObject);
  const said = messages.findLast(({ role }) => role === "user");
  const told = messages.filter(({ role }) => role === "system");
  const path = new URL(request.url).pathname;
  const lastText = textOf(said?.["content"]);
  return {
    method: request.method,
    path,
    headers,
    body,
    lastText,
    // The prompt, and system messages among the others.
    system: [body["system"], ...told.map(({ content }) => content)]
      .map(textOf)
      .join("\n"),
    isSide: path !== "/v1/messages" || isAside(headers, body, lastText),
  };
}

/**
 * The CLI marks requests of a conversation by a beta of its own, checks a model with a single token, and wants JSON
 * only for titles and prompt hooks. Other programs make no side requests. Source: CLI 2.1.328.
 */
function isAside(
  headers: Readonly<Record<string, string>>,
  body: JsonObject,
  lastText: string,
): boolean {
  const isFromCli = headers["x-app"] === "cli" ||
    headers["user-agent"]?.startsWith("claude-cli") === true;
  if (!isFromCli) return false;
  const isOfConversation = headers["anthropic-beta"]?.includes("claude-code-");
  return !isOfConversation || body["max_tokens"] === 1 ||
    schemaOf(body) !== undefined || lastText.startsWith(SUGGESTION);
}

/** The JSON Schema of the answer, if there is one. */
function schemaOf(body: JsonObject): JsonObject | undefined {
  const schema = fieldOf(fieldOf(body["output_config"], "format"), "schema");
  return isObject(schema) ? schema : undefined;
}

/** The default answer to a side request: JSON where it asks for JSON. */
export function textAside(body: JsonObject): string {
  const schema = schemaOf(body);
  return schema === undefined ? "ok" : JSON.stringify(valueFor(schema));
}

const LEAST: ReadonlyMap<unknown, JsonValue> = new Map<unknown, JsonValue>([
  ["array", []],
  ["string", "Scripted"],
  ["boolean", true],
  ["number", 0],
  ["integer", 0],
]);

/** The smallest value of a simple JSON Schema; booleans are true. */
function valueFor(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return null;
  const { type, properties, required } = schema;
  if (type !== "object") return LEAST.get(type) ?? null;
  const fields = isObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required : Object.keys(fields);
  return Object.fromEntries(
    names.map((name) => [name, valueFor(fields[String(name)])]),
  );
}

/** Whether a turn with this condition is for this request. */
export function isFor(
  match: ModelMatch | undefined,
  request: ModelRequest,
): boolean {
  if (typeof match === "object" && !(match instanceof RegExp)) {
    return request.isSide === (match.isSide ?? false) &&
      holds(match.system, request.system) &&
      holds(match.lastText, request.lastText) &&
      holds(match.model, String(request.body["model"]));
  }
  if (request.isSide) return false;
  return typeof match === "function"
    ? match(request)
    : holds(match, request.lastText);
}

function holds(wanted: string | RegExp | undefined, text: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}

function parseBody(text: string): JsonObject {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}

/** All text in content blocks, that of tool results included. */
function textOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return asList(content)
    .filter(isObject)
    .map(({ text, content }) =>
      typeof text === "string" ? text : textOf(content)
    )
    .join("\n");
}
