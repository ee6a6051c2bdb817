import { ignoreResult } from "../async/deferred.ts";
import type { LogFields, Logger } from "../types/observe.ts";

/** A logger that cannot disturb anybody. */
export interface Log extends Logger {
  /** Whether anybody listens; hot paths ask before they build a line. */
  readonly isOn: boolean;
}

/**
 * Wraps the user's logger: one that throws or rejects is ignored.
 *
 * @param shown Redacts what is logged
 * @param unlogged Gets the text of each warning where there is no logger
 */
export function safeLogger(
  logger?: Logger,
  shown: <Value>(value: Value) => Value = (value) => value,
  unlogged?: (warning: string) => void,
): Log {
  function line(
    level: keyof Logger,
  ): (message: string, fields?: LogFields) => void {
    return (message, fields) => {
      try {
        if (logger === undefined) {
          if (level === "warn") unlogged?.(shown(message));
          return;
        }
        ignoreResult(
          fields === undefined
            ? logger[level]?.(shown(message))
            : logger[level]?.(shown(message), shown(fields)),
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
