import { onAbort } from "../async/on_abort.ts";
import { ConfigError } from "../errors/base.ts";
import { cut, isObject, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { type Outbox, requestIds } from "./outbox.ts";
import type { Deadline, Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { ControlError, ProtocolError } from "../errors/protocol.ts";
import { withoutSecrets } from "../errors/secrets.ts";
import { type FieldProblem, malformed, wrong } from "./router.ts";
import type { Telling } from "./telling.ts";

const LONGEST_SWEEP_MS = 60_000;
/** A code that is no plain word is not the CLI's. */
const ERROR_CODE = /^[a-z][a-z0-9_]{0,63}$/;

interface RequestSettings {
  /** Gives the request up with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Its limit in milliseconds; `Infinity` = only the sweep of abandoned requests ends it. */
  readonly timeoutMs?: number | undefined;
  /** Takes the answer before anything behind it is looked at; what it throws is what the request rejects with. */
  readonly take?: ((response: JsonObject) => void) | undefined;
}

export interface Requests {
  /** Sends a request; resolves with the answer's `response`, `{}` for a void one. */
  send(
    subtype: string,
    fields?: JsonObject,
    settings?: RequestSettings,
  ): Promise<JsonObject>;
}

export interface OpenRequest extends Pick<RequestSettings, "take"> {
  readonly id: string;
  readonly subtype: string;
  readonly data: JsonObject;
  /** Its own limit in milliseconds; `Infinity` = only the sweep ends it. */
  readonly timeoutMs: number;
}

interface Entry extends OpenRequest {
  readonly startedMs: number;
  readonly answer: Deferred<JsonObject>;
  limit: Deadline | undefined;
}

/** Requests of ours, which wait for an answer. */
export class Pending implements Requests {
  readonly #init;
  readonly #telling: Telling;
  readonly #nextId: () => string;
  readonly #open = new Map<string, Entry>();
  /** Past their limit and not answered yet: when they were asked. */
  readonly #late = new Map<string, number>();
  #sweep: Deadline | undefined;

  constructor(init: {
    /** The way out. */
    readonly outbox: Outbox;
    readonly deadlines: Deadlines;
    /** Limit of a request that names none, in milliseconds. */
    readonly controlMs: number;
    /** Age at which a request that nobody answered is swept, in milliseconds. */
    readonly abandonedMs: number;
    /** A request is waiting: the reader must go on until its answer came. */
    readonly onAdded: () => void;
    /** Called with what is handed to the CLI, which may hold secrets. */
    readonly learn?: (fields: JsonObject) => void;
  }, telling: Telling) {
    this.#init = init;
    this.#telling = telling;
    this.#nextId = requestIds(() => telling.clock.now());
  }

  get size(): number {
    return this.#open.size;
  }

  async send(
    subtype: string,
    fields: JsonObject = {},
    { signal, timeoutMs = this.#init.controlMs, take }: RequestSettings = {},
  ): Promise<JsonObject> {
    const { learn, outbox } = this.#init;
    const { log } = this.#telling;
    signal?.throwIfAborted();
    learn?.(fields);
    const id = this.#nextId();
    const data: JsonObject = { ...fields, subtype };
    const line = toLine(id, data);
    const answer = this.add({ id, subtype, data, timeoutMs, take });
    if (log.isOn) {
      log.debug("Control request started", { subtype, requestId: id });
    }
    const unfollow = signal && onAbort(signal, () => {
      if (!this.giveUp(id, signal.reason)) return;
      const type = "control_cancel_request";
      outbox.post(JSON.stringify({ type, request_id: id }) + "\n", false);
    });
    outbox.send(line, false).catch((error) => this.giveUp(id, error));
    try {
      return await answer;
    } finally {
      unfollow?.();
    }
  }

  /** Adds a request, before it is written, so that no answer can come too early. */
  add(request: OpenRequest): Promise<JsonObject> {
    const entry: Entry = {
      ...request,
      startedMs: this.#telling.clock.monotonic(),
      answer: new Deferred<JsonObject>(),
      limit: undefined,
    };
    this.#open.set(request.id, entry);
    if (Number.isFinite(request.timeoutMs)) {
      entry.limit = this.#init.deadlines.add(
        request.timeoutMs,
        () =>
          this.#timeOut(
            entry,
            `was not answered within ${request.timeoutMs} ms`,
            request.timeoutMs,
          ),
      );
    }
    this.#telling.metrics?.request(request.subtype);
    this.#changed();
    this.#sweep ??= this.#startSweep();
    this.#init.onAdded();
    return entry.answer.promise;
  }

  /** Settles the request that an answer names. */
  settle(response: JsonObject): void {
    const id = response.request_id;
    if (typeof id !== "string") {
      const problem = wrong("response.request_id", id, "a string");
      return this.malformed(response, problem);
    }
    const entry = this.#take(id);
    if (entry !== undefined || this.#late.delete(id)) this.#telling.onSign?.();
    if (entry === undefined) {
      this.#telling.metrics?.unknownResponse(id);
      this.#telling.log.debug("Answer to an unknown request", {
        requestId: id,
      });
    } else if (response.subtype === "success") this.#succeed(entry, response);
    else this.#refuse(entry, response);
  }

  /** Counts and tells an answer of a wrong shape. */
  malformed(line: JsonObject, problem: FieldProblem): void {
    const { metrics, report, scrub } = this.#telling;
    metrics?.malformedMessage("control_response");
    const what = "Control response";
    report(malformed(line, { what, ...problem, scrub }));
  }

  /** Gives one up; false when it was settled before. */
  giveUp(id: string, reason: unknown): boolean {
    const entry = this.#take(id);
    if (entry === undefined) return false;
    this.#telling.metrics?.error(entry.subtype);
    this.#trace(entry, "given up");
    entry.answer.reject(reason);
    return true;
  }

  /** Gives all up. */
  rejectAll(toReason: (request: OpenRequest) => unknown): void {
    for (const entry of [...this.#open.values()]) {
      this.giveUp(entry.id, toReason(entry));
    }
  }

  #succeed(entry: Entry, answer: JsonObject): void {
    const { metrics, clock, scrub } = this.#telling;
    const { response = {} } = answer;
    if (!isObject(response)) {
      metrics?.malformedMessage("control_response");
      metrics?.error(entry.subtype);
      this.#trace(entry, "error");
      const what = `Answer to ${entry.subtype}`;
      const problem = wrong("response.response", response, "an object");
      entry.answer.reject(malformed(answer, { what, ...problem, scrub }));
      return;
    }
    metrics?.success(entry.subtype, clock.monotonic() - entry.startedMs);
    this.#trace(entry, "success");
    try {
      entry.take?.(response);
      entry.answer.resolve(response);
    } catch (error) {
      entry.answer.reject(error);
    }
  }

  #refuse(entry: Entry, response: JsonObject): void {
    const { subtype, error, error_code: code } = response;
    const { metrics, scrub = (text) => text } = this.#telling;
    if (subtype !== "error") {
      const field = "response.subtype";
      const problem = 'must be "success" or "error"';
      this.malformed(
        response,
        typeof subtype === "string"
          ? { field, problem }
          : wrong(field, subtype, "a string"),
      );
    }
    metrics?.error(entry.subtype);
    this.#trace(entry, "error");
    const text = typeof error === "string"
      ? scrub(error)
      : "no reason was given";
    entry.answer.reject(
      new ControlError({
        message: `CLI refused ${entry.subtype}: ${cut(text)}`,
        subtype: entry.subtype,
        details: { error: text },
        ...(typeof code === "string" && ERROR_CODE.test(code)
          ? { errorCode: code }
          : {}),
      }),
    );
  }

  /** Its time is over; unlike one that is given up, the CLI may still answer it. */
  #timeOut(entry: Entry, what: string, durationMs: number): void {
    const { metrics, log } = this.#telling;
    const { id, subtype, data } = entry;
    this.#take(id);
    this.#late.set(id, entry.startedMs);
    metrics?.timeout(subtype);
    this.#trace(entry, "timeout");
    log.warn("Control request timed out", {
      subtype,
      requestId: id,
      input: withoutSecrets(data),
      durationMs,
    });
    entry.answer.reject(
      new ProtocolError({
        message: `Control request ${subtype} ${what}`,
        category: "timeout",
        requestId: id,
        subtype,
        requestData: data,
      }),
    );
  }

  #trace({ id, subtype, startedMs }: Entry, outcome: string): void {
    const { log, clock } = this.#telling;
    if (!log.isOn) return;
    log.debug("Control request ended", {
      subtype,
      requestId: id,
      outcome,
      durationMs: clock.monotonic() - startedMs,
    });
  }

  #startSweep(): Deadline {
    const { deadlines, abandonedMs } = this.#init;
    return deadlines.add(Math.min(abandonedMs, LONGEST_SWEEP_MS), () => {
      this.#sweep = undefined;
      this.#sweepNow();
      if (this.#open.size + this.#late.size > 0) {
        this.#sweep = this.#startSweep();
      }
    });
  }

  /** Requests without a limit of their own end here; late answers are waited for no longer. */
  #sweepNow(): void {
    const { abandonedMs } = this.#init;
    const { clock, metrics, log } = this.#telling;
    const oldest = clock.monotonic() - abandonedMs;
    for (const entry of [...this.#open.values()]) {
      if (Number.isFinite(entry.timeoutMs) || entry.startedMs > oldest) {
        continue;
      }
      this.#timeOut(
        entry,
        `was abandoned after ${abandonedMs} ms`,
        clock.monotonic() - entry.startedMs,
      );
    }
    let orphaned = 0;
    for (const [id, startedMs] of this.#late) {
      if (startedMs > oldest) continue;
      this.#late.delete(id);
      orphaned++;
    }
    if (orphaned > 0) {
      metrics?.orphanedRequests(orphaned);
      log.warn("Control requests were never answered", { count: orphaned });
    }
  }

  #take(id: string): Entry | undefined {
    const entry = this.#open.get(id);
    if (entry === undefined) return undefined;
    this.#open.delete(id);
    entry.limit?.cancel();
    this.#changed();
    return entry;
  }

  #changed(): void {
    this.#telling.metrics?.pendingRequests(this.#open.size);
  }
}

function toLine(id: string, request: JsonObject): string {
  try {
    const type = "control_request";
    return JSON.stringify({ type, request_id: id, request }) + "\n";
  } catch (cause) {
    const key = String(request.subtype);
    throw new ConfigError({
      message: `Fields of "${key}" cannot be written as JSON: ${
        textOfError(cause)
      }`,
      key,
      cause,
      fatal: false,
    });
  }
}
