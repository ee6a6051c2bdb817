import type { ApprovalDecision, ApprovalRequest } from "../approvals/store.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { JsonValue } from "../types/json.ts";
import type { StreamFailure } from "./failure.ts";

/** Two kinds of text. */
export type TextKind = "text" | "thinking";

/**
 * Pieces of a conversation that a page shows, in the order in which it happens. `parent` is the id of the tool call whose
 * subagent wrote it; it is absent in the main conversation.
 */
export type PagePart =
  | StartPart
  | StepPart
  | BlockPart
  | ToolPart
  | { readonly type: "asked"; readonly request: ApprovalRequest }
  | {
    readonly type: "answered";
    readonly request: ApprovalRequest;
    readonly decision: ApprovalDecision;
  }
  | { readonly type: "turn"; readonly result: ResultMessage }
  | { readonly type: "over"; readonly failure?: StreamFailure | undefined };

/** The first part; there is always one. */
interface StartPart {
  readonly type: "start";
  readonly sessionId?: string | undefined;
  /** Id of the first message. */
  readonly id: string;
}

/** A message of the model begins, in the main conversation. */
interface StepPart {
  readonly type: "step";
  /** Id of the message. */
  readonly id: string;
}

/** A block of text or thinking. */
export type BlockPart =
  & Block
  & (
    | { readonly type: "begin" | "end" }
    | { readonly type: "delta"; readonly delta: string }
  );

/** A block, with an id of its own. */
export interface Block {
  readonly kind: TextKind;
  readonly id: string;
  readonly parent?: string | undefined;
}

/** A tool call: its input while it is written, its whole input, its result; each call has the middle one before the last. */
export type ToolPart =
  | { readonly type: "tool-begin" } & ToolCall
  | { readonly type: "tool-delta"; readonly delta: string } & ToolCall
  | { readonly type: "tool-input"; readonly input: JsonValue } & ToolCall
  | {
    readonly type: "tool-result";
    readonly id: string;
    readonly output: JsonValue;
    readonly outcome: "done" | "failed" | "denied";
  };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly parent?: string | undefined;
}
