import { asList, asObject, isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { matches, parseObject, textIn } from "./lines.ts";
import type {
  ModelMatch,
  ModelMatchFields,
  ModelRequest,
} from "./model_script.ts";

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
  const body = parseObject(await request.text()) ?? {};
  const messages = asList(body["messages"]).filter(isObject);
  const user = messages.findLast(({ role }) => role === "user");
  const system = messages.filter(({ role }) => role === "system");
  const path = new URL(request.url).pathname;
  const lastText = textIn(user?.["content"], "\n");
  return {
    method: request.method,
    path,
    headers,
    body,
    lastText,
    // The prompt, and system messages among the others.
    system: [body["system"], ...system.map(({ content }) => content)]
      .map((part) => textIn(part, "\n"))
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

function schemaOf(body: JsonObject): JsonObject | undefined {
  const { format } = asObject(body["output_config"]);
  const { schema } = asObject(format);
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
  const fields = asObject(properties);
  const names = Array.isArray(required) ? required : Object.keys(fields);
  return Object.fromEntries(
    names.map((name) => [name, valueFor(fields[String(name)])]),
  );
}

export function isFor(
  match: ModelMatch | undefined,
  request: ModelRequest,
): boolean {
  const { isSide, lastText } = request;
  if (typeof match === "function") return !isSide && match(request);
  const wanted: ModelMatchFields =
    typeof match === "object" && !(match instanceof RegExp)
      ? match
      : { lastText: match };
  const holds = (text: string, part: string | RegExp = "") =>
    matches(text, part);
  return isSide === (wanted.isSide ?? false) &&
    holds(request.system, wanted.system) &&
    holds(lastText, wanted.lastText) &&
    holds(String(request.body["model"]), wanted.model);
}
