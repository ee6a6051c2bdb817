import { duration, flag, integer, oneOf } from "./fields.ts";
import { option, type OptionRows } from "./option.ts";

const size = integer({ min: 1 });
const KIB = 1024;
const MIB = 1024 * KIB;
const wait = integer({ min: 0, max: 2 ** 31 - 1 });

/** Limits. */
export const LIMIT_OPTIONS: OptionRows = {
  /** Timeout of the start, until the CLI answers `initialize`; default: 30 000. MCP servers have their own `connectTimeoutMs`. */
  "timeouts.connectMs": option<number>({ check: duration, default: 30_000 }),
  /** Timeout of one write to stdin; default: 5 000. */
  "timeouts.writeMs": option<number>({ check: duration, default: 5_000 }),
  /** Timeout of one control request to the CLI; default: 60 000. */
  "timeouts.controlMs": option<number>({ check: duration, default: 60_000 }),
  /** Timeout of one hook callback; default: 30 000. `timeoutMs` of the hook's matcher overrides this value. */
  "timeouts.hookMs": option<number>({ check: duration, default: 30_000 }),
  /** Timeout of `canUseTool`, `onElicitation`, `onUserDialog`; default: 120 000. */
  "timeouts.permissionMs": option<number>({
    check: duration,
    default: 120_000,
  }),
  /** Timeout of one call of an MCP tool; default: 45 000. `callTimeoutMs` of the server overrides this value. */
  "timeouts.mcpMs": option<number>({ check: duration, default: 45_000 }),
  /** Age at which Sluice warns that a timed-out request has no reply; default: 300 000. */
  "timeouts.abandonedMs": option<number>({ check: duration, default: 300_000 }),
  /** Time from closing stdin to SIGTERM, in milliseconds; default: 10 000. */
  "shutdown.graceMs": option<number>({ check: wait, default: 10_000 }),
  /** Time from closing stdin to SIGKILL, in milliseconds; default: 15 000. After an abort Sluice sends SIGTERM at once, and SIGKILL `killMs - graceMs` later (by default 5 s). */
  "shutdown.killMs": option<number>({ check: wait, default: 15_000 }),
  /** Whether signals of this program reach the CLI; default: true. The signals are SIGINT, SIGTERM, SIGHUP and SIGQUIT. */
  "shutdown.forwardSignals": option<boolean>({ check: flag, default: true }),
  /** Whether the CLI has its own process group; default: false. If true, a terminal sends Ctrl-C only to this program. With `forwardSignals: true`, Sluice then forwards Ctrl-C to the CLI. Rejected on Windows. */
  "shutdown.ownProcessGroup": option<boolean>({ check: flag, default: false }),
  /** Whether a watchdog runs; default: true. The watchdog is a small shell. It ends the CLI and its tools if this program is killed. */
  "shutdown.guardProcess": option<boolean>({ check: flag, default: true }),
  /** Maximum size of one line of stdout; default: 32 MiB. A longer line is skipped and reported as `MessageTooLargeError`. */
  "limits.maxMessageBytes": option<number>({ check: size, default: 32 * MIB }),
  /** Size of unread messages at which Sluice stops reading; default: 8 MiB. While a control request is pending, Sluice reads more, up to `maxBufferedBytes`. */
  "limits.readAheadBytes": option<number>({ check: size, default: 8 * MIB }),
  /** Size of unread messages at which control requests fail; default: 64 MiB. */
  "limits.maxBufferedBytes": option<number>({ check: size, default: 64 * MIB }),
  /** Size of the stderr tail that is kept for errors; default: 256 KiB. */
  "limits.stderrTailBytes": option<number>({
    check: integer({ min: 0 }),
    default: 256 * KIB,
  }),
  /** Lines per second above which `onStderr` skips lines; default: 100. */
  "limits.stderrLinesPerSecond": option<number>({ check: size, default: 100 }),
  /** Size of stderr after which a warning is logged; default: 10 MiB. */
  "limits.stderrWarnBytes": option<number>({ check: size, default: 10 * MIB }),
  /** Interval of the checks for stalls, in milliseconds; default: 30 000. */
  "health.checkMs": option<number>({ check: duration, default: 30_000 }),
  /** Silence of the CLI that counts as a stall, in milliseconds; default: 120 000. While a tool of the CLI runs, ten times this silence counts as a stall. */
  "health.idleMs": option<number>({ check: duration, default: 120_000 }),
  /** Effect of a stall; default: `"warn"`. `"warn"` reports the stall on `errors`. `"fail"` ends the conversation with `CliStalledError`. */
  "health.onIdle": option<"warn" | "fail">({
    check: oneOf("warn", "fail"),
    default: "warn",
  }),
};
