import { Unsettled } from "../async/unsettled.ts";
import { detailsOf, healthOf } from "./activity.ts";
import { NO_COST } from "../observe/cost.ts";
import { LiveConversation } from "./conversation.ts";
import { ControlMethods } from "./generated/controls.ts";
import { ErrorFeed } from "./error_feed.ts";
import type { Consumer } from "./ownership.ts";
import { firstPrompt } from "./user_line.ts";
import {
  type AgentError,
  AlreadyConnectedError,
  ClosedError,
  NotConnectedError,
  ResultError,
} from "../errors/base.ts";
import { resolveOptions } from "../options/resolve.ts";
import type { Settings } from "../options/settings.ts";
import type {
  Activity,
  Cost,
  ProcessHealth,
  SettledOptions,
} from "../types/activity.ts";
import type {
  CallSettings,
  ClientState,
  MessageStream,
  Prompt,
  UserInput,
} from "../types/conversation.ts";
import type { SetMcpServersReply } from "../protocol/control_replies.ts";
import type { ControlOptions } from "../types/controls.ts";
import type { JsonInput, JsonObject } from "../types/json.ts";
import type { McpServerInput } from "../types/mcp.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { LogFields } from "../types/observe.ts";
import type { AgentOptions } from "../types/options.ts";
import type { SessionInfo } from "../protocol/session.ts";

/** A client: what it says is checked against the public interface where that is exported. */
export class LiveClient<T> extends ControlMethods implements AsyncDisposable {
  readonly #settings: Settings;
  #state: ClientState = "disconnected";
  #conversation: LiveConversation | undefined;
  /** Conversations that are over and still being cleared away. */
  readonly #leaving = new Unsettled();
  #closing: Promise<void> | undefined;

  /** Checks the options; does nothing else, unless there is a conversation to continue. */
  constructor(options?: AgentOptions, conversation?: LiveConversation) {
    super();
    this.#settings = resolveOptions(options);
    if (conversation === undefined) return;
    this.#conversation = conversation;
    this.#state = "connected";
  }

  get state(): ClientState {
    const isOver = this.#conversation?.isOver === true;
    return this.#state === "connected" && isOver ? "disconnected" : this.#state;
  }

  get pid(): number | undefined {
    return this.#conversation?.pid;
  }

  get sessionId(): string | undefined {
    return this.#conversation?.sessionId;
  }

  get unreadTurns(): number {
    return this.#conversation?.byTurns.unread ?? 0;
  }

  /** Whether a reader has begun with an answer, and has not ended. */
  protected get isReading(): boolean {
    return this.#conversation?.byTurns.isReading ?? false;
  }

  /** Whether the last turn ended with a deferred call: only a resumed session asks for it again. */
  get hasDeferredCall(): boolean {
    return this.#conversation?.hasDeferredCall ?? false;
  }

  /** Resolves when no answer is unread or being read, or the CLI is gone. */
  protected async whenRead(): Promise<void> {
    const { over, byTurns } = this.#conversation ?? {};
    await Promise.race([over, byTurns?.whenRead()]);
  }

  /** Logs a warning, as the conversation does. */
  protected warn(text: string, fields: LogFields): void {
    this.#conversation?.warn(text, fields);
  }

