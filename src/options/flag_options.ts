import { EFFORTS, PERMISSION_MODES } from "../protocol/values.ts";
import type { TranscriptOptions } from "../transcripts/store.ts";
import type { JsonValue } from "../types/json.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { AgentOptions } from "../types/options.ts";
import type { CanUseTool } from "../types/permissions.ts";
import { plugins } from "./agents.ts";
import {
  callback,
  duration,
  durationOrNever,
  either,
  fitting,
  flag,
  integer,
  isText,
  list,
  listed,
  object,
  oneOf,
  text,
} from "./fields.ts";
import { needsNoMentions } from "./file_mentions.ts";
import { withMethods } from "./host_objects.ts";
import type { OptionTable, Target } from "./option.ts";
import { outputSchema, toJsonSchema } from "./output_schema.ts";
import { json } from "./plain_object.ts";
import { thinking, THINKING_FLAGS } from "./prompting.ts";
import { refuse } from "./refuse.ts";
import { isOfCli, serversByOwner, wireServers } from "./server_configs.ts";
import { mcpServers } from "./server_fields.ts";
import { checkSettings, flagLayer, parseSettings } from "./settings_layer.ts";
import {
  approvedRules,
  builtins,
  checkLists,
  deniedRules,
} from "./tool_lists.ts";
import { toolNames, toolSpecs } from "./tool_spec.ts";
import { isOlder } from "./versions.ts";

const size = integer({ min: 1 });
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const IN_INITIALIZE = "leave it out, they always travel in initialize";

