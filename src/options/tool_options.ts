import { PERMISSION_MODES } from "../protocol/values.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { PermissionMode } from "../protocol/permissions.ts";
import type { HookMatcher } from "../types/hooks.ts";
import type { JsonValue } from "../types/json.ts";
import type { McpServerConfig, McpServerInput } from "../types/mcp.ts";
import type {
  CallbackContext,
  ElicitationRequest,
  ElicitationResult,
  ToolConfig,
  UserDialogRequest,
  UserDialogResult,
} from "../types/option_values.ts";
import type { AgentOptions } from "../types/options.ts";
import type { ApprovalOptions, CanUseTool } from "../types/permissions.ts";
import {
  callback,
  durationOrNever,
  fitting,
  flag,
  integer,
  list,
  object,
  oneOf,
  record,
  text,
} from "./fields.ts";
import { needsNoMentions } from "./file_mentions.ts";
import { hooks } from "./hooks.ts";
import { withMethods } from "./host_objects.ts";
import { option, type OptionRows, type Target } from "./option.ts";
import { checkHooksOn, lateMode } from "./required_hooks.ts";
import { isOfCli, serversByOwner, wireServers } from "./server_configs.ts";
import { mcpServers } from "./server_fields.ts";
import {
  approvedRules,
  builtins,
  checkLists,
  deniedRules,
} from "./tool_lists.ts";
import { toolNames, toolSpecs } from "./tool_spec.ts";
import { isOlder } from "./versions.ts";

const IN_INITIALIZE =
  'leave it out; Sluice sends servers in the "initialize" request';
/** The first release of those that begin in mode "auto", which asks for no permission. */
const AUTO_MODE = "2.1.271";
/** The known dialogs of the CLI; it shows no other than those announced. Source: published types of the CLI 2.1.328. */
const DIALOGS = ["refusal_fallback_prompt"];
/** A timer has to hold it, and what the store takes beside it. */
const MOST_WAIT_MS = 2 ** 31 - 1 - 3_600_000;

