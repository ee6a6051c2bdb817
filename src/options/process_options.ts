import type { Transport } from "../ports/transport.ts";
import {
  callback,
  either,
  flag,
  list,
  oneOf,
  record,
  stringWithoutNul,
  text,
} from "./fields.ts";
import { signal, withMethods } from "./host_objects.ts";
import { option, type OptionRows } from "./option.ts";
import { refuse } from "./refuse.ts";
import { variableName } from "./server_fields.ts";

const LIST_COMMAND = 'use "cliPath" with a list: command, then arguments';

/** The process. */
export const PROCESS_OPTIONS: OptionRows = {
  /** Path of the CLI, or a command; default: discovery. An empty one means discovery too. A command has leading arguments: `["node", "cli.js"]`. */
  cliPath: option<string | readonly string[]>({
    check: cliPath,
    official: "pathToClaudeCodeExecutable",
    hints: { executable: LIST_COMMAND, executableArgs: LIST_COMMAND },
  }),
  /** Working directory; default: that of this program. It is made absolute, and must exist. */
  cwd: option<string>({ check: text, travels: "process" }),
  /** Variables added to the inherited environment. `undefined` removes one. */
  env: option<Readonly<Record<string, string | undefined>>>({
    check: record(stringWithoutNul, variableName),
    travels: "env",
  }),
  /**
   * Inherited part of this program's environment; default: `"inherit"`.
   *
   * `"allowlist"`: only what it needs to run, to find its model, to pass a proxy and to send telemetry. `"replace"`: nothing but `env`.
   * `CLAUDECODE`, `NODE_OPTIONS` and `DEBUG` are never inherited, `CLAUDE_CODE_SIMPLE` not beside hooks and tool lists.
   */
  envPolicy: option<"inherit" | "allowlist" | "replace">({
    check: oneOf("inherit", "allowlist", "replace"),
    travels: "env",
  }),
  /** Whether the CLI writes a log of its own; default: false. A string selects categories (`"api,hooks"`). The file is `debugFile`, or lies below `CLAUDE_CONFIG_DIR`. */
  debug: option<boolean | string>({
    check: either((value) => typeof value === "boolean", flag, text),
    flag: "debug",
    replaces: ["d"],
    conflict: ({ debug, debugFile }) =>
      debug === false && debugFile !== undefined &&
      'must be left out when "debugFile" is set',
  }),
  /** File of that log. It implies `debug`. */
  debugFile: option<string>({ check: text, flag: "debug-file" }),
  /** Receives stderr line by line. Above `limits.stderrLinesPerSecond` it gets every tenth line. If one call takes over a second, it is not called again. */
  onStderr: option<(line: string) => void | Promise<void>>({
    check: callback,
    official: "stderr",
  }),
  /** Ends everything that belongs to the conversation. */
  signal: option<AbortSignal>({
    check: signal,
    hints: { abortController: 'give its "signal"' },
  }),
  /** Replaces the local process, for example by a recording. */
  transport: option<Transport>({
    check: withMethods("open"),
    hints: {
      spawnClaudeCodeProcess:
        'use "transport", or "cliPath" with a command that starts it',
    },
  }),
};

/** A path, or a command with leading arguments; the empty text counts as unset. */
function cliPath(value: unknown, key: string): void {
  if (!Array.isArray(value)) return stringWithoutNul(value, key);
  if (value.length === 0) refuse(key, value, "left out or a list with a path");
  text(value[0], `${key}[0]`);
  list(stringWithoutNul)(value, key);
}
