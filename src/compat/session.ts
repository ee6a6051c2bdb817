import { Deadlines } from "../async/deadline.ts";
import { quiet } from "../async/deferred.ts";
import { onAbort } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import { type Engine, makeEngine } from "../engine/engine.ts";
import { asError } from "../errors/text.ts";
import { Meter } from "../observe/metrics.ts";
import type { Host } from "../ports/host.ts";
import type { Channel } from "../ports/transport.ts";
import { host as hostOf } from "../runtime/host.ts";
import { BatchIterator } from "../stream/iterate.ts";
import { Queue } from "../stream/queue.ts";
import type { Mirror } from "../transcripts/mirror.ts";
import type { ControlHandler } from "../types/controls.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import {
  abortedByUser,
  AbortError,
  ENDED,
  exitFailure,
  notReady,
  notWritten,
} from "./errors.ts";
import { Input } from "./input.ts";
import { STOP } from "./process.ts";
import { officialProfile } from "./profile.ts";
import { RunState } from "./run_state.ts";
import { Silence } from "./silence.ts";
import { StoreFirst } from "./store_first.ts";

/** Parts that a session gets. */
export interface SessionInit {
  /** Starts the CLI. */
  readonly open: (host: Host, signal: AbortSignal) => Promise<Channel>;
  /** Answers to requests of the CLI, by subtype. */
  readonly handlers: ReadonlyMap<string, ControlHandler>;
  /** Whether the CLI may still ask this program when a result is there. */
  readonly isAsked: () => boolean;
  /** Aborted by the user. */
  readonly abort: AbortSignal;
  /** Gets copies of what the CLI writes to disk. */
  readonly mirror?: Pick<Mirror, "put" | "flush"> | undefined;
  /** Called with each message of the CLI, and with its signs of life. */
  readonly onMessage?: ((message: JsonObject) => void) | undefined;
  /** Removes what was made for the CLI; called when it is gone. */
  readonly cleanUp: () => Promise<void>;
  /** Timeout of a run after its last result, in milliseconds. */
  readonly runLimitMs?: number | undefined;
}

