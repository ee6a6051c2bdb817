import type { AgentError } from "../errors/base.ts";
import type { StopReason } from "../ports/transport.ts";
import type { UserMessageInput } from "../protocol/lines.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ControlFields } from "./controls.ts";
import type { JsonObject } from "./json.ts";

/** A span as its children see it. Source: W3C Trace Context. */
export interface TraceContext {
  /** Version, trace, span and flags: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`. */
  readonly traceparent: string;
  /** State of tracing systems: `vendor=value`. */
  readonly tracestate?: string | undefined;
}

/** Facts about a conversation that begins. */
export interface ConversationStart {
  /** Its `model`. */
  readonly model?: string | undefined;
  /** Whether its process was started ahead, by a `Pool`. */
  readonly isWarm: boolean;
}

/** Answer to a request of the CLI. */
export interface RequestAnswer {
  /** `cancelled` = the CLI took it back, or the conversation ended first. */
  readonly outcome: "success" | "error" | "cancelled";
  /** The response; absent for an error and without an answer. */
  readonly response?: JsonObject | undefined;
}

/** End of a conversation. */
export interface ConversationEnd {
  /** Why it ended. */
  readonly reason: StopReason;
  /** The error or the reason of the signal that ended it; absent at any other end. */
  readonly error?: unknown;
}

/**
 * Observes one conversation, for tracing; every member is optional, a throwing one is ignored.
 *
 * Members are called while the conversation waits, so they must return at once. Messages, requests and responses are
 * shared and not redacted: do not change them, do not log them.
 */
export interface ConversationObserver {
  /** Returns the span that others continue: the CLI, or without a result the MCP server that a request of the CLI goes to. */
  readonly trace?:
    | ((requestId?: string) => TraceContext | undefined)
    | undefined;
  /** The CLI has started and answered `initialize`. */
  readonly ready?: (() => void) | undefined;
  /** A prompt is about to be written. */
  readonly prompt?: ((prompt: UserMessageInput) => void) | undefined;
  /** Messages were parsed, in the order of the CLI, read or not; those between program and CLI included. */
  readonly messages?: ((messages: readonly Message[]) => void) | undefined;
  /** The CLI requests something: a permission, a hook, an MCP call. */
  readonly request?:
    | ((requestId: string, request: ControlFields) => void)
    | undefined;
  /** Runs the code that answers a request, such as a callback of yours: a place to set the active span. Must call `work` once. */
  readonly within?: ((requestId: string, work: () => void) => void) | undefined;
  /** A request is over. */
  readonly answer?:
    | ((requestId: string, answer: RequestAnswer) => void)
    | undefined;
  /** An error of the `errors` stream that did not end the conversation; redacted. */
  readonly error?: ((error: AgentError) => void) | undefined;
  /** The conversation is over; called once, before its consumer notices, while the process may still be ending. Nothing is called after it. */
  readonly end?: ((end: ConversationEnd) => void) | undefined;
}

/** Events of conversations; every member is optional. */
export interface ConversationMetrics {
  /**
   * A conversation begins; called by `query()` and `connect()` themselves, so the active span is that of their caller.
   * Returns its observer; none = it is not observed. A warm process of a `Pool` begins one when it is taken.
   */
  readonly begin?:
    | ((start: ConversationStart) => ConversationObserver | undefined)
    | undefined;
}
