import { ignoreResult } from "../async/deferred.ts";
import { McpProtocolError } from "../errors/mcp.ts";
import { frozenCopy } from "../errors/frozen_copy.ts";
import { cut, isObject, textOfError } from "../errors/text.ts";
import { jsonCheckOf } from "../json_schema/compile.ts";
import { byteLength, BYTES_PER_TOKEN } from "../stream/byte_length.ts";
import type { JsonObject } from "../types/json.ts";
import type { Catalog, CatalogTool } from "../types/mcp_hub.ts";
import type { ToolAnnotations, ToolResult } from "../types/mcp_tool.ts";
import {
  assignNames,
  groupBy,
  joinName,
  MISC_TOOLKIT,
  type NameParts,
  prefixToolkit,
} from "./names.ts";
import { ANY_OBJECT, usableTools } from "./usable_tools.ts";

/** A catalogue, and the way from a name to a tool. */
export interface Snapshot {
  readonly catalog: Catalog;
  /** By public name, and by `server__tool` where that is another. */
  readonly routes: ReadonlyMap<string, Route>;
}

/** One tool of a snapshot, with what its callers need beside. */
export class Route {
  readonly tool: CatalogTool;
  readonly definition: JsonObject;
  #problemOf: ((value: unknown) => string | undefined) | undefined;

  constructor(tool: CatalogTool, definition: JsonObject) {
    this.tool = tool;
    this.definition = definition;
  }

  /** Throws when the structured content is not what the tool says of it; a failed result needs none. */
  check(result: ToolResult): void {
    const { server, tool, outputSchema } = this.tool;
    const { isError, structuredContent } = result;
    if (isError || outputSchema === undefined) return;
    const problem = structuredContent === undefined
      ? "it is missing"
      // Made once for each revision of the tool.
      : (this.#problemOf ??= jsonCheckOf(outputSchema))(structuredContent);
    if (problem === undefined) return;
    throw new McpProtocolError({
      message:
        `Structured content of tool "${tool}" of MCP server "${server}" does not fit its output schema: ${
          cut(problem)
        }`,
      server,
      details: { tool, problem, result },
    });
  }
}

type Classifier = (tool: CatalogTool) => string;

/** Makes a catalogue of links in the order of their names; the same lists make the same one, byte for byte. */
export function buildSnapshot(
  links: readonly {
    readonly server: { readonly name: string };
    readonly tools: readonly ListedTool[];
  }[],
  revision: number,
  classifier: Classifier,
  warn: (text: string) => void,
): Snapshot {
  const listed = links.flatMap(({ tools }) => tools);
  const { names, clashes } = assignNames(listed);
  for (const clash of clashes) warn(clash);
  const routes = listed.map((one) => {
    const tool = toCatalogTool(one, names.get(one) ?? "", classifier, warn);
    return new Route(tool, one.definition);
  });
  const servers = links.map(({ server }) => server.name);
  const tools = routes.map(({ tool }) => tool);
  return {
    catalog: toCatalog(servers, tools, revision),
    routes: byName(routes),
  };
}

export function emptySnapshot(revision: number): Snapshot {
  return { catalog: toCatalog([], [], revision), routes: new Map() };
}

export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

function toCatalog(
  servers: readonly string[],
  tools: readonly CatalogTool[],
  revision: number,
): Catalog {
  const ofServer = groupBy(tools, ({ server }) => server);
  const byServer = servers.map((name) =>
    [name, ofServer.get(name) ?? []] as const
  );
  const toolkits = [...groupBy(tools, ({ toolkit }) => toolkit)]
    .sort(([a], [b]) => compare(a, b));
  return Object.freeze({
    revision,
    tools: Object.freeze([...tools]),
    byServer: frozenRecord(byServer),
    toolkits: frozenRecord(toolkits),
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
  });
}

function frozenRecord<T>(
  lists: readonly (readonly [string, readonly T[]])[],
): Readonly<Record<string, readonly T[]>> {
  return Object.freeze(Object.fromEntries(
    lists.map(([name, list]) => [name, Object.freeze([...list])]),
  ));
}

function byName(all: readonly Route[]): ReadonlyMap<string, Route> {
  const routes = new Map(all.map((route) => [route.tool.name, route]));
  for (const route of all) {
    const { server, tool } = route.tool;
    if (tool === "") continue;
    const joined = joinName(server, tool);
    // A public name goes first.
    if (!routes.has(joined)) routes.set(joined, route);
  }
  return routes;
}

function toCatalogTool(
  { server, tool, definition, bytes }: ListedTool,
  name: string,
  classifier: Classifier,
  warn: (text: string) => void,
): CatalogTool {
  const { title, description, inputSchema, outputSchema, annotations } =
    definition;
  const plain: CatalogTool = {
    name,
    server,
    tool,
    toolkit: prefixToolkit({ tool }),
    ...typeof title === "string" && { title },
    description: typeof description === "string" ? description : "",
    inputSchema: isObject(inputSchema) ? inputSchema : ANY_OBJECT,
    ...isObject(outputSchema) && { outputSchema },
    // The words of the server, as far as it has any.
    ...isObject(annotations) &&
      { annotations: annotations as ToolAnnotations },
    needsTask: isObject(definition.execution) &&
      definition.execution.taskSupport === "required",
    bytes,
    tokens: tokensOf(bytes),
  };
  if (classifier === prefixToolkit) return Object.freeze(plain);
  let toolkit = MISC_TOOLKIT;
  try {
    const answer: unknown = classifier(Object.freeze(plain));
    if (typeof answer === "string") toolkit = answer;
    else {
      ignoreResult(answer);
      warn(`Classifier returned no string for MCP tool "${name}"`);
    }
  } catch (error) {
    warn(`Classifier failed for MCP tool "${name}": ${textOfError(error)}`);
  }
  return Object.freeze({ ...plain, toolkit });
}

/** One tool as its server sent it, frozen, ready for every catalogue until its server is listed again. */
export interface ListedTool extends NameParts {
  readonly definition: JsonObject;
  readonly bytes: number;
}

export function readTools(
  server: string,
  items: readonly JsonObject[],
  warn: (text: string) => void,
): readonly ListedTool[] {
  return usableTools(server, items, warn)
    .map((item) => {
      // Servers of this program hand out objects of their own.
      const definition = frozenCopy(item);
      const bytes = byteLength(JSON.stringify(definition));
      // A tool without a name is not among them.
      return { server, tool: String(item.name), definition, bytes };
    })
    .sort((a, b) => compare(a.tool, b.tool));
}

/** By code unit, the same on every machine; no two are equal. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
