import type { McpStdioConfig } from "../types/mcp.ts";

/** The agent's own credentials and settings, and what would change how a program of its runtime runs. */
const NEVER_INHERITED =
  /^(ANTHROPIC_.*|CLAUDE_.*|CLAUDECODE|AWS_BEARER_TOKEN_BEDROCK|NODE_OPTIONS|DEBUG)$/;

/** What a process needs to start. Source: MCP reference, section 7. */
const NEEDED: readonly string[] = [
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "USER",
];
const NEEDED_ON_WINDOWS: readonly string[] = [
  "APPDATA",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "USERNAME",
  "USERPROFILE",
];

/** The whole environment of a stdio server: what it inherits, and what its configuration gives it over that. */
export function stdioEnvironment(
  { env = {}, inheritEnv = true }: McpStdioConfig,
  parent: Readonly<Record<string, string>>,
  platform: string,
): Record<string, string> {
  const isWindows = platform === "win32";
  const nameOf = (key: string) => isWindows ? key.toUpperCase() : key;
  const isWanted = filterOf(inheritEnv, isWindows);
  // There two names that differ in case alone are one variable.
  const given = new Set(Object.keys(env).map(nameOf));
  const inherited = Object.entries(parent).filter(([key, value]) => {
    const name = nameOf(key);
    // Shells export functions so; they are code, not data.
    return !value.startsWith("()") && !NEVER_INHERITED.test(name) &&
      isWanted(name) && !given.has(name);
  });
  return { ...Object.fromEntries(inherited), ...env };
}

function filterOf(
  inheritEnv: boolean | readonly string[],
  isWindows: boolean,
): (name: string) => boolean {
  if (inheritEnv === true) return () => true;
  const needed = isWindows ? NEEDED_ON_WINDOWS : NEEDED;
  const names = inheritEnv === false
    ? needed
    : inheritEnv.map((name) => isWindows ? name.toUpperCase() : name);
  const wanted = new Set(names);
  return (name) => wanted.has(name);
}
