import {
  Correlator,
  type OpenRequest as Waiting,
} from "../async/correlator.ts";
import { ConfigError } from "../errors/base.ts";
import { isObject, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Outbox } from "./outbox.ts";
import type { Deadline, Deadlines } from "../async/deadline.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { withoutSecrets } from "../errors/secrets.ts";
import { type Conventions, OWN_CONVENTIONS } from "./conventions.ts";
import {
  type FieldProblem,
  malformed,
  reportMalformed,
  wrong,
} from "./malformed.ts";
import type { Telling } from "./telling.ts";

interface RequestSettings {
  readonly signal?: AbortSignal | undefined;
  /** Timeout in milliseconds; `Infinity` = it ends when it counts as abandoned. */
  readonly timeoutMs?: number | undefined;
  /** Gets the answer before later lines are looked at; may throw the reason to reject with. */
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
  readonly timeoutMs: number;
  readonly startedMs: number;
}

type Open = Waiting<string, OpenRequest, JsonObject>;

/** Requests of ours, which wait for an answer. */
export class Pending implements Requests {
  readonly #init;
  readonly #telling: Telling;
  readonly #open: Correlator<string, OpenRequest, JsonObject>;
  /** Past their timeout, and not answered yet. */
  readonly #late = new Map<string, Deadline>();

  constructor(init: {
    readonly outbox: Outbox;
    readonly deadlines: Deadlines;
    readonly nextId: () => string;
    /** Default timeout of a request, in milliseconds. */
    readonly controlMs: number;
    /** Age at which no answer is expected any more, in milliseconds. */
    readonly abandonedMs: number;
    /** A request is waiting: the reader must read on until its answer arrives. */
    readonly onAdded: () => void;
    /** Called with what is handed to the CLI, which may hold secrets. */
    readonly learn?: (fields: JsonObject) => void;
    readonly conventions?: Conventions;
  }, telling: Telling) {
    this.#init = init;
    this.#telling = telling;
    this.#open = new Correlator(init.deadlines);
  }

  get size(): number {
    return this.#open.size;
  }

