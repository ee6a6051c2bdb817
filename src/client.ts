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
 * Calls may come from several tasks at once: lines keep the order of the calls and are never interleaved.
 * `receiveMessages()`, `receiveResponse()`, `ask()`, `text()` and `output()` draw from one stream, one at a time.
 *
 * @typeParam T The structured output, as `outputSchema` has it
 */
export interface Client<T = unknown>
  extends AsyncDisposable, Controls, Observed {
  /** Where the client is in its life; `"disconnected"` again when the CLI has ended by itself. */
  readonly state: ClientState;
  /** Id of the process; `undefined` before it is connected. */
  readonly pid: number | undefined;
  /** Id of the session; known from the first message that carries it, until the next `connect()`. */
  readonly sessionId: string | undefined;
  /**
   * Starts the CLI and connects the MCP servers, all or none; resolves when both are there.
   *
   * A failed or aborted connect leaves the client `"disconnected"` and no process, and may be tried again. Calling
   * `close()` at the same time is a mistake: it leaks nothing and hangs nothing, but which of the two wins is open.
   *
   * After the CLI has ended by itself this begins a new session, and says so to the `logger`. To go on with the old one,
   * take {@link Client.sessionId} before, and make a client with it as `resume`.
   *
   * @param prompt What to say first; nothing unless given
   * @param settings Cancels this call
   * @returns The reply to `initialize`
   * @throws {AlreadyConnectedError} If it is connected or connecting
   * @throws {ClosedError} If it was closed
   * @throws {ConfigError} If the prompt is invalid; nothing is started then
   */
  connect(prompt?: Prompt, settings?: CallSettings): Promise<SessionInfo>;
  /**
   * Says something; resolves when it was handed to the CLI's stdin.
   *
   * @param input A text, content blocks or the wire's user line
   * @param settings Cancels waiting; a line that is on its way is not taken back
   * @throws {NotConnectedError} If it is not connected
   * @throws {CliError} If the CLI did not take it, with stage `write`
   */
  sendMessage(input: UserInput, settings?: CallSettings): Promise<void>;
  /** All messages of this connection, across turns; the same object on every call. Leaving it early does not close the client. */
  receiveMessages(): MessageStream;
  /**
   * The messages of the next turn, up to and including the result that answers its prompt.
   *
   * A turn that was left early is read to its end before the next begins; prompts that the CLI merged into one turn
   * share its result.
   *
   * @param settings Ends the reading; the rest of the turn stays for the next reader
   * @throws {NotConnectedError} If it is not connected
   */
  receiveResponse(settings?: CallSettings): AsyncIterableIterator<Message>;
  /**
   * Says something and reads up to its result.
   *
   * @param input A text, content blocks or the wire's user line
   * @param settings Cancels waiting; the turn continues, and is read to its end before the next
   * @returns The result, an error or not
   * @throws {ResultError} If there is no result: the prompt was taken back, the line of the result was lost, which `errors` tells, or the messages ended
   */
  ask(input: UserInput, settings?: CallSettings): Promise<ResultMessage>;
  /**
   * Says something and reads up to its result, as {@link Client.ask} does; gives the result's text.
   *
   * @param input A text, content blocks or the wire's user line
   * @param settings Cancels waiting; the turn continues, and is read to its end before the next
   * @returns The answer
   * @throws {ResultError} If the result is an error or missing
   */
  text(input: UserInput, settings?: CallSettings): Promise<string>;
  /**
   * Says something and reads up to its result, as {@link Client.ask} does; gives the structured output.
   *
   * @param input A text, content blocks or the wire's user line
   * @param settings Cancels waiting; the turn continues, and is read to its end before the next
   * @returns The structured output, as `outputSchema` makes it
   * @throws {StructuredOutputError} If it is missing, or does not fit its schema
   * @throws {ResultError} If the result is an error or missing
   */
  output(input: UserInput, settings?: CallSettings): Promise<T>;
  /** Counters and state of the process. */
  health(): ProcessHealth;
  /**
   * Stops the conversation, then closes the MCP servers, also when some closures fail; a second call waits for the first.
   *
   * @returns A promise that resolves when the process is gone
   * @throws {AggregateError} If several things failed to close; one failure rejects as it is
   */
  close(): Promise<void>;
  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes clients, and is what their classes extend. */
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
  /** Of all clients. */
  readonly prototype: Client;
}

/**
 * Makes a client: checks the options, and does nothing else.
 *
 * @example Two turns
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
