/**
 * The official SDK's entry `./browser`, which speaks with sessions at claude.ai. Tools and servers can be made; there is
 * no session to use them in.
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
export type OAuthCredential = { type: "oauth"; token: string };

/** The first line of a connection. */
export type AuthMessage = { type: "auth"; credential: OAuthCredential };

/** Connection by web socket. */
export type WebSocketOptions = {
  url: string;
  headers?: Record<string, string>;
  authMessage?: AuthMessage;
};

/** Connection by server-sent events. */
export type SSEOptions = {
  streamUrl: string;
  sendUrl: string;
  sessionId: string;
  headers?: Record<string, string>;
  fetchStream?: (
    url: string,
    init: RequestInit,
    overHttp: () => Promise<Response>,
  ) => Promise<Response>;
  fromSequenceNum?: number;
  onCatchUpTruncated?: () => void;
  onDeliveryUpdate?: (
    update: { event_id: string; status: string; timestamp?: string },
  ) => void;
};

/** Options of {@link query}. */
export type BrowserQueryOptions =
  & {
    prompt: AsyncIterable<SDKUserMessage>;
    abortController?: AbortController;
    canUseTool?: CanUseTool;
    hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
    mcpServers?: Record<string, McpServerConfig>;
    jsonSchema?: Record<string, unknown>;
    onElicitation?: OnElicitation;
    onUserDialog?: OnUserDialog;
    promptSuggestions?: boolean;
    supportedDialogKinds?: string[];
  }
  & (
    | { websocket: WebSocketOptions; sse?: never }
    | { sse: SSEOptions; websocket?: never }
  );

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
    event_id: string;
    sequence_num: number;
    created_at?: string;
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
