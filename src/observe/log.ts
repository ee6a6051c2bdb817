import { ignoreResult } from "../async/deferred.ts";
import type { LogFields, Logger } from "../types/observe.ts";

/** A logger that cannot disturb anybody. */
export interface Log extends Logger {
  /** Whether anybody listens; hot paths ask before they build a line. */
  readonly isOn: boolean;
}

/** Wraps the user's logger: none is silent, one that throws or rejects is ignored; `shown` takes secrets out of what it is told. */
export function safeLogger(
  logger?: Logger,
  shown: <Value>(value: Value) => Value = (value) => value,
): Log {
  function line(
    level: keyof Logger,
  ): (message: string, fields?: LogFields) => void {
    return (message, fields) => {
      if (logger === undefined) return;
      try {
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