/** Tools and permissions. */
export const TOOL_OPTIONS: OptionRows = {
  /** Built-in tools that the agent has; default: those of the CLI. */
  tools: option<
    readonly string[] | {
      /** All of the CLI's own. */
      readonly preset: "claude_code";
    }
  >({
    check: toolNames,
    flags: { tools: builtins },
    hints: { toolsets: "tools" },
  }),
  /** Replaces tools by other tools. With `{ A: "B" }` a call of `A` runs `B`, and permissions see `B`. */
  toolAliases: option<Readonly<Record<string, string>>>({
    check: record(text, text),
    fields: { toolAliases: (aliases) => aliases as JsonValue | undefined },
  }),
  /** Settings of certain tools of the CLI. */
  toolConfig: option<ToolConfig>({
    check: object<ToolConfig>({
      askUserQuestion: object<NonNullable<ToolConfig["askUserQuestion"]>>({
        previewFormat: oneOf("markdown", "html"),
      }),
    }),
    variable: [
      "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT",
      (config) => config?.askUserQuestion?.previewFormat,
    ],
  }),
  /** The only tools that the agent can use; default: all. `[]` = none. Entries are names or patterns of built-in tools and MCP tools. In a string, commas separate the entries. */
  allowedTools: option<string | readonly string[]>({
    check: toolSpecs,
    travels: "argv, and enforced",
    since: {
      release: "2.1.299",
      sent: "CLAUDE_CODE_DISABLE_FILE_MENTIONS",
      isUsed: needsNoMentions,
      help:
        "set verbatimPrompts, and settingSources to [] without plugins and additionalDirectories",
    },
    conflict: checkLists,
  }),
  /** Tools that the agent cannot use. Entries are names or patterns. `allowedTools` and `deniedTools` cannot both have entries. */
  deniedTools: option<string | readonly string[]>({
    check: toolSpecs,
    flags: { disallowedTools: deniedRules },
    replaces: ["disallowed-tools"],
    travels: "argv, and enforced",
    official: "disallowedTools",
  }),
  /** The mode to start in; default: that of the CLI. `"bypassPermissions"` needs `allowBypass`. With `"auto"` a model of the CLI decides calls that no rule covers. */
  "permissions.mode": option<PermissionMode>({
    check: oneOf(...PERMISSION_MODES),
    flags: {
      "permission-mode": (mode, to) =>
        lateMode(to.settings.options) === undefined
          ? mode ?? firstMode(to)
          : "default",
    },
    replaces: ["dangerously-skip-permissions"],
    official: "permissionMode",
    conflict: ({ permissions }) =>
      permissions?.mode === "bypassPermissions" &&
      permissions.allowBypass !== true &&
      "needs permissions.allowBypass: true beside it",
  }),
  /** Whether the mode `"bypassPermissions"` can be set; default: false. */
  "permissions.allowBypass": option<boolean>({
    check: flag,
    flag: "allow-dangerously-skip-permissions",
    official: "allowDangerouslySkipPermissions",
  }),
  /** Tool calls that skip the permission prompt. Entries are rules such as `"Read"` or `"Bash(git:*)"`. */
  "permissions.approve": option<readonly string[]>({
    check: fitting("a list", Array.isArray, toolSpecs),
    flags: { allowedTools: approvedRules },
    travels: "argv",
    replaces: ["allowed-tools"],
    official: "allowedTools",
  }),
  /** Decides tool calls that no rule or mode decides. */
  "permissions.canUseTool": option<CanUseTool>({
    check(value, key) {
      callback(value, key);
      const { timeoutMs } = value as CanUseTool;
      if (timeoutMs !== undefined) {
        durationOrNever(timeoutMs, `${key}.timeoutMs`);
      }
    },
    flags: {
      "permission-prompt-tool": (_callback, { settings: { options } }) =>
        isAsked(options) && "stdio",
    },
    travels: "not sent",
    since: {
      release: "2.1.326",
      sent: "no mode",
      instead: "from 2.1.271: mode `default`; before: no mode",
      isUsed(options) {
        const { canUseTool, mode } = options.permissions ?? {};
        if (mode !== undefined || !isAsked(options)) return false;
        return canUseTool === undefined ? "permissions.approvals" : true;
      },
      help: "set permissions.mode",
    },
    official: "canUseTool",
    hints: {
      permissionPromptToolName:
        'use "permissions.canUseTool", a function that calls your tool',
    },
  }),
  /** Tool calls that wait for a decision in a store. The decision comes from the store, not from the mode, allow rules or `canUseTool`. Deny rules can still refuse an approved call. */
  "permissions.approvals": option<ApprovalOptions>({
    check: object<ApprovalOptions>({
      store: withMethods("park", "answer", "get", "list"),
      park: callback,
      waitMs: integer({ min: 0, max: MOST_WAIT_MS }),
    }, ["store"]),
  }),
  /** Recipient of permission prompts; default: `"host"`. With `"host"`, this program answers. `"none"` informs the model that no person can answer, and removes the tools that ask a person. `"none"` cannot be combined with `canUseTool`. */
  "permissions.prompts": option<"host" | "none">({
    check: oneOf("host", "none"),
    flags: { "permission-prompts": (value) => value === "none" && value },
    official: "permissionPrompts",
    conflict: ({ permissions }) =>
      permissions?.prompts === "none" && permissions.canUseTool !== undefined &&
      'must be left out beside "permissions.canUseTool"',
  }),
  /** Timeout of one `canUseTool` call, in milliseconds; default: `timeouts.permissionMs`. Callbacks of `promptPerson()` and `permissionQueue()` have no timeout by default. `Infinity` = no timeout. */
  "permissions.timeoutMs": option<number>({ check: durationOrNever }),
  /** Hook callbacks by event. */
  hooks: option<
    { readonly [E in HookEvent]?: readonly HookMatcher<E>[] | undefined }
  >({
    check: hooks,
    travels: "init (ids)",
    since: {
      release: "2.1.332",
      sent: "the hook in initialize",
      isUsed: ({ hooks: { PreSkillShellCommand: guards = [] } = {} }) =>
        guards.some(({ hooks, onFailure }) =>
          hooks.length > 0 && onFailure !== "continue"
        ) &&
        "hooks.PreSkillShellCommand",
      isGuard: true,
      help:
        'set disableSkillShellExecution in settings and leave the hook out, or set onFailure: "continue"',
    },
    conflict: checkHooksOn,
  }),
  /** MCP servers by name. If one MCP server cannot be connected, the others are closed, and the conversation fails. If the CLI cannot connect to a server with `via: "cli"`, the CLI continues without this server. */
  mcpServers: option<Readonly<Record<string, McpServerInput>>>({
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
      sent: "mcpServers in initialize",
      instead: "--mcp-config, as a private file",
      isUsed: ({ mcpServers = {} }) =>
        Object.values(mcpServers).some((one) =>
          isOfCli(one as McpServerConfig)
        ),
    },
    hints: { mcpServersDelivery: IN_INITIALIZE },
  }),
  /** Answers questions of MCP servers; default: declines. */
  onElicitation: option<
    (
      request: ElicitationRequest,
      context: CallbackContext,
    ) => ElicitationResult | Promise<ElicitationResult>
  >({ check: callback }),
  /** Kinds of dialogs that `onUserDialog` can show; default: all that Sluice knows. The CLI sends only dialogs of these kinds. A dialog is a question that the CLI itself asks. */
  supportedDialogKinds: option<readonly string[]>({
    check: list(text),
    fields: {
      supportedDialogKinds: (kinds, { settings: { options } }) =>
        options.onUserDialog && (kinds ?? DIALOGS),
    },
    conflict: ({ onUserDialog, supportedDialogKinds = [] }) =>
      onUserDialog === undefined && supportedDialogKinds.length > 0 &&
      'needs "onUserDialog" beside it, to show them',
  }),
  /** Shows dialogs of the CLI; default: cancels. */
  onUserDialog: option<
    (
      request: UserDialogRequest,
      context: CallbackContext,
    ) => UserDialogResult | Promise<UserDialogResult>
  >({ check: callback }),
};

/** Whether the CLI asks this program about calls; it then offers the model the tools that ask a person. */
function isAsked({ permissions = {} }: AgentOptions): boolean {
  const { approvals, canUseTool, prompts } = permissions;
  return canUseTool !== undefined ||
    approvals !== undefined && prompts !== "none";
}

function firstMode({ settings, version, knows }: Target) {
  return isAsked(settings.options) &&
      !knows("permissions.canUseTool") && !isOlder(version, AUTO_MODE)
    ? "default"
    : undefined;
}
