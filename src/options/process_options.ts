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
  /** Path of the CLI, or a command; default: found by a search. A command is a list: a program and its arguments, such as `["node", "cli.js"]`. */
  cliPath: option<string | readonly string[]>({
    check: cliPath,
    official: "pathToClaudeCodeExecutable",
    hints: { executable: LIST_COMMAND, executableArgs: LIST_COMMAND },
  }),
  /** Working directory; default: that of this program. The directory must exist. */
  cwd: option<string>({ check: text, travels: "process" }),
  /** Variables added to the inherited environment. The value `undefined` removes a variable. */
  env: option<Readonly<Record<string, string | undefined>>>({
    check: record(stringWithoutNul, variableName),
    travels: "env",
  }),
  /**
   * Variables that the CLI inherits from this program; default: `"inherit"`.
   *
   * `"allowlist"` inherits only variables for basics, proxies, the model and telemetry. `"replace"` inherits nothing. The CLI never inherits
   * `CLAUDECODE`, `NODE_OPTIONS` and `DEBUG`. With hooks or tool lists it does not inherit `CLAUDE_CODE_SIMPLE` either.
   */
  envPolicy: option<"inherit" | "allowlist" | "replace">({
    check: oneOf("inherit", "allowlist", "replace"),
    travels: "env",
  }),
  /** Whether the CLI writes its own log; default: false. A string selects categories, such as `"api,hooks"`. Without `debugFile` the log is a file below `CLAUDE_CONFIG_DIR`. */
  debug: option<boolean | string>({
    check: either((value) => typeof value === "boolean", flag, text),
    flag: "debug",
    replaces: ["d"],
    conflict: ({ debug, debugFile }) =>
      debug === false && debugFile !== undefined &&
      'must be left out when "debugFile" is set',
  }),
  /** File of the CLI's log. Setting `debugFile` also turns on `debug`. */
  debugFile: option<string>({ check: text, flag: "debug-file" }),
  /** Receives the stderr of the CLI line by line. If a call takes more than a second, Sluice does not call `onStderr` again. */
  onStderr: option<(line: string) => void | Promise<void>>({
    check: callback,
    official: "stderr",
  }),
  /** Aborts the conversation and ends its processes. */
  signal: option<AbortSignal>({
    check: signal,
    hints: {
      abortController: 'use "signal", with the signal of the controller',
    },
  }),
  /** Replaces the local process, for example by a recording. */
  transport: option<Transport>({
    check: withMethods("open"),
    hints: {
      spawnClaudeCodeProcess:
        'use "transport", or "cliPath" with a command that starts the CLI',
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
