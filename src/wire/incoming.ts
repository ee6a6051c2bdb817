import { ProtocolError } from "../errors/protocol.ts";
import { excerpt } from "../errors/excerpt.ts";
import { isObject, show, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Outbox } from "./outbox.ts";
import { failure, Served, success } from "./served.ts";
import type {
  ControlFields,
  ControlHandler,
  Denial,
} from "../types/controls.ts";
import { type Conventions, OWN_CONVENTIONS } from "./conventions.ts";
import { reportMalformed, wrong } from "./malformed.ts";
import type { Telling } from "./telling.ts";

/** Requests of the CLI: each is served once, and answered unless it was taken back. */
export class Incoming {
  readonly #init;
  readonly #telling: Telling;
  readonly #conventions: Conventions;
  readonly #open = new Map<string, Served>();
  #seen = new SeenRequests();
  /** Ids of questions that an answer has listed. */
  readonly #listed = new Set<unknown>();
  #isClosed = false;

  constructor(init: {
    /** Who answers which kind. */
    readonly handlers: ReadonlyMap<string, ControlHandler>;
    /** What is answered where an error answer would let the CLI go on by itself. */
    readonly denials?: ReadonlyMap<string, Denial>;
    readonly outbox: Outbox;
    /** Called for each that comes, once. */
    readonly onRequest?: (request: ControlFields) => void;
    /** Called when one more is served that is not answered at once, or one less. */
    readonly onChange?: () => void;
    readonly conventions?: Conventions;
  }, telling: Telling) {
    this.#init = init;
    this.#telling = telling;
    this.#conventions = init.conventions ?? OWN_CONVENTIONS;
  }

  /** How many are being served. */
  get size(): number {
    return this.#open.size;
  }

  /** Those that are being served, the oldest first. */
  get open(): readonly Pick<Served, "requestId" | "request" | "startedAt">[] {
    return [...this.#open.values()];
  }

  /** Serves a `control_request` line, or a question that an answer lists: that may come both ways. */
  accept(line: JsonObject, isListed = false): void {
    const { request_id: id, request } = line;
    if (this.#isClosed) return;
    if (isListed) this.#listed.add(id);
    if (typeof id !== "string" || !isFields(request)) {
      this.#refuseMalformed(line);
    } else if (this.#open.size > 0 && this.#open.has(id)) {
      // Its one answer is still to come.
      this.#telling.log.debug("Request came twice", { requestId: id });
    } else if (
      !this.#conventions.refusesRepeated || this.#seen.add(id, request)
    ) this.#serve(id, request);
    // One id may carry several MCP messages, of which another is open.
    else if (!this.#listed.has(id) && request.subtype !== "mcp_message") {
      this.#refuseAgain(id, request);
    }
  }

  /** Serves questions that are still open and ride on an answer. */
  acceptListed({ response }: JsonObject): void {
    if (!isObject(response)) return;
    for (const key of this.#conventions.pendingLists) {
      const requests = response[key];
      if (requests === undefined || requests === null) continue;
      const problem = (field: string, value: unknown, must: string) => {
        const fault = wrong(`response.${field}`, value, must);
        reportMalformed("control_response", response, fault, this.#telling);
      };
      if (!Array.isArray(requests)) {
        problem(key, requests, "an array");
        continue;
      }
      for (const [at, request] of requests.entries()) {
        if (isObject(request)) this.accept(request, true);
        else problem(`${key}[${at}]`, request, "an object");
      }
    }
  }

  /** Forgets what was answered: what the CLI asks once more from now on has lost its answer. */
  forgetAnswered(): void {
    this.#seen = new SeenRequests();
    for (const [id, { request }] of this.#open) this.#seen.add(id, request);
  }

  /** The CLI cancels a request: its signal is aborted. */
  cancel(line: JsonObject): void {
    const id = line.request_id;
    if (typeof id !== "string") {
      const problem = wrong("request_id", id, "a string");
      return reportMalformed(
        "control_cancel_request",
        line,
        problem,
        this.#telling,
      );
    }
    const served = this.#open.get(id);
    if (served === undefined) return;
    this.#settle(served);
    this.#trace(served, "taken back");
    served.abort(this.#conventions.cancelled());
  }

  /** Takes all back; nothing is answered any more. */
  close(reason: unknown): void {
    this.#isClosed = true;
    for (const served of this.#open.values()) {
      served.abort(reason);
      this.#trace(served, "given up");
    }
    this.#open.clear();
    this.#init.onChange?.();
  }

  #serve(id: string, request: ControlFields): void {
    const { handlers } = this.#init;
    const { metrics, log, clock } = this.#telling;
    const handler = handlers.get(request.subtype);
    if (log.isOn) {
      log.debug("Request of the CLI", {
        requestId: id,
        subtype: request.subtype,
      });
    }
    metrics?.request(request.subtype);
    this.#init.onRequest?.(request);
    if (handler === undefined) return this.#refuse(id, request);
    this.#telling.onSign?.();
    const startedMs = metrics === undefined ? 0 : clock.monotonic();
    const served = new Served(id, request, startedMs);
    try {
      const answer = handler(request, served);
      // Answers that are there at once need no table: nothing can take them back.
      if (answer instanceof Promise) this.#await(served, answer);
      else this.#answer(served, answer);
    } catch (error) {
      this.#fail(served, error);
    }
  }

  #await(served: Served, answer: Promise<JsonObject | undefined>): void {
    served.startedAt = this.#telling.clock.now();
    this.#open.set(served.requestId, served);
    this.#init.onChange?.();
    answer.then(
      (response) => {
        if (this.#settle(served) && response !== undefined) {
          this.#answer(served, response);
        }
      },
      (error) => {
        if (this.#settle(served)) this.#fail(served, error);
      },
    );
  }

  /** Ends the serving; returns whether to answer. */
  #settle(served: Served): boolean {
    const isOpen = this.#open.get(served.requestId) === served;
    if (!isOpen) return this.#conventions.answersCancelled && !this.#isClosed;
    this.#open.delete(served.requestId);
    this.#telling.onSign?.();
    this.#init.onChange?.();
    return true;
  }

  #answer(served: Served, response: JsonObject): void {
    const { outbox } = this.#init;
    const { metrics, clock } = this.#telling;
    let line: string;
    try {
      line = success(served.requestId, response);
    } catch (error) {
      return this.#fail(served, error);
    }
    outbox.post(line);
    metrics?.success(
      served.request.subtype,
      clock.monotonic() - served.startedMs,
    );
    this.#trace(served, "success");
  }

  #fail(served: Served, cause: unknown): void {
    const { requestId, request } = served;
    this.#trace(served, "error");
    const { outbox } = this.#init;
    const { metrics, report, scrub = (text) => text } = this.#telling;
    const reason = scrub(textOfError(cause));
    outbox.post(
      this.#denial(requestId, request, reason) ??
        failure(requestId, reason, this.#conventions.failureCode),
    );
    metrics?.error(request.subtype);
    metrics?.handlerFailure(request.subtype, cause);
    report(
      cause instanceof ProtocolError ? cause : new ProtocolError({
        message: `Request of the CLI failed: ${reason}`,
        category: "handler",
        cause,
        requestId,
        subtype: request.subtype,
        requestData: excerpt(request, scrub).value,
      }),
    );
  }

  /** The line of a denial, where there is one: the CLI takes an error answer to a hook for leave to go on. */
  #denial(
    id: string,
    request: ControlFields,
    reason: string,
  ): string | undefined {
    try {
      const deny = this.#init.denials?.get(request.subtype);
      const answer = deny?.(request, `Answer failed: ${reason}`);
      return answer && success(id, answer);
    } catch {
      return undefined;
    }
  }

  #refuse(id: string, request: ControlFields): void {
    const { outbox } = this.#init;
    const { metrics, report, scrub } = this.#telling;
    const { subtype } = request;
    metrics?.error(subtype);
    this.#trace({ requestId: id, request }, "error");
    outbox.post(
      failure(
        id,
        this.#conventions.unsupported(subtype),
        "unsupported_request",
      ),
      false,
    );
    report(
      new ProtocolError({
        message: `Request of the CLI is of a kind that nobody here answers: ${
          show(excerpt(subtype, scrub).value)
        }`,
        category: "protocol",
        requestId: id,
        subtype,
        requestData: excerpt(request, scrub).value,
      }),
    );
  }