  async send(
    subtype: string,
    fields: JsonObject = {},
    { signal, timeoutMs = this.#init.controlMs, take }: RequestSettings = {},
  ): Promise<JsonObject> {
    const { abandonedMs, learn, nextId, onAdded, outbox } = this.#init;
    const { clock, log, metrics } = this.#telling;
    signal?.throwIfAborted();
    learn?.(fields);
    const id = nextId();
    const data: JsonObject = { ...fields, subtype };
    const line = toLine(id, data);
    const startedMs = clock.monotonic();
    const facts = { id, subtype, data, timeoutMs, take, startedMs };
    const { promise } = this.#open.open(id, facts, {
      timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : abandonedMs,
      onTimeout: () => this.#timeOut(facts),
      signal,
      onAbort: () => {
        this.#givenUp(facts);
        const type = "control_cancel_request";
        outbox.post(JSON.stringify({ type, request_id: id }) + "\n", false);
      },
    });
    metrics?.request(subtype);
    this.#changed();
    onAdded();
    if (log.isOn) {
      log.debug("Control request started", { subtype, requestId: id });
    }
    outbox.send(line, false).catch((error) => this.giveUp(id, error));
    return await promise;
  }

  /** Settles the request that a `control_response` line names. */
  settle(line: JsonObject): void {
    const { metrics, log, onSign } = this.#telling;
    const { response } = line;
    if (!isObject(response)) {
      return this.#malformed(line, wrong("response", response, "an object"));
    }
    const id = response.request_id;
    if (typeof id !== "string") {
      const problem = wrong("response.request_id", id, "a string");
      return this.#malformed(response, problem);
    }
    const request = this.#take(id);
    const late = this.#late.get(id);
    if (request !== undefined || late !== undefined) onSign?.();
    if (request === undefined) {
      late?.cancel();
      this.#late.delete(id);
      metrics?.unknownResponse(id);
      log.debug("Answer to an unknown request", { requestId: id });
    } else if (response.subtype === "success") this.#succeed(request, response);
    else this.#refuse(request, response);
  }

  /** Gives one up; false when it was settled before. */
  giveUp(id: string, reason: unknown): boolean {
    const request = this.#open.take(id);
    if (request === undefined) return false;
    this.#givenUp(request.facts);
    request.reject(reason);
    return true;
  }

  rejectAll(toReason: (request: OpenRequest) => unknown): void {
    for (const request of this.#open.takeAll()) {
      this.#givenUp(request.facts);
      request.reject(toReason(request.facts));
    }
  }

  #take(id: string): Open | undefined {
    const request = this.#open.take(id);
    if (request !== undefined) this.#changed();
    return request;
  }

  #succeed(request: Open, answer: JsonObject): void {
    const { metrics, clock } = this.#telling;
    const { facts } = request;
    const { reply } = this.#init.conventions ?? OWN_CONVENTIONS;
    const response = reply(answer.response);
    if (response === undefined) {
      metrics?.malformedMessage("control_response");
      metrics?.error(facts.subtype);
      this.#trace(facts, "error");
      const what = `Answer to ${facts.subtype}`;
      const problem = wrong("response.response", answer.response, "an object");
      request.reject(malformed(answer, { what, ...problem }));
      return;
    }
    metrics?.success(facts.subtype, clock.monotonic() - facts.startedMs);
    this.#trace(facts, "success");
    try {
      facts.take?.(response);
      request.resolve(response);
    } catch (error) {
      request.reject(error);
    }
  }

  #refuse(request: Open, response: JsonObject): void {
    const { subtype } = response;
    const { metrics } = this.#telling;
    if (subtype !== "error") {
      const field = "response.subtype";
      const problem = 'must be "success" or "error"';
      this.#malformed(
        response,
        typeof subtype === "string"
          ? { field, problem }
          : wrong(field, subtype, "a string"),
      );
    }
    const { facts } = request;
    metrics?.error(facts.subtype);
    this.#trace(facts, "error");
    const { refused } = this.#init.conventions ?? OWN_CONVENTIONS;
    request.reject(refused(facts.subtype, response));
  }

  #malformed(line: JsonObject, problem: FieldProblem): void {
    reportMalformed("control_response", line, problem, this.#telling);
  }

  #givenUp(facts: OpenRequest): void {
    this.#changed();
    this.#telling.metrics?.error(facts.subtype);
    this.#trace(facts, "given up");
  }

  /** Unlike one that is given up, the CLI may still answer it. */
  #timeOut(facts: OpenRequest): ProtocolError {
    const { abandonedMs, deadlines } = this.#init;
    const { metrics, log, clock } = this.#telling;
    const { id, subtype, data, timeoutMs, startedMs } = facts;
    const durationMs = clock.monotonic() - startedMs;
    this.#changed();
    metrics?.timeout(subtype);
    this.#trace(facts, "timeout");
    log.warn("Control request timed out", {
      subtype,
      requestId: id,
      input: withoutSecrets(data),
      durationMs,
    });
    if (durationMs >= abandonedMs) this.#orphaned(id);
    else {
      const leftMs = abandonedMs - durationMs;
      this.#late.set(id, deadlines.add(leftMs, () => this.#orphaned(id)));
    }
    return new ProtocolError({
      message: `Control request ${subtype} ${
        Number.isFinite(timeoutMs)
          ? `was not answered within ${timeoutMs} ms`
          : `was abandoned after ${abandonedMs} ms`
      }`,
      category: "timeout",
      requestId: id,
      subtype,
      requestData: data,
    });
  }

  #orphaned(id: string): void {
    const { metrics, log } = this.#telling;
    this.#late.delete(id);
    metrics?.orphanedRequests(1);
    log.warn("Control request was never answered", { requestId: id });
  }

  #trace({ id, subtype, startedMs }: OpenRequest, outcome: string): void {
    const { log, clock } = this.#telling;
    if (!log.isOn) return;
    log.debug("Control request ended", {
      subtype,
      requestId: id,
      outcome,
      durationMs: clock.monotonic() - startedMs,
    });
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
