import { Deferred } from "../async/deferred.ts";
import { Scope } from "../async/scope.ts";
import { isAgentError } from "../errors/base.ts";
import { ClosedError } from "../errors/state.ts";
import { safeLogger } from "../observe/log.ts";
import type { Settings } from "../options/resolve.ts";
import { host } from "../runtime/host.ts";
import { Window } from "../stream/window.ts";
import type { AgentError } from "../errors/base.ts";
import type { Conversation, Prompt, UserInput } from "../types/conversation.ts";
import type { ControlOptions } from "../types/controls.ts";
import type { ProcessHealth, ProcessState } from "../types/health.ts";
import type { JsonObject } from "../types/json.ts";
import type { Message } from "../types/message.ts";
import type { ResultMessage } from "../types/message_turn.ts";
import type { SessionInfo } from "../types/session_info.ts";
import { compose } from "./compose.ts";
import type { Composed } from "./parts.ts";
import { ControlMethods } from "./controls.ts";
import { Ending } from "./ending.ts";
import { ErrorFeed } from "./error_feed.ts";
import type { OpenInit } from "./open.ts";
import { Outlet } from "./outlet.ts";
import { Ownership, type Taker } from "./ownership.ts";
import { lastResult, outputOfResult, textOfResult } from "./results.ts";

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
  /** A prompt is about to be written. */
  readonly onPrompt?: (uuid: string) => void;
}

