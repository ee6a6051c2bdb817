import type { PermissionMode } from "../protocol/permissions.ts";

/** Flags or arguments of a command, each with its help. */
export type Words = Readonly<Record<string, string>>;

/** The states of a job of a fleet. */
export const JOB_STATES = [
  "queued",
  "running",
  "waiting",
  "done",
  "dead",
  "cancelled",
] as const;

/** The actions of `jobs`. */
export const JOBS_ACTIONS = [
  "list",
  "show",
  "follow",
  "cancel",
  "approve",
  "deny",
  "retry",
] as const;

// Written out, since help would load the file that has them; one that is missing does not compile.
const MODES: Readonly<Record<PermissionMode, true>> = {
  default: true,
  acceptEdits: true,
  bypassPermissions: true,
  plan: true,
  dontAsk: true,
  auto: true,
};

/** Kind of a value, by its name in help; a list may be repeated, a range is checked by its owner. */
export const VALUES: Readonly<
  Record<string, "number" | "list" | readonly string[]>
> = {
  count: "number",
  amount: "number",
  port: "number",
  rule: "list",
  mode: Object.keys(MODES),
  state: JOB_STATES,
  action: JOBS_ACTIONS,
};

/** The options of the package that flags set. */
export const OPTIONS: Words = {
  allow: "permissions.approve",
  cli: "cliPath",
  continue: "continue",
  cwd: "cwd",
  deny: "deniedTools",
  "max-turns": "maxTurns",
  "max-usd": "maxBudgetUsd",
  mcp: "mcpServers",
  mode: "permissions.mode",
  model: "model",
  resume: "resume",
  schema: "outputSchema",
};

/** Flags without which a command does not run. */
export const NEEDED: readonly string[] = ["fleet"];

/** Options of a fleet, and what sets them. */
export const FLEET_OPTIONS: Words = {
  key: "variable SLUICE_FLEET_KEY",
  name: "--fleet",
  servers: "--server",
};

/** Flags of every command that starts a CLI. */
export const CLI_FLAGS: Words = {
  "--cli <path>": "path of the CLI; default: a search for the CLI",
  "--cwd <folder>": "working directory of the agent; default: this folder",
  "--json": "prints JSON for programs",
};

/** Flags of every command that runs an agent. */
export const AGENT_FLAGS: Words = {
  ...CLI_FLAGS,
  "--allow <rule>":
    "tools that run without prompting, such as 'Bash(git:*)'; repeatable",
  "--deny <rule>": "tools that are forbidden; repeatable",
  "--mode <mode>": "permission mode",
  "--model <model>": "the model",
  "--mcp <file>": "a file with MCP servers, in the format of .mcp.json",
  "--resume <session>": "continues a session, by its id",
  "--continue": "continues the newest session of the folder",
  "--max-turns <count>": "maximum number of model turns",
  "--max-usd <amount>": "maximum cost in US dollars",
};

export const FLEET_FLAGS: Words = {
  "--json": "prints JSON for programs",
  "--fleet <name>": "name of the fleet",
  "--server <addresses>":
    "NATS servers, comma-separated; default: NATS_URL, else this machine",
  "--creds <file>": "credentials of the server",
};

/** The options that flags set, as the package takes them: `{ permissions: { mode: "plan" } }`. */
export function optionsOf(flags: Readonly<Record<string, unknown>>): object {
  const options: Record<string, unknown> = {};
  for (const [flag, path] of Object.entries(OPTIONS)) {
    const value = flags[flag.replace(/-(\w)/g, (_, one) => one.toUpperCase())];
    if (value === undefined) continue;
    const [first = "", second] = path.split(".");
    options[first] = second === undefined
      ? value
      : { ...options[first] as object, [second]: value };
  }
  return options;
}
