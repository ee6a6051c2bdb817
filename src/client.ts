import type { LiveConversation } from "./conversation/conversation.ts";
import { LiveClient } from "./conversation/live_client.ts";
import type { Message } from "./protocol/messages_other.ts";
import type { ResultMessage } from "./protocol/messages_turn.ts";
import type { SessionInfo } from "./protocol/session.ts";
import type { Observed, ProcessHealth } from "./types/activity.ts";
import type {
  CallSettings,
  ClientState,
  MessageStream,
  Prompt,
  UserInput,
} from "./types/conversation.ts";
import type { Controls } from "./types/generated/controls.ts";
import type { AgentOptions } from "./types/options.ts";
import type { Infer, Schema } from "./types/schema.ts";

/**
 * A conversation of many turns with one CLI process, made by `new Client(options)`.
 *
 * Several tasks may call it at the same time: lines keep the order of the calls and are never interleaved.
 * `receiveMessages()`, `receiveResponse()`, `ask()`, `text()` and `output()` draw from one stream, one at a time.
 *
 * @typeParam T The structured output, as `outputSchema` has it
 */
export interface Client<T = unknown>
  extends AsyncDisposable, Controls, Observed {
  /** State of the client; `"disconnected"` again when the CLI has exited on its own. */
  readonly state: ClientState;
  /** Id of the process; `undefined` before it is connected. */
  readonly pid: number | undefined;
  /** Id of the session; known from the first message that carries it, until the next `connect()`. */
  readonly sessionId: string | undefined;
  /** Number of prompts, sent by `connect()` or `sendMessage()`, whose answer no consumer has begun to read. */
  readonly unreadTurns: number;
  /**
   * Starts the CLI and connects the MCP servers, all or none; resolves when all are ready.
   *
   * After a failed or aborted connect the client is `"disconnected"`, no process is left, and `connect()` may be
   * called again. Do not call `close()` at the same time: nothing leaks or hangs, but either call may win.
   *
   * After the CLI has exited on its own, this starts a new session and logs that to the `logger`. To continue the old
   * session, keep {@link Client.sessionId} and create a client with it as `resume`.
   *
   * @param prompt The first prompt; none by default
   * @param settings Cancels this call
   * @returns The reply to `initialize`
   * @throws {AlreadyConnectedError} If the client is connected or connecting
   * @throws {ClosedError} If the client was closed
   * @throws {ConfigError} If the prompt is invalid; nothing is started
   */
  connect(prompt?: Prompt, settings?: CallSettings): Promise<SessionInfo>;
  /**
   * Sends a prompt; resolves when it was written to the CLI's stdin.
   *
   * @param input A text, content blocks or the wire's user line
   * @param settings Cancels waiting; a line that is being written is not withdrawn
   * @throws {NotConnectedError} If it is not connected
   * @throws {CliError} If the prompt could not be written, with stage `write`
   */
  sendMessage(input: UserInput, settings?: CallSettings): Promise<void>;
  /**
   * Returns all messages of this connection, across turns; the same object on every call. Leaving the loop early does
   * not close the client.
   */
  receiveMessages(): MessageStream;
  /**
   * Returns the messages of the next turn, up to and including the result that answers its prompt.
   *
   * The rest of a turn that was left early is skipped before the next one begins; prompts that the CLI merged into
   * one turn share its result.
   *
   * @param settings Ends the reading; the rest of the turn stays for the next reader
   * @throws {NotConnectedError} If it is not connected
   */
  receiveResponse(settings?: CallSettings): AsyncIterableIterator<Message>;
  /**
   * Sends a prompt and reads up to its result.
   *
   * @param input A text, content blocks or the wire's user line
   * @param settings Cancels waiting; the turn continues, and is read to its end before the next
   * @returns The result, an error or not
   * @throws {ResultError} If there is no result: the prompt was cancelled, the line of the result was lost (reported
   *   on `errors`), or the messages ended
   */
  ask(input: UserInput, settings?: CallSettings): Promise<ResultMessage>;
  /**
   * Sends a prompt and returns the text of its result.
   *
   * @param input A text, content blocks or the wire's user line
   * @param settings Cancels waiting; the turn continues, and is read to its end before the next
   * @returns The answer
   * @throws {ResultError} If the result is an error or missing
   */
  text(input: UserInput, settings?: CallSettings): Promise<string>;
  /**
   * Sends a prompt and returns the structured output of its result.
   *
   * @param input A text, content blocks or the wire's user line
   * @param settings Cancels waiting; the turn continues, and is read to its end before the next
   * @returns The structured output, as `outputSchema` makes it
   * @throws {StructuredOutputError} If it is missing, or does not fit its schema
   * @throws {ResultError} If the result is an error or missing
   */
  output(input: UserInput, settings?: CallSettings): Promise<T>;
  /** Returns counters and state of the process. */
  health(): ProcessHealth;
  /**
   * Stops the conversation, then closes the MCP servers, also when some closures fail; a second call waits for the first.
   *
   * @returns A promise that resolves when the process is gone
   * @throws {AggregateError} If several parts failed to close; a single failure rejects as it is
   */
  close(): Promise<void>;
  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Constructor of {@link Client}, also for `extends Client`. */
export interface ClientConstructor {
  /**
   * Checks the options; does nothing else. What `output()` gives follows from `outputSchema`.
   *
   * The second type parameter keeps this one out of `extends Client<T>`, which names one type.
   *
   * @throws {ConfigError} If an option is wrong
   */
  new <const S extends Schema, _T extends Infer<S>>(
    options: AgentOptions<S> & { readonly outputSchema: S },
  ): Client<Infer<S>>;
  /**
   * Checks the options; does nothing else.
   *
   * @throws {ConfigError} If an option is wrong
   */
  new <T = unknown>(options?: AgentOptions): Client<T>;
  /** Prototype of all clients. */
  readonly prototype: Client;
}

/**
 * Creates a client: checks the options and starts nothing.
 *
 * @example Hold a conversation of two turns
 * ```ts
 * import { Client } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli(["First.", "Second."]);
 * const client = new Client({ cliPath });
 * await client.connect();
 * assert.equal(await client.text("one"), "First.");
 * assert.equal(await client.text("two"), "Second.");
 * await client.close();
 * ```
 */
export const Client: ClientConstructor = LiveClient;

/** A client that is connected already. */
export function clientOf<T>(
  options: AgentOptions,
  conversation: LiveConversation<T>,
): Client<T> {
  return new LiveClient(options, conversation);
}
