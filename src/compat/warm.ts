import { withLimit } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import { host as hostOf } from "../runtime/host.ts";
import type { JsonObject } from "../types/json.ts";
import { abortedByUser } from "./errors.ts";
import { begin, type Begun, feed } from "./query.ts";
import { configFolder } from "../transcripts/places.ts";
import type { Options } from "./generated/options.ts";
import type {
  ClaimOptions,
  SpareProcess,
  WarmQuery,
} from "./generated/types.ts";

/** A CLI gets so long to start, unless told otherwise, in milliseconds. */
const START_MS = 60_000;

/** Settings that a process takes at its start alone. */
const START_SETTINGS = [
  "hooks",
  "disableAllHooks",
  "allowManagedHooksOnly",
  "allowedHttpHookUrls",
  "httpHookAllowedEnvVars",
];

/**
 * Starts a CLI before there is a prompt, so that the prompt need not wait for the start.
 *
 * @param params Options as for `query()`, and how long the start may take (60 s)
 * @returns The CLI, ready for one prompt or one stream of prompts
 * @throws {Error} If the CLI does not start in time
 *
 * @example A start ahead of time
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
  /** Options. */
  options?: Options;
  /** How long the start may take, in milliseconds. */
  initializeTimeoutMs?: number;
} = {}): Promise<WarmQuery> {
  const begun = await started(params.options ?? {}, params.initializeTimeoutMs);
  return warmQuery(begun);
}

/** A CLI that has answered `initialize`. */
async function started(
  options: Options,
  limitMs: number = START_MS,
): Promise<Begun> {
  const begun = begin(options);
  try {
    await withLimit(() => begun.query.initializationResult(), {
      clock: systemClock,
      ms: limitMs,
      onLimit: () =>
        new Error(
          `Subprocess initialization did not complete within ${limitMs}ms. Slow plugins, MCP servers, hooks, disks or network can each cause this.`,
        ),
    });
    return begun;
  } catch (error) {
    await begun.session.close();
    await begun.session.over;
    const { aborted, reason } = begun.abort.signal;
    throw aborted ? abortedByUser(reason) : error;
  }
}

function warmQuery(begun: Begun): WarmQuery {
  const { query } = begun;
  let isUsed = false;
  const end = async () => {
    isUsed = true;
    await query.return();
  };
  return {
    query(prompt) {
      if (isUsed) throw new Error("WarmQuery.query() can only be called once");
      isUsed = true;
      feed(begun, prompt);
      return query;
    },
    close() {
      if (!isUsed) void end();
    },
    [Symbol.asyncDispose]: end,
  };
}

/**
 * Starts a CLI that belongs to no directory yet: whoever claims it says where the session runs.
 *
 * Needs a CLI that knows `--await-claim`.
 *
 * @param params Options that hold for every session, and how long the start may take (60 s)
 * @returns The parked process
 * @throws {Error} If the CLI does not start in time, or the options name a session
 *
 * @example A parked process
 * ```ts ignore
 * import { prewarm } from "@sluice/agent/compat";
 *
 * const spare = await prewarm();
 * const run = spare.claim({ prompt: "Say hello", options: { cwd: "/home/ada" } });
 * for await (const message of run) console.log(message.type);
 * ```
 */
export async function prewarm(params: {
  /** Options. */
  options?: Options;
  /** How long the start may take, in milliseconds. */
  initializeTimeoutMs?: number;
} = {}): Promise<SpareProcess> {
  const { options = {}, initializeTimeoutMs } = params;
  if (options.resume || options.continue || options.forkSession) {
    throw new Error(
      "prewarm(): resume/continue/forkSession describe a session; a spare has none: pass them to query() instead",
    );
  }
  const parking = await parkingPlace(options);
  let begun: Begun;
  try {
    begun = await started({
      ...options,
      cwd: parking.cwd,
      extraArgs: { ...options.extraArgs, "await-claim": null },
    }, initializeTimeoutMs);
  } catch (error) {
    await parking.remove();
    throw error;
  }
  return spareProcess(begun, parking.remove);
}

/** Where a process waits that has no directory yet. */
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

function spareProcess(
  begun: Begun,
  remove: () => Promise<void>,
): SpareProcess {
  const { query, session } = begun;
  const warm = warmQuery(begun);
  const claim = new Deferred<Awaited<SpareProcess["claimed"]>>().quiet();
  let isClaimed = false;
  let isClosed = false;
  const exited = session.over.then(remove);
  exited.then(() => {
    isClosed = true;
    claim.reject(
      new Error("spare_exited: the spare process exited before it was claimed"),
    );
  });
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    claim.reject(
      new Error("spare_closed: the spare was closed before it was claimed"),
    );
    void query.return();
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
      const claimed = take(begun, options);
      claimed.then((one) => claim.resolve(one), (error) => {
        claim.reject(error);
        session.endInput();
      }).then(remove);
      if (options.settings === undefined) return warm.query(prompt);
      // Settings hold before the prompt is heard.
      claimed.then(() => warm.query(prompt), () => {});
      return query;
    },
    close,
    async [Symbol.asyncDispose]() {
      close();
      await exited;
    },
  };
}

/** Begins a session in a parked process, and tells it the rest of what it should be. */
async function take(
  { query, ask, claimed: tellClaimed, options: parked }: Begun,
  options: ClaimOptions,
): Promise<Awaited<SpareProcess["claimed"]>> {
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
  tellClaimed(reply);
  const { model, maxThinkingTokens, settings } = options;
  const changes = {
    model: model === undefined ? undefined : query.setModel(model),
    maxThinkingTokens: maxThinkingTokens === undefined
      ? undefined
      : query.setMaxThinkingTokens(maxThinkingTokens),
    settings: settings === undefined
      ? undefined
      : query.applyFlagSettings(settings),
  };
  for (const change of Object.values(changes)) change?.catch(() => {});
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
      const code = name === "settings"
        ? "settings_not_applied"
        : "option_not_applied";
      throw Object.assign(
        new Error(`${code}: ${name}: ${textOfError(error)}`),
        { claim: claimed },
      );
    }
  }
  return claimed;
}
