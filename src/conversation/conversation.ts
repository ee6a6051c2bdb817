import { Deferred, quiet } from "../async/deferred.ts";
import { Scope } from "../async/scope.ts";
import { onAbort, unlessAborted } from "../async/on_abort.ts";
import { type AgentError, isAgentError } from "../errors/base.ts";
import { CliError } from "../errors/cli.ts";
import { ResultError } from "../errors/result.ts";
import { ClosedError } from "../errors/state.ts";
import { textOfError } from "../errors/text.ts";
import { keepGuards } from "../options/guarded.ts";
import type { Settings } from "../options/resolve.ts";
import { host } from "../runtime/host.ts";
import { Window } from "../stream/window.ts";
import type { Conversation, Prompt, UserInput } from "../types/conversation.ts";
import type { SetMcpServersReply } from "../types/control_replies.ts";
import type { ControlOptions } from "../types/controls.ts";
import type { ProcessHealth, ProcessState } from "../types/health.ts";
import type { JsonInput, JsonObject } from "../types/json.ts";
import type { LogFields } from "../types/logger.ts";
import type { McpServerInput } from "../types/mcp.ts";
import type { Message } from "../types/message.ts";
import type { ResultMessage } from "../types/message_turn.ts";
import type { SessionInfo } from "../types/session_info.ts";
import { ControlMethods } from "./controls.ts";
import { Ending } from "./ending.ts";
import { ErrorFeed } from "./error_feed.ts";
import type { OpenInit } from "./open.ts";
import { Outlet, Ownership, type Taker } from "./outlet.ts";
import type { Composed, ComposeInit, Live } from "./parts.ts";
import { lastResult, outputOfResult, textOfResult } from "./results.ts";
import type { Turns } from "./turns.ts";
import { areAllOfCli, checkedServers } from "./wire_servers.ts";

/** More promises than any shape of the messages puts between the window and the consumer. */
const CONSUMER_TICKS = 16;

/** What a conversation is made from. */
export interface ConversationInit {
  /** What to say first; absent = nothing yet. */
  readonly prompt: Prompt | undefined;
  /** Whether more may be said after the prompt; a client's conversation. */
  readonly isKeptOpen: boolean;
  /** Settings. */
  readonly settings: Settings;
}

/** Settings of one prompt that is sent. */
export interface SendSettings {
  /** Id of its user line, unless it has one; a new one. */
  readonly uuid?: string | undefined;
  /** Ends the waiting; a line that is on its way is not taken back. */
  readonly signal?: AbortSignal | undefined;
}

