import { ConfigError } from "../errors/config.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { AgentOptions } from "../types/options.ts";
import { guards } from "./guarded.ts";
import { parseSettings } from "./json.ts";
import { isOfCli } from "./server_fields.ts";
import { mayHoldSkills, needsNoSkillShell } from "./skill_shell.ts";

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
  /** The option that makes use of it; `undefined` when it is not set. */
  readonly option?: (options: AgentOptions) => string | undefined;
  /** What else helps who has an older CLI; absent = to leave the option out. */
  readonly help?: string;
}

interface SystemPromptWords {
  readonly preset?: string | undefined;
  readonly excludeDynamicSections?: boolean | undefined;
  readonly snapshot?: boolean | undefined;
}

/** Name of a row of {@link FEATURES}. */
export type FeatureName =
  | "effort"
  | "thinking"
  | "thinkingOff"
  | "thinkingDisplay"
  | "hookEvents"
  | "promptList"
  | "promptShared"
  | "promptSnapshot"
  | "planMode"
  | "title"
  | "skills"
  | "skillShell"
  | "prompts"
  | "approvals"
  | "dropsTurn"
  | "transcripts"
  | "questionPreview"
  | "verbatim"
  | "suggestions"
  | "subagentText"
  | "dialogs"
  | "taskBudget"
  | "progress"
  | "stopButtons"
  | "toolAliases"
  | "configRoot"
  | "managedSettings"
  | "flagSettings"
  | "flagSettingsOverFile"
  | "asking"
  | "inputUnchanged"
  | "lifecycle"
  | "plugins"
  | "pluginsWithoutMcp"
  | "mcpServers"
  | "settings";

/**
 * What each release of the CLI knows, by when it began to; `docs/versions.md` shows this table.
 *
 * Source: looked for in the releases from 2.1.30 on, and tried on those around each step.
 */
