import { ignoreResult } from "../async/deferred.ts";
import type { LogFields, Logger } from "../types/observe.ts";

/** A logger that cannot disturb anybody. */
export interface Log extends Logger {
  /** Whether anybody listens; hot paths ask before they build a line. */
  readonly isOn: boolean;
}

/**
 * Wraps a logger so that its errors and rejections are ignored, and so that a line logged by the logger itself causes
 * no loop.
 *
 * @param shown Redacts each logged text
 * @param unlogged Receives the text of each warning when there is no logger
 *
 * @example Ignore the errors of a logger
 * ```ts
 * import { safeLogger } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * function fail(): never {
 *   throw new Error("disk full");
 * }
 * const log = safeLogger({ debug: fail, info: fail, warn: fail, error: fail });
 * log.warn("Nothing is thrown");
 * assert.ok(log.isOn);
 * ```
 */
export function safeLogger(
  logger?: Logger,
  shown: <Value>(value: Value) => Value = (value) => value,
  unlogged?: (warning: string) => void,
): Logger & { readonly isOn: boolean } {
  /** A logger that calls what writes log lines would be called for ever. */
  let isInside = false;
  function line(
    level: keyof Logger,
  ): (message: string, fields?: LogFields) => void {
    return (message, fields) => {
      if (isInside) return;
      isInside = true;
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
      } finally {
        isInside = false;
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
