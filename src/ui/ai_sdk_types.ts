import type { JsonObject, JsonValue } from "../types/json.ts";

/** One chunk of a UI message stream of the AI SDK 7; assignable to its `UIMessageChunk`. */
export type AiSdkChunk =
  | AiSdkFrameChunk
  | AiSdkTextChunk
  | AiSdkToolChunk
  | AiSdkApprovalChunk
  | AiSdkDataChunk;

/** The message, its steps, and its end. */
export type AiSdkFrameChunk = {
  /** The message begins. */
  readonly type: "start";
  /** Id of the message. */
  readonly messageId: string;
  /** Facts known at the beginning. */
  readonly messageMetadata?: AiSdkMetadata;
} | {
  /** A request to the model begins, or its answer is complete. */
  readonly type: "start-step" | "finish-step";
} | {
  /** A turn is over. */
  readonly type: "message-metadata";
  /** Facts about the turn. */
  readonly messageMetadata: AiSdkMetadata;
} | {
  /** The turn failed, or the messages did. */
  readonly type: "error";
  /** A text for a person. */
  readonly errorText: string;
} | {
  /** The turn was interrupted. */
  readonly type: "abort";
} | {
  /** The message is complete. */
  readonly type: "finish";
  /** Why it ended. */
  readonly finishReason: AiSdkFinishReason;
};

/** Why a message ended. */
export type AiSdkFinishReason =
  | "stop"
  | "length"
  | "content-filter"
  | "tool-calls"
  | "error"
  | "interrupted"
  | "other";

/** Facts about a message: `message.metadata` of `useChat`. */
export interface AiSdkMetadata {
  /** Id of the session. */
  readonly sessionId?: string;
  /** Tokens of the last turn. */
  readonly usage?: AiSdkUsage;
  /** Estimated cost of the session so far, in US dollars. */
  readonly costUsd?: number;
  /** Time of the last turn, in milliseconds. */
  readonly durationMs?: number;
}

/** Tokens of a turn. */
export interface AiSdkUsage {
  /** Tokens read, from caches and written to caches included. */
  readonly inputTokens: number;
  /** Tokens written. */
  readonly outputTokens: number;
  /** Part of the input tokens that came from a cache. */
  readonly cachedInputTokens: number;
  /** Sum of both. */
  readonly totalTokens: number;
}

/** A block of the answer, or of thinking. */
export type AiSdkTextChunk = {
  /** The block begins or ends. */
  readonly type:
    | "text-start"
    | "text-end"
    | "reasoning-start"
    | "reasoning-end";
  /** Id of the block. */
  readonly id: string;
} | {
  /** The block grows. */
  readonly type: "text-delta" | "reasoning-delta";
  /** Id of the block. */
  readonly id: string;
  /** The piece. */
  readonly delta: string;
};

/** A tool call. The page shows it as a part of the type `dynamic-tool`. */
export type AiSdkToolChunk =
  | AiSdkToolCall & {
    /** The model begins to write the call. */
    readonly type: "tool-input-start";
  }
  | AiSdkToolCall & {
    /** The input is complete. */
    readonly type: "tool-input-available";
    /** The input. */
    readonly input: JsonValue;
  }
  | {
    /** More of the input. */
    readonly type: "tool-input-delta";
    /** Id of the call. */
    readonly toolCallId: string;
    /** A piece of JSON. */
    readonly inputTextDelta: string;
  }
  | {
    /** The tool returned. */
    readonly type: "tool-output-available";
    /** Id of the call. */
    readonly toolCallId: string;
    /** Text, or blocks of content. */
    readonly output: JsonValue;
    /** The agent ran it. */
    readonly providerExecuted: true;
    /** Its name is no type of the page. */
    readonly dynamic: true;
  }
  | {
    /** The tool failed. */
    readonly type: "tool-output-error";
    /** Id of the call. */
    readonly toolCallId: string;
    /** The error. */
    readonly errorText: string;
    /** The agent ran it. */
    readonly providerExecuted: true;
    /** Its name is no type of the page. */
    readonly dynamic: true;
  }
  | {
    /** The call was denied. */
    readonly type: "tool-output-denied";
    /** Id of the call. */
    readonly toolCallId: string;
  };

/** Common fields of a call. */
export interface AiSdkToolCall {
  /** Id of the call. */
  readonly toolCallId: string;
  /** Name of the tool. */
  readonly toolName: string;
  /** The agent runs it, not the page. */
  readonly providerExecuted: true;
  /** Its name is no type of the page. */
  readonly dynamic: true;
  /** `parentToolCallId` of a call by a subagent. */
  readonly toolMetadata?: {
    /** Id of the call that started the subagent. */
    readonly parentToolCallId: string;
  };
}

/** A permission: the question, and its answer. */
export type AiSdkApprovalChunk = {
  /** A person is asked. */
  readonly type: "tool-approval-request";
  /** Id of the question, for `approvalResponse()`. */
  readonly approvalId: string;
  /** Id of the call. */
  readonly toolCallId: string;
} | {
  /** The question was answered, here or elsewhere. */
  readonly type: "tool-approval-response";
  /** Id of the question. */
  readonly approvalId: string;
  /** Whether the tool may run. */
  readonly approved: boolean;
  /** Why not. */
  readonly reason?: string;
  /** The agent runs it. */
  readonly providerExecuted: true;
};

/** Parts with a shape of their own. */
export type AiSdkDataChunk = {
  /** A block that a subagent wrote, once it is complete. */
  readonly type: "data-subagent";
  /** Id of the block. */
  readonly id: string;
  /** The block. */
  readonly data: {
    /** Id of the call that started the subagent. */
    readonly toolCallId: string;
    /** Kind of the block. */
    readonly kind: "text" | "thinking";
    /** Its text. */
    readonly text: string;
  };
} | {
  /** The structured output of the turn. */
  readonly type: "data-output";
  /** The value. */
  readonly data: JsonValue | JsonObject;
};
