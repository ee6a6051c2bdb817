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
import { Outbox, requestIds } from "../wire/outbox.ts";
import { failure, Served, success } from "../wire/served.ts";
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
import type { ControlFields } from "../types/controls.ts";
import { Inbox } from "./inbox.ts";
import { RunState } from "./run_state.ts";
import { JsonDecoder } from "../stream/json.ts";

/** So much is read ahead of a consumer that is slow, in bytes; questions of either side go on being answered. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;
/** A CLI whose input broke has this long to exit, in milliseconds. */
const EXIT_AFTER_WRITE_MS = 1_000;
/** Requests that other machines of the session answer. */
const FOR_OTHERS: ReadonlySet<string> = new Set([
  "remote_tool_call",
  "remote_plumbing_call",
  "remote_tools_probe",
  "remote_tools_reannounce",
]);

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

/** A request of ours that waits for its answer. */
interface Open {
  readonly answer: Deferred<JsonObject>;
  readonly takesQuestions: boolean;
}

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
  readonly #nextId = requestIds(() => Date.now());
  readonly #open = new Map<string, Open>();
  readonly #served = new Map<string, Served>();
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

  /** Sends a request; resolves with what is in its answer. Rejects with the CLI's own words. */
  request(fields: JsonObject, waitsForNothing = false): Promise<JsonObject> {
    if (this.isClosed) return Promise.reject(new Error(ENDED.closed));
    const id = this.#nextId();
    const answer = new Deferred<JsonObject>();
    const takesQuestions = fields.subtype === "initialize";
    this.#open.set(id, { answer, takesQuestions });
    // What is read now may be its answer.
    this.inbox.wake();
    const line = { type: "control_request", request_id: id, request: fields };
    const sent = waitsForNothing
      ? this.#post(line)
      : this.#begun.promise.then(() => this.#post(line));
    sent.catch((error) => {
      this.#open.delete(id);
      answer.reject(error);
    });
    return answer.promise;
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
    for (const served of this.#served.values()) served.abort();
    this.#served.clear();
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
    const error = cause ?? new Error(ENDED.closed);
    for (const { answer } of this.#open.values()) answer.quiet().reject(error);
    this.#open.clear();
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
      while (this.inbox.bytes > MOST_UNREAD_BYTES && this.#open.size === 0) {
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
        return this.#serve(message);
      case "control_response":
        return this.#settle(message.response);
      case "control_cancel_request":
        return this.#served.get(String(message.request_id))?.abort();
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

  #settle(response: JsonValue | undefined): void {
    if (!isObject(response)) return;
    const { request_id: id, subtype, error, error_code: code } =
      response as JsonObject;
    const open = this.#open.get(String(id));
    if (open === undefined) return;
    this.#open.delete(String(id));
    if (subtype === "success") open.answer.resolve(response as JsonObject);
    else {
      const errorCode = typeof code === "string" && { errorCode: code };
      open.answer.reject(Object.assign(new Error(String(error)), errorCode));
    }
    if (!open.takesQuestions) return;
    for (const key of ["permission", "user_dialog"]) {
      const asked = (response as JsonObject)[`pending_${key}_requests`];
      if (!Array.isArray(asked)) continue;
      for (const one of asked) {
        if (isObject(one)) this.#serve(one as JsonObject);
      }
    }
  }

  #serve({ request_id: id, request }: JsonObject): void {
    if (this.isClosed || typeof id !== "string" || !isObject(request)) return;
    if (this.#served.has(id)) return;
    const subtype = String(request.subtype);
    if (FOR_OTHERS.has(subtype)) return;
    const { answers } = this.#init;
    const serve = Object.hasOwn(answers, subtype)
      ? answers[subtype]
      : undefined;
    if (serve === undefined) {
      const text = `Unsupported control request subtype: ${subtype}`;
      return this.#outbox.post(failure(id, text, "unsupported_request"));
    }
    const served = new Served(id, request as ControlFields, 0);
    this.#served.set(id, served);
    const answer = (given: unknown) => this.#answer(served, given);
    const refuse = (thrown: unknown) => this.#refuse(served, thrown);
    try {
      // An async function would cost every question two promises more.
      Promise.resolve(serve(request as JsonObject, served))
        .then(answer, refuse);
    } catch (thrown) {
      refuse(thrown);
    }
  }

  #answer(served: Served, given: unknown): void {
    const { requestId: id } = served;
    if (given === UNANSWERED || this.isClosed) return this.#leave(served);
    try {
      // What is no JSON is told as an error; nothing at all is an answer, too.
      const line = given === undefined
        ? emptySuccess(id)
        : success(id, given as JsonObject);
      this.#leave(served, line);
    } catch (thrown) {
      this.#refuse(served, thrown);
    }
  }

  #refuse(served: Served, thrown: unknown): void {
    if (this.isClosed) return this.#leave(served);
    this.#leave(served, failure(served.requestId, textOfError(thrown)));
  }

  #leave(served: Served, line?: string): void {
    const { requestId: id } = served;
    if (this.#served.get(id) === served) this.#served.delete(id);
    if (line !== undefined) this.#outbox.post(line);
  }

  #post(line: JsonObject): Promise<void> {
    return this.#outbox.send(JSON.stringify(line) + "\n");
  }
}

/** An answer without anything in it, as a hook that gave nothing back has it. */
function emptySuccess(requestId: string): string {
  const response = { subtype: "success", request_id: requestId };
  return JSON.stringify({ type: "control_response", response }) + "\n";
}
