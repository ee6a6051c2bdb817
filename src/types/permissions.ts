import type {
  PermissionDecision,
  PermissionUpdate,
} from "../protocol/permissions.ts";
import type { ApprovalStore } from "../approvals/store.ts";
import type { JsonObject } from "./json.ts";

/** Context of a permission request. */
export interface PermissionContext {
  /** Aborted when the CLI takes the question back, the limit passes or the conversation ends. */
  readonly signal: AbortSignal;
  /** Id of the question. */
  readonly requestId: string;
  /** Id of the tool call. */
  readonly toolUseId?: string;
  /** Changes that would answer this question for good. */
  readonly suggestions?: readonly PermissionUpdate[];
  /** The path that made the CLI ask. */
  readonly blockedPath?: string;
  /** Why the CLI asks. */
  readonly decisionReason?: string;
  /** Title to show. */
  readonly title?: string;
  /** The tool's name to show. */
  readonly displayName?: string;
  /** A description of the call. */
  readonly description?: string;
  /** The subagent that wants the tool. */
  readonly agentId?: string;
  /** The MCP server behind the tool. */
  readonly mcpServer?: {
    /** Its name. */
    readonly name: string;
    /** Where its configuration came from. */
    readonly source?: string;
  };
  /** Whether a person has to act: AskUserQuestion, ExitPlanMode. */
  readonly requiresUserInteraction?: boolean;
  /**
   * Resolves when the consumer has every message that was read before the question; what it shows then stands in order.
   * At once without a consumer; at the latest when the conversation ends. Never rejects.
   */
  readonly caughtUp: Promise<void>;
  /** The request as it came. */
  readonly raw: JsonObject;
}

/** Decides one tool call. A throw, a late answer or anything but a decision is a deny with the reason. */
export interface CanUseTool {
  /**
   * Decides one tool call.
   *
   * @param tool Name of the tool
   * @param input What it would run with
   * @param context What else is known of the call
   */
  (
    tool: string,
    input: JsonObject,
    context: PermissionContext,
  ): PermissionDecision | Promise<PermissionDecision>;
  /** Limit of one call, in milliseconds, unless `permissions.timeoutMs` is set; `Infinity` where a person decides. */
  readonly timeoutMs?: number;
}

/**
 * Calls that wait for a decision in a store: it may come from another process, and after this one ended.
 *
 * Each is stored before anybody is asked. Without an answer the call is put off: the turn ends, its result names the call
 * in `deferred_tool_use`, and a `resume` of the session asks for it again, on any machine with the transcript and the store.
 */
export interface ApprovalOptions {
  /** Where questions and answers are. */
  readonly store: ApprovalStore;
  /**
   * Whether a call waits; every call unless given. What does not is decided as without a store.
   *
   * @param tool Name of the tool
   * @param input What it would run with; a copy
   */
  readonly park?:
    | ((tool: string, input: JsonObject) => boolean | Promise<boolean>)
    | undefined;
  /**
   * Wait for an answer before the call is deferred, in milliseconds; 60 000. 0 to defer it at once. A call of a
   * subagent cannot be deferred: it waits at least 60 000, then is denied.
   */
  readonly waitMs?: number | undefined;
}
