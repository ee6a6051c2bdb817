/**
 * The official SDK's entry `./browser`, for sessions at claude.ai. Tools and servers can be made, but sessions cannot be
 * reached.
 *
 * @module
 */
import type {
  CanUseTool,
  HookCallbackMatcher,
  HookEvent,
  McpServerConfig,
  OnElicitation,
  OnUserDialog,
  Query,
  SDKMessage,
  SDKUserMessage,
} from "../src/compat/mod.ts";
import { CLAUDE_AI, NotInThisPackageError } from "./absent.ts";

export { createSdkMcpServer, tool } from "../src/compat/mod.ts";
export type {
  CanUseTool,
  ElicitationRequest,
  ElicitationResult,
  HookCallbackMatcher,
  HookEvent,
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  OnElicitation,
  OnUserDialog,
  Query,
  SDKAssistantMessage,
  SDKMessage,
  SDKResultMessage,
  SDKSystemMessage,
  SDKUserMessage,
  UserDialogRequest,
  UserDialogResult,
} from "../src/compat/mod.ts";

/** Credential of a user. */
export type OAuthCredential = {
  /** Always OAuth. */
  type: "oauth";
  /** The token. */
  token: string;
};

/** The first line of a connection. */
export type AuthMessage = {
  /** Always the credential's line. */
  type: "auth";
  /** The credential. */
  credential: OAuthCredential;
};

/** Connection by web socket. */
export type WebSocketOptions = {
  /** Address of the socket. */
  url: string;
  /** Headers of the request. */
  headers?: Record<string, string>;
  /** First line to send. */
  authMessage?: AuthMessage;
};

/** Connection by server-sent events. */
export type SSEOptions = {
  /** Address of the events. */
  streamUrl: string;
  /** Address for messages to the session. */
  sendUrl: string;
  /** Id of the session. */
  sessionId: string;
  /** Headers of every request. */
  headers?: Record<string, string>;
  /** Replaces `fetch()` for the events. */
  fetchStream?: (
    url: string,
    init: RequestInit,
    overHttp: () => Promise<Response>,
  ) => Promise<Response>;
  /** Number of the event to continue after. */
  fromSequenceNum?: number;
  /** Called when missed events are not all available. */
  onCatchUpTruncated?: () => void;
  /** Called with progress on the delivery of a message. */
  onDeliveryUpdate?: (
    update: { event_id: string; status: string; timestamp?: string },
  ) => void;
};

/** Options of {@link query}. */
export type BrowserQueryOptions =
  & {
    /** Prompts, as they arrive. */
    prompt: AsyncIterable<SDKUserMessage>;
    /** Cancels everything. */
    abortController?: AbortController;
    /** Decides tool calls that no rule covers. */
    canUseTool?: CanUseTool;
    /** Callbacks by event. */
    hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
    /** MCP servers by name. */
    mcpServers?: Record<string, McpServerConfig>;
    /** JSON Schema of the structured output. */
    jsonSchema?: Record<string, unknown>;
    /** Answers questions of MCP servers. */
    onElicitation?: OnElicitation;
    /** Shows dialogs of the CLI. */
    onUserDialog?: OnUserDialog;
    /** Whether `prompt_suggestion` messages are delivered. */
    promptSuggestions?: boolean;
    /** Dialogs that can be shown. */
    supportedDialogKinds?: string[];
  }
  & ({
    /** Connection by web socket. */
    websocket: WebSocketOptions;
    /** Connection by server-sent events. */
    sse?: never;
  } | {
    /** Connection by server-sent events. */
    sse: SSEOptions;
    /** Connection by web socket. */
    websocket?: never;
  });

/** Feature flag of the official package. */
export const G4_TEXT_ENVELOPE_ARM_PORTED: boolean = false;

/** Throws `NotInThisPackageError`. */
export function query(_options: BrowserQueryOptions): Query {
  throw absent("query");
}

/** Throws `NotInThisPackageError`. */
export function getSseDropCounts(
  _query: Query,
): Readonly<Record<string, number>> | undefined {
  throw absent("getSseDropCounts");
}

/** Throws `NotInThisPackageError`. */
export function getSseLastSequenceNum(_query: Query): number | undefined {
  throw absent("getSseLastSequenceNum");
}

/** Throws `NotInThisPackageError`. */
export function getCcrEvent(_query: Query, _message: SDKMessage):
  | {
    /** Id of the event. */
    event_id: string;
    /** Number of the event. */
    sequence_num: number;
    /** Time of the event. */
    created_at?: string;
    /** Source of the event. */
    source?: string;
  }
  | undefined {
  throw absent("getCcrEvent");
}

/** Throws `NotInThisPackageError`. */
export function suspendSseStream(_query: Query): boolean {
  throw absent("suspendSseStream");
}

/** Throws `NotInThisPackageError`. */
export function resumeSseStream(_query: Query): boolean {
  throw absent("resumeSseStream");
}

function absent(name: string): NotInThisPackageError {
  return new NotInThisPackageError(`./browser ${name}()`, CLAUDE_AI);
}
