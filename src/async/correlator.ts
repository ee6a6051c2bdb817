import type { Deadline, Deadlines } from "./deadline.ts";
import { Deferred } from "./deferred.ts";
import { onAbort } from "./on_abort.ts";

/** Limits that end a request before its answer. */
export interface RequestLimits {
  readonly timeoutMs?: number | undefined;
  /** Called when the timeout has passed; returns the reason to reject with. */
  readonly onTimeout?: () => unknown;
  /** Not aborted yet. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the signal ends the request, which then rejects with the signal's reason. */
  readonly onAbort?: () => void;
}

/** Requests that wait for their answers, by id. Logs, metrics and error texts are the caller's. */
export class Correlator<Id, Facts, Answer> {
  readonly deadlines: Deadlines;
  readonly #open = new Map<Id, OpenRequest<Id, Facts, Answer>>();

  constructor(deadlines: Deadlines) {
    this.deadlines = deadlines;
  }

  get size(): number {
    return this.#open.size;
  }

  /** A request that waits. */
  get(id: Id): OpenRequest<Id, Facts, Answer> | undefined {
    return this.#open.get(id);
  }

  /** Adds a request under an id that is not in use; before it is sent, so that no answer can come too early. */
  open(
    id: Id,
    facts: Facts,
    limits: RequestLimits = {},
  ): OpenRequest<Id, Facts, Answer> {
    const request = new OpenRequest(id, facts, limits, this);
    this.#open.set(id, request);
    return request;
  }

  /** Removes a request for the caller to settle; `undefined` when none with this id waits. */
  take(id: Id): OpenRequest<Id, Facts, Answer> | undefined {
    const request = this.#open.get(id);
    if (request === undefined) return undefined;
    this.#open.delete(id);
    request.release();
    return request;
  }

  /** Removes all, the oldest first, for the caller to settle. */
  takeAll(): OpenRequest<Id, Facts, Answer>[] {
    const requests = [...this.#open.values()];
    for (const { id } of requests) this.take(id);
    return requests;
  }

  /** Those that wait, the oldest first. */
  [Symbol.iterator](): Iterator<OpenRequest<Id, Facts, Answer>> {
    return this.#open.values();
  }
}

export class OpenRequest<Id, Facts, Answer> extends Deferred<Answer> {
  readonly id: Id;
  readonly facts: Facts;
  readonly #limits: RequestLimits;
  readonly #requests: Correlator<Id, Facts, Answer>;
  readonly #unfollow: (() => void) | undefined;
  #deadline: Deadline | undefined;
  /** Remaining time while the timeout is paused. */
  #pausedMs: number | undefined;

  constructor(
    id: Id,
    facts: Facts,
    limits: RequestLimits,
    requests: Correlator<Id, Facts, Answer>,
  ) {
    super();
    this.id = id;
    this.facts = facts;
    this.#limits = limits;
    this.#requests = requests;
    const { signal } = limits;
    this.#unfollow = signal && onAbort(signal, () => {
      requests.take(id)?.reject(signal.reason);
      limits.onAbort?.();
    });
    if (limits.timeoutMs !== undefined) this.restart();
  }

  /** Starts the timeout anew, as after progress. */
  restart(ms: number = this.#limits.timeoutMs ?? Infinity): void {
    if (this.#pausedMs !== undefined) this.#pausedMs = ms;
    else if (Number.isFinite(ms)) {
      this.#deadline?.cancel();
      this.#deadline = this.#requests.deadlines.add(ms, () => {
        this.#requests.take(this.id)?.reject(this.#limits.onTimeout?.());
      });
    }
  }

  /** Stops the timeout until {@link resume}. */
  pause(): void {
    if (this.#deadline === undefined || this.#pausedMs !== undefined) return;
    this.#pausedMs = this.#requests.deadlines.leftOf(this.#deadline);
    this.#deadline.cancel();
  }

  resume(): void {
    const ms = this.#pausedMs;
    this.#pausedMs = undefined;
    if (ms !== undefined) this.restart(ms);
  }

  /** Leaves neither timer nor listener behind. */
  release(): void {
    this.#deadline?.cancel();
    this.#unfollow?.();
  }
}
