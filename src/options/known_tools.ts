import { nearest } from "../errors/nearest.ts";
import { BUILTIN_TOOLS, KNOWN_TOOLS } from "../tools/names.ts";
import type { AgentOptions } from "../types/options.ts";
import { refuse } from "./refuse.ts";
import { splitSpecs } from "./tool_spec.ts";
import { wildcard } from "./wildcards.ts";

/** Tools that the CLI does not publish, or that older ones have. Source: named by CLI 2.1.330. */
const OTHER_TOOLS: readonly string[] = [
  "AgentOutputTool",
  "Brief",
  "KillBash",
  "LS",
  "MultiEdit",
  "NotebookRead",
  "StructuredOutput",
  "TaskOutput",
  "TeamCreate",
  "TeamDelete",
];

const KNOWN: readonly string[] = [
  ...BUILTIN_TOOLS,
  ...KNOWN_TOOLS,
  ...OTHER_TOOLS,
];

/**
 * Checks the tool names of a list: a mistyped entry would have no effect.
 *
 * An unknown name in the style of the CLI (`NewTool`) that resembles no known name may belong to a newer CLI and passes.
 *
 * @param own Further known names, such as those of `toolAliases`
 * @param onNew Receives each unknown name that passes
 * @throws {ConfigError} If a name is mistyped
 *
 * @example Report a mistyped tool
 * ```ts
 * import { refuseUnknownTools } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * refuseUnknownTools("approvals", ["Bash", "mcp__git__*"]);
 * assert.throws(() => refuseUnknownTools("approvals", ["Bsah"]), /did you mean "Bash"/);
 * ```
 */
export function refuseUnknownTools(
  key: string,
  entries: readonly string[],
  own: readonly string[] = [],
  onNew: (name: string) => void = () => {},
): void {
  for (const entry of entries) {
    const name = entry.replace(/\(.*$/s, "");
    if (name.startsWith("mcp__")) continue;
    const all = [...KNOWN, ...own];
    const isKnown = name.includes("*")
      ? all.some((one) => wildcard(name).test(one))
      : all.includes(name);
    if (isKnown) continue;
    const near = nearest(name, all);
    if (near === undefined && /^[A-Z][a-z]+(?:[A-Z][a-z0-9]*)*$/.test(name)) {
      onNew(name);
      continue;
    }
    const meant = near === undefined
      ? 'such as "Bash", or of an MCP server: "mcp__SERVER__TOOL"'
      : `did you mean "${near}"?`;
    refuse(key, entry, `the name of a known tool, ${meant}`);
  }
}

/** Refuses mistyped tools in every list of some options; rules about other unknown ones do nothing, which `warn` gets. */
export function checkTools(
  options: AgentOptions,
  warn: (text: string) => void = () => {},
): void {
  const { tools, permissions, agents = {}, toolAliases = {} } = options;
  const lists: [
    key: string,
    entries: string | readonly string[] | undefined,
  ][] = [
    ["allowedTools", options.allowedTools],
    ["deniedTools", options.deniedTools],
    ["permissions.approve", permissions?.approve],
    ["tools", Array.isArray(tools) ? tools : []],
  ];
  for (const [name, { disallowedTools }] of Object.entries(agents)) {
    lists.push([`agents.${name}.disallowedTools`, disallowedTools]);
  }
  const own = Object.entries(toolAliases).flat();
  for (const [key, entries = []] of lists) {
    refuseUnknownTools(
      key,
      splitSpecs(entries),
      own,
      (name) => warn(`${key} names the unknown tool "${name}"`),
    );
  }
}
