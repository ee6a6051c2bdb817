import type {
  PermissionResult,
  PermissionUpdate,
  SDKMessageOrigin,
  UserDialogResult,
} from "./generated/official.ts";
import type { Readable, Signal, Writable } from "../runtime/node_types.ts";
import type { UUID } from "./mutable.ts";
import type { MessageParam } from "./generated/api.ts";
import type { Settings } from "./types_mcp.ts";

/** Beta features of the API that can be switched on. */
export type SdkBeta = "context-1m-2025-08-07";

/** Which settings files are read. */
export type SettingSource = "user" | "project" | "local";

/** The model decides whether and how much it thinks. */
export type ThinkingAdaptive = {
  type: "adaptive";
  display?: "summarized" | "omitted";
};

/** The model thinks, up to a budget of tokens. */
export type ThinkingEnabled = {
  type: "enabled";
  budgetTokens?: number;
  display?: "summarized" | "omitted";
};

/** The model does not think first. */
export type ThinkingDisabled = { type: "disabled" };

/** Whether and how much the model thinks before it speaks. */
export type ThinkingConfig =
  | ThinkingAdaptive
  | ThinkingEnabled
  | ThinkingDisabled;

/** Kinds of structured output. */
export type OutputFormatType = "json_schema";

/** What every kind of structured output says. */
export type BaseOutputFormat = { type: OutputFormatType };

/** Structured output by JSON Schema. */
export type JsonSchemaOutputFormat = {
  type: "json_schema";
  schema: Record<string, unknown>;
};

/** Structured output. */
export type OutputFormat = JsonSchemaOutputFormat;

/** How built-in tools behave. */
export type ToolConfig = {
  askUserQuestion?: { previewFormat?: "markdown" | "html" };
};

/** How tools' commands are fenced in; the keys that the CLI knows, and whatever else. */
export type SandboxSettings = NonNullable<Settings["sandbox"]>;

/** Where they may go on the network. */
export type SandboxNetworkConfig = NonNullable<SandboxSettings["network"]>;

/** Which files they may touch. */
export type SandboxFilesystemConfig = NonNullable<
  SandboxSettings["filesystem"]
>;

/** Which secrets they may see. */
export type SandboxCredentialsConfig = Record<string, unknown>;

/** What is let through although it is forbidden. */
export type SandboxIgnoreViolations = NonNullable<
  SandboxSettings["ignoreViolations"]
>;

/** What a rule says. */
export type PermissionBehavior = "allow" | "deny" | "ask";

/** Decides whether a tool may run; `null` leaves the question unanswered. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    signal: AbortSignal;
    suggestions?: PermissionUpdate[];
    blockedPath?: string;
    mcpServer?: { name: string; source: string };
    decisionReason?: string;
    title?: string;
    displayName?: string;
    description?: string;
    defaultToNo?: boolean;
    suppressAlwaysAllowRule?: boolean;
    toolUseID: string;
    agentID?: string;
    requestId: string;
    matchedAskRule?: {
      source: string;
      toolName: string;
      ruleContent?: string;
    };
  },
) => Promise<PermissionResult | null>;

/** A question of an MCP server to the user. */
export type ElicitationRequest = {
  serverName: string;
  message: string;
  mode?: "form" | "url";
  url?: string;
  elicitationId?: string;
  requestedSchema?: Record<string, unknown>;
  title?: string;
  displayName?: string;
  description?: string;
};

/** The answer to an elicitation. */
export type ElicitationResult = {
  [key: string]: unknown;
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
};

/** Answers elicitations; `null` leaves one unanswered. */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<ElicitationResult | null>;

/** A dialog that the CLI wants shown. */
export type UserDialogRequest = {
  dialogKind: string;
  payload: Record<string, unknown>;
  toolUseID?: string;
};

/** Shows dialogs; `null` leaves one unanswered. */
export type OnUserDialog = (
  request: UserDialogRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<UserDialogResult | null>;

/** A line for the CLI's input: a prompt. */
export type SDKUserMessage = {
  type: "user";
  message: MessageParam;
  parent_tool_use_id: string | null;
  isSynthetic?: boolean;
  tool_use_result?: unknown;
  priority?: "now" | "next" | "later";
  origin?: SDKMessageOrigin;
  shouldQuery?: boolean;
  timestamp?: string;
  client_composed?: true;
  uuid?: UUID;
  pasted_content?: MessageParam["content"][];
  inline_pastes?: string[];
  session_id?: string;
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
};

/** What `spawnClaudeCodeProcess` is given. */
export interface SpawnOptions {
  /** The program. */
  command: string;
  /** Its arguments. */
  args: string[];
  /** Its working directory. */
  cwd?: string;
  /** Its whole environment. */
  env: { [envVar: string]: string | undefined };
  /** Aborted when it has to end and the grace is over. */
  signal: AbortSignal;
}

/** A process, wherever it runs; a `ChildProcess` of Node fits. */
export interface SpawnedProcess {
  /** Its input. */
  stdin: Writable;
  /** Its output. */
  stdout: Readable;
  /** Whether it was sent a signal. */
  readonly killed: boolean;
  /** Exit code; `null` while it runs, and when a signal ended it. */
  readonly exitCode: number | null;
  /** The signal that ended it. */
  readonly signalCode?: Signal | null;
  /** Sends a signal. */
  kill(signal: Signal): boolean;
  /** Listens for its end. */
  on(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  /** Listens for a failure. */
  on(event: "error", listener: (error: Error) => void): void;
  /** Listens for its end, once. */
  once(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  /** Listens for a failure, once. */
  once(event: "error", listener: (error: Error) => void): void;
  /** Stops listening. */
  off(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  /** Stops listening. */
  off(event: "error", listener: (error: Error) => void): void;
}
