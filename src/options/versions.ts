import { ConfigError } from "../errors/base.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { AgentOptions } from "../types/options.ts";
import { parseSettings, valueAt } from "./fields.ts";
import {
  deniesAllReads,
  guards,
  needsNoMentions,
  needsNoSkillShell,
  readPolicy,
} from "./guarded.ts";
import { isOfCli } from "./server_fields.ts";

/** The CLI that everything was tried with; tests and demo install it. */
export const TESTED_VERSION = "2.1.330";

/** The oldest CLI that a conversation works with: results of those before it lack what says that they are results. */
export const MINIMUM_VERSION = "2.1.31";

/** How to get rid of an old CLI. */
export const UPDATE = "update it (claude update)";

/** Something that not every CLI knows. */
export interface Feature {
  /** The first release that knows it, or that was seen to. */
  readonly since: string;
  /** What is sent to make use of it: a flag of the command line, or else a field. */
  readonly sent: string;
  /** What an older CLI gets instead, where it is known in time how old it is; absent = the option is refused. */
  readonly instead?: string;
  /** Whether the options make use of it, or the one that does; absent = if the one that the row is named after is set. */
  readonly isUsed?: (options: AgentOptions) => boolean | string | undefined;
  /** What else helps who has an older CLI; absent = to leave the option out. */
  readonly help?: string;
}

/** The rows of {@link FEATURES} that somebody asks for by name. */
export type FeatureName =
  | "thinkingOff"
  | "promptList"
  | "permissions.approvals"
  | "flagSettings"
  | "asking"
  | "fileMentions"
  | "inputUnchanged"
  | "lifecycle"
  | "plugins"
  | "mcpServers"
  | "settings"
  | "managedSettings";

/**
 * What each release of the CLI knows, by when it began to; `docs/versions.md` shows this table.
 *
 * Source: looked for in the releases from 2.1.30 on, and tried on those around each step.
 */
export const FEATURES: Readonly<
  Record<FeatureName, Feature> & Record<string, Feature>
> = {
  effort: { since: "2.1.38", sent: "--effort" },
  thinking: {
    since: "2.1.47",
    sent: "--thinking=adaptive",
    isUsed: ({ thinking }) => thinking?.type === "adaptive",
  },
  thinkingOff: {
    since: "2.1.47",
    sent: "--thinking=disabled",
    instead: "--max-thinking-tokens=0",
  },
  "thinking.display": { since: "2.1.94", sent: "--thinking-display" },
  includeHookEvents: { since: "2.1.88", sent: "--include-hook-events" },
  promptList: {
    since: "2.1.110",
    sent: "systemPrompt of initialize as a list",
    instead: "the text itself",
    isUsed: (options) =>
      options.systemPrompt && !valueAt(options, "systemPrompt.preset")
        ? "systemPrompt"
        : undefined,
  },
  "systemPrompt.excludeDynamicSections": {
    since: "2.1.100",
    sent: "excludeDynamicSections of initialize",
  },
  "systemPrompt.snapshot": {
    since: "2.1.257",
    sent: "systemPromptSnapshot of initialize",
    isUsed: (options) =>
      valueAt(options, "systemPrompt.snapshot") !== undefined,
  },
  planModeInstructions: initializeField("2.1.118", "planModeInstructions"),
  title: initializeField("2.1.113", "title"),
  skills: {
    since: "2.1.116",
    sent: "skills of initialize",
    isUsed: ({ skills }) => Array.isArray(skills),
  },
  skillShell: {
    since: "2.1.91",
    sent: "disableSkillShellExecution of settings",
    isUsed: needsNoSkillShell,
    help: "set settingSources to [] without plugins and additionalDirectories",
  },
  fileMentions: {
    since: "2.1.299",
    sent: "CLAUDE_CODE_DISABLE_FILE_MENTIONS",
    instead: "the deny rule Read(//**), where the lists allow no read",
    isUsed: (options) => deniesAllReads(options) && readPolicy(options),
  },
  fileMentionsBesideReads: {
    since: "2.1.299",
    sent: "CLAUDE_CODE_DISABLE_FILE_MENTIONS beside some reads",
    isUsed: needsNoMentions,
    help:
      "set verbatimPrompts, and settingSources to [] without plugins and additionalDirectories",
  },
  "permissions.prompts": {
    since: "2.1.259",
    sent: "--permission-prompts",
    isUsed: ({ permissions }) => permissions?.prompts === "none",
  },
  "permissions.approvals": {
    since: "2.1.261",
    sent: 'permissionDecision "defer" of a hook',
  },
  resumeDropsTurn: { since: "2.1.223", sent: "--resume-drops-turn" },
  transcripts: { since: "2.1.97", sent: "--session-mirror" },
  "toolConfig.askUserQuestion.previewFormat": {
    since: "2.1.69",
    sent: "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT",
  },
  verbatimPrompts: { since: "2.1.248", sent: "client_composed of a prompt" },
  promptSuggestions: initializeField("2.1.48", "promptSuggestions"),
  forwardSubagentText: initializeField("2.1.119", "forwardSubagentText"),
  dialogs: {
    since: "2.1.170",
    sent: "supportedDialogKinds of initialize",
    instead: "nothing: it shows no dialogs",
  },
  taskBudget: { since: "2.1.84", sent: "--task-budget" },
  agentProgressSummaries: initializeField("2.1.86", "agentProgressSummaries"),
  perTaskStopAffordance: initializeField("2.1.246", "perTaskStopAffordance"),
  toolAliases: initializeField("2.1.142", "toolAliases"),
  projectConfigRoot: { since: "2.1.300", sent: "--project-config-root" },
  managedSettings: {
    since: "2.1.326",
    sent: "--managed-settings-in-initialize",
  },
  flagSettings: {
    since: "2.1.62",
    sent: "the request apply_flag_settings",
    instead: "what keeps hooks on, in the file of --settings",
    isUsed: (options) => guards(options)[0],
  },
  flagSettingsOverFile: {
    since: "2.1.62",
    sent: "the request apply_flag_settings beside a file of settings",
    isUsed: (options) =>
      guards(options).length > 0 &&
      typeof parseSettings(options.settings) === "string" && "settings",
    help: "give the settings as an object",
  },
  asking: {
    since: "2.1.326",
    sent: "canUseTool without a mode",
    instead:
      "--permission-mode=default from 2.1.271 on: those begin in mode auto",
  },
  inputUnchanged: {
    since: "2.1.207",
    sent: 'a permission "allow" without updatedInput',
    instead: "the input itself",
  },
  lifecycle: {
    since: "2.1.206",
    sent: "the message command_lifecycle",
    instead: "prompts that no turn begins for share the result before",
  },
  plugins: {
    since: "2.1.261",
    sent: "--await-initialize",
    instead: "--plugin-dir",
    isUsed: ({ plugins = [] }) => plugins.length > 0,
  },
  "plugins.skipMcpDiscovery": {
    since: "2.1.261",
    sent: "skipMcpDiscovery of a plugin",
    isUsed: ({ plugins }) => plugins?.some((one) => one.skipMcpDiscovery),
  },
  mcpServers: {
    since: "2.1.326",
    sent: "mcpServers of initialize",
    instead: "--mcp-config, of a private file",
    isUsed: ({ mcpServers = {} }) =>
      Object.values(mcpServers).some((one) => isOfCli(one as McpServerConfig)),
  },
  settings: {
    since: "2.1.327",
    sent: "--initialize-fields",
    instead: "--settings, of a private file",
    isUsed: ({ sandbox, settings }) =>
      sandbox !== undefined || typeof parseSettings(settings) === "object",
  },
};