/** What `query()` returns at once, and what a client holds while it is connected. */
export class LiveConversation extends ControlMethods implements Conversation {
  readonly ready: Promise<SessionInfo>;
  /** Where the messages are taken from. */
  readonly source: Window<Message>;
  /** Who takes them. */
  readonly ownership: Ownership = new Ownership(() => this.#checkOpen());
  readonly #outlet: Outlet;
  readonly #settings: Settings;
  readonly #errors = new ErrorFeed();
  readonly #scope = new Scope();
  readonly #ending: Ending;
  readonly #parts: Composed;
  readonly #givenUp = new AbortController();

  constructor({ prompt, isKeptOpen, settings, onPrompt }: ConversationInit) {
    super();
    this.#settings = settings;
    this.source = new Window(
      () => this.#parts.live.pump?.demanded(),
      () => this.#parts.live.pump?.watch(),
    );
    this.#ending = new Ending({
      window: this.source,
      errors: this.#errors,
      scope: this.#scope,
      log: safeLogger(settings.options.logger),
    });
    this.#parts = compose({
      settings,
      window: this.source,
      errors: this.#errors,
      ending: this.#ending,
      scope: this.#scope,
      onPrompt,
    });
    this.#outlet = new Outlet({
      source: this.source,
      ownership: this.ownership,
      onLeave: () => this.close(),
    });
    this.ready = this.#start(prompt, isKeptOpen);
    this.ready.catch(() => {});
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

  get sessionId(): string | undefined {
    return this.#parts.turns.sessionId;
  }

  get pid(): number | undefined {
    return this.#parts.live.channel?.pid;
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this.#outlet.iterate();
  }

  async text(): Promise<string> {
    return textOfResult(await this.#collect("text()"));
  }

  result(): Promise<ResultMessage> {
    return this.#collect("result()");
  }

  async output<T = unknown>(): Promise<T> {
    const { outputSchema } = this.#settings.options;
    return await outputOfResult<T>(
      await this.#collect("output()"),
      async (value) => {
        if (outputSchema === undefined) return { value };
        const { readOutput } = await import("../options/output_schema.ts");
        return await readOutput(outputSchema, value);
      },
    );
  }

  async send(input: UserInput, uuid?: string): Promise<void> {
    this.#checkOpen();
    await this.ready;
    await this.#parts.input.send(input, uuid);
  }

  async request(
    subtype: string,
    fields?: JsonObject,
    options: ControlOptions = {},
  ): Promise<JsonObject> {
    this.#checkOpen();
    await this.sessionInfo(options);
    this.#checkOpen();
    return await this.#parts.requests.send(subtype, fields, options);
  }

  health(): ProcessHealth {
    const { meter, live, pending } = this.#parts;
    const { pid, origin } = live.channel ?? {};
    return {
      ...pid !== undefined && { pid },
      ...meter.startedMs !== undefined && {
        startedAt: new Date(meter.startedMs),
      },
      ...meter.lastActivityMs !== undefined && {
        lastActivityAt: new Date(meter.lastActivityMs),
      },
      bytesRead: meter.bytesRead,
      bytesWritten: meter.bytesWritten,
      messagesReceived: meter.messagesReceived,
      messagesSent: meter.messagesSent,
      stderrLines: origin?.stderrLines?.() ?? 0,
      pendingRequests: pending.size,
      state: this.#state(),
    };
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
    this.#givenUp.abort(new ClosedError("Conversation"));
    return this.#ending.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected async sessionInfo(
    options: ControlOptions = {},
  ): Promise<SessionInfo> {
    const { signal } = options;
    if (signal === undefined) return await this.ready;
    const aborted = new Deferred<never>().quiet();
    const abort = () => aborted.reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    try {
      return await Promise.race([this.ready, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async #start(
    prompt: Prompt | undefined,
    isKeptOpen: boolean,
  ): Promise<SessionInfo> {
    const { signal } = this.#settings.options;
    const parts = this.#parts;
    const aborted = new Deferred<never>().quiet();
    const abort = () => {
      this.#givenUp.abort(signal?.reason);
      aborted.reject(signal?.reason);
      this.#ending.abort(signal?.reason).catch(() => {});
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.#scope.own("abort listener", () => {
      signal?.removeEventListener("abort", abort);
    });
    this.#givenUp.signal.addEventListener("abort", () => {
      aborted.reject(this.#givenUp.signal.reason);
    }, { once: true });
    if (signal?.aborted) abort();
    const { signal: givenUp } = this.#givenUp;
    const opening = openLater(parts, { prompt, isKeptOpen, signal: givenUp });
    try {
      const info = await Promise.race([opening, aborted.promise]);
      parts.live.isReady = true;
      parts.hold.ready();
      this.source.open();
      return info;
    } catch (error) {
      opening.catch(() => {});
      const isOurs = isAgentError(error) && this.#ending.reason === undefined;
      if (this.#ending.reason === undefined) {
        this.#givenUp.abort(error);
        await this.#ending.failStart(error, isOurs ? error : undefined);
      }
      throw error;
    }
  }

  /** The consumer hears of the end of the messages first: it stands a few promises further down. */
  async #endErrors(): Promise<void> {
    for (let tick = 0; tick < CONSUMER_TICKS; tick++) await undefined;
    this.#errors.end();
  }

  #collect(taker: Taker): Promise<ResultMessage> {
    return lastResult(this.#outlet.claimed(taker));
  }

  #checkOpen(): void {
    if (this.#ending.reason === "closed") throw new ClosedError("Conversation");
  }

  #state(): ProcessState {
    const { live, turns, incoming, idle } = this.#parts;
    if (live.hasExited === true) return "gone";
    if (this.#ending.reason !== undefined) {
      return live.channel === undefined ? "gone" : "stopping";
    }
    if (live.isReady !== true) return "starting";
    if (idle.isStalled) return "stalled";
    if (turns.isWaiting || incoming.size > 0) return "waiting";
    return turns.isRunning ? "running" : "idle";
  }
}

/** What opens a conversation is a third of this package: whoever only imports it does not pay for that. */
async function openLater(
  parts: Composed,
  init: OpenInit,
): Promise<SessionInfo> {
  // The adapter of the runtime is loaded beside it.
  const [{ open }] = await Promise.all([import("./open.ts"), host()]);
  return await open(parts, init);
}
