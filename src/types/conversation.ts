import type { AgentError } from "../errors/base.ts";
import type { ContentBlock, ContentBlockInput } from "../protocol/content.ts";
import type { UserMessageInput } from "../protocol/lines.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { SystemMessage } from "../protocol/messages_system.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { BuiltinToolInputs } from "../protocol/tools.ts";
import type { Observed, ProcessHealth } from "./activity.ts";
import type { Controls } from "./generated/controls.ts";

/** One thing to say: a text, content blocks, or the wire's user line. */
export type UserInput =
  | string
  | readonly ContentBlockInput[]
  | UserMessageInput;

/** Input of a conversation: one prompt, or a source of several. */
export type Prompt =
  | string
  | readonly ContentBlockInput[]
  | AsyncIterable<UserInput>
  | ReadableStream<UserInput>;

/** Messages in several shapes; they are the same messages, and the first taker owns them. */
export interface MessageStream extends AsyncIterable<Message> {
  /** Single messages. */
  readonly messages: ReadableStream<Message>;
  /** The same as they came off the pipe: the fast path. */
  readonly batches: ReadableStream<readonly Message[]>;
  /** Every error, a fatal one last; keeps the newest 256, ends after the messages. */
  readonly errors: ReadableStream<AgentError>;
}

/**
 * One conversation with the CLI.
 *
 * Iterating, `messages` and `batches` consume the same messages: the first taker owns them from its first pull on, a
 * second throws `TypeError`. `text()`, `result()` and `output()` take nothing from a taker and may be called as often as
 * wanted: beside one they give the newest result, or the next where none has come by; without one they drain the
 * messages and give the last. Leaving a `for await` early closes the conversation.
 *
 * @typeParam T The structured output, as `outputSchema` has it
 */
export interface Conversation<T = unknown>
  extends MessageStream, AsyncDisposable, Controls, Observed {
  /** Resolves when every MCP server is connected and the CLI answered `initialize`; rejects with the one start-up error. */
  readonly ready: Promise<SessionInfo>;
  /** Id of the session; known from the first message that carries it. */
  readonly sessionId: string | undefined;
  /** Id of the process. */
  readonly pid: number | undefined;
  /** Text of the last result: alone at the end of the messages, background work included, beside a consumer as soon as one has arrived; rejects with `ResultError` when the result is an error or missing. */
  text(): Promise<string>;
  /** The last result, an error or not, as {@link text} waits for it; rejects with `ResultError` when there was none. */
  result(): Promise<ResultMessage>;
  /** The structured output; rejects with `StructuredOutputError` when it is missing or invalid, with `ResultError` when the result is an error. */
  output(): Promise<T>;
  /** Says more; only for prompts given as a stream that is still open. */
  send(input: UserInput): Promise<void>;
  /** Health of the process. */
  health(): ProcessHealth;
  /** Ends it; idempotent; resolves when the process is gone and the servers are closed. */
  close(): Promise<void>;
  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The `type` of a {@link Message}. */
export type MessageType = Message["type"];

/** The message or messages of one `type`. */
export type MessageOf<T extends MessageType> = Extract<
  Message,
  { readonly type: T }
>;

/** The `subtype` of a {@link SystemMessage}. */
export type SystemSubtype = SystemMessage["subtype"];

/** The system message of one `subtype`. */
export type SystemMessageOf<S extends SystemSubtype> = Extract<
  SystemMessage,
  { readonly subtype: S }
>;

/** The `subtype` of a {@link ResultMessage}. */
export type ResultSubtype = ResultMessage["subtype"];

/** The `type` of a {@link ContentBlock}. */
export type ContentBlockType = ContentBlock["type"];

/** Name of a built-in tool whose input is known. */
export type BuiltinToolName = keyof BuiltinToolInputs;

/** Where a {@link Client} is in its life. */
export type ClientState =
  | "disconnected"
  | "connecting"
  | "connected"
  | "closing"
  | "closed";

/** Settings of one call of a {@link Client}. */
export interface CallSettings {
  /** Cancels this call alone. */
  readonly signal?: AbortSignal | undefined;
}