/** One CLI, with the manners of the official SDK: raw messages, no timeouts, errors as text. */
export class Session {
  /** Messages for the consumer; the process is gone when it learns of the end. */
  readonly messages: BatchIterator<JsonObject>;
  readonly run: RunState;
  readonly input: Input;
  readonly #init: SessionInit;
  readonly #deadlines = new Deadlines(systemClock);
  readonly #queue = new Queue<JsonObject>();
  readonly #engine: Engine;
  readonly #stop = new AbortController();
  #host: Host | undefined;
  #channel: Channel | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #hasExited = false;
  #failure: Error | undefined;
  /** Error of a write that failed. */
  #inputError: unknown;
  /** Error of a prompt that came after the exit. */
  #tooLate: Error | undefined;
  readonly #meter = new Meter();
  readonly #store: StoreFirst | undefined;
  readonly #silence = new Silence(
    () => ({
      bytesRead: this.#meter.bytesRead,
      messagesRead: this.#queue.position,
      hasResult: this.run.hasResult,
    }),
    this.#stop.signal,
  );
  /** Commands of a message that came later than the answer to `initialize`. */
  commands: JsonValue | undefined;
  /** Resolves when nothing more is read. */
  readonly over: Promise<void>;

  constructor(init: SessionInit) {
    this.#init = init;
    this.run = new RunState({
      ...init,
      onOver: () => this.run.isSingle && this.input.end(),
      deadlines: this.#deadlines,
    });
    this.#store = init.mirror && new StoreFirst({
      mirror: init.mirror,
      bytesRead: () => this.#meter.bytesRead,
      put: (message) => this.put(message),
    });
    this.#engine = makeEngine(officialProfile({
      // The engine looks at it when there is a channel.
      host: () => this.#host as Host,
      deadlines: this.#deadlines,
      queue: this.#queue,
      meter: this.#meter,
      handlers: init.handlers,
      store: this.#store,
      isConsumers: (message) => this.#isConsumers(message),
      onAlive: init.onMessage,
      // The answer itself is written behind this call.
      onServed: () => queueMicrotask(() => this.input.endIdle()),
      onFault: (error) => void this.close(error),
    }));
    const { outbox, incoming } = this.#engine;
    const store = this.#store;
    this.input = new Input({
      outbox,
      abort: init.abort,
      onPrompt: () => this.run.prompted(),
      isServing: () => incoming.size > 0,
      stored: store && (() => store.releasing),
    });
    this.messages = new BatchIterator({
      take: () => this.#take(),
      used: () => this.#queue.used(),
    }, () => this.end());
    this.over = this.#live();
  }

  /** Aborted when it ends, or is about to. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Sends a request, behind the first `initialize`; rejects with the CLI's own words. */
  async request(
    subtype: string,
    fields: object,
    isFirst = false,
  ): Promise<JsonObject> {
    // At once where that can be: a close may follow.
    if (!this.input.hasBegun && !isFirst) await this.input.begun;
    if (this.isClosed) {
      if (isFirst || subtype !== "initialize") throw new Error(ENDED.closed);
      throw this.#failure ?? new Error(ENDED.notSent);
    }
    return await this.#engine.requests.send(subtype, { ...fields });
  }

  /** Adds a message of this package. */
  put(message: JsonObject): void {
    this.#queue.put([message], 0);
  }

  /** The error of a prompt for a CLI that has exited; `undefined` while it runs. */
  get tooLate(): Error | undefined {
    if (!this.#hasExited && !this.isClosed) return undefined;
    return notReady(this.#failure);
  }

  /** Has the messages end with an error, unless they end with another one. */
  refuse(error: Error): void {
    this.#tooLate = error;
  }

  /** Ends everything; resolves when the CLI is gone. */
  close(cause?: Error): Promise<void> {
    return this.#closing ??= this.#close(cause);
  }

  /** Closes, and resolves when everything was removed. */
  async end(): Promise<void> {
    await this.close();
    await this.over;
  }

  async #close(cause: Error | undefined): Promise<void> {
    this.run.end();
    this.#engine.incoming.close(undefined);
    await this.#store?.flush();
    this.#finish(cause);
    this.input.close();
    this.#stop.abort(cause ?? new Error(ENDED.closed));
    await this.input.leaveLast();
    this.#halt();
    this.#engine.drain();
    await this.#exited;
  }

  /** Begins to end the CLI. */
  #halt(): void {
    const channel = this.#channel;
    if (channel === undefined) return;
    this.#exited = quiet(channel.stop(STOP));
  }

  #finish(cause: Error | undefined): void {
    this.#engine.requests.rejectAll(() => cause ?? new Error(ENDED.closed));
    this.#queue.finish(cause);
  }

  async #take(): Promise<readonly JsonObject[] | undefined> {
    try {
      const batch = await this.#queue.take();
      if (batch !== undefined) return batch;
      await this.end();
      if (this.#tooLate === undefined) return undefined;
      throw this.#tooLate;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Starts the CLI, reads it to its end, and reports how that was. */
  async #live(): Promise<void> {
    const { abort } = this.#init;
    const unfollow = onAbort(abort, () => {
      this.#engine.incoming.close(undefined);
      this.#stop.abort(abortedByUser(abort.reason));
      this.input.leaveLast().then(() => this.#halt());
    });
    let failure: Error | undefined;
    try {
      failure = exitFailure(await this.#readAll());
    } catch (thrown) {
      failure = asError(thrown);
    }
    if (!this.isClosed) failure ??= this.#lostPrompt();
    if (abort.aborted) failure = abortedByUser(abort.reason);
    unfollow();
    await this.#store?.settled();
    if (failure !== undefined && !(failure instanceof AbortError)) {
      failure = this.run.explain(failure);
    }
    this.#failure = failure;
    this.#finish(this.isClosed ? undefined : failure);
    await this.close(failure);
    await this.#init.cleanUp();
    this.#engine.outbox.close(failure ?? new Error(ENDED.closed));
    this.#deadlines.close();
  }

  async #readAll(): Promise<Awaited<Channel["exited"]>> {
    const { open, abort } = this.#init;
    abort.throwIfAborted();
    const host = this.#host = await hostOf();
    this.#stop.signal.throwIfAborted();
    const channel = this.#channel = await open(host, this.#stop.signal);
    this.#exited = quiet(
      Promise.resolve(channel.gone ?? channel.exited)
        .finally(() => this.#hasExited = true),
    );
    if (this.#stop.signal.aborted) this.#halt();
    this.#engine.connect({
      write: (text) =>
        channel.write(text).catch((error) => this.#loseInput(error)),
      end: () => channel.end(),
    });
    await new Promise<void>((resolve, reject) => {
      const { readable, exited } = channel;
      this.#engine.start(
        { readable, exited, gone: this.#silence.afterExit(channel) },
        (error) => error ? reject(error) : resolve(),
      );
      this.#queue.open();
    });
    // A CLI that has closed its output may still read, and tell how it ended.
    this.input.outputEnded();
    const hasEnded = await this.#silence.untilExit(channel);
    this.#halt();
    if (hasEnded) return await channel.exited;
    await this.#exited.catch(() => {});
    throw new Error(ENDED.livedOn);
  }

  /** Most writes break because the CLI exits, whose exit is the reason; one that lives on in silence is ended. */
  #loseInput(error: unknown): Promise<void> {
    this.#inputError = error;
    this.#endAfterSilence(error);
    return this.over;
  }

  async #endAfterSilence(error: unknown): Promise<void> {
    await this.#silence.afterBrokenInput();
    if (!this.#stop.signal.aborted) await this.close(notWritten(error));
  }

  /** The error of a prompt that a CLI with a clean exit left unread, if any. */
  #lostPrompt(): Error | undefined {
    const { input, run } = this;
    if (input.isLosing) return notWritten(new Error(ENDED.closedOutput));
    if (!input.isSending || run.isAnswered) return undefined;
    return notWritten(this.#inputError ?? new Error(ENDED.terminated));
  }

  /** Looks at a message; returns whether the consumer gets it. */
  #isConsumers(message: JsonObject): boolean {
    this.#init.onMessage?.(message);
    if (this.run.see(message)) return false;
    const { subtype, commands } = message;
    if (subtype === "commands_changed" && Array.isArray(commands)) {
      this.commands = commands;
    }
    return true;
  }
}
