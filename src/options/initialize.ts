import type { JsonObject, JsonValue } from "../types/json.ts";
import type { SystemPromptText } from "../types/options.ts";
import type { Schema } from "../types/schema.ts";
import { parseSettings } from "./settings_layer.ts";
import { withSandbox } from "./settings_layer.ts";
import { toJsonSchema } from "./output_schema.ts";
import type { Settings } from "./resolve.ts";
import { serversByOwner, wireServers } from "./server_fields.ts";
import { knows } from "./versions.ts";

/**
 * The dialogs that the CLI is known to show; one that is not announced never comes. Source: published types of the
 * CLI 2.1.328.
 */
const DIALOGS = ["refusal_fallback_prompt"];

/** In which field of the reply the CLI says whether it took a field of the request. */
const RECEIPTS = {
  mcpServers: "mcp_servers_applied",
  plugins: "plugins_applied",
  settings: "settings_applied",
  managedSettings: "managed_settings_applied",
} as const;

/**
 * The fields of the `initialize` request that come from options; hooks and servers of this package are not among them.
 *
 * Source: protocol reference, section Which option travels where.
 *
 * @param outputSchema The option as it travels, where it is not as it was given
 * @param version The version of the CLI, where it may be an old one
 */
export function toInitialize(
  settings: Settings,
  outputSchema: Schema | undefined = settings.options.outputSchema,
  version?: string,
): JsonObject {
  const { options } = settings;
  const { skills, agents } = options;
  const fields: Record<string, JsonValue | undefined> = {
    ...promptFields(settings),
    planModeInstructions: options.planModeInstructions || undefined,
    title: options.title || undefined,
    // Checked to be JSON; its type says more than JSON does.
    agents: agents as unknown as JsonObject | undefined,
    jsonSchema: outputSchema && toJsonSchema(outputSchema),
    skills: Array.isArray(skills) ? skills : undefined,
    promptSuggestions: options.promptSuggestions || undefined,
    forwardSubagentText: options.forwardSubagentText || undefined,
    agentProgressSummaries: options.agentProgressSummaries || undefined,
    perTaskStopAffordance: options.perTaskStopAffordance || undefined,
    toolAliases: options.toolAliases as JsonObject | undefined,
    supportedDialogKinds: options.onUserDialog &&
      (options.supportedDialogKinds ?? DIALOGS),
    ...fieldsOfStart(settings, version),
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
}

/** The fields of `initialize` that the CLI has to read before anything else, for later it ignores them. */
export function fieldsOfStart(
  settings: Settings,
  version?: string,
): JsonObject {
  const { plugins = [], mcpServers = {}, managedSettings } = settings.options;
  const servers = wireServers(serversByOwner(mcpServers).theirs);
  const fields: Record<keyof typeof RECEIPTS, JsonValue | undefined> = {
    plugins: plugins.length === 0 ? undefined : plugins.map(
      ({ type, path, skipMcpDiscovery }) => ({ type, path, skipMcpDiscovery }),
    ),
    mcpServers: Object.keys(servers).length === 0 ? undefined : servers,
    settings: settingsObject(settings),
    managedSettings: managedSettings as JsonObject | undefined,
  };
  for (const name of Object.keys(fields) as (keyof typeof fields)[]) {
    if (fields[name] === undefined || !isReadBy(version, name)) {
      delete fields[name];
    }
  }
  return fields;
}

/** What an older CLI reads from files instead; nothing of a current one. */
export function filesOfStart(
  settings: Settings,
  version: string | undefined,
): { readonly settings?: JsonObject; readonly mcpConfig?: JsonObject } {
  const { mcpServers } = fieldsOfStart(settings);
  const own = settingsObject(settings);
  return {
    ...own !== undefined && !knows(version, "settings") && { settings: own },
    ...mcpServers !== undefined && !knows(version, "mcpServers") &&
      { mcpConfig: { mcpServers } },
  };
}

/** The fields that were sent and that the CLI says it did not take; an older CLI ignores what it does not know. */
export function fieldsNotApplied(
  sent: JsonObject,
  reply: JsonObject,
): readonly string[] {
  return Object.entries(RECEIPTS)
    .filter(([field, receipt]) =>
      sent[field] !== undefined && reply[receipt] !== true
    )
    .map(([field]) => field);
}

/** The settings that travel in `initialize`: those given as an object, and the sandbox. */
function settingsObject(
  { options: { settings, sandbox } }: Settings,
): JsonObject | undefined {
  const given = parseSettings(settings);
  if (typeof given === "string") return undefined;
  return sandbox === undefined
    ? given
    : withSandbox(given, sandbox as JsonObject);
}

/** Every supported CLI reads plugins there. */
function isReadBy(
  version: string | undefined,
  field: keyof typeof RECEIPTS,
): boolean {
  return field === "plugins" || knows(version, field);
}

function promptFields({ options: { systemPrompt } }: Settings): JsonObject {
  // An empty text in the request would replace the default prompt by next to nothing.
  if (systemPrompt === undefined || systemPrompt === "") return {};
  const { prompt, append, excludeDynamicSections, snapshot }: {
    readonly prompt?: SystemPromptText | undefined;
    readonly append?: string | undefined;
    readonly excludeDynamicSections?: boolean | undefined;
    readonly snapshot?: boolean | undefined;
  } = typeof systemPrompt === "string" || isList(systemPrompt)
    ? { prompt: systemPrompt }
    : systemPrompt;
  const blocks = typeof prompt === "string" ? [prompt] : prompt ?? [];
  return {
    ...blocks.length > 0 && { systemPrompt: blocks },
    ...append && { appendSystemPrompt: append },
    ...excludeDynamicSections === true && { excludeDynamicSections },
    ...snapshot !== undefined && { systemPromptSnapshot: snapshot },
  };
}

function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}