  /** A question whose id was answered already: another answer to it would be the wrong one, and none a wait without an end. */
  #refuseAgain(id: string, request: ControlFields): void {
    this.#telling.log.debug("Request id was answered before", {
      requestId: id,
    });
    const reason = "A request with this id was answered before";
    this.#init.outbox.post(
      this.#denial(id, request, reason) ??
        failure(id, reason, "duplicate_request"),
      false,
    );
  }

  #trace(
    { requestId, request: { subtype } }: Pick<Served, "requestId" | "request">,
    outcome: string,
  ): void {
    const { log } = this.#telling;
    if (!log.isOn) return;
    log.debug("Request of the CLI ended", { requestId, subtype, outcome });
  }

  #refuseMalformed(line: JsonObject): void {
    const { outbox } = this.#init;
    const { request_id: id, request } = line;
    let problem = wrong("request_id", id, "a string");
    if (typeof id === "string") {
      outbox.post(
        failure(id, "The request is malformed", "invalid_request"),
        false,
      );
      problem = isObject(request)
        ? wrong("request.subtype", request.subtype, "a string")
        : wrong("request", request, "an object");
    }
    reportMalformed("control_request", line, problem, this.#telling);
  }
}

function isFields(value: unknown): value is ControlFields {
  return typeof value === "object" && value !== null &&
    "subtype" in value && typeof value.subtype === "string";
}

/** So many requests are remembered at least, and twice as many at most. */
const REMEMBERED = 1_000;

/** Requests of the CLI that came: one that comes again is not run again. */
class SeenRequests {
  #young = new Set<string>();
  #old: ReadonlySet<string> = new Set();

  /** Remembers a request; false when it was remembered already. The oldest generation goes when the young one is full. */
  add(id: string, request: ControlFields): boolean {
    const key = request.subtype === "mcp_message" ? keyOf(id, request) : id;
    if (this.#old.has(key) || this.#young.has(key)) return false;
    this.#young.add(key);
    if (this.#young.size >= REMEMBERED) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    return true;
  }
}

/** What tells an MCP message from others: one id may carry several in a row. */
function keyOf(
  id: string,
  { server_name: server, message }: ControlFields,
): string {
  const { id: call, method } = (message ?? {}) as JsonObject;
  // A number is another id than its digits as a text.
  return [id, server, typeof call, call, method].join("\0");
}
