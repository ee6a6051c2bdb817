import { quiet } from "../async/deferred.ts";
import { isObject, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { RunningQuery } from "./running.ts";
import type { ClaimOptions, SpareProcess } from "./generated/types.ts";

/** Settings that count only at the start of a process. */
const START_SETTINGS = [
  "hooks",
  "disableAllHooks",
  "allowManagedHooksOnly",
  "allowedHttpHookUrls",
  "httpHookAllowedEnvVars",
];

/** Data of a claim that succeeded. */
export type Claimed = Awaited<SpareProcess["claimed"]>;

/**
 * Refuses settings that a started process cannot take.
 *
 * @throws {Error} If there are any
 */
export function refuseStartSettings({ settings }: ClaimOptions): void {
  const late = START_SETTINGS.filter((key) => settings?.[key] !== undefined);
  if (late.length > 0) {
    throw new Error(
      `SpareProcess.claim(): hook settings (${
        late.join(", ")
      }) cannot be applied at claim; pass them to prewarm() in Options.settings`,
    );
  }
}

/** Begins a session in a spare process, and makes the changes that a claim cannot carry. */
export async function claimSession(
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
