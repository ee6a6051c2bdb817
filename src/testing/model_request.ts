import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ModelMatch, ModelRequest } from "./model_script.ts";
import { asList } from "./wire_lines.ts";

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
  const path = new URL(request.url).pathname;
  const lastText = lastUserText(body);
  return {
    method: request.method,
    path,
    headers,
    body,
    lastText,
    system: systemText(body),
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
  const config = body["output_config"];
  const format = isObject(config) ? config["format"] : undefined;
  const schema = isObject(format) ? format["schema"] : undefined;
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

function lastUserText(body: JsonObject): string {
  const messages = asList(body["messages"]).filter(isObject);
  const last = messages.findLast(({ role }) => role === "user");
  return last === undefined ? "" : textOf(last["content"]);
}

/** The system prompt, and system messages among the others. */
function systemText(body: JsonObject): string {
  const inside = asList(body["messages"])
    .filter(isObject)
    .filter(({ role }) => role === "system");
  return [body["system"], ...inside.map(({ content }) => content)]
    .map(textOf)
    .join("\n");
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
