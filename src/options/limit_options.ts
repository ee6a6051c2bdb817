import { duration, flag, integer, oneOf } from "./fields.ts";
import { option, type OptionRows } from "./option.ts";

const size = integer({ min: 1 });
const KIB = 1024;
const MIB = 1024 * KIB;
const wait = integer({ min: 0, max: 2 ** 31 - 1 });

/** Limits. */
export const LIMIT_OPTIONS: OptionRows = {
  /** From spawn to the reply to `initialize`; default: 30 000. MCP servers have their own timeout. */
  "timeouts.connectMs": option<number>({ check: duration, default: 30_000 }),
  /** One write to stdin; default: 5 000. */
  "timeouts.writeMs": option<number>({ check: duration, default: 5_000 }),
  /** One control request to the CLI; default: 60 000. */
  "timeouts.controlMs": option<number>({ check: duration, default: 60_000 }),
  /** One hook callback, unless its matcher has a timeout; default: 30 000. */
  "timeouts.hookMs": option<number>({ check: duration, default: 30_000 }),
  /** `canUseTool`, `onElicitation` or `onUserDialog`; default: 120 000. */
  "timeouts.permissionMs": option<number>({
    check: duration,
    default: 120_000,
  }),
  /** One MCP message of the CLI; default: 45 000. A server's own timeout overrides it. */
  "timeouts.mcpMs": option<number>({ check: duration, default: 45_000 }),
  /** Age at which an unanswered request is dropped; default: 300 000. A request with a longer timeout is kept until that timeout. */
  "timeouts.abandonedMs": option<number>({ check: duration, default: 300_000 }),
  /** From closing stdin to SIGTERM, in milliseconds; default: 10 000. */
  "shutdown.graceMs": option<number>({ check: wait, default: 10_000 }),
  /** From closing stdin to SIGKILL, in milliseconds; default: 15 000. After an abort SIGTERM comes first, SIGKILL `killMs - graceMs` later. */
  "shutdown.killMs": option<number>({ check: wait, default: 15_000 }),
  /** Whether signals of this program reach the CLI; default: true. These are SIGINT, SIGTERM, SIGHUP and SIGQUIT. */
  "shutdown.forwardSignals": option<boolean>({ check: flag, default: true }),
  /** Whether the CLI has its own process group; default: false. Then Ctrl-C in a terminal reaches this program alone. Not on Windows. */
  "shutdown.ownProcessGroup": option<boolean>({ check: flag, default: false }),
  /** Whether a watchdog runs; default: true. It is a small shell that ends the CLI and its tools after this program was killed. Windows does so on its own. */
  "shutdown.guardProcess": option<boolean>({ check: flag, default: true }),
  /** One line of stdout; default: 32 MiB. A longer one is skipped and reported as `MessageTooLargeError`. */
  "limits.maxMessageBytes": option<number>({ check: size, default: 32 * MIB }),
  /** Unread messages before the CLI has to wait; default: 8 MiB. */
  "limits.readAheadBytes": option<number>({ check: size, default: 8 * MIB }),
  /** The same while a control request is pending; default: 64 MiB. */
  "limits.maxBufferedBytes": option<number>({ check: size, default: 64 * MIB }),
  /** Newest stderr kept for errors; default: 256 KiB. */
  "limits.stderrTailBytes": option<number>({
    check: integer({ min: 0 }),
    default: 256 * KIB,
  }),
  /** Lines a second above which `onStderr` gets every tenth; default: 100. */
  "limits.stderrLinesPerSecond": option<number>({ check: size, default: 100 }),
  /** Bytes of stderr that log one warning; default: 10 MiB. */
  "limits.stderrWarnBytes": option<number>({ check: size, default: 10 * MIB }),
  /** Interval of the checks, in milliseconds; default: 30 000. */
  "health.checkMs": option<number>({ check: duration, default: 30_000 }),
  /** Silence that counts as a stall, in milliseconds; default: 120 000. */
  "health.idleMs": option<number>({ check: duration, default: 120_000 }),
  /** Effect of a stall; default: `"warn"`. `"warn"` reports it on `errors`, `"fail"` ends the conversation with `CliStalledError`. */
  "health.onIdle": option<"warn" | "fail">({
    check: oneOf("warn", "fail"),
    default: "warn",
  }),
};
