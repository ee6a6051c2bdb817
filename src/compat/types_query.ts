import type {
  AccountInfo,
  AgentDefinition,
  AgentInfo,
  HookJSONOutput,
  McpSetServersResult,
  ModelInfo,
  PermissionMode,
  PostToolBatchHookInput,
  SDKContextUsage,
  SDKControlGetUsageResponse,
  SDKControlInterruptResponse,
  SDKControlPermissionRulesState,
  SDKControlReadFileResponse,
  SDKControlReloadPluginsResponse,
  SDKMessage,
  SdkPluginConfig,
  SDKResultError,
  SDKResultSuccess,
  SlashCommand,
} from "./generated/official.ts";
import type { RequestControls } from "./generated/controls.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { Mutable } from "./mutable.ts";
import type { EXIT_REASONS } from "./constants.ts";
import type { SDKUserMessage } from "./types_options.ts";
import type { FlagSettings, McpServerConfig } from "./types_mcp.ts";
import type * as hooks from "../types/hooks.ts";

/** What the CLI says of itself at the start. */
export type SDKControlInitializeResponse = Mutable<
  Pick<
    SessionInfo,
    | "account"
    | "agents"
    | "available_output_styles"
    | "claude_code_version"
    | "commands"
    | "fast_mode_state"
    | "models"
    | "output_style"
    | "pid"
  >
>;

/** A running query: its messages, and what can be done meanwhile. */
export interface Query
  extends AsyncGenerator<SDKMessage, void>, RequestControls {
  /** Ends the running turn. */
  interrupt(): Promise<SDKControlInterruptResponse | undefined>;
  /** What the CLI said of itself at the start. */
  initializationResult(): Promise<SDKControlInitializeResponse>;
  /** Says `initialize` again. */
  reinitialize(): Promise<SDKControlInitializeResponse>;
  /** Commands that a prompt may begin with. */
  supportedCommands(): Promise<SlashCommand[]>;
  /** Models that can be chosen. */
  supportedModels(): Promise<ModelInfo[]>;
  /** Agents that the model can hand work to. */
  supportedAgents(): Promise<AgentInfo[]>;
  /** What was used of the plan. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(
    opts?: { skipBehaviors?: boolean },
  ): Promise<SDKControlGetUsageResponse>;
  /** Reads a file; `null` where that cannot be done. */
  readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: "utf-8" | "base64" },
  ): Promise<SDKControlReadFileResponse | null>;
  /** Reads the plugins again. */
  reloadPlugins(
    options?: {
      holdOnCacheImpact?: boolean;
      addPlugins?: SdkPluginConfig[];
      refuseIfBusy?: boolean;
    },
  ): Promise<SDKControlReloadPluginsResponse>;
  /** Who is signed in. */
  accountInfo(): Promise<AccountInfo>;
  /** Makes the MCP servers that were added while it ran these. */
  setMcpServers(
    servers: Record<string, McpServerConfig>,
  ): Promise<McpSetServersResult>;
  /** Sends prompts as they come, and ends the input after the last. */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Moves what runs into the background. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** Ends it. */
  close(): void;
}

/** A CLI that has started and waits for its prompt. */
export interface WarmQuery extends AsyncDisposable {
  /** Sends the prompt; once. */
  query(prompt: string | AsyncIterable<SDKUserMessage>): Query;
  /** Ends it. */
  close(): void;
}

/** What a parked process is told when it is claimed. */
export type ClaimOptions = {
  cwd: string;
  env?: Record<string, string>;
  additionalDirectories?: string[];
  model?: string;
  permissionMode?: PermissionMode;
  maxThinkingTokens?: number | null;
  settings?: FlagSettings;
  appendSystemPrompt?: string;
  title?: string;
  agents?: Record<string, AgentDefinition>;
};

/** A CLI that has started and waits for a session. */
export interface SpareProcess extends AsyncDisposable {
  /** Begins a session in it; once. */
  claim(params: {
    prompt: string | AsyncIterable<SDKUserMessage>;
    options: ClaimOptions;
  }): Query;
  /** Resolves when the session has begun. */
  readonly claimed: Promise<{
    cwd: string;
    sessionId: string;
    parkedMs?: number;
    sdkMcpSettled: boolean;
  }>;
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>;
  /** Ends it. */
  close(): void;
}

/** A way to a CLI, as the official SDK has it; nothing here takes one. */
export interface Transport {
  /** Sends text. */
  write(data: string): void | Promise<void>;
  /** Ends it. */
  close(): void;
  /** Whether it can be written to. */
  isReady(): boolean;
  /** What the CLI says. */
  readMessages(): AsyncGenerator<object, void, unknown>;
  /** No more input. */
  endInput(): void;
  /** Resolves when the other side is gone. */
  waitForExit?(): Promise<void>;
}

/** What a hook is told. */
export type HookInput = Mutable<hooks.HookInput>;

/** A hook. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

/** Hooks for what fits. */
export interface HookCallbackMatcher {
  /** What it has to fit; unset = everything. */
  matcher?: string | undefined;
  /** The hooks. */
  hooks: HookCallback[];
  /** Limit, in seconds. */
  timeout?: number | undefined;
  /** What a hook that fails does; `"continue"`. */
  onFailure?: "continue" | "block" | undefined;
}

/** One tool call of several. */
export type PostToolBatchToolCall =
  PostToolBatchHookInput["tool_calls"][number];

/** What a hook may decide of a tool call. */
export type HookPermissionDecision = "allow" | "deny" | "ask" | "defer";

/** Why a session ended. */
export type ExitReason = (typeof EXIT_REASONS)[number];

/** The end of a turn. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

/** What the CLI is at; `null` = nothing. */
export type SDKStatus = "compacting" | "requesting" | null;

/** One part of what fills the context. */
export type SDKContextUsageCategory = SDKContextUsage["categories"][number];

/** One rule about tools. */
export type SDKPermissionRuleEntry =
  SDKControlPermissionRulesState["rules"][number];

/** What a rule says, for people. */
export type SDKPermissionRuleDescription = NonNullable<
  SDKPermissionRuleEntry["description"]
>;

/** A directory that tools may touch. */
export type SDKPermissionWorkspaceDirectory =
  SDKControlPermissionRulesState["workspaceDirectories"][number];

/** A tool call that was put off. */
export type SDKDeferredToolUse = {
  id: string;
  name: string;
  input: Record<string, unknown>;
};

/** A request of either side. */
export type SDKControlRequest = {
  type: "control_request";
  request_id: string;
  request: { subtype: string; [key: string]: unknown };
};

/** An answer of either side. */
export type SDKControlResponse = {
  type: "control_response";
  response: {
    subtype: "success" | "error";
    request_id: string;
    response?: Record<string, unknown>;
    error?: string;
    [key: string]: unknown;
  };
};
