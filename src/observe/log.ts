import type { LogFields, Logger } from "../types/logger.ts";

/** A logger that cannot disturb anybody. */
export interface Log extends Logger {
  /** Whether anybody listens; hot paths ask before they build a line. */
  readonly isOn: boolean;
}

/** Wraps the user's logger: none is silent, one that throws or rejects is ignored. */
export function safeLogger(logger?: Logger): Log {
  function line(
    level: keyof Logger,
  ): (message: string, fields?: LogFields) => void {
    return (message, fields) => {
      try {
        ignoreResult(
          fields === undefined
            ? logger?.[level]?.(message)
            : logger?.[level]?.(message, fields),
        );
      } catch {
        // A logger never disturbs a conversation.
      }
    };
  }
  return {
    isOn: logger !== undefined,
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
  };
}

/** Keeps a promise that the user's code gave back from becoming an unhandled rejection: nobody waits for it. */
export function ignoreResult(result: unknown): void {
  if (typeof result === "object" && result !== null && "then" in result) {
    Promise.resolve(result).catch(() => {});
  }
}