/** The options that become flags of the command line, or stand in the place of one, in the order in which the official SDK writes their flags. */
export const FLAG_OPTIONS: Partial<OptionTable> = {
  thinking: {
    check: thinking,
    flags: THINKING_FLAGS,
    travels: "argv `--thinking`",
    hints: { maxThinkingTokens: "thinking" },
  },
  effort: { check: oneOf(...EFFORTS), flag: "effort" },
  maxTurns: { check: size, flag: "max-turns" },
  maxBudgetUsd: {
    check: fitting(
      "a positive number",
      (value) => Number.isFinite(value) && Number(value) > 0,
    ),
    flag: "max-budget-usd",
    hints: { maxUsd: "maxBudgetUsd" },
  },
  taskBudget: {
    check: object<NonNullable<AgentOptions["taskBudget"]>>({ total: size }, [
      "total",
    ]),
    flags: { "task-budget": (budget) => budget?.total },
  },
  model: { check: text, flag: "model" },
  agent: { check: text, flag: "agent" },
  betas: {
    check: list(listed),
    flags: { betas: (betas) => betas?.join(",") || undefined },
  },
  outputSchema: {
    check: outputSchema,
    fields: { jsonSchema: (schema) => schema && toJsonSchema(schema) },
    replaces: ["json-schema"],
    hints: { outputFormat: "outputSchema" },
  },
  debug: {
    check: either((value) => typeof value === "boolean", flag, text),
    flag: "debug",
    replaces: ["d"],
    conflict: ({ debug, debugFile }) =>
      debug === false && debugFile !== undefined &&
      'must be left out when "debugFile" is set',
  },
  debugFile: { check: text, flag: "debug-file" },
  "permissions.canUseTool": {
    check(value, key) {
      callback(value, key);
      const { timeoutMs } = value as CanUseTool;
      if (timeoutMs !== undefined) {
        durationOrNever(timeoutMs, `${key}.timeoutMs`);
      }
    },
    flags: { "permission-prompt-tool": (callback) => callback && "stdio" },
    travels: "here",
    since: {
      release: "2.1.326",
      sent: "canUseTool without a mode",
      instead:
        "--permission-mode=default from 2.1.271, which starts in mode auto",
      isUsed: ({ permissions = {} }) =>
        permissions.canUseTool !== undefined && permissions.mode === undefined,
      help: "set permissions.mode",
    },
    official: "canUseTool",
    hints: {
      permissionPromptToolName:
        'use "permissions.canUseTool", which may call that tool',
    },
  },
  "permissions.prompts": {
    check: oneOf("host", "none"),
    flags: { "permission-prompts": (value) => value === "none" && value },
    official: "permissionPrompts",
    conflict: ({ permissions }) =>
      permissions?.prompts === "none" && permissions.canUseTool !== undefined &&
      'must be left out beside "permissions.canUseTool"',
  },
  continue: {
    check: flag,
    flag: "continue",
    replaces: ["c"],
    conflict: (options) =>
      options.continue === true && (
        options.resume !== undefined
          ? 'must be left out when "resume" is set'
          : options.transcripts !== undefined &&
            options.transcripts.store.listSessions === undefined &&
            'needs a "transcripts.store" that has listSessions()'
      ),
  },
  resume: { check: text, flag: "resume", replaces: ["r"] },
  "permissions.approve": {
    check: fitting("a list", Array.isArray, toolSpecs),
    flags: { allowedTools: approvedRules },
    replaces: ["allowed-tools"],
    official: "allowedTools",
  },
  deniedTools: {
    check: toolSpecs,
    flags: { disallowedTools: deniedRules },
    replaces: ["disallowed-tools"],
    travels: "argv, and a policy here",
    official: "disallowedTools",
  },
  allowedTools: {
    check: toolSpecs,
    travels: "argv, and a policy here",
    since: {
      release: "2.1.299",
      sent: "CLAUDE_CODE_DISABLE_FILE_MENTIONS beside some reads",
      isUsed: needsNoMentions,
      help:
        "set verbatimPrompts, and settingSources to [] without plugins and additionalDirectories",
    },
    conflict: checkLists,
  },
  tools: {
    check: toolNames,
    flags: { tools: builtins },
    hints: { toolsets: "tools" },
  },
  mcpServers: {
    check: mcpServers,
    flags: { "mcp-config": (_servers, { files }) => files.mcpConfig },
    fields: {
      mcpServers(_servers, { settings }) {
        const { theirs } = serversByOwner(settings.options.mcpServers ?? {});
        const servers = wireServers(theirs);
        return Object.keys(servers).length === 0 ? undefined : servers;
      },
    },
    confirmedBy: "mcp_servers_applied",
    travels: "init",
    since: {
      release: "2.1.326",
      sent: "mcpServers of initialize",
      instead: "--mcp-config, as a private file",
      isUsed: ({ mcpServers = {} }) =>
        Object.values(mcpServers).some((one) =>
          isOfCli(one as McpServerConfig)
        ),
    },
    hints: { mcpServersDelivery: IN_INITIALIZE },
  },
  settingSources: {
    check: list(oneOf("user", "project", "local")),
    // An empty list is a value.
    flags: { "setting-sources": (sources) => sources?.join(",") },
  },
  strictMcpConfig: { check: flag, flag: "strict-mcp-config" },
  "permissions.mode": {
    check: oneOf(...PERMISSION_MODES),
    flags: { "permission-mode": (mode, to) => mode ?? firstMode(to) },
    replaces: ["dangerously-skip-permissions"],
    official: "permissionMode",
    conflict: ({ permissions }) =>
      permissions?.mode === "bypassPermissions" &&
      permissions.allowBypass !== true &&
      "needs permissions.allowBypass: true beside it",
  },
  "permissions.allowBypass": {
    check: flag,
    flag: "allow-dangerously-skip-permissions",
    official: "allowDangerouslySkipPermissions",
  },
  fallbackModel: {
    check: text,
    flag: "fallback-model",
    conflict: ({ model, fallbackModel }) =>
      model !== undefined && fallbackModel?.split(",").includes(model) &&
      'must differ from "model", or be left out',
  },
  includeHookEvents: { check: flag, flag: "include-hook-events" },
  includePartialMessages: { check: flag, flag: "include-partial-messages" },
  transcripts: {
    check: object<TranscriptOptions>({
      store: withMethods("append", "load"),
      flush: oneOf("turn", "eager"),
      onFailure: oneOf("continue", "fail"),
      loadTimeoutMs: duration,
      projectKey: text,
    }, ["store"]),
    flags: { "session-mirror": (transcripts) => transcripts !== undefined },
    official: "sessionStore",
    hints: {
      sessionStore: "transcripts.store",
      sessionStoreFlush: "transcripts.flush",
      flush: "transcripts.flush",
      loadTimeoutMs: "transcripts.loadTimeoutMs",
      onFailure: "transcripts.onFailure",
      projectKey: "transcripts.projectKey",
    },
  },
  projectConfigRoot: {
    check(value, key) {
      text(value, key);
      // Of this system or of another: a transport may run the CLI elsewhere.
      if (!/^(?:[\\/]|[a-z]:[\\/])/i.test(String(value))) {
        refuse(key, value, "an absolute path");
      }
    },
    flags: {
      "project-config-root": (path, to) => path && slashed(path, to),
    },
    since: { release: "2.1.300" },
  },
  additionalDirectories: {
    check: list(text),
    flags: {
      "add-dir": (paths, to) => paths?.map((path) => slashed(path, to)),
    },
  },
  plugins: {
    check: plugins,
    fields: {
      plugins: (plugins) =>
        plugins?.length ? plugins as unknown as JsonValue : undefined,
    },
    confirmedBy: "plugins_applied",
    replaces: ["plugin-dir", "plugin-dir-no-mcp"],
    hints: { pluginDelivery: IN_INITIALIZE },
  },
  forkSession: {
    check: flag,
    flag: "fork-session",
    conflict: (options) =>
      options.forkSession === true && !isResumed(options) &&
      'needs "resume" or "continue" beside it',
  },
  resumeSessionAt: {
    check: text,
    flag: "resume-session-at",
    conflict: needs("resumeSessionAt", "resume"),
  },
  resumeDropsTurn: {
    check: text,
    flag: "resume-drops-turn",
    conflict: needs("resumeDropsTurn", "resumeSessionAt"),
  },
  sessionId: {
    check: fitting(
      "a UUID, as crypto.randomUUID() makes one",
      (value) => isText(value) && UUID.test(value),
    ),
    flag: "session-id",
    conflict: (options) =>
      options.sessionId !== undefined && isResumed(options) &&
      options.forkSession !== true &&
      'needs "forkSession" beside "resume" or "continue"',
  },
  persistSession: {
    check: flag,
    flags: { "no-session-persistence": (persists) => persists === false },
    conflict: ({ persistSession, transcripts }) =>
      transcripts !== undefined && persistSession === false &&
      'must be left out when "transcripts" is set: the store gets a copy of what the CLI writes',
  },
  managedSettings: {
    check: json,
    flags: {
      "managed-settings-in-initialize": (managed) => managed !== undefined,
    },
    fields: { managedSettings: (managed) => managed as JsonValue | undefined },
    confirmedBy: "managed_settings_applied",
    travels: "init",
    replaces: ["managed-settings"],
    since: { release: "2.1.326" },
  },
  settings: {
    check: checkSettings,
    flags: {
      // Not published, and the only way for settings that leaves no file behind and does not show them to everybody.
      "initialize-fields": (_settings, { settings: { options }, knows }) =>
        flagLayer(options) !== undefined && knows("settings") && "settings",
      settings(value, { files }) {
        const path = parseSettings(value);
        return isText(path) ? path : files.settings;
      },
    },
    fields: {
      settings: (_settings, { settings: { options } }) => flagLayer(options),
    },
    confirmedBy: "settings_applied",
    travels: "init; a path: argv",
    since: {
      release: "2.1.327",
      instead: "--settings, as a private file",
      isUsed: ({ sandbox, settings }) =>
        sandbox !== undefined || typeof parseSettings(settings) === "object",
    },
  },
  sandbox: {
    check: json,
    travels: "init",
    conflict: ({ sandbox, settings }) =>
      sandbox !== undefined && isText(parseSettings(settings)) &&
      'cannot be joined with "settings" in a file, write it into that file',
  },
};

/** The first release of those that begin in mode "auto", which asks for no permission. */
const AUTO_MODE = "2.1.271";

function firstMode({ settings, version, knows }: Target) {
  return settings.options.permissions?.canUseTool !== undefined &&
      !knows("permissions.canUseTool") && !isOlder(version, AUTO_MODE)
    ? "default"
    : undefined;
}

/** A conflict where the first is set without the second. */
function needs(key: keyof AgentOptions, other: keyof AgentOptions) {
  return (options: AgentOptions) =>
    options[key] !== undefined && options[other] === undefined &&
    `needs "${other}" beside it`;
}

function isResumed(options: AgentOptions): boolean {
  return options.resume !== undefined || options.continue === true;
}

function slashed(path: string, { platform }: Target): string {
  return platform === "win32" ? path.replaceAll("\\", "/") : path;
}
