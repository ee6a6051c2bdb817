/** Limits on waiting, in milliseconds. */
export interface TimeoutOptions {
  /** Start-up of the CLI: spawn to the `initialize` reply; 30 000. */
  readonly connectMs?: number | undefined;
  /** One write to stdin; 5 000. */
  readonly writeMs?: number | undefined;
  /** Any control request of ours; 60 000. */
  readonly controlMs?: number | undefined;
  /** A hook callback; 30 000. */
  readonly hookMs?: number | undefined;
  /** A permission callback; 120 000. */
  readonly permissionMs?: number | undefined;
  /** An MCP message of the CLI; 45 000. */
  readonly mcpMs?: number | undefined;
  /** Age at which a request that nobody answered is swept, never before its own limit; 300 000. */
  readonly abandonedMs?: number | undefined;
}

/** How the CLI is ended. */
export interface ShutdownOptions {
  /** From closing stdin to SIGTERM, in milliseconds; 10 000. */
  readonly graceMs?: number | undefined;
  /** From closing stdin to SIGKILL, in milliseconds; 15 000. After an abort SIGTERM comes first, SIGKILL `killMs - graceMs` later. */
  readonly killMs?: number | undefined;
  /** Whether SIGINT, SIGTERM, SIGHUP and SIGQUIT of the host reach the CLI while one runs; true. */
  readonly forwardSignals?: boolean | undefined;
  /** Whether the CLI gets a process group of its own, so that Ctrl-C in a terminal reaches the host alone; false. Not on Windows. */
  readonly ownProcessGroup?: boolean | undefined;
  /** Whether a small shell beside the host ends the CLI and its tools when the host is gone without a word, as after SIGKILL; true. Windows does that by itself. */
  readonly guardProcess?: boolean | undefined;
}

/** Limits on sizes, in bytes unless the name says otherwise. */
export interface LimitOptions {
  /** One stdout line; 32 MiB. A longer one is skipped and reported as `MessageTooLargeError`. */
  readonly maxMessageBytes?: number | undefined;
  /** Unread messages held before the CLI is back-pressured; 8 MiB. */
  readonly readAheadBytes?: number | undefined;
  /** Unread messages held while a control request of ours is pending; 64 MiB. */
  readonly maxBufferedBytes?: number | undefined;
  /** Newest stderr kept for errors; 256 KiB. */
  readonly stderrTailBytes?: number | undefined;
  /** Lines a second above which `onStderr` gets every 10th, fewer if it takes long, never none; 100. */
  readonly stderrLinesPerSecond?: number | undefined;
  /** Bytes of stderr that give one warning; 10 MiB. */
  readonly stderrWarnBytes?: number | undefined;
}

/** The watch over silent turns. */
export interface HealthOptions {
  /** How often it looks, in milliseconds; 30 000. */
  readonly checkMs?: number | undefined;
  /** Silence of a running turn that counts as a stall, in milliseconds; 120 000. */
  readonly idleMs?: number | undefined;
  /** What a stall does: one log warning, or the end with `CliStalledError`; `"warn"`. */
  readonly onIdle?: "warn" | "fail" | undefined;
}
