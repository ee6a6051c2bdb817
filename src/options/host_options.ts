import { systemClock } from "../async/system_clock.ts";
import { isObject } from "../errors/text.ts";
import type { Metrics } from "../types/observe.ts";
import type { ApprovalOptions } from "../types/permissions.ts";
import {
  callback,
  duration,
  durationOrNever,
  fitting,
  flag,
  integer,
  list,
  object,
  oneOf,
  record,
  stringWithoutNul,
  text,
} from "./fields.ts";
import { checkHooksOn } from "./required_hooks.ts";
import { hooks } from "./hooks.ts";
import { clock, signal, withMethods } from "./host_objects.ts";
import type { OptionTable } from "./option.ts";
import { refuse } from "./refuse.ts";
import { variableName } from "./server_fields.ts";

/** Of any class: only its methods count. */
const callbacks = fitting("an object", isObject);
const KIB = 1024;
const MIB = 1024 * KIB;
const size = integer({ min: 1 });
const wait = integer({ min: 0, max: 2 ** 31 - 1 });
/** A timer has to hold it, and what the store takes beside it. */
const MOST_WAIT_MS = 2 ** 31 - 1 - 3_600_000;
const LIST_COMMAND = 'use "cliPath" with a list: command, then arguments';

/** The options that stay in this package, or that it turns into something else than one flag, field or variable. */
export const HOST_OPTIONS: Partial<OptionTable> = {
  hooks: { check: hooks, travels: "init (ids)", conflict: checkHooksOn },
  cliPath: {
    check: cliPath,
    official: "pathToClaudeCodeExecutable",
    hints: { executable: LIST_COMMAND, executableArgs: LIST_COMMAND },
  },
  cwd: { check: text, travels: "process" },
  env: { check: record(stringWithoutNul, variableName), travels: "env" },
  envPolicy: {
    check: oneOf("inherit", "allowlist", "replace"),
    travels: "env",
  },
  verbatimPrompts: { check: flag, travels: "prompts" },
  "permissions.approvals": {
    check: object<ApprovalOptions>({
      store: withMethods("park", "answer", "get", "list"),
      park: callback,
      waitMs: integer({ min: 0, max: MOST_WAIT_MS }),
    }, ["store"]),
  },
  "permissions.timeoutMs": { check: durationOrNever },
  onElicitation: { check: callback },
  onUserDialog: { check: callback },
  onStderr: { check: callback, official: "stderr" },
  signal: {
    check: signal,
    hints: { abortController: 'give its "signal"' },
  },
  transport: {
    check: withMethods("open"),
    hints: {
      spawnClaudeCodeProcess:
        'use "transport", or "cliPath" with a command that starts it',
    },
  },
  validation: { check: oneOf("envelope", "strict"), default: "envelope" },
  logger: { check: withMethods("debug", "info", "warn", "error") },
  metrics: {
    check: object<Metrics>({
      transport: callbacks,
      protocol: callbacks,
      parser: callbacks,
    }),
  },
  clock: { check: clock, default: systemClock },
  // Source of the numbers: specification, sections Timeout Strategy and Process Lifecycle; decisions on its open questions.
  "timeouts.connectMs": { check: duration, default: 30_000 },
  "timeouts.writeMs": { check: duration, default: 5_000 },
  "timeouts.controlMs": { check: duration, default: 60_000 },
  "timeouts.hookMs": { check: duration, default: 30_000 },
  "timeouts.permissionMs": { check: duration, default: 120_000 },
  "timeouts.mcpMs": { check: duration, default: 45_000 },
  "timeouts.abandonedMs": { check: duration, default: 300_000 },
  "shutdown.graceMs": { check: wait, default: 10_000 },
  "shutdown.killMs": { check: wait, default: 15_000 },
  "shutdown.forwardSignals": { check: flag, default: true },
  "shutdown.ownProcessGroup": { check: flag, default: false },
  "shutdown.guardProcess": { check: flag, default: true },
  "limits.maxMessageBytes": { check: size, default: 32 * MIB },
  "limits.readAheadBytes": { check: size, default: 8 * MIB },
  "limits.maxBufferedBytes": { check: size, default: 64 * MIB },
  "limits.stderrTailBytes": { check: integer({ min: 0 }), default: 256 * KIB },
  "limits.stderrLinesPerSecond": { check: size, default: 100 },
  "limits.stderrWarnBytes": { check: size, default: 10 * MIB },
  "health.checkMs": { check: duration, default: 30_000 },
  "health.idleMs": { check: duration, default: 120_000 },
  "health.onIdle": { check: oneOf("warn", "fail"), default: "warn" },
};

/** A path, or a command with leading arguments; the empty text counts as unset. */
function cliPath(value: unknown, key: string): void {
  if (!Array.isArray(value)) return stringWithoutNul(value, key);
  if (value.length === 0) refuse(key, value, "left out or a list with a path");
  text(value[0], `${key}[0]`);
  list(stringWithoutNul)(value, key);
}
