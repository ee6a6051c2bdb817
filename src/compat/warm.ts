import { Deferred, quiet } from "../async/deferred.ts";
import { isObject, textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { fromHere } from "../process/paths.ts";
import { directoryNow, host as hostOf } from "../runtime/host.ts";
import type { JsonObject } from "../types/json.ts";
import { abortedByUser, operationAborted } from "./errors.ts";
import { begin, feed, withOwnEnvironment } from "./query.ts";
import type { RunningQuery } from "./running.ts";
import { START_MS, StartLimit } from "./start_limit.ts";
import { configFolder } from "../transcripts/places.ts";
import type { Options } from "./generated/options.ts";
import type {
  ClaimOptions,
  SpareProcess,
  WarmQuery,
} from "./generated/types.ts";

/** Settings that count only at the start of a process. */
const START_SETTINGS = [
  "hooks",
  "disableAllHooks",
  "allowManagedHooksOnly",
  "allowedHttpHookUrls",
  "httpHookAllowedEnvVars",
];

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
async function started(
  options: Options | undefined,
  limit: StartLimit,
): Promise<RunningQuery> {
  const query = begin(options, (message) => limit.see(message));
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

function warmQuery(query: RunningQuery): WarmQuery {
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

/**
 * Starts a CLI process without a working directory, which is set when the process is claimed. Needs a CLI that
 * supports `--await-claim`.
 *
 * @throws {Error} If the CLI does not start in time, or the options name a session
 *
 * @example Claim a process that was started in advance
 * ```ts ignore
 * import { prewarm } from "@sluice/agent/compat";
 *
 * const spare = await prewarm();
 * const run = spare.claim({ prompt: "Say hello", options: { cwd: "/home/ada" } });
 * for await (const message of run) console.log(message.type);
 * ```
 */
export async function prewarm(params: {
  /** Options that hold for every session. */
  options?: Options;
  /** Timeout of the start, in milliseconds; 60 000. */
  initializeTimeoutMs?: number;
} = {}): Promise<SpareProcess> {
  const { initializeTimeoutMs = START_MS } = params;
  const options = withOwnEnvironment(params.options ?? {});
  if (options.resume || options.continue || options.forkSession) {
    throw new Error(
      "prewarm(): resume/continue/forkSession describe a session; a spare has none: pass them to query() instead",
    );
  }
  const parking = await parkingPlace(options);
  const extraArgs = { ...options.extraArgs, "await-claim": null };
  const parked = { ...options, cwd: parking.cwd, extraArgs };
  try {
    const query = await started(parked, new StartLimit(initializeTimeoutMs));
    return spareProcess(query, parking.remove, await hostOf());
  } catch (error) {
    await parking.remove();
    throw error;
  }
}

/** The directory of a process that waits for a claim. */
async function parkingPlace(
  { cwd, env }: Options,
): Promise<{ readonly cwd: string; readonly remove: () => Promise<void> }> {
  if (cwd !== undefined) return { cwd, remove: () => Promise.resolve() };
  const host = await hostOf();
  const spares = `${configFolder(host, env)}/spares`;
  await host.files.makeDirectory(spares, 0o700);
  const own = `${spares}/spare-${crypto.randomUUID().slice(0, 8)}`;
  await host.files.makeDirectory(own, 0o700);
  return { cwd: own, remove: () => host.files.remove(own).catch(() => {}) };
}

type Claimed = Awaited<SpareProcess["claimed"]>;

function spareProcess(
  query: RunningQuery,
  remove: () => Promise<void>,
  host: Host,
): SpareProcess {
  const { session } = query.parts;
  const warm = warmQuery(query);
  const claim = new Deferred<Claimed>().quiet();
  let isClaimed = false;
  let isClosed = false;
  /** Refuses claims from now on; false if it did before. */
  const end = (reason: string) => {
    claim.reject(new Error(`${reason} before it was claimed`));
    return !isClosed && (isClosed = true);
  };
  const exited = session.over.then(remove);
  exited.then(() => end("spare_exited: the spare process exited"));
  const close = () => {
    if (end("spare_closed: the spare was closed")) void query.return();
  };
  return {
    claimed: claim.promise,
    exited,
    claim({ prompt, options }) {
      if (isClaimed) {
        throw new Error("SpareProcess.claim() can only be called once");
      }
      if (isClosed) {
        throw new Error(
          "SpareProcess.claim(): the spare was closed or has exited; start the session with query()",
        );
      }
      const late = START_SETTINGS.filter((key) =>
        options.settings?.[key] !== undefined
      );
      if (late.length > 0) {
        throw new Error(
          `SpareProcess.claim(): hook settings (${
            late.join(", ")
          }) cannot be applied at claim; pass them to prewarm() in Options.settings`,
        );
      }
      isClaimed = true;
      // The spare has another directory than this program.
      const here = () => directoryNow() ?? host.cwd();
      const cwd = options.cwd &&
        fromHere({ cwd: here, platform: host.platform }, options.cwd);
      const claimed = take(query, { ...options, cwd });
      claimed.then((one) => claim.resolve(one), (error) => {
        claim.reject(error);
        session.input.end();
      }).then(remove);
      if (options.settings === undefined) return warm.query(prompt);
      // Settings hold before the prompt is heard.
      claimed.then(() => warm.query(prompt)).catch((error) => {
        if (session.tooLate !== undefined) session.refuse(error);
      });
      return query;
    },
    close,
    async [Symbol.asyncDispose]() {
      close();
      await exited;
    },
  };
}

/** Begins a session in a spare process, and makes the changes that a claim cannot carry. */
async function take(
  query: RunningQuery,
  options: ClaimOptions,
): Promise<Claimed> {
  const { parts } = query;
  const { ask, initialized, options: parked } = parts;
  const { model, maxThinkingTokens, settings } = options;
  // Ahead of the claim, which starts servers: a refusal stops it.
  if (settings === null || Object.keys(settings ?? {}).length > 0) {
    try {
      await query.applyFlagSettings(settings as NonNullable<typeof settings>);
    } catch (error) {
      throw new Error(
        `settings_not_applied: ${
          textOfError(error)
        } — the prompt was not sent and the process was closed; start the session with query()`,
      );
    }
  }
  const own = Object.entries(parked.mcpServers ?? {})
    .filter(([, { type }]) => type === "sdk").map(([name]) => name);
  const reply = ask("claim_session", {
    cwd: options.cwd,
    permission_mode: options.permissionMode,
    env: options.env,
    additional_directories: options.additionalDirectories,
    append_system_prompt: options.appendSystemPrompt,
    title: options.title,
    agents: options.agents,
    sdk_mcp_servers: own,
    include_initialize: true,
  });
  parts.initialized = quiet(reply.then(async ({ initialize }) => ({
    ...await initialized,
    ...isObject(initialize) ? initialize : {},
  }), () => initialized));
  const changes: Record<string, Promise<void>> = {
    ...model !== undefined && { model: quiet(query.setModel(model)) },
    ...maxThinkingTokens !== undefined && {
      maxThinkingTokens: quiet(query.setMaxThinkingTokens(maxThinkingTokens)),
    },
  };
  const session: JsonObject = await reply;
  const claimed = {
    cwd: String(session.cwd ?? options.cwd),
    sessionId: String(session.session_id),
    ...typeof session.parked_ms === "number" && { parkedMs: session.parked_ms },
    sdkMcpSettled: session.sdk_mcp_settled === true,
  };
  for (const [name, change] of Object.entries(changes)) {
    try {
      await change;
    } catch (error) {
      const text = `option_not_applied: ${name}: ${textOfError(error)}`;
      throw Object.assign(new Error(text), { claim: claimed });
    }
  }
  return claimed;
}
