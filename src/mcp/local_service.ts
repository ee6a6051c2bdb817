import { ConfigError } from "../errors/config.ts";
import { refuse } from "../options/fields.ts";
import type { McpServerInfo } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpServerDefinition, Tool, ToolSchemas } from "../types/mcp.ts";
import { isPromise, NEWEST_VERSION } from "./jsonrpc.ts";

const DEFAULT_VERSION = "1.0.0";

/** A server of this program, ready to be asked. */
export interface LocalService {
  /** What it says in a handshake. */
  readonly info: McpServerInfo;
  /** Its tools by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Its answer to `tools/list`; a promise only where a schema needs its library for that. */
  list(): JsonObject | Promise<JsonObject>;
}

/** Checks a definition and makes the answers that never change. */
export function toService(definition: McpServerDefinition): LocalService {
  const { name, version = DEFAULT_VERSION, instructions, tools } = definition;
  if (typeof name !== "string" || name === "") {
    throw new ConfigError({
      message:
        'Option "name" of an MCP server must be a text that is not empty',
      key: "name",
      value: name,
    });
  }
  const byName = new Map<string, Tool>();
  for (const [index, one] of tools.entries()) {
    if (typeof one?.call !== "function") {
      refuse(`tools[${index}]`, one, "a tool, made by tool({ ... })");
    }
    if (byName.has(one.name)) {
      throw new ConfigError({
        message:
          `MCP server "${name}" has two tools of one name: "${one.name}"`,
        key: "tools",
        value: one.name,
      });
    }
    byName.set(one.name, one);
  }
  return {
    info: {
      name,
      version,
      capabilities: { tools: {} },
      protocolVersion: NEWEST_VERSION,
      ...(instructions === undefined ? {} : { instructions }),
    },
    tools: byName,
    list: once(() => {
      const items = Array.from(byName.values(), toItem);
      return items.some(isPromise)
        ? Promise.all(items).then((tools) => ({ tools }))
        : { tools: items as readonly JsonObject[] };
    }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function toItem(one: Tool): JsonObject | Promise<JsonObject> {
  return one.schemas === undefined
    ? toWire(one, one)
    : one.schemas().then((schemas) => toWire(one, schemas));
}

function toWire(
  { name, title, description, annotations, meta }: Tool,
  { inputSchema, outputSchema }: ToolSchemas,
): JsonObject {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}