function initializeField(since: string, name: string): Feature {
  return { since, sent: `${name} of initialize` };
}

/** The dotted key of the option that makes use of a feature; `undefined` when none does. */
export function usedBy(
  name: string,
  { isUsed = (options) => Boolean(valueAt(options, name)) }: Feature,
  options: AgentOptions,
): string | undefined {
  const used = isUsed(options);
  return used === true ? name : used || undefined;
}

/** Whether a CLI knows something; one of which nobody knows how old it is counts as a current one. */
export function knows(
  version: string | undefined,
  feature: FeatureName,
): boolean {
  return !isOlder(version, FEATURES[feature].since);
}

/** Whether a version is older than another; one that says no numbers is not. */
export function isOlder(version: string | undefined, than: string): boolean {
  const own = numbersOf(version);
  const other = numbersOf(than);
  if (own === undefined || other === undefined) return false;
  const at = other.findIndex((least, at) => least !== own[at]);
  return at >= 0 && Number(own[at]) < Number(other[at]);
}

/** The three numbers of a version; `undefined` when it has none. */
export function numbersOf(
  version: string | undefined,
): readonly number[] | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? "");
  return parts === null ? undefined : parts.slice(1).map(Number);
}

/**
 * Refuses options that a CLI of this version ignores, or ends for.
 *
 * @param late Where it was told too late to do anything another way: what it counted as before
 * @throws {ConfigError} For the first one
 */
export function checkKnown(
  options: AgentOptions,
  version: string | undefined,
  path: string | undefined,
  late?: { readonly countedAs: string | undefined },
): void {
  for (const [name, feature] of Object.entries(FEATURES)) {
    const { since, sent, instead, help = "leave the option out" } = feature;
    if (!isOlder(version, since)) continue;
    const isInTime = late === undefined || isOlder(late.countedAs, since);
    if (instead !== undefined && isInTime) continue;
    const key = usedBy(name, feature, options);
    if (key === undefined) continue;
    throw new ConfigError({
      message:
        `Option "${key}" needs ${sent}, which the CLI knows from ${since} on: ${
          named(path)
        } is ${version}; ${UPDATE}, or ${help}`,
      key,
    });
  }
}

/** The path of a CLI for a sentence. */
export function named(path: string | undefined): string {
  return path === undefined ? "this one" : `"${path}"`;
}
