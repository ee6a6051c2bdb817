/**
 * The official SDK's entry `./bridge`, which joins a session at claude.ai to a program.
 *
 * @module
 */
import type {
  PermissionMode,
  SDKControlRequest,
  SDKControlResponse,
  SDKMessage,
} from "../src/compat/mod.ts";
import { CLAUDE_AI, NotInThisPackageError } from "./absent.ts";

/** State of a session. */
export type SessionState = "idle" | "running" | "requires_action";

/** Attached session. */
export type BridgeSessionHandle = {
  /** Id of the session. */
  readonly sessionId: string;
  /** Number of the last event received. */
  getSequenceNum(): number;
  /** Epoch of the worker, if there is one. */
  getEpoch(): number | undefined;
  /** Whether the connection is open. */
  isConnected(): boolean;
  /** Sends a message. */
  write(msg: SDKMessage): void;
  /** Sends the end of a turn. */
  sendResult(): void;
  /** Sends a control request. */
  sendControlRequest(req: SDKControlRequest): void;
  /** Sends the reply to a control request. */
  sendControlResponse(res: SDKControlResponse): void;
  /** Cancels a control request. */
  sendControlCancelRequest(requestId: string): void;
  /** Connects again, with new credentials. */
  reconnectTransport(
    opts: { ingressToken: string; apiBaseUrl: string; epoch?: number },
  ): Promise<void>;
  /** Reports the state of the session. */
  reportState(state: SessionState): void;
  /** Reports facts about the session. */
  reportMetadata(metadata: Record<string, unknown>): void;
  /** Reports progress on an event. */
  reportDelivery(eventId: string, status: "processing" | "processed"): void;
  /** Resolves when everything is sent. */
  flush(): Promise<void>;
  /** Ends the connection. */
  close(): void;
};

type Done = {
  /** Whether the request succeeded. */
  ok: true;
} | {
  /** Whether the request succeeded. */
  ok: false;
  /** The failure in words. */
  error: string;
};
type Told = {
  /** Whether the request succeeded. */
  ok: true;
  /** Texts for the user. */
  notices?: string[];
} | {
  /** Whether the request succeeded. */
  ok: false;
  /** The failure in words. */
  error: string;
};

/** Options of `attachBridgeSession()`. */
export type AttachBridgeSessionOptions = {
  /** Id of the session. */
  sessionId: string;
  /** Token of the connection. */
  ingressToken: string;
  /** Address of the service. */
  apiBaseUrl: string;
  /** Epoch of the worker. */
  epoch?: number;
  /** Number of the event to continue after. */
  initialSequenceNum?: number;
  /** Interval of heartbeats, in milliseconds. */
  heartbeatIntervalMs?: number;
  /** Whether nothing is received. */
  outboundOnly?: boolean;
  /** Version of the CLI to report. */
  claudeCodeVersion?: string;
  /** Called with each message. */
  onInboundMessage?: (msg: SDKMessage) => void | Promise<void>;
  /** Called with each reply to a permission request. */
  onPermissionResponse?: (res: SDKControlResponse) => boolean | void;
  /** Called to interrupt the turn. */
  onInterrupt?: () => void;
  /** Called to stop a task. */
  onStopTask?: (taskId: string) => Promise<void>;
  /** Called to send tasks to the background. */
  onBackgroundTasks?: (
    toolUseId: string | undefined,
  ) => boolean | Promise<boolean>;
  /** Called to change the model. */
  onSetModel?: (model: string | undefined) => Told | void | Promise<Told>;
  /** Called to change the thinking budget. */
  onSetMaxThinkingTokens?: (
    tokens: number | null | undefined,
    thinkingDisplay?: "summarized" | "omitted" | "highlights" | null,
  ) => Done | void | Promise<Done | void>;
  /** Called to change the permission mode. */
  onSetPermissionMode?: (mode: PermissionMode) => Done;
  /** Called to change the title. */
  onRenameSession?: (title: string) => Done;
  /** Called when the connection is closed. */
  onClose?: (code?: number) => void;
};

