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

/** One prompt: a string, content blocks, or a user message of the protocol. */
export type UserInput =
  | string
  | readonly ContentBlockInput[]
  | UserMessageInput;

/** Input of a conversation: one prompt, or an async iterable of several. */
export type Prompt =
  | string
  | readonly ContentBlockInput[]
  | AsyncIterable<UserInput>
  | ReadableStream<UserInput>;

/** The messages of a conversation in several forms. They can be consumed only once, by the first consumer. */
export interface MessageStream extends AsyncIterable<Message> {
  /** Single messages. */
  readonly messages: ReadableStream<Message>;
  /** The same messages in batches, as they were read: the fastest form. */
  readonly batches: ReadableStream<readonly Message[]>;
  /** Every error, a fatal one last; keeps the newest 256, ends after the messages. */
  readonly errors: ReadableStream<AgentError>;
}

/**
 * One conversation with the CLI.
 *
 * Pick one of iterating, `messages` and `batches`: a conversation can be consumed only once, a second consumer gets a
 * `TypeError`. `text()`, `result()` and `output()` work beside a consumer and may be called any number of times: they
 * then return the newest result, or wait for the first. Without a consumer they drain the messages and
 * return the last result. Leaving a `for await` early closes the conversation.
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
  /** Sends a further prompt; only while the prompt source, a stream, is open. */
  send(input: UserInput): Promise<void>;
  /** Health of the process. */
  health(): ProcessHealth;
  /** Ends the conversation; idempotent; resolves when the process has exited and the MCP servers are closed. */
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

/** State of a {@link Client}. */
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
