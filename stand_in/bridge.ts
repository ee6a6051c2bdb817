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
  readonly sessionId: string;
  getSequenceNum(): number;
  getEpoch(): number | undefined;
  isConnected(): boolean;
  write(msg: SDKMessage): void;
  sendResult(): void;
  sendControlRequest(req: SDKControlRequest): void;
  sendControlResponse(res: SDKControlResponse): void;
  sendControlCancelRequest(requestId: string): void;
  reconnectTransport(
    opts: { ingressToken: string; apiBaseUrl: string; epoch?: number },
  ): Promise<void>;
  reportState(state: SessionState): void;
  reportMetadata(metadata: Record<string, unknown>): void;
  reportDelivery(eventId: string, status: "processing" | "processed"): void;
  flush(): Promise<void>;
  close(): void;
};

type Done = { ok: true } | { ok: false; error: string };
type Told = { ok: true; notices?: string[] } | { ok: false; error: string };

/** Options of `attachBridgeSession()`. */
export type AttachBridgeSessionOptions = {
  sessionId: string;
  ingressToken: string;
  apiBaseUrl: string;
  epoch?: number;
  initialSequenceNum?: number;
  heartbeatIntervalMs?: number;
  outboundOnly?: boolean;
  claudeCodeVersion?: string;
  onInboundMessage?: (msg: SDKMessage) => void | Promise<void>;
  onPermissionResponse?: (res: SDKControlResponse) => boolean | void;
  onInterrupt?: () => void;
  onStopTask?: (taskId: string) => Promise<void>;
  onBackgroundTasks?: (
    toolUseId: string | undefined,
  ) => boolean | Promise<boolean>;
  onSetModel?: (model: string | undefined) => Told | void | Promise<Told>;
  onSetMaxThinkingTokens?: (
    tokens: number | null | undefined,
    thinkingDisplay?: "summarized" | "omitted" | "highlights" | null,
  ) => Done | void | Promise<Done | void>;
  onSetPermissionMode?: (mode: PermissionMode) => Done;
  onRenameSession?: (title: string) => Done;
  onClose?: (code?: number) => void;
};

/** Credentials of a worker. */
export type RemoteCredentials = {
  worker_jwt: string;
  api_base_url: string;
  expires_in: number;
  worker_epoch: number;
};

/** Final refusal of credentials. */
export type CredentialsFailure =
  | {
    terminal: true;
    reason: "untrusted_device" | "session_stale_relogin" | "invalid_session_id";
  }
  | {
    terminal: true;
    reason: "session_security_tier_below_org_policy";
    status: 403;
  }
  | {
    terminal: true;
    reason: "request_rejected";
    status: number;
    sessionNotBridge?: true;
    source?: "origin" | "nonorigin_cf" | "nonorigin_other";
  }
  | { terminal: true; reason: "malformed_response"; status: number };

/** Refusal of credentials that may pass. */
export type CredentialsRejection = {
  terminal: false;
  reason: "oauth_rejected";
};

/** The repository of a session. */
export type CodeSessionGitContext = {
  gitRepoUrl: string;
  branch: string;
  defaultBranch?: string;
};

/** Last log line about a dropped branch. */
export type BranchDropLogDedup = { lastKey?: string | null };

/** Refusal of a new session. */
export type CreateSessionFailure = {
  terminal: true;
  reason: "grouping_rejected" | "request_rejected" | "malformed_response";
  status: number;
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
