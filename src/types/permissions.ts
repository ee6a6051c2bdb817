import type {
  PermissionDecision,
  PermissionUpdate,
} from "../protocol/permissions.ts";
import type { ApprovalStore } from "../approvals/store.ts";
import type { JsonObject } from "./json.ts";

/** Context of a permission request. */
export interface PermissionContext {
  /** Aborted when the CLI cancels the request, the timeout passes or the conversation ends. */
  readonly signal: AbortSignal;
  /** Id of the request. */
  readonly requestId: string;
  /** Id of the tool call. */
  readonly toolUseId?: string;
  /** Permission changes that would make this request unnecessary in the future. */
  readonly suggestions?: readonly PermissionUpdate[];
  /** Path that caused the request. */
  readonly blockedPath?: string;
  /** Why the CLI asks. */
  readonly decisionReason?: string;
  /** Title to show. */
  readonly title?: string;
  /** The tool's name to show. */
  readonly displayName?: string;
  /** A description of the call. */
  readonly description?: string;
  /** Id of the subagent that called the tool. */
  readonly agentId?: string;
  /** The MCP server behind the tool. */
  readonly mcpServer?: {
    /** Its name. */
    readonly name: string;
    /** Source of its configuration. */
    readonly source?: string;
  };
  /** Whether a person has to act: AskUserQuestion, ExitPlanMode. */
  readonly requiresUserInteraction?: boolean;
  /**
   * Resolves once the consumer has received every message that preceded the request, so that output stays in order.
   * Resolves at once without a consumer, and at the latest when the conversation ends. Never rejects.
   */
  readonly caughtUp: Promise<void>;
  /** The request as it came. */
  readonly raw: JsonObject;
}

/** Decides one tool call. An error, a timeout or an invalid decision denies the call, with that reason. */
export interface CanUseTool {
  /**
   * Decides one tool call.
   *
   * @param tool Name of the tool
   * @param input Input of the call
   * @param context Context of the call
   */
  (
    tool: string,
    input: JsonObject,
    context: PermissionContext,
  ): PermissionDecision | Promise<PermissionDecision>;
  /** Timeout of one call, in milliseconds, unless `permissions.timeoutMs` is set; `Infinity` where a person decides. */
  readonly timeoutMs?: number;
}

/**
 * Settings for tool calls that are decided through a store, by any process, also after this one ended.
 *
 * Each call is stored as a request first. Without a decision in time the call is deferred: the turn ends, its result
 * names the call in `deferred_tool_use`, and after `resume` the CLI requests the call again, on any machine with the
 * transcript and the store.
 */
export interface ApprovalOptions {
  /** The store of requests and decisions. */
  readonly store: ApprovalStore;
  /**
   * Selects the calls that need a decision in the store; every call by default. Other calls are decided as without a store.
   * A call is denied if this takes more than 30 000 ms, throws, or returns another value than `true` and `false`.
   *
   * @param tool Name of the tool
   * @param input Copy of the input of the call, or of the input with which a hook replaces it
   */
  readonly park?:
    | ((tool: string, input: JsonObject) => boolean | Promise<boolean>)
    | undefined;
  /**
   * Wait for a decision before the call is deferred, in milliseconds; 60 000. 0 to defer it at once. A call of a
   * subagent cannot be deferred: it waits at least 60 000, then is denied.
   */
  readonly waitMs?: number | undefined;
}
