import { mcpName } from "./tool_spec.ts";

/** A tool of an MCP server as the CLI names it, and what is known of its server. */
export interface McpTool {
  /** Its whole name: `mcp__server__tool`. */
  readonly tool: string;
  /** Name of its server as it was configured; older CLIs do not say it. */
  readonly server: string | undefined;
  /** Names of the servers of the options, as they were configured. */
  readonly servers: readonly string[];
}

/**
 * Whether an entry of a tool list is about an MCP tool: by its name, its server, or a wildcard.
 *
 * The whole name alone does not always tell where the server ends: `mcp__files___read` is `read` of `files_` or `_read`
 * of `files`. Where the CLI does not say it either, the answer is `"doubt"`.
 */
export function isAboutMcp(
  wanted: string,
  about: McpTool,
): boolean | "doubt" {
  const { tool, server, servers } = about;
  if (wanted === tool) return true;
  const star = wanted.indexOf("*");
  if (star >= 0 && !wildcard(wanted).test(tool)) return false;
  // What a wildcard leaves open of the server is meant to be open.
  const fixed = star < 0 ? wanted : fixedServer(wanted.slice(0, star));
  if (fixed === undefined) return true;
  if (!tool.startsWith(`${fixed}__`)) return false;
  const name = fixed.slice("mcp__".length);
  const same = servers.filter((one) => mcpName(one) === name);
  if (server !== undefined) {
    return mcpName(server) === name &&
      (same.length === 0 || same.includes(server));
  }
  if (star < 0 && name.includes("__") && same.length === 0) {
    // That is a tool of another server.
    return false;
  }
  const rest = tool.slice(fixed.length + "__".length);
  return rest.startsWith("_") || rest.includes("__") ? "doubt" : true;
}

/** The server in the beginning of a wildcard: `mcp__files__` has one, `mcp__fi` has none. */
function fixedServer(beginning: string): string | undefined {
  const end = beginning.lastIndexOf("__");
  return end > "mcp__".length ? beginning.slice(0, end) : undefined;
}

function wildcard(pattern: string): RegExp {
  const source = pattern.split(/\*+/).map((piece) =>
    piece.replace(/[^A-Za-z0-9_-]/g, "\\$&")
  ).join(".*");
  return new RegExp(`^${source}$`, "s");
}
