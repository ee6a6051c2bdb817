import { isObject } from "../errors/text.ts";
import type { Clock } from "../ports/clock.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { asList, fieldOf } from "./lines.ts";

/** One answer of a scripted model: a text, a description, or a function that looks at the request first. */
export type ModelTurn =
  | string
  | ModelAnswer
  | ((request: ModelRequest) => string | ModelAnswer);

/** A call of a tool that the model wants. */
export interface ModelToolCall {
  /** Name of the tool; `mcp__server__tool` for one of an MCP server. */
  readonly name: string;
  /** What it is called with; `{}` unless given. */
  readonly input?: JsonObject | undefined;
  /** Id of the call; a new one unless given. */
  readonly id?: string | undefined;
}

/**
 * What the model answers to one request, in this order: thinking, text, tool calls, raw blocks.
 *
 * `error`, `disconnect`, `streamError` and `hang` make it fail instead, or after what it said.
 */
export interface ModelAnswer {
  /** What it thinks first. */
  readonly thinking?: string | undefined;
  /** Thinking that is only there in encrypted form. */
  readonly redactedThinking?: string | undefined;
  /** What it says. */
  readonly text?: string | undefined;
  /** The tool that it calls. */
  readonly tool?: string | undefined;
  /** What {@link ModelAnswer.tool} is called with; `{}` unless given. */
  readonly input?: JsonObject | undefined;
  /** Several tools that it calls at once. */
  readonly tools?: readonly ModelToolCall[] | undefined;
  /** Blocks exactly as they stand, also of kinds that nobody knows. */
  readonly content?: readonly JsonObject[] | undefined;
  /** The API refuses the request. */
  readonly error?: ModelError | undefined;
  /** The API reports an error in mid-stream, after what is said and before its end; `true` for an overloaded one. */
  readonly streamError?: boolean | {
    /** Kind of error, `overloaded_error` unless given. */
    readonly type?: string | undefined;
    /** Its text. */
    readonly message?: string | undefined;
  } | undefined;
  /** The connection is cut after half of what is said. */
  readonly disconnect?: boolean | undefined;
  /** Nothing more comes after what is said, until `release()` or `close()`. */
  readonly hang?: boolean | undefined;
  /** Only for a request that fits; the turn waits for one. */
  readonly match?: ModelMatch | undefined;
  /** How many requests it answers, 1 unless given; `true` for all from here on. */
  readonly repeat?: number | boolean | undefined;
  /** Into how many pieces the stream cuts each block of a scripted model, or the text of a fake CLI; by words unless given, of a scripted model at most 200. */
  readonly chunks?: number | undefined;
  /** Milliseconds between the pieces; 0 unless given. */
  readonly delayMs?: number | undefined;
  /** Milliseconds until the answer begins; 0 unless given. */
  readonly startDelayMs?: number | undefined;
  /** Why it stopped; `tool_use` when it calls tools, else `end_turn`, unless given. */
  readonly stopReason?: string | undefined;
  /** Tokens, laid over 100 read and 20 written. */
  readonly usage?: JsonObject | undefined;
  /** The model that answers; the one asked for unless given. */
  readonly model?: string | undefined;
  /** Headers of the answer, such as `retry-after` beside an `error`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A refusal of the API. */
export interface ModelError {
  /** HTTP status: 400, 401, 429, 500, 529, ... */
  readonly status: number;
  /** Kind of error; the usual one of the status unless given. */
  readonly type?: string | undefined;
  /** Its text; that of the real API unless given. */
  readonly message?: string | undefined;
  /** Headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Which requests a turn is for. A text or an expression is looked for in the last user message. */
export type ModelMatch =
  | string
  | RegExp
  | ((request: ModelRequest) => boolean)
  | ModelMatchFields;

/** Which requests a turn is for, by several facts that all have to hold. */
export interface ModelMatchFields {
  /** Is in the system prompt. */
  readonly system?: string | RegExp | undefined;
  /** Is in the last user message, tool results included. */
  readonly lastText?: string | RegExp | undefined;
  /** Is in the name of the model asked for. */
  readonly model?: string | RegExp | undefined;
  /** True: for a request that the CLI makes on the side, which no other turn answers. */
  readonly isSide?: boolean | undefined;
}

/** A request that a scripted model got. */
export interface ModelRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path, without host and query. */
  readonly path: string;
  /** Headers; those that carry secrets are left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, parsed; `{}` when there is none. */
  readonly body: JsonObject;
  /** Text of the last user message, tool results included. */
  readonly lastText: string;
  /** Text of the system prompt. */
  readonly system: string;
  /** Whether the CLI made it on the side: a title, a model check, a token count, ...; such a request takes no turn unless a turn asks for it. */
  readonly isSide: boolean;
}

/** Settings of a scripted model. */
export interface ScriptedModelOptions {
  /** What a side request is answered with; a fitting JSON text when it asks for JSON, else `"ok"`, unless given. */
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

/** Begins the request for a suggestion, which is otherwise the conversation's next. Source: CLI 2.1.328. */
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
 * The CLI marks what belongs to a conversation by a beta of its own, checks a model with a single token, and
 * wants JSON only for itself: titles, verdicts of prompt hooks. Requests of other programs are never on the side.
 * Source: CLI 2.1.328.
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

/** The JSON Schema that the answer has to fit, if there is one. */
function schemaOf(body: JsonObject): JsonObject | undefined {
  const schema = fieldOf(fieldOf(body["output_config"], "format"), "schema");
  return isObject(schema) ? schema : undefined;
}

/** What a side request is answered with when the script does not say: JSON where JSON is wanted. */
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

/** The least value that fits a simple JSON Schema, and agrees where it is asked. */
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