  connect(prompt?: Prompt, settings?: CallSettings): Promise<SessionInfo> {
    return this.called(() => this.#connect(prompt, settings));
  }

  async #connect(
    prompt: Prompt | undefined,
    { signal }: CallSettings = {},
  ): Promise<SessionInfo> {
    if (this.#closing !== undefined) throw new ClosedError("Client");
    if (this.state !== "disconnected") {
      throw new AlreadyConnectedError("Client");
    }
    signal?.throwIfAborted();
    const first = prompt === undefined ? undefined : firstPrompt(prompt, {
      uuid: crypto.randomUUID(),
      isVerbatim: this.#settings.options.verbatimPrompts,
    });
    // One that ended by itself may still be clearing away.
    if (this.#conversation) {
      this.#warnOfNewSession(this.#conversation);
      this.#leave(this.#conversation);
    }
    const use = { prompt: first, isKeptOpen: true };
    const conversation = new LiveConversation(this.#settings, use);
    this.#conversation = conversation;
    this.#state = "connecting";
    const unfollow = signal && conversation.follow(signal);
    try {
      const info = await conversation.ready;
      if (this.#closing === undefined) this.#state = "connected";
      return info;
    } catch (error) {
      this.#leave(conversation);
      if (this.#closing === undefined) this.#state = "disconnected";
      throw error;
    } finally {
      unfollow?.();
    }
  }

  sendMessage(input: UserInput, { signal }: CallSettings = {}): Promise<void> {
    return this.#on("sendMessage()", (one) => one.send(input, { signal }));
  }

  receiveMessages(): MessageStream {
    if (this.#conversation) return this.#conversation.byTurns.all;
    return this.#closing === undefined
      ? emptyStream(new NotConnectedError("receiveMessages()"), false)
      : emptyStream(new ClosedError("Client"), true);
  }

  receiveResponse(
    { signal }: CallSettings = {},
  ): AsyncIterableIterator<Message> {
    return this.#connected("receiveResponse()").byTurns
      .turn("receiveResponse()", { signal });
  }

  ask(input: UserInput, settings?: CallSettings): Promise<ResultMessage> {
    return this.called(() => this.#ask("ask()", input, settings));
  }

  text(input: UserInput, settings?: CallSettings): Promise<string> {
    return this.called(async () => {
      const result = await this.#ask("text()", input, settings);
      const { textOfResult } = await import("./results.ts");
      return textOfResult(result, this.#conversation?.origin);
    });
  }

  output(input: UserInput, settings?: CallSettings): Promise<T> {
    const { outputSchema } = this.#settings.options;
    return this.called(async () => {
      const result = await this.#ask("output()", input, settings);
      const { outputOfResult } = await import("./results.ts");
      const origin = this.#conversation?.origin;
      return await outputOfResult<T>(result, outputSchema, origin);
    });
  }

  async #ask(
    called: Consumer,
    input: UserInput,
    { signal }: CallSettings = {},
  ): Promise<ResultMessage> {
    const conversation = this.#connected(called);
    signal?.throwIfAborted();
    const uuid = idOf(input) ?? crypto.randomUUID();
    const turn = conversation.byTurns.turn(called, { uuid, signal });
    turn.claim();
    try {
      const sent = conversation.send(input, { uuid, signal });
      turn.take();
      await sent;
      for await (const _message of turn);
    } finally {
      await turn.return();
    }
    const { result } = turn;
    if (result !== undefined) return result;
    if (this.#closing !== undefined) throw new ClosedError("Client");
    throw new ResultError({ message: "Turn ended without a result", result });
  }

  /** Sends any control request; resolves with the answer's `response`, `{}` for a void one. */
  request(
    subtype: string,
    fields?: JsonInput,
    options?: ControlOptions,
  ): Promise<JsonObject> {
    return this.#on(subtype, (one) => one.request(subtype, fields, options));
  }

  /** See {@link Controls.setMcpServers}. */
  override setMcpServers(
    servers: Readonly<Record<string, McpServerInput>>,
    options?: ControlOptions,
  ): Promise<SetMcpServersReply> {
    return this.#on(
      "setMcpServers()",
      (one) => one.setMcpServers(servers, options),
    );
  }

  /** See {@link Controls.reconnectMcpServer}. */
  override reconnectMcpServer(
    name: string,
    options?: ControlOptions,
  ): Promise<void> {
    return this.#on(
      "reconnectMcpServer()",
      (one) => one.reconnectMcpServer(name, options),
    );
  }

  /** See {@link Controls.reinitialize}. */
  reinitialize(options?: ControlOptions): Promise<SessionInfo> {
    return this.#on("reinitialize()", (one) => one.reinitialize(options));
  }

  health(): ProcessHealth {
    return this.#conversation?.health() ?? healthOf("gone");
  }

  activity(): Activity {
    return this.#conversation?.activity() ?? noActivity();
  }

  watch(
    options?: { readonly signal?: AbortSignal | undefined },
  ): ReadableStream<Activity> {
    return this.#conversation?.watch(options) ??
      new ReadableStream({
        start(controller) {
          controller.enqueue(noActivity());
          controller.close();
        },
      });
  }

  settled(options?: SettledOptions): Promise<Activity> {
    return this.#on("settled()", (one) => one.settled(options));
  }

  cost(): Cost {
    return this.#conversation?.cost() ?? NO_COST;
  }

  close(): Promise<void> {
    return this.#closing ??= this.called(() => this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The reply to `initialize`. */
  protected sessionInfo(options?: ControlOptions): Promise<SessionInfo> {
    return this.#on("a control", (one) => one.sessionInfo(options));
  }

  async #close(): Promise<void> {
    this.#state = "closing";
    try {
      await this.#conversation?.close();
    } finally {
      await this.#leaving.settled();
      this.#state = "closed";
    }
  }

  /** Calls the conversation that it is connected with. */
  #on<R>(
    called: string,
    work: (conversation: LiveConversation) => Promise<R>,
  ): Promise<R> {
    return this.called(() => work(this.#connected(called)));
  }

  #connected(called: string): LiveConversation {
    if (this.#closing !== undefined) throw new ClosedError("Client");
    const conversation = this.#conversation;
    if (conversation === undefined || this.#state !== "connected") {
      throw new NotConnectedError(called);
    }
    return conversation;
  }

  #warnOfNewSession(ended: LiveConversation): void {
    const { resume, continue: goesOn } = this.#settings.options;
    if (resume !== undefined || goesOn === true) return;
    ended.warn(
      'CLI had ended: connecting again begins a new session. To continue the old one, make a client with its id as "resume"',
      { sessionId: ended.sessionId },
    );
  }

  /** A conversation that is over clears away in the background; close() waits for it. */
  #leave(conversation: LiveConversation): void {
    if (this.#conversation === conversation) this.#conversation = undefined;
    this.#leaving.add(conversation.release());
  }
}

function noActivity(): Activity {
  return { state: "gone", since: new Date(), ...detailsOf() };
}

/** The id that a user line brings along. */
function idOf(input: UserInput): string | undefined {
  return typeof input === "object" && input !== null && "uuid" in input
    ? input.uuid
    : undefined;
}

/** A stream of a client that is not connected: its errors hold the one reason, which its messages may throw. */
function emptyStream(error: AgentError, isThrown: boolean): MessageStream {
  const feed = new ErrorFeed();
  feed.push(error);
  feed.end();
  function ended<T>(): ReadableStream<T> {
    return new ReadableStream({
      pull(controller) {
        if (isThrown) controller.error(error);
        else controller.close();
      },
    }, { highWaterMark: 0 });
  }
  return {
    messages: ended(),
    batches: ended(),
    errors: feed.stream,
    [Symbol.asyncIterator]: () => ({
      // deno-lint-ignore require-await -- what it throws is a rejection
      async next() {
        if (isThrown) throw error;
        return { value: undefined, done: true };
      },
    }),
  };
}
