import type { Approval } from "../approvals/store.ts";
import type { JsonValue } from "../types/json.ts";

/** One event of AG-UI 1.0. */
export type AgUiEvent =
  | AgUiRunEvent
  | AgUiTextEvent
  | AgUiToolEvent
  | AgUiSubagentEvent
  | AgUiApprovalEvent;

/** Common field of events that a subagent may cause. */
export interface AgUiAttributed {
  /** Id of the subagent, which is the id of the call that started it; absent = the agent itself. */
  readonly subagentRunId?: string;
}

/** The run begins, finishes or fails. */
export type AgUiRunEvent = {
  /** The first event. */
  readonly type: "RUN_STARTED";
  /** The conversation; the session's id by default. */
  readonly threadId: string;
  /** The run. */
  readonly runId: string;
  /** Version of the protocol. */
  readonly protocolVersion: "1.0";
} | {
  /** The last event of a run that did not fail. */
  readonly type: "RUN_FINISHED";
  /** The conversation. */
  readonly threadId: string;
  /** The run. */
  readonly runId: string;
  /** Structured output, else the text of the result. */
  readonly result?: JsonValue;
  /** Why it ended. */
  readonly outcome: AgUiOutcome;
  /** Tokens of the run. */
  readonly usage?: readonly AgUiUsage[];
  /** Cost and session. */
  readonly metadata?: AgUiRunMetadata;
} | {
  /** The last event of a run that failed. */
  readonly type: "RUN_ERROR";
  /** The error, for a person. */
  readonly message: string;
  /** Code of an `AgentError`, or the subtype of a result. */
  readonly code?: string;
  /** Tokens of the run. */
  readonly usage?: readonly AgUiUsage[];
  /** Cost and session. */
  readonly metadata?: AgUiRunMetadata;
};

/** Why a run ended: it succeeded, was interrupted, or waits for a deferred call. */
export type AgUiOutcome = {
  /** It succeeded, or was interrupted by a person. */
  readonly type: "success" | "cancelled";
} | {
  /** A tool call was deferred; its approval is pending in the store. */
  readonly type: "interrupt";
  /** The question. */
  readonly interrupts: readonly AgUiInterrupt[];
};

/** A question that a run ended with. */
export interface AgUiInterrupt {
  /** Id of the question, for `approvalResponse()`; of the call, where the question was not in this run. */
  readonly id: string;
  /** Always a tool call. */
  readonly reason: "tool_call";
  /** Name of the tool. */
  readonly message: string;
  /** Id of the call. */
  readonly toolCallId: string;
}

/** Facts about a run that the protocol has no field for. */
export interface AgUiRunMetadata {
  /** Id of the session. */
  readonly sessionId: string;
  /** Estimated cost of the session so far, in US dollars. */
  readonly costUsd: number;
  /** Time of the last turn, in milliseconds. */
  readonly durationMs: number;
}

/** Tokens; the parts are included in the totals. */
export interface AgUiUsage {
  /** Provider of the models. */
  readonly provider: "anthropic";
  /** Tokens read. */
  readonly inputTokens: number;
  /** Tokens written. */
  readonly outputTokens: number;
  /** Sum of both. */
  readonly totalTokens: number;
  /** Input tokens that came from a cache. */
  readonly cachedInputTokens: number;
  /** Input tokens that were written to a cache. */
  readonly cacheWriteInputTokens: number;
}

/** A block of text, or of reasoning; each block is a message. */
export type AgUiTextEvent =
  & AgUiAttributed
  & {
    /** Id of the block. */
    readonly messageId: string;
  }
  & (
    | {
      /** The text begins. */
      readonly type: "TEXT_MESSAGE_START";
      /** The writer. */
      readonly role: "assistant";
    }
    | {
      /** The reasoning begins, within its span. */
      readonly type: "REASONING_MESSAGE_START";
      /** The writer. */
      readonly role: "reasoning";
    }
    | {
      /** The block grows. */
      readonly type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT";
      /** The piece. */
      readonly delta: string;
    }
    | {
      /** The block ends; a span of reasoning begins or ends. */
      readonly type:
        | "TEXT_MESSAGE_END"
        | "REASONING_START"
        | "REASONING_MESSAGE_END"
        | "REASONING_END";
    }
  );

/** A tool call, and its result. */
export type AgUiToolEvent =
  & AgUiAttributed
  & {
    /** Id of the call. */
    readonly toolCallId: string;
  }
  & (
    | {
      /** The call begins. */
      readonly type: "TOOL_CALL_START";
      /** Name of the tool. */
      readonly toolCallName: string;
    }
    | {
      /** More of its input. */
      readonly type: "TOOL_CALL_ARGS";
      /** A piece of JSON. */
      readonly delta: string;
    }
    | {
      /** Its input is complete. */
      readonly type: "TOOL_CALL_END";
    }
    | {
      /** The tool returned. */
      readonly type: "TOOL_CALL_RESULT";
      /** Id of the message with the result. */
      readonly messageId: string;
      /** Text, or blocks of content as JSON. */
      readonly content: string;
      /** The writer. */
      readonly role: "tool";
      /** Whether it failed, or was denied. */
      readonly metadata?: {
        /** The problem. */
        readonly outcome: "failed" | "denied";
      };
    }
  );

/** A subagent begins or ends. */
export type AgUiSubagentEvent = {
  /** It begins. */
  readonly type: "SUBAGENT_STARTED";
  /** Id of the subagent: that of the call that started it. */
  readonly subagentRunId: string;
  /** Name of its kind. */
  readonly name: string;
  /** The call that started it. */
  readonly parentToolCallId: string;
  /** The subagent that started it. */
  readonly parentSubagentRunId?: string;
} | {
  /** It ends. */
  readonly type: "SUBAGENT_FINISHED";
  /** Id of the subagent. */
  readonly subagentRunId: string;
};

/** A question for a person, or its answer. */
export interface AgUiApprovalEvent {
  /** An event of Sluice. */
  readonly type: "CUSTOM";
  /** Its name. */
  readonly name: "approval";
  /** The question, with its decision once it was answered. */
  readonly value: Approval;
}
