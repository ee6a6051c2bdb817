import { quiet } from "../async/deferred.ts";
import { asObject, isObject, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { RunningQuery } from "./running.ts";
import type { ClaimOptions, SpareProcess } from "./generated/types.ts";

type Settings = NonNullable<ClaimOptions["settings"]>;

/** Settings that count only at the start of a process. */
const START_SETTINGS = [
  "hooks",
  "disableAllHooks",
  "allowManagedHooksOnly",
  "allowedHttpHookUrls",
  "httpHookAllowedEnvVars",
];

/** Settings that are sent behind the claim; all others are sent ahead of it. Source: official SDK 0.3.330. */
const LATER_SETTINGS: ReadonlySet<string> = new Set([
  "model",
  "agent",
  "fastMode",
  "permissions",
  "availableModels",
  "disableAutoMode",
]);

/** Data of a claim that succeeded. */
export type Claimed = Awaited<SpareProcess["claimed"]>;

/**
 * Refuses settings that a started process cannot take.
 *
 * @throws {Error} If there are any
 */
export function refuseStartSettings({ settings }: ClaimOptions): void {
  const late = START_SETTINGS.filter((key) => settings?.[key] !== undefined);
  if (late.length === 0) return;
  throw new Error(
    `SpareProcess.claim(): hook settings (${
      late.join(", ")
    }) cannot be applied at claim; pass them to prewarm() in Options.settings. Nothing was sent: the spare can still be claimed.`,
  );
}

/**
 * Begins a session in a spare process, and makes the changes that a claim cannot carry.
 *
 * @param onReady Called when the settings hold and the session runs
 * @throws {Error} If the claim, its settings or other options of it are refused; the session runs without the last
 */
export async function claimSession(
  query: RunningQuery,
  options: ClaimOptions,
  onReady: () => void,
): Promise<Claimed> {
  const { model, maxThinkingTokens } = options;
  const { ahead, behind } = dividedSettings(options);
  // Ahead of the claim, which starts servers: a refusal stops it.
  if (ahead !== undefined) await applied(query, ahead);
  const reply = claimed(query, options);
  const changes = Object.entries({
    model: model === undefined ? undefined : quiet(query.setModel(model)),
    maxThinkingTokens: maxThinkingTokens === undefined
      ? undefined
      : quiet(query.setMaxThinkingTokens(maxThinkingTokens)),
  });
  const applying = behind && quiet(applied(query, behind));
  const claim = await reply;
  const failed = (error: Error) => Object.assign(error, { claim });
  await applying?.catch((error) => Promise.reject(failed(error)));
  onReady();
  const refused: string[] = [];
  for (const [name, change] of changes) {
    await change?.catch((error) =>
      refused.push(`${name}: ${textOfError(error)}`)
    );
  }
  if (refused.length === 0) return claim;
  throw failed(
    new Error(
      `option_not_applied: ${
        refused.join("; ")
      } — the prompt was sent and the session runs without these options`,
    ),
  );
}

/** Settings ahead of the claim, and behind it; `undefined` = none. */
function dividedSettings(
  { settings }: ClaimOptions,
): { readonly ahead?: Settings; readonly behind?: Settings } {
  if (settings === undefined) return {};
  // The CLI refuses anything else itself.
  if (!isObject(settings)) return { ahead: settings };
  const all = Object.entries(settings);
  const part = (isLater: boolean) => {
    const own = all.filter(([key]) => LATER_SETTINGS.has(key) === isLater);
    return own.length === 0 ? undefined : Object.fromEntries(own);
  };
  const [ahead, behind] = [part(false), part(true)];
  return { ...ahead && { ahead }, ...behind && { behind } };
}

async function applied(query: RunningQuery, settings: Settings): Promise<void> {
  try {
    await query.applyFlagSettings(settings);
  } catch (error) {
    // Nothing was refused.
    if (query.parts.session.isClosed) throw error;
    throw new Error(
      `settings_not_applied: ${
        textOfError(error)
      } — the prompt was not sent and the process was closed; start the session with query()`,
      { cause: error },
    );
  }
}

/** Sends the claim itself. */
async function claimed(
  { parts }: RunningQuery,
  options: ClaimOptions,
): Promise<Claimed> {
  const { ask, initialized, options: parked } = parts;
  const own = Object.entries(parked.mcpServers ?? {})
    .filter(([, { type }]) => type === "sdk").map(([name]) => name);
  const reply: Promise<JsonObject> = ask("claim_session", {
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
    ...asObject(initialize),
  }), () => initialized));
  const { cwd, session_id: id, parked_ms: parkedMs, sdk_mcp_settled: settled } =
    await reply;
  return {
    cwd: (cwd ?? options.cwd) as string,
    // A CLI that names none leaves it out, as in the official SDK.
    sessionId: id as string,
    ...typeof parkedMs === "number" && { parkedMs },
    sdkMcpSettled: settled === true,
  };
}
