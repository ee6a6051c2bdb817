import { duration, flag, integer, oneOf } from "./fields.ts";
import { option, type OptionRows } from "./option.ts";

const size = integer({ min: 1 });
const KIB = 1024;
const MIB = 1024 * KIB;
const wait = integer({ min: 0, max: 2 ** 31 - 1 });

/** Limits. */
export const LIMIT_OPTIONS: OptionRows = {
  /** Start of the CLI: from spawn to the reply to `initialize`; 30 000. MCP servers have their own. */
  // Source of the numbers: specification, sections Timeout Strategy and Process Lifecycle; decisions on its open questions.
  "timeouts.connectMs": option<number>({ check: duration, default: 30_000 }),
  /** One write to stdin; 5 000. */
  "timeouts.writeMs": option<number>({ check: duration, default: 5_000 }),
  /** One control request to the CLI; 60 000. */
  "timeouts.controlMs": option<number>({ check: duration, default: 60_000 }),
  /** One hook callback, unless its matcher has a timeout; 30 000. */
  "timeouts.hookMs": option<number>({ check: duration, default: 30_000 }),
  /** One call of `canUseTool`, `onElicitation` or `onUserDialog`; 120 000. */
  "timeouts.permissionMs": option<number>({
    check: duration,
    default: 120_000,
  }),
  /** One MCP message of the CLI, unless its server has a timeout; 45 000. */
  "timeouts.mcpMs": option<number>({ check: duration, default: 45_000 }),
  /** Age at which an unanswered request is dropped, never before its own timeout; 300 000. */
  "timeouts.abandonedMs": option<number>({ check: duration, default: 300_000 }),
  /** From closing stdin to SIGTERM, in milliseconds; 10 000. */
  "shutdown.graceMs": option<number>({ check: wait, default: 10_000 }),
  /** From closing stdin to SIGKILL, in milliseconds; 15 000. After an abort SIGTERM comes first, SIGKILL `killMs - graceMs` later. */
  "shutdown.killMs": option<number>({ check: wait, default: 15_000 }),
  /** Whether SIGINT, SIGTERM, SIGHUP and SIGQUIT of this program also reach the CLI; true. */
  "shutdown.forwardSignals": option<boolean>({ check: flag, default: true }),
  /** Whether the CLI gets its own process group, so that Ctrl-C in a terminal reaches this program alone; false. Not on Windows. */
  "shutdown.ownProcessGroup": option<boolean>({ check: flag, default: false }),
  /** Whether a small shell, the watchdog, ends the CLI and its tools after this program was killed; true. Windows does so on its own. */
  "shutdown.guardProcess": option<boolean>({ check: flag, default: true }),
  /** One line of stdout; 32 MiB. A longer one is skipped and reported as `MessageTooLargeError`. */
  "limits.maxMessageBytes": option<number>({ check: size, default: 32 * MIB }),
  /** Unread messages before the CLI has to wait; 8 MiB. */
  "limits.readAheadBytes": option<number>({ check: size, default: 8 * MIB }),
  /** The same while a control request of ours is pending; 64 MiB. */
  "limits.maxBufferedBytes": option<number>({ check: size, default: 64 * MIB }),
  /** Newest stderr kept for errors; 256 KiB. */
  "limits.stderrTailBytes": option<number>({
    check: integer({ min: 0 }),
    default: 256 * KIB,
  }),
  /** Lines a second above which `onStderr` gets every tenth; 100. */
  "limits.stderrLinesPerSecond": option<number>({ check: size, default: 100 }),
  /** Bytes of stderr that log one warning; 10 MiB. */
  "limits.stderrWarnBytes": option<number>({ check: size, default: 10 * MIB }),
  /** Interval of the checks, in milliseconds; 30 000. */
  "health.checkMs": option<number>({ check: duration, default: 30_000 }),
  /** Silence of a running turn that counts as a stall, in milliseconds; 120 000. */
  "health.idleMs": option<number>({ check: duration, default: 120_000 }),
  /** Effect of a stall: a warning on `errors`, or the end with `CliStalledError`; `"warn"`. */
  "health.onIdle": option<"warn" | "fail">({
    check: oneOf("warn", "fail"),
    default: "warn",
  }),
};