/** What `query()` returns at once, and what a client holds while it is connected. */
export class LiveConversation<T = unknown> extends ControlMethods
  implements Conversation<T> {
  readonly ready: Promise<SessionInfo>;
  /** Where the messages are taken from. */
  readonly source: Window<Message>;
  /** Who takes them. */
  readonly ownership: Ownership = new Ownership(
    () => this.#checkOpen(),
    () => this.source.letPass(),
  );
  readonly #outlet: Outlet;
  readonly #settings: Settings;
  readonly #errors = new ErrorFeed();
  readonly #scope = new Scope();
  readonly #ending: Ending;
  readonly #live: Live = { decided: new Deferred() };
  readonly #givenUp = new AbortController();
  #drained: Promise<ResultMessage | undefined> | undefined;
  #released: Promise<void> | undefined;
  #isUp = false;
  #isClosed = false;

  constructor(
    { prompt, isKeptOpen, settings }: ConversationInit,
  ) {
    super();
    this.#settings = settings;
    const live = this.#live;
    this.source = new Window(
      () => live.pump?.demanded(),
      () => live.pump?.watch(),
    );
    this.#ending = new Ending({
      window: this.source,
      errors: this.#errors,
      scope: this.#scope,
      log: {
        error: (message, fields) => live.log?.error(message, fields),
      },
      onFatal: (error) => live.tell?.(error),
    });
    this.#outlet = new Outlet({
      source: this.source,
      ownership: this.ownership,
      onLeave: () => this.#leave(),
    });
    const parts: ComposeInit = {
      settings,
      window: this.source,
      errors: this.#errors,
      ending: this.#ending,
      scope: this.#scope,
      live,
      signal: this.#givenUp.signal,
      isReadByTurn: isKeptOpen,
      progress: {
        position: () => this.source.position,
        passed: (position) => this.#passed(position),
      },
    };
    live.health = () => this.health();
    this.ready = this.#start(parts, { prompt, isKeptOpen });
    // The first to hear of it: whoever waits for it comes before whoever calls later.
    this.ready.then(() => this.#isUp = true, () => {});
    this.source.drained.then(() => this.#endErrors());
  }

  get messages(): ReadableStream<Message> {
    return this.#outlet.messages;
  }

  get batches(): ReadableStream<readonly Message[]> {
    return this.#outlet.batches;
  }

  get errors(): ReadableStream<AgentError> {
    return this.#errors.stream;
  }

  /** The ledger of its prompts: it is there before it is ready, and before the first message. */
  get turns(): Turns {
    return this.#live.turns as Turns;
  }

  get sessionId(): string | undefined {
    return this.#live.turns?.sessionId;
  }

  get pid(): number | undefined {
    return this.#live.channel?.pid;
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this.#outlet.iterate();
  }

  text(): Promise<string> {
    return this.#told(this.#result("text()").then(textOfResult));
  }

  result(): Promise<ResultMessage> {
    return this.#told(this.#result("result()"));
  }

  output(): Promise<T> {
    const { outputSchema } = this.#settings.options;
    return this.#told(
      this.#result("output()").then((one) =>
        outputOfResult<T>(one, outputSchema)
      ),
    );
  }

  send(
    input: UserInput,
    { uuid, signal }: SendSettings = {},
  ): Promise<void> {
    return this.#told(this.#whenUp(
      signal,
      ({ input: way }) => unlessAborted(way.send(input, uuid), signal),
      ({ refusals }) => refusals.write(),
    ));
  }

  request(
    subtype: string,
    fields?: JsonInput,
    options: ControlOptions = {},
  ): Promise<JsonObject> {
    return this.#told(this.#whenUp(
      options.signal,
      ({ requests, settings }) =>
        requests.send(
          subtype,
          keepGuards(settings.options, subtype, fields),
          options,
        ),
      ({ refusals }) =>
        refusals.answer({ subtype, data: { ...fields, subtype } }),
    ));
  }

  /** See {@link Controls.setMcpServers}: those of this package are connected here. */
  override setMcpServers(
    given: Readonly<Record<string, McpServerInput>>,
    options: ControlOptions = {},
  ): Promise<SetMcpServersReply> {
    return this.called(() => {
      const servers = checkedServers(given);
      if (!this.#hasServers && areAllOfCli(servers)) {
        return super.setMcpServers(servers, options);
      }
      return this.#told(this.#whenUp(options.signal, async (parts) => {
        const { changeServers } = await import("./change_servers.ts");
        return await changeServers(
          parts,
          servers,
          (fields) => this.request("mcp_set_servers", fields, options),
        );
      }));
    });
  }

  /** See {@link Controls.reconnectMcpServer}: one of this package is connected anew here. */
  override reconnectMcpServer(
    name: string,
    options: ControlOptions = {},
  ): Promise<void> {
    if (!this.#hasServers) return super.reconnectMcpServer(name, options);
    return this.#told(this.#whenUp(options.signal, async (parts) => {
      const { reconnectServer } = await import("./change_servers.ts");
      if (await reconnectServer(parts, name)) return;
      await super.reconnectMcpServer(name, options);
    }));
  }

  health(): ProcessHealth {
    const { meter, channel, parts } = this.#live;
    const { pid, origin } = channel ?? {};
    return {
      ...pid !== undefined && { pid },
      ...meter?.startedMs !== undefined && {
        startedAt: new Date(meter.startedMs),
      },
      ...meter?.lastActivityMs !== undefined && {
        lastActivityAt: new Date(meter.lastActivityMs),
      },
      bytesRead: meter?.bytesRead ?? 0,
      bytesWritten: meter?.bytesWritten ?? 0,
      messagesReceived: meter?.messagesReceived ?? 0,
      messagesSent: meter?.messagesSent ?? 0,
      stderrLines: origin?.stderrLines?.() ?? 0,
      pendingRequests: parts?.pending.size ?? 0,
      state: this.#state(),
    };
  }

  /** Says something to the user's logger. */
  warn(text: string, fields: LogFields): void {
    this.#live.log?.warn(text, fields);
  }

  /** Whether it has ended, or is about to. */
  get isOver(): boolean {
    return this.#ending.reason !== undefined;
  }

  /** Ends it as its signal would; resolves when the process is gone and the servers are closed. */
  abort(reason: unknown): Promise<void> {
    this.#givenUp.abort(reason);
    return this.#ending.abort(reason);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#leave();
  }

  /** What becomes of a call; nobody has to look at it, and no error of this package in it holds a secret. */
  #told<Value>(promise: Promise<Value>): Promise<Value> {
    return quiet(promise.catch((error) => {
      // The reason of a signal is the caller's own.
      throw isAgentError(error) ? this.#shown(error) : error;
    }));
  }

  #shown<Value>(value: Value): Value {
    const { shown } = this.#live;
    return shown === undefined ? value : shown(value);
  }

  /** Ends it for a consumer that has enough; the result that it has seen can still be asked for. */
  #leave(): Promise<void> {
    this.#ending.dropRest();
    return this.release();
  }

  /** What `close()` does, and no more: one that had ended goes on to tell how. */
  release(): Promise<void> {
    this.#givenUp.abort(new ClosedError("Conversation"));
    return this.#released ??= quiet(
      this.#ending.close().catch((error) => {
        throw this.#shown(error);
      }),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The reply to `initialize`. */
  sessionInfo({ signal }: ControlOptions = {}): Promise<SessionInfo> {
    return this.#told(this.#whenUp(signal, () => this.ready));
  }

  /** Does something once the start is over, at once when it is: lines keep the order of the calls. */
  async #whenUp<T>(
    signal: AbortSignal | undefined,
    work: (parts: Composed) => Promise<T>,
    refusal?: (parts: Composed) => unknown,
  ): Promise<T> {
    const begin = () => {
      this.#checkOpen();
      signal?.throwIfAborted();
      // They were joined before the start was over.
      const parts = this.#live.parts as Composed;
      if (this.isOver && refusal !== undefined) throw refusal(parts);
      return work(parts);
    };
    this.#checkOpen();
    signal?.throwIfAborted();
    if (this.#isUp) return await begin();
    return await unlessAborted(this.ready.then(begin), signal);
  }

  async #start(parts: ComposeInit, first: OpenInit): Promise<SessionInfo> {
    const { signal } = this.#settings.options;
    const live = this.#live;
    const aborted = new Deferred<never>().quiet();
    const abort = () => {
      this.#givenUp.abort(signal?.reason);
      aborted.reject(signal?.reason);
      this.#ending.abort(signal?.reason).catch(() => {});
    };
    if (signal !== undefined) {
      this.#scope.own("abort listener", onAbort(signal, abort));
    }
    this.#givenUp.signal.addEventListener("abort", () => {
      aborted.reject(this.#givenUp.signal.reason);
    }, { once: true });
    if (signal?.aborted) abort();
    const opening = openLater(parts, first);
    try {
      const info = await Promise.race([opening, aborted.promise]);
      live.isReady = true;
      live.decided.resolve();
      this.turns.ready();
      this.source.open();
      this.#errors.open();
      return info;
    } catch (reason) {
      opening.catch(() => {});
      live.decided.resolve();
      if (this.#ending.reason !== undefined) throw this.#ending.error ?? reason;
      const error = isAgentError(reason) ? reason : unexpected(reason);
      this.#givenUp.abort(error);
      await this.#ending.failStart(error);
      throw error;
    }
  }

  /** The consumer hears of the end of the messages first. */
  async #endErrors(): Promise<void> {
    await afterConsumer();
    this.#errors.end();
  }

  /** Resolves when the consumer has what was read up to a position; at once when there is no consumer. */
  async #passed(position: number): Promise<void> {
    if (this.ownership.isTaken) await this.source.passed(position);
    await afterConsumer();
  }

  /** The result: of all messages where nobody takes them, of the same pass where somebody does. */
  async #result(taker: Taker): Promise<ResultMessage> {
    if (this.#isClosed) throw new ClosedError("Conversation");
    if (this.#drained === undefined && !this.ownership.isTaken) {
      this.#drained = lastResult(this.#outlet.claimed(taker));
    }
    const result = await (this.#drained ?? this.#passingResult());
    if (result !== undefined) return result;
    this.#checkOpen();
    throw new ResultError({
      message: "Conversation ended without a result",
      result,
    });
  }

  /** Not the end of the messages is waited for: their taker may be the one who asks. */
  async #passingResult(): Promise<ResultMessage | undefined> {
    const { begun } = this.#ending;
    const answered = this.ready.then(() => this.turns.answered.promise);
    await Promise.race([answered.catch(() => {}), begun.promise]);
    if (this.#ending.error !== undefined) throw this.#ending.error;
    return this.#live.turns?.lastResult;
  }

  #checkOpen(): void {
    if (this.#isClosed || this.#ending.reason === "closed") {
      throw new ClosedError("Conversation");
    }
  }

  /** Whether this package connects servers for it. */
  get #hasServers(): boolean {
    const { mcpServers = {} } = this.#settings.options;
    return this.#live.servers !== undefined || !areAllOfCli(mcpServers);
  }

  #state(): ProcessState {
    const live = this.#live;
    if (live.hasExited === true) return "gone";
    if (this.#ending.reason !== undefined) {
      return live.channel === undefined ? "gone" : "stopping";
    }
    if (live.isReady !== true || live.parts === undefined) return "starting";
    const { incoming, idle, turns } = live.parts;
    if (idle.isStalled) return "stalled";
    if (turns.isWaiting || incoming.size > 0) return "waiting";
    return turns.isRunning ? "running" : "idle";
  }
}

/** Whoever takes messages stands a few promises further down. */
async function afterConsumer(): Promise<void> {
  for (let tick = 0; tick < CONSUMER_TICKS; tick++) await undefined;
}

/** A transport of the user's may break a start in any way. */
function unexpected(cause: unknown): CliError {
  return new CliError({
    stage: "connect",
    message: `Conversation could not be started: ${textOfError(cause)}`,
    cause,
  });
}

/** What talks with the CLI is most of this package: whoever only imports it does not pay for that. */
async function openLater(
  parts: ComposeInit,
  first: OpenInit,
): Promise<SessionInfo> {
  // The adapter of the runtime is loaded beside it.
  const [{ open }] = await Promise.all([import("./open.ts"), host()]);
  return await open(parts, first);
}
