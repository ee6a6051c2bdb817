import { Deadlines } from "../async/deadline.ts";
import { Deferred, quiet } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { isObject, textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import type { Channel } from "../ports/transport.ts";
import { host as hostOf } from "../runtime/host.ts";
import { ByteReader, DRAIN_MS } from "../stream/byte_reader.ts";
import { LineFramer } from "../stream/line_framer.ts";
import type { Mirror } from "../transcripts/mirror.ts";
import type { TranscriptEntry } from "../transcripts/store.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { Incoming } from "../wire/incoming.ts";
import { Outbox } from "../wire/outbox.ts";
import { Pending } from "../wire/requests.ts";
import { NO_RESPONSE } from "../wire/served.ts";
import type { Telling } from "../wire/telling.ts";
import { type Answer, UNANSWERED } from "./answers.ts";
import {
  abortedByUser,
  AbortError,
  ENDED,
  operationAborted,
  toError,
} from "./errors.ts";
import { exitFailure } from "./exit_failure.ts";
import { STOP } from "./process.ts";
import type {
  ControlContext,
  ControlFields,
  ControlHandler,
} from "../types/controls.ts";
import { safeLogger } from "../observe/log.ts";
import { OFFICIAL_CONVENTIONS } from "./conventions.ts";
import { Inbox } from "./inbox.ts";
import { RunState } from "./run_state.ts";
import { JsonDecoder } from "../stream/json.ts";

/** So much is read ahead of a consumer that is slow, in bytes; questions of either side go on being answered. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;
/** A CLI whose input broke has this long to exit, in milliseconds. */
const EXIT_AFTER_WRITE_MS = 1_000;
/** Requests that other machines of the session answer. */
const FOR_OTHERS = [
  "remote_tool_call",
  "remote_plumbing_call",
  "remote_tools_probe",
  "remote_tools_reannounce",
];

/** What a session needs from those around it. */
export interface SessionInit {
  /** Starts the CLI. */
  readonly open: (host: Host, signal: AbortSignal) => Promise<Channel>;
  /** Who answers which request of the CLI. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** Whether something of this program may still be asked when a result is there. */
  readonly isAsked: () => boolean;
  /** The user's own end. */
  readonly abort: AbortSignal;
  /** Takes the copies that the CLI gives of what it writes to disk. */
  readonly mirror?: Pick<Mirror, "put" | "flush"> | undefined;
  /** Removes what was made for the CLI; called when it is gone. */
  readonly cleanUp: () => Promise<void>;
  /** How long a run may last after its last result, in milliseconds. */
  readonly runLimitMs?: number | undefined;
}

/** The official SDK reports nothing beside its errors. */
const TELLING: Telling = {
  clock: systemClock,
  log: safeLogger(),
  metrics: undefined,
  report: () => {},
};

/**
 * One CLI and what is said to and by it, with the manners of the official SDK: messages as they come, no limits on
 * waiting, errors as text.
 */
export class Session {
  /** Messages for the consumer. */
  readonly inbox: Inbox<JsonObject> = new Inbox();
  /** Where the run stands. */
  readonly run: RunState;
  readonly #init: SessionInit;
  readonly #deadlines = new Deadlines(systemClock);
  readonly #outbox: Outbox;
  readonly #requests: Pending;
  readonly #incoming: Incoming;
  readonly #begun = new Deferred<void>();
  readonly #stop = new AbortController();
  #channel: Channel | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #hasBegun = false;
  /** Commands that were told of later than in the answer to `initialize`. */
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
    this.#outbox = new Outbox({
      deadlines: this.#deadlines,
      // The official SDK waits for ever; a CLI that is stuck is ended by close() and by the end of this program.
      writeMs: Infinity,
      toError: (message, cause) => new Error(message, { cause }),
      onLost: () => {},
      onWritten: () => {},
    });
    const shared = {
      outbox: this.#outbox,
      conventions: OFFICIAL_CONVENTIONS,
    };
    this.#requests = new Pending({
      ...shared,
      deadlines: this.#deadlines,
      controlMs: Infinity,
      abandonedMs: Infinity,
      // What is read now may be the answer.
      onAdded: () => this.inbox.wake(),
    }, TELLING);
    this.#incoming = new Incoming({
      ...shared,
      handlers: handlersOf(init.answers),
    }, TELLING);
    this.over = this.#live();
  }

  /** Aborted when it ends, or is about to. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Says that `initialize` is on its way: what waits for it may follow. */
  begin(): void {
    this.#hasBegun = true;
    this.#begun.resolve();
  }

  /** Resolves when `initialize` is on its way, or nothing will be. */
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
    return await this.#requests.send(subtype, { ...fields });
  }

  /** Sends a line once `initialize` is on its way. */
  async send(line: JsonObject): Promise<void> {
    await this.#begun.promise;
    if (this.#init.abort.aborted) throw operationAborted();
    await this.#post(line);
  }

  /** Sends a prompt. */
  async prompt(line: JsonObject): Promise<void> {
    this.run.prompted();
    await this.send(line);
  }

  /** No more input. */
  endInput(): void {
    void this.#outbox.end();
  }

  /** Ends everything; resolves when the CLI is gone. */
  close(cause?: Error): Promise<void> {
    return this.#closing ??= this.#close(cause);
  }

  async #close(cause: Error | undefined): Promise<void> {
    this.run.end();
    await this.#init.mirror?.flush().catch(() => {});
    this.#incoming.close(undefined);
    this.#end(cause);
    this.#begun.resolve();
    this.#stop.abort(cause ?? new Error(ENDED.closed));
    await this.#leaveLast();
    this.#halt();
    await this.#exited;
  }

  /** Lets go what was said before the end, such as an interrupt: the official SDK writes at once. */
  async #leaveLast(): Promise<void> {
    if (!this.#hasBegun) return;
    await this.#begun.promise;
    this.#outbox.release();
  }

  /** Begins to end the CLI; what it still says is read. */
  #halt(): void {
    const channel = this.#channel;
    if (channel === undefined) return;
    this.#exited = quiet(channel.stop(STOP));
  }

  #end(cause: Error | undefined): void {
    this.#requests.rejectAll(() => cause ?? new Error(ENDED.closed));
    this.inbox.end(cause);
  }

  /** Starts the CLI, reads it to its end, and says how that was. */
  async #live(): Promise<void> {
    const { abort } = this.#init;
    const onAbort = () => {
      this.#stop.abort(abortedByUser(abort.reason));
      this.#leaveLast().then(() => this.#halt());
    };
    abort.addEventListener("abort", onAbort, { once: true });
    let failure: Error | undefined;
    try {
      if (abort.aborted) throw abortedByUser(abort.reason);
      const host = await hostOf();
      this.#stop.signal.throwIfAborted();
      const channel = this.#channel = await this.#init.open(
        host,
        this.#stop.signal,
      );
      this.#exited = quiet(Promise.resolve(channel.gone ?? channel.exited));
      if (this.#stop.signal.aborted) this.#halt();
      this.#outbox.connect({
        write: (text) =>
          channel.write(text).catch((error) => this.#loseInput(error)),
        end: () => channel.end(),
      });
      await this.#read(host, channel);
      // A CLI that has closed its output says nothing more: it gets its time, and is ended.
      this.#halt();
      const report = await channel.exited;
      failure = abort.aborted
        ? abortedByUser(abort.reason)
        : exitFailure(report);
    } catch (thrown) {
      failure = abort.aborted ? abortedByUser(abort.reason) : toError(thrown);
    }
    abort.removeEventListener("abort", onAbort);
    await this.#init.mirror?.flush().catch(() => {});
    if (failure !== undefined && !(failure instanceof AbortError)) {
      failure = this.run.explain(failure);
    }
    this.#end(this.isClosed ? undefined : failure);
    await this.close(failure);
    await this.#init.cleanUp();
    this.#outbox.close(failure ?? new Error(ENDED.closed));
    this.#deadlines.close();
  }

  /** Most writes break because the CLI exits, which tells why; one that lives on is ended. */
  #loseInput(error: unknown): Promise<void> {
    const text = `${ENDED.notWritten} ${textOfError(error)}`;
    const end = () => void this.close(new Error(text, { cause: error }));
    // In two steps: an event loop that was blocked sees the exit in between.
    const step = (then: () => void) =>
      void this.#deadlines.add(EXIT_AFTER_WRITE_MS / 2, then);
    step(() => step(end));
    return this.over;
  }

  async #read(host: Host, channel: Channel): Promise<void> {
    const { tuning } = host;
    const reader = new ByteReader(channel.readable, tuning.reusesBuffer);
    const gone = channel.gone ?? channel.exited;
    gone.then(
      () => reader.endAfterSilence(DRAIN_MS, systemClock),
      () => reader.cancel(),
    );
    const framer = new LineFramer({
      isAscii: (bytes) => host.isAscii(bytes),
      wideLineBytes: tuning.wideLineBytes,
      isReused: reader.isReused,
    });
    const decoder = new JsonDecoder();
    for (;;) {
      const chunk = await reader.read();
      if (chunk === undefined) break;
      await this.#take(decoder.push(framer.push(chunk)), chunk.length);
      while (
        this.inbox.bytes > MOST_UNREAD_BYTES && this.#requests.size === 0
      ) {
        await this.inbox.taken();
        if (this.isClosed || this.inbox.isWaited) break;
      }
    }
    await this.#take(decoder.push(framer.end()), 0);
    await this.#take(decoder.end(), 0);
  }

  /** What was asked in one chunk is answered in one write. */
  async #take(values: readonly JsonValue[], bytes: number): Promise<void> {
    if (values.length === 0) return;
    const share = bytes / values.length;
    this.#outbox.hold();
    try {
      for (const value of values) {
        if (!isObject(value)) continue;
        const message = value as JsonObject;
        // What the store holds is complete before a result is seen.
        if (message.type === "result" && this.#init.mirror !== undefined) {
          this.#outbox.release();
          await this.#init.mirror.flush().catch(() => {});
        }
        this.#route(message, share);
      }
    } finally {
      this.#outbox.release();
    }
  }

  #route(message: JsonObject, bytes: number): void {
    switch (message.type) {
      case "control_request":
        return this.#incoming.accept(message);
      case "control_response":
        return this.#settle(message);
      case "control_cancel_request":
        return this.#incoming.cancel(message);
      case "keep_alive":
        return;
      case "transcript_mirror":
        return this.#init.mirror?.put(
          String(message.filePath),
          (message.entries ?? []) as readonly TranscriptEntry[],
          bytes,
        );
    }
    if (this.run.see(message)) return;
    const { subtype, commands } = message;
    if (subtype === "commands_changed" && Array.isArray(commands)) {
      this.commands = commands;
    }
    this.inbox.put(message, bytes);
  }

  #settle(line: JsonObject): void {
    this.#requests.settle(line);
    this.#incoming.acceptListed(line);
  }

  #post(line: JsonObject): Promise<void> {
    return this.#outbox.send(JSON.stringify(line) + "\n");
  }
}

/** The answers as handlers of control requests. */
function handlersOf(
  answers: Readonly<Record<string, Answer>>,
): ReadonlyMap<string, ControlHandler> {
  const all = Object.entries(answers).map(([subtype, answer]) =>
    [
      subtype,
      // An async function would cost every question two promises more.
      (request: ControlFields, asked: ControlContext) =>
        Promise.resolve(answer(request, asked)).then((given) =>
          given === UNANSWERED
            ? undefined
            : given === undefined
            ? NO_RESPONSE
            : given as JsonObject
        ),
    ] as const
  );
  const others = FOR_OTHERS.map((subtype) =>
    [subtype, () => Promise.resolve(undefined)] as const
  );
  return new Map([...all, ...others]);
}