export const FEATURES: Readonly<Record<FeatureName, Feature>> = {
  effort: {
    since: "2.1.38",
    sent: "--effort",
    option: ({ effort }) => effort && "effort",
  },
  thinking: {
    since: "2.1.47",
    sent: "--thinking=adaptive",
    option: ({ thinking }) =>
      thinking?.type === "adaptive" ? "thinking" : undefined,
  },
  thinkingOff: {
    since: "2.1.47",
    sent: "--thinking=disabled",
    instead: "--max-thinking-tokens=0",
  },
  thinkingDisplay: {
    since: "2.1.94",
    sent: "--thinking-display",
    option: ({ thinking }) =>
      thinking !== undefined && "display" in thinking && thinking.display
        ? "thinking.display"
        : undefined,
  },
  hookEvents: {
    since: "2.1.88",
    sent: "--include-hook-events",
    option: ({ includeHookEvents }) =>
      includeHookEvents ? "includeHookEvents" : undefined,
  },
  promptList: {
    since: "2.1.110",
    sent: "systemPrompt of initialize as a list",
    instead: "the text itself",
    option: (options) =>
      promptOf(options).preset === undefined && options.systemPrompt
        ? "systemPrompt"
        : undefined,
  },
  promptShared: {
    since: "2.1.100",
    sent: "excludeDynamicSections of initialize",
    option: (options) =>
      promptOf(options).excludeDynamicSections
        ? "systemPrompt.excludeDynamicSections"
        : undefined,
  },
  promptSnapshot: {
    since: "2.1.257",
    sent: "systemPromptSnapshot of initialize",
    option: (options) =>
      promptOf(options).snapshot === undefined
        ? undefined
        : "systemPrompt.snapshot",
  },
  planMode: {
    since: "2.1.118",
    sent: "planModeInstructions of initialize",
    option: ({ planModeInstructions }) =>
      planModeInstructions && "planModeInstructions",
  },
  title: {
    since: "2.1.113",
    sent: "title of initialize",
    option: ({ title }) => title && "title",
  },
  skills: {
    since: "2.1.116",
    sent: "skills of initialize",
    option: ({ skills }) => Array.isArray(skills) ? "skills" : undefined,
  },
  skillShell: {
    since: "2.1.91",
    sent: "disableSkillShellExecution of settings",
    option: (options) =>
      mayHoldSkills(options) ? needsNoSkillShell(options) : undefined,
    help: "set settingSources to [] without plugins and additionalDirectories",
  },
  prompts: {
    since: "2.1.259",
    sent: "--permission-prompts",
    option: ({ permissions }) =>
      permissions?.prompts === "none" ? "permissions.prompts" : undefined,
  },
  approvals: {
    since: "2.1.261",
    sent: 'permissionDecision "defer" of a hook',
    option: ({ permissions }) =>
      permissions?.approvals === undefined
        ? undefined
        : "permissions.approvals",
  },
  dropsTurn: {
    since: "2.1.223",
    sent: "--resume-drops-turn",
    option: ({ resumeDropsTurn }) => resumeDropsTurn && "resumeDropsTurn",
  },
  transcripts: {
    since: "2.1.97",
    sent: "--session-mirror",
    option: ({ transcripts }) => transcripts && "transcripts",
  },
  questionPreview: {
    since: "2.1.69",
    sent: "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT",
    option: ({ toolConfig }) =>
      toolConfig?.askUserQuestion?.previewFormat === undefined
        ? undefined
        : "toolConfig.askUserQuestion.previewFormat",
  },
  verbatim: {
    since: "2.1.248",
    sent: "client_composed of a prompt",
    option: ({ verbatimPrompts }) =>
      verbatimPrompts ? "verbatimPrompts" : undefined,
  },
  suggestions: {
    since: "2.1.48",
    sent: "promptSuggestions of initialize",
    option: ({ promptSuggestions }) =>
      promptSuggestions ? "promptSuggestions" : undefined,
  },
  subagentText: {
    since: "2.1.119",
    sent: "forwardSubagentText of initialize",
    option: ({ forwardSubagentText }) =>
      forwardSubagentText ? "forwardSubagentText" : undefined,
  },
  dialogs: {
    since: "2.1.170",
    sent: "supportedDialogKinds of initialize",
    instead: "nothing: it shows no dialogs",
  },
  taskBudget: {
    since: "2.1.84",
    sent: "--task-budget",
    option: ({ taskBudget }) => taskBudget && "taskBudget",
  },
  progress: {
    since: "2.1.86",
    sent: "agentProgressSummaries of initialize",
    option: ({ agentProgressSummaries }) =>
      agentProgressSummaries ? "agentProgressSummaries" : undefined,
  },
  stopButtons: {
    since: "2.1.246",
    sent: "perTaskStopAffordance of initialize",
    option: ({ perTaskStopAffordance }) =>
      perTaskStopAffordance ? "perTaskStopAffordance" : undefined,
  },
  toolAliases: {
    since: "2.1.142",
    sent: "toolAliases of initialize",
    option: ({ toolAliases }) => toolAliases && "toolAliases",
  },
  configRoot: {
    since: "2.1.300",
    sent: "--project-config-root",
    option: ({ projectConfigRoot }) => projectConfigRoot && "projectConfigRoot",
  },
  managedSettings: {
    since: "2.1.326",
    sent: "--managed-settings-in-initialize",
    option: ({ managedSettings }) => managedSettings && "managedSettings",
  },
  flagSettings: {
    since: "2.1.62",
    sent: "the request apply_flag_settings",
    instead: "what keeps hooks on, in the file of --settings",
    option: (options) => guards(options)[0],
  },
  flagSettingsOverFile: {
    since: "2.1.62",
    sent: "the request apply_flag_settings beside a file of settings",
    option: (options) =>
      guards(options).length > 0 &&
        typeof parseSettings(options.settings) === "string"
        ? "settings"
        : undefined,
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
    option: ({ plugins = [] }) => plugins.length > 0 ? "plugins" : undefined,
  },
  pluginsWithoutMcp: {
    since: "2.1.261",
    sent: "skipMcpDiscovery of a plugin",
    option: ({ plugins = [] }) =>
      plugins.some(({ skipMcpDiscovery }) => skipMcpDiscovery)
        ? "plugins.skipMcpDiscovery"
        : undefined,
  },
  mcpServers: {
    since: "2.1.326",
    sent: "mcpServers of initialize",
    instead: "--mcp-config, of a private file",
    option: ({ mcpServers = {} }) =>
      Object.values(mcpServers).some((one) => isOfCli(one as McpServerConfig))
        ? "mcpServers"
        : undefined,
  },
  settings: {
    since: "2.1.327",
    sent: "--initialize-fields",
    instead: "--settings, of a private file",
    option: ({ sandbox, settings }) =>
      sandbox !== undefined || typeof parseSettings(settings) === "object"
        ? "settings"
        : undefined,
  },
};

/** The system prompt, where it is said in more words than a text. */
function promptOf({ systemPrompt }: AgentOptions): SystemPromptWords {
  return typeof systemPrompt === "object" && !Array.isArray(systemPrompt)
    ? systemPrompt as SystemPromptWords
    : {};
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
  for (const [index, least] of other.entries()) {
    const difference = (own[index] ?? 0) - least;
    if (difference !== 0) return difference < 0;
  }
  return false;
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
  for (const feature of Object.values(FEATURES)) {
    const { since, sent, instead, option, help = "leave the option out" } =
      feature;
    if (!isOlder(version, since)) continue;
    const isInTime = late === undefined || isOlder(late.countedAs, since);
    if (instead !== undefined && isInTime) continue;
    const key = option?.(options);
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
