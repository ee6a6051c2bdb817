import { InvalidNameError } from "../errors/mcp.ts";
import { show } from "../errors/text.ts";
import { mcpName } from "../options/tool_spec.ts";

const SEPARATOR = "__";

/** Longer names are refused by many models, and dropped by the CLI from 129 characters on. Source: MCP reference, section 2. */
export const LONGEST_NAME = 64;

const EXACT_SERVER = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/;
const EXACT_TOOL = /^[A-Za-z0-9_-]+$/;

/** The two parts of a name. */
export interface NameParts {
  /** Name of the server. */
  readonly server: string;
  /** Bare name of the tool. */
  readonly tool: string;
}

/**
 * Joins a server and a tool to `server__tool`.
 *
 * @param server Name of the server; holds no `__` and does not end in `_`
 * @param tool Bare name of the tool
 * @returns The name, which {@link splitName} splits again
 * @throws {InvalidNameError} If a part is empty, or the server would make the name ambiguous
 *
 * @example Join and split
 * ```ts
 * import { joinName, splitName } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * const name = joinName("files", "read__all");
 * assert.equal(name, "files__read__all");
 * assert.deepEqual(splitName(name), { server: "files", tool: "read__all" });
 * ```
 */
export function joinName(server: string, tool: string): string {
  const fault = server === "" || tool === ""
    ? `and a tool must not be empty: ${show(server)}, ${show(tool)}`
    : serverFault(server);
  if (fault !== undefined) {
    throw new InvalidNameError({ message: `Name of a server ${fault}` });
  }
  return server + SEPARATOR + tool;
}

/**
 * Splits `server__tool` into server and tool, at the first `__`.
 *
 * @param qualified The whole name
 * @returns Its two parts, none of them empty
 * @throws {InvalidNameError} If there is no `__`, or a part is empty
 *
 * @example Split a name with two separators
 * ```ts
 * import { InvalidNameError, splitName } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(splitName("a__b__c"), { server: "a", tool: "b__c" });
 * assert.throws(() => splitName("a_b"), InvalidNameError);
 * ```
 */
export function splitName(qualified: string): NameParts {
  const at = qualified.indexOf(SEPARATOR);
  const server = qualified.slice(0, at);
  const tool = qualified.slice(at + SEPARATOR.length);
  if (at > 0 && tool !== "") return { server, tool };
  throw new InvalidNameError({
    message: `Name is not of the form "server${SEPARATOR}tool": ${
      show(qualified)
    }`,
  });
}

/** The fault that makes a server name ambiguous in front of a tool. */
export function serverFault(server: string): string | undefined {
  const rule = server.includes(SEPARATOR)
    ? `hold "${SEPARATOR}"`
    : server.endsWith("_")
    ? 'end in "_"'
    : undefined;
  return rule && `must not ${rule}: ${show(server)}`;
}

/**
 * Gives each tool a unique name that every model accepts.
 *
 * `server__tool` where that is plain and short enough, else its plain part and a hash over both parts. A name depends on
 * its own parts alone, unless an earlier tool has it already.
 *
 * @param tools No two of one server and one name
 * @param longest Most characters of a name
 */
export function assignNames<T extends NameParts>(
  tools: readonly T[],
  longest: number = LONGEST_NAME,
): {
  readonly names: ReadonlyMap<T, string>;
  readonly clashes: readonly string[];
} {
  const owners = new Map<string, T>();
  const clashes: string[] = [];
  for (const one of tools) {
    let name = nameOf(one, 0, longest);
    for (let round = 1; owners.has(name); round++) {
      const other = owners.get(name) ?? one;
      clashes.push(
        `MCP tools ${
          showTools([other, one])
        } would have one name, the second gets another hash: "${name}"`,
      );
      name = nameOf(one, round, longest);
    }
    owners.set(name, one);
  }
  const names = Array.from(owners, ([name, one]) => [one, name] as const);
  return { names: new Map(names), clashes };
}

/** The plain name if there is one; from round 1 on a name with a hash, another in each round. */
function nameOf(
  { server, tool }: NameParts,
  round: number,
  longest: number,
): string {
  const whole = server + SEPARATOR + tool;
  const isPlain = EXACT_SERVER.test(server) && EXACT_TOOL.test(tool);
  if (round === 0 && isPlain && whole.length <= longest) return whole;
  // In front: behind it, hashes that are equal would stay equal.
  const salt = round === 0 ? "" : `${round}\0`;
  const hash = hashOf(`${salt}${server}\0${tool}`);
  const plain = whole.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
  return `${plain.slice(0, longest - hash.length - 1)}_${hash}`;
}

/** FNV-1a over UTF-8, 32 bits, as 8 hex digits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

export const MISC_TOOLKIT = "misc";

/**
 * Names the toolkit of a tool: the part of its bare name before the first `_`.
 *
 * The default classifier of a hub. A name without `_`, with one in front, or an empty name: `"misc"`.
 *
 * @param tool A tool; its bare name alone is looked at
 * @returns Name of the toolkit, never empty
 *
 * @example Group tools by prefix
 * ```ts
 * import { prefixToolkit } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * assert.equal(prefixToolkit({ tool: "files_read" }), "files");
 * assert.equal(prefixToolkit({ tool: "search" }), "misc");
 * ```
 */
export function prefixToolkit({ tool }: { readonly tool: string }): string {
  const at = tool.indexOf("_");
  return at > 0 ? tool.slice(0, at) : MISC_TOOLKIT;
}

/** Items by a name; names in the order in which they come first. */
export function groupBy<T>(
  items: Iterable<T>,
  nameOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

export function modelName(server: string, tool: string): string {
  return `mcp__${mcpName(server)}${SEPARATOR}${mcpName(tool)}`;
}

/**
 * Names that collide in the CLI: it joins server and tool with `__`, and calls go to one of them without a word.
 *
 * Source: MCP reference, section 2.
 *
 * @param servers Names of the servers, with the names of their tools as far as they are known
 * @returns One text for each fault
 */
export function lintNames(
  servers: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const tools = [...servers].flatMap(([server, names]) =>
    names.map((tool) => ({ server, tool }))
  );
  const byModel = groupBy(tools, ({ server, tool }) => modelName(server, tool));
  const clashes = [...byModel].filter(([, owners]) => owners.length > 1);
  const twins = [...groupBy(servers.keys(), mcpName)]
    .filter(([, owners]) => owners.length > 1);
  return [
    ...twins.map(([name, owners]) =>
      `MCP servers "${
        owners.join('" and "')
      }" have one name for the CLI: "${name}"`
    ),
    ...clashes.map(([name, owners]) =>
      `MCP tools ${
        showTools(owners)
      } have one name for the model, calls reach one of them only: "${name}"`
    ),
  ];
}

function showTools(tools: readonly NameParts[]): string {
  return tools.map(({ server, tool }) => `"${tool}" of "${server}"`)
    .join(" and ");
}
