import type { JsonValue } from "../types/json.ts";
import type { ToolConfig } from "../types/options.ts";
import { agents, skills } from "./agents.ts";
import { flag, list, object, oneOf, record, string, text } from "./fields.ts";
import type { OptionTable } from "./option.ts";
import { SYSTEM_PROMPT_FIELDS, systemPrompt } from "./prompting.ts";

/** The options that become fields of `initialize`, or a variable. */
export const FIELD_OPTIONS: Partial<OptionTable> = {
  systemPrompt: {
    check: systemPrompt,
    fields: SYSTEM_PROMPT_FIELDS,
    replaces: ["append-system-prompt", "system-prompt"],
    hints: {
      appendSystemPrompt:
        'use "systemPrompt" with a preset: { preset: "claude_code", append }',
      system: "systemPrompt",
    },
  },
  planModeInstructions: { check: string, field: "planModeInstructions" },
  title: { check: string, field: "title" },
  agents: {
    check: agents,
    // Checked to be JSON; its type says more than JSON does.
    fields: { agents: (agents) => agents as unknown as JsonValue | undefined },
    replaces: ["agents"],
  },
  skills: {
    check: skills,
    fields: { skills: (skills) => skills === "all" ? undefined : skills },
    travels: "init, argv (rules)",
  },
  promptSuggestions: {
    check: flag,
    field: "promptSuggestions",
    replaces: ["prompt-suggestions"],
  },
  forwardSubagentText: {
    check: flag,
    field: "forwardSubagentText",
    replaces: ["forward-subagent-text"],
  },
  agentProgressSummaries: { check: flag, field: "agentProgressSummaries" },
  perTaskStopAffordance: { check: flag, field: "perTaskStopAffordance" },
  toolAliases: {
    check: record(text, text),
    fields: { toolAliases: (aliases) => aliases as JsonValue | undefined },
  },
  supportedDialogKinds: {
    check: list(text),
    fields: {
      supportedDialogKinds: (kinds, { settings: { options } }) =>
        options.onUserDialog && (kinds ?? DIALOGS),
    },
    conflict: ({ onUserDialog, supportedDialogKinds = [] }) =>
      onUserDialog === undefined && supportedDialogKinds.length > 0 &&
      'needs "onUserDialog" beside it, to show them',
  },
  enableFileCheckpointing: {
    check: flag,
    variable: [
      "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
      (isOn) => isOn ? "true" : undefined,
    ],
  },
  toolConfig: {
    check: object<ToolConfig>({
      askUserQuestion: object<NonNullable<ToolConfig["askUserQuestion"]>>({
        previewFormat: oneOf("markdown", "html"),
      }),
    }),
    variable: [
      "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT",
      (config) => config?.askUserQuestion?.previewFormat,
    ],
  },
};

/** The known dialogs of the CLI; it shows no other than those announced. Source: published types of the CLI 2.1.328. */
const DIALOGS = ["refusal_fallback_prompt"];
