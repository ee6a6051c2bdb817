import { isAgentError, type ResultError } from "./base.ts";
import type { CliExitError } from "./cli.ts";
import type { ProtocolError } from "./protocol.ts";

/** Answers of the API that say "later": timed out, conflict, too many, overloaded, or broken. */
const LATER: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * Returns whether the same action may succeed when it is retried later.
 *
 * True for a CLI that crashed, stalled or did not start in time, for an API that was overloaded or limited, for a request
 * that timed out, for a server that could not be reached. False for what is wrong in itself (options, a missing CLI, a
 * refusal), for what the caller ended, for a call that may have run (`DeliveryUnknownError`), and for anything that is
 * no error of this package. A prompt that is tried again may repeat what its tools did.
 *
 * @param error Anything, such as what a `catch` got
 * @returns Whether to try again
 *
 * @example Retry once
 * ```ts
 * import { isRetryable, query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("ok");
 * for (let attempt = 1;; attempt++) {
 *   try {
 *     assert.equal(await query("Sum up this folder.", { cliPath }).text(), "ok");
 *     break;
 *   } catch (error) {
 *     if (attempt === 2 || !isRetryable(error)) throw error;
 *   }
 * }
 * ```
 */
export function isRetryable(error: unknown): boolean {
  if (!isAgentError(error)) return false;
  switch (error.code) {
    case "result": {
      const status = (error as ResultError).result?.api_error_status ?? 0;
      return LATER.has(status) || status >= 500;
    }
    case "protocol_timeout": {
      // A callback that is late is the program's own.
      const { subtype } = error as ProtocolError;
      return subtype !== "hook_callback" && subtype !== "can_use_tool";
    }
    case "cli_exit": {
      // Small codes are the CLI's own word: a flag it does not know, a login that is missing.
      const { exitCode, signal } = error as CliExitError;
      return signal !== null || exitCode === 0 ||
        exitCode !== null && exitCode >= 128;
    }
    case "cli_connect":
      // Any other start that failed was refused by the system.
      return isAgentError(error.cause) && isRetryable(error.cause);
    // Failures of time and place: the same call may well succeed later.
    case "cli_stalled":
    case "cli_write":
    case "cli_read":
    case "mcp_unavailable":
    case "session_locked":
    case "capacity":
      return true;
    default:
      return false;
  }
}
