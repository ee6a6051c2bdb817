import { Deadlines } from "../async/deadline.ts";
import { settleWithin } from "../async/deadline.ts";
import { Deferred, quiet } from "../async/deferred.ts";
import { aborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import { type Engine, makeEngine } from "../engine/engine.ts";
import type { Profile } from "../engine/profile.ts";
import { textOfError } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import { Meter } from "../observe/metrics.ts";
import type { Host } from "../ports/host.ts";
import type { Channel } from "../ports/transport.ts";
import { host as hostOf } from "../runtime/host.ts";
import { DRAIN_MS } from "../stream/byte_reader.ts";
import { BatchIterator } from "../stream/iterate.ts";
import { Queue } from "../stream/queue.ts";
import type { Mirror } from "../transcripts/mirror.ts";
import type { ControlHandler } from "../types/controls.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { OFFICIAL_CONVENTIONS } from "./conventions.ts";
import {
  abortedByUser,
  AbortError,
  ENDED,
  exitFailure,
  notReady,
  operationAborted,
  toError,
} from "./errors.ts";
import { STOP } from "./process.ts";
import { RunState } from "./run_state.ts";
import { StoreFirst } from "./store_first.ts";

/** Silence that ends a CLI whose input broke, in milliseconds. */
const BROKEN_MS = 10_000;
/** Time to exit for a CLI that has closed its output, or has its result and is silent with a broken input, in milliseconds: it may still work. */
const EXIT_MS = 600_000;
/** Silence after the exit that ends the output, in milliseconds: a process below may hold it, or it comes from another machine. */
const LATE_OUTPUT_MS = 6_000;
/** The same where the exit was clean and there is no result yet: it may be on its way. */
const LATE_RESULT_MS = 60_000;
const SILENCE_STEP_MS = 500;

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
  readonly #init: SessionInit;
  readonly #deadlines = new Deadlines(systemClock);
  readonly #queue = new Queue<JsonObject>();
  readonly #engine: Engine;
  readonly #begun = new Deferred<void>();
  readonly #stop = new AbortController();
  #host: Host | undefined;
  #channel: Channel | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #hasBegun = false;
  #hasInputEnded = false;
  /** Prompts that are being sent. */
  readonly #leaving = new Set<Promise<void>>();
  /** Sources of prompts that are being read. */
  #sources = 0;
  #hasOutputEnded = false;
  #hasExited = false;
  #failure: Error | undefined;
  /** Error of a prompt that came after the exit. */
  #tooLate: Error | undefined;
  readonly #meter = new Meter();
  readonly #store: StoreFirst | undefined;
  /** Commands of a message that came later than the answer to `initialize`. */
  commands: JsonValue | undefined;
  /** Resolves when nothing more is read. */
  readonly over: Promise<void>;

  constructor(init: SessionInit) {
    this.#init = init;
    this.run = new RunState({
      ...init,
      onOver: () => this.run.isSingle && this.endInput(),
      deadlines: this.#deadlines,
    });
    this.#store = init.mirror && new StoreFirst({
      mirror: init.mirror,
      bytesRead: () => this.#meter.bytesRead,
      put: (message) => this.put(message),
    });
    this.#engine = makeEngine(this.#profile());
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

  /** Lets out what waits for the first `initialize`, which was just sent. */
  begin(): void {
    this.#hasBegun = true;
    this.#begun.resolve();
  }

  /** Resolves when the first `initialize` is on its way, or nothing will be. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Sends a request, behind the first `initialize`; rejects with the CLI's own words. */
  async request(
    subtype: string,
    fields: object,
    isFirst = false,
  ): Promise<JsonObject> {
    // At once where that can be: a close may follow.
    if (!this.#hasBegun && !isFirst) await this.#begun.promise;
    if (this.isClosed) throw new Error(ENDED.closed);
    return await this.#engine.requests.send(subtype, { ...fields });
  }

  /** Sends a line once `initialize` is on its way. */
  async send(line: JsonObject): Promise<void> {
    await this.#begun.promise;
    if (this.#init.abort.aborted) throw operationAborted();
    await this.#engine.outbox.send(JSON.stringify(line) + "\n");
  }

  /** Sends a prompt; behind the end of the input it is dropped, as in the official SDK. */
  async prompt(line: JsonObject): Promise<void> {
    if (this.#hasInputEnded) return;
    this.run.prompted();
    const sending = this.send(line);
    this.#leaving.add(sending);
    try {
      await sending;
    } finally {
      this.#leaving.delete(sending);
    }
  }

  /** Resolves when no prompt is being sent: one of another source must not meet the end of the input. */
  async promptsSent(): Promise<void> {
    while (this.#leaving.size > 0) await Promise.allSettled(this.#leaving);
  }

  /** Reads a source of prompts: meanwhile the input stays open for a CLI that has closed its output. */
  async reading(work: () => Promise<void>): Promise<void> {
    this.#sources++;
    try {
      await work();
    } finally {
      this.#sources--;
      this.#endIdleInput();
    }
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

  endInput(): void {
    this.#hasInputEnded = true;
    if (this.#store === undefined) void this.#engine.outbox.end();
    else void this.#endInputStored(this.#store);
  }

  /** Ends the input of a CLI that has closed its output, once nothing more is to be written. */
  #endIdleInput(): void {
    if (!this.#hasOutputEnded || this.#sources > 0) return;
    if (this.#engine.incoming.size === 0) this.endInput();
  }

  /** Ends the input when the store has what came before the result: the CLI may exit then. */
  async #endInputStored(store: StoreFirst): Promise<void> {
    // The store learns of the result after the run does.
    await undefined;
    await store.releasing;
    await this.#engine.outbox.end();
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
    this.#begun.resolve();
    this.#stop.abort(cause ?? new Error(ENDED.closed));
    await this.#leaveLast();
    this.#halt();
    this.#engine.drain();
    await this.#exited;
  }

  /** Lets out what was sent right before the end, such as an interrupt: the official SDK writes at once. */
  async #leaveLast(): Promise<void> {
    if (!this.#hasBegun) return;
    await this.#begun.promise;
    this.#engine.outbox.release();
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
    const onAbort = () => {
      this.#engine.incoming.close(undefined);
      this.#stop.abort(abortedByUser(abort.reason));
      this.#leaveLast().then(() => this.#halt());
    };
    abort.addEventListener("abort", onAbort, { once: true });
    let failure: Error | undefined;
    try {
      failure = exitFailure(await this.#readAll());
    } catch (thrown) {
      failure = toError(thrown);
    }
    if (abort.aborted) failure = abortedByUser(abort.reason);
    abort.removeEventListener("abort", onAbort);
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
        { readable, exited, gone: this.#silentAfterExit(channel) },
        (error) => error ? reject(error) : resolve(),
      );
      this.#queue.open();
    });
    // A CLI that has closed its output may still read, and tell how it ended.
    this.#hasOutputEnded = true;
    this.#endIdleInput();
    const ended = Promise.race([
      channel.exited.catch(() => {}),
      aborted(this.#stop.signal),
    ]).then(() => true);
    const hasEnded = await settleWithin(ended, EXIT_MS, systemClock);
    this.#halt();
    if (hasEnded) return await channel.exited;
    await this.#exited.catch(() => {});
    throw new Error(ENDED.livedOn);
  }

  /** Most writes break because the CLI exits, whose exit is the reason; one that lives on in silence is ended. */
  #loseInput(error: unknown): Promise<void> {
    this.#endAfterSilence(error);
    return this.over;
  }

  async #endAfterSilence(error: unknown): Promise<void> {
    await this.#silence(() => this.run.hasResult ? EXIT_MS : BROKEN_MS);
    if (this.#stop.signal.aborted) return;
    const text = `${ENDED.notWritten} ${textOfError(error)}`;
    await this.close(new Error(text, { cause: error }));
  }

  /** Resolves when a CLI that is gone will say nothing more: a process below it may still have the result. */
  async #silentAfterExit({ gone, exited }: Channel): Promise<void> {
    let hasFailed = false;
    exited.then(
      (report) => hasFailed = exitFailure(report) !== undefined,
      () => hasFailed = true,
    );
    await (gone ?? quiet(exited)).catch(() => {});
    await this.#silence(() =>
      hasFailed || this.run.hasResult ? LATE_OUTPUT_MS : LATE_RESULT_MS
    );
  }

  /** Resolves after a silence of the CLI, or when it is to end. */
  async #silence(limitMs: () => number): Promise<void> {
    const { signal } = this.#stop;
    const ending = aborted(signal);
    let silentMs = 0;
    // A process that holds the output may write for ever, but no messages.
    let wordlessMs = 0;
    const mostMs = () => this.run.hasResult ? limitMs() : LATE_RESULT_MS;
    // In steps: an event loop that was blocked reads in between.
    while (
      silentMs < limitMs() && wordlessMs < mostMs() && !signal.aborted
    ) {
      const { bytesRead } = this.#meter;
      const { position } = this.#queue;
      await settleWithin(ending, SILENCE_STEP_MS, systemClock);
      const isSilent = this.#meter.bytesRead === bytesRead;
      silentMs = isSilent ? silentMs + SILENCE_STEP_MS : 0;
      const isWordless = this.#queue.position === position;
      wordlessMs = isWordless ? wordlessMs + SILENCE_STEP_MS : 0;
    }
  }

  /** The official SDK has neither timeouts nor limits of size, and reports nothing beside its errors. */
  #profile(): Profile<JsonObject> {
    const { handlers } = this.#init;
    const store = this.#store;
    // The engine looks at it when there is a channel.
    const host = () => this.#host as Host;
    return {
      host: {
        get tuning() {
          return host().tuning;
        },
        isAscii: (bytes) => host().isAscii(bytes),
        nextTurn: (callback) => host().nextTurn(callback),
      },
      time: { clock: systemClock, deadlines: this.#deadlines },
      queue: this.#queue,
      limits: {
        lineBytes: Infinity,
        readAheadBytes: Infinity,
        unreadBytes: Infinity,
        joinMs: Infinity,
        writeMs: Infinity,
        quietMs: DRAIN_MS,
        lateMs: DRAIN_MS * 25,
      },
      messages: {
        read: (objects) => {
          const own = objects.filter((one) => this.#isConsumers(one));
          return store === undefined ? own : store.untilResult(own);
        },
        heldBack: () => store?.releasing,
        mirror: store?.copy,
      },
      control: {
        handlers,
        denials: new Map(),
        controlMs: Infinity,
        abandonedMs: Infinity,
        conventions: OFFICIAL_CONVENTIONS,
        // The answer itself is written behind this call.
        onChange: () => queueMicrotask(() => this.#endIdleInput()),
      },
      observed: {
        meter: this.#meter,
        telling: {
          clock: systemClock,
          log: safeLogger(),
          metrics: undefined,
          report: () => {},
        },
      },
      faults: {
        unwritten: (message, cause) => new Error(message, { cause }),
        internal: (error) => void this.close(toError(error)),
      },
    };
  }

  /** Looks at a message; returns whether the consumer gets it. */
  #isConsumers(message: JsonObject): boolean {
    if (this.run.see(message)) return false;
    const { subtype, commands } = message;
    if (subtype === "commands_changed" && Array.isArray(commands)) {
      this.commands = commands;
    }
    return true;
  }
}