/** Credentials of a worker. */
export type RemoteCredentials = {
  /** Token of the worker. */
  worker_jwt: string;
  /** Address of the service. */
  api_base_url: string;
  /** Lifetime of the token. */
  expires_in: number;
  /** Epoch of the worker. */
  worker_epoch: number;
};

/** Final refusal of credentials. */
export type CredentialsFailure = {
  /** Always final. */
  terminal: true;
  /** Kind of refusal. */
  reason: "untrusted_device" | "session_stale_relogin" | "invalid_session_id";
} | {
  /** Always final. */
  terminal: true;
  /** Kind of refusal. */
  reason: "session_security_tier_below_org_policy";
  /** HTTP status. */
  status: 403;
} | {
  /** Always final. */
  terminal: true;
  /** Kind of refusal. */
  reason: "request_rejected";
  /** HTTP status. */
  status: number;
  /** Whether the session is not one of a bridge. */
  sessionNotBridge?: true;
  /** Origin of the refusal. */
  source?: "origin" | "nonorigin_cf" | "nonorigin_other";
} | {
  /** Always final. */
  terminal: true;
  /** Kind of refusal. */
  reason: "malformed_response";
  /** HTTP status. */
  status: number;
};

/** Refusal of credentials that may pass. */
export type CredentialsRejection = {
  /** Never final. */
  terminal: false;
  /** Kind of refusal. */
  reason: "oauth_rejected";
};

/** The repository of a session. */
export type CodeSessionGitContext = {
  /** Address of the repository. */
  gitRepoUrl: string;
  /** Branch of the session. */
  branch: string;
  /** Default branch of the repository. */
  defaultBranch?: string;
};

/** Last log line about a dropped branch. */
export type BranchDropLogDedup = {
  /** Key of the last line. */
  lastKey?: string | null;
};

/** Refusal of a new session. */
export type CreateSessionFailure = {
  /** Always final. */
  terminal: true;
  /** Kind of refusal. */
  reason: "grouping_rejected" | "request_rejected" | "malformed_response";
  /** HTTP status. */
  status: number;
  /** The refusal in words. */
  detail: string | undefined;
};

/** Throws `NotInThisPackageError`. */
export function attachBridgeSession(
  _opts: AttachBridgeSessionOptions,
): Promise<BridgeSessionHandle> {
  return Promise.reject(absent("attachBridgeSession"));
}

/** Throws `NotInThisPackageError`. */
export function isCredentialsFailure(
  _r: RemoteCredentials | CredentialsFailure | CredentialsRejection | null,
): _r is CredentialsFailure {
  throw absent("isCredentialsFailure");
}

/** Throws `NotInThisPackageError`. */
export function isCredentialsRejection(
  _r: unknown,
): _r is CredentialsRejection {
  throw absent("isCredentialsRejection");
}

/** Throws `NotInThisPackageError`. */
export function isCreateSessionFailure(
  _r: string | CreateSessionFailure | CredentialsRejection | null,
): _r is CreateSessionFailure {
  throw absent("isCreateSessionFailure");
}

/** Throws `NotInThisPackageError`. */
export function createCodeSession(
  ..._of: [
    baseUrl: string,
    accessToken: string,
    title: string,
    timeoutMs: number,
    tags?: string[],
    gitContext?: CodeSessionGitContext,
    cwd?: string,
    model?: string,
    sessionGroupingId?: string,
    dropLogDedup?: BranchDropLogDedup,
  ]
): Promise<string | CreateSessionFailure | CredentialsRejection | null> {
  return Promise.reject(absent("createCodeSession"));
}

/** Throws `NotInThisPackageError`. */
export function fetchRemoteCredentials(
  ..._of: [
    sessionId: string,
    baseUrl: string,
    accessToken: string,
    timeoutMs: number,
    trustedDeviceToken?: string,
  ]
): Promise<
  RemoteCredentials | CredentialsFailure | CredentialsRejection | null
> {
  return Promise.reject(absent("fetchRemoteCredentials"));
}

function absent(name: string): NotInThisPackageError {
  return new NotInThisPackageError(`./bridge ${name}()`, CLAUDE_AI);
}
