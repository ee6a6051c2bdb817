import { abortedByUser, operationAborted } from "./errors.ts";
import { begin, feed, withOwnEnvironment } from "./query.ts";
import type { RunningQuery } from "./running.ts";
import { StartLimit } from "./start_limit.ts";
import type { Options } from "./generated/options.ts";
import type { WarmQuery } from "./generated/types.ts";

const PHASES = { CLAUDE_CODE_SDK_READS_STARTUP_MARKS: "1" };

/**
 * Starts a CLI process in advance, for one prompt or one stream of prompts.
 *
 * @throws {Error} If the CLI does not start in time
 *
 * @example Start the CLI before the prompt is known
 * ```ts
 * import { startup } from "@sluice/agent/compat";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath: [pathToClaudeCodeExecutable = "", ...executableArgs] } = fakeCli("Hello, Ada!");
 * const warm = await startup({ options: { pathToClaudeCodeExecutable, executableArgs } });
 * for await (const message of warm.query("Say hello")) {
 *   if (message.type === "result") assert.equal(message.subtype, "success");
 * }
 * ```
 */
export async function startup(params: {
  /** Options as for `query()`. */
  options?: Options;
  /** Timeout of the start, in milliseconds; 60 000, and up to 10 minutes of hooks of `SessionStart` and `Setup`. */
  initializeTimeoutMs?: number;
} = {}): Promise<WarmQuery> {
  const limit = new StartLimit(params.initializeTimeoutMs);
  return warmQuery(await started(params.options, limit));
}

/** A CLI that has answered `initialize`. */
export async function started(
  options: Options | undefined,
  limit: StartLimit,
): Promise<RunningQuery> {
  const query = begin(withPhases(options), (message) => limit.see(message));
  try {
    await limit.within(query.initializationResult());
    return query;
  } catch (error) {
    const { session, abort } = query.parts;
    await session.end();
    const { aborted, reason } = abort.signal;
    throw aborted ? abortedByUser(reason) : error;
  }
}

/** The options with the variable that has the CLI report the phases of its start. */
function withPhases(given: Options | null | undefined): Options {
  const options = withOwnEnvironment(given ?? {});
  const { env } = options;
  return env ? { ...options, env: { ...PHASES, ...env } } : options;
}

/** A started query that takes one prompt, or one stream of prompts. */
export function warmQuery(query: RunningQuery): WarmQuery {
  let isUsed = false;
  const end = async () => {
    isUsed = true;
    await query.return();
  };
  return {
    query(prompt) {
      if (isUsed) throw new Error("WarmQuery.query() can only be called once");
      isUsed = true;
      const { session, abort } = query.parts;
      const isText = typeof prompt === "string";
      if (abort.signal.aborted && isText) throw operationAborted();
      const { tooLate } = session;
      if (tooLate !== undefined && isText) {
        void session.close();
        throw tooLate;
      }
      // A stream that nothing reads would end as if all were well.
      if (tooLate !== undefined) session.refuse(tooLate);
      feed(query, prompt);
      return query;
    },
    close() {
      if (!isUsed) void end();
    },
    [Symbol.asyncDispose]: end,
  };
}
