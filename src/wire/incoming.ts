import { ignoreResult } from "../async/deferred.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { isObject, show, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Outbox } from "./outbox.ts";
import { failure, Served, success } from "./served.ts";
import type {
  ControlFields,
  ControlHandler,
  Denial,
} from "../types/controls.ts";
import type { RequestAnswer } from "../types/observer.ts";
import { type Conventions, OWN_CONVENTIONS } from "./conventions.ts";
import { reportMalformed, wrong } from "./malformed.ts";
import type { Telling } from "./telling.ts";

/** Requests of the CLI: each is served once, and answered unless the CLI cancels it. */
export class Incoming {
  readonly #init;
  readonly #telling: Telling;
  readonly #conventions: Conventions;
  readonly #open = new Map<string, Served>();
  #seen = new SeenRequests();
  /** Ids of questions that an answer has listed. */
  readonly #listed = new Set<unknown>();
  #isClosed = false;
  /** Why it was closed. */
  #reason: unknown;

  constructor(init: {
    readonly handlers: ReadonlyMap<string, ControlHandler>;
    /** Answers in place of an error answer, which would let the CLI proceed. */
    readonly denials?: ReadonlyMap<string, Denial>;
    readonly outbox: Outbox;
    /** Called for each request, once. */
    readonly onRequest?: (request: ControlFields, requestId: string) => void;
    /** Runs the handler of a request. */
    readonly within?: <T>(requestId: string, work: () => T) => T;
    /** Called when a request is over, with the answer that was sent. */
    readonly onAnswer?: (requestId: string, answer: RequestAnswer) => void;
    /** Called when the number of requests that wait for their handlers changes. */
    readonly onChange?: () => void;
    readonly conventions?: Conventions;
  }, telling: Telling) {
    this.#init = init;
    this.#telling = telling;
    this.#conventions = init.conventions ?? OWN_CONVENTIONS;
  }

  /** Number of requests that wait for their handlers. */
  get size(): number {
    return this.#open.size;
  }

  /** Those requests, the oldest first. */
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
      const reason = "A request with this id was answered before";
      this.#telling.log.debug(reason, { requestId: id });
      this.#answerError(id, request, reason, "duplicate_request", false);
    }
  }

  /** Answers a request of which only the beginning is known, because its line was too long. */
  refuseTooLarge({ request_id: id, request }: JsonObject): void {
    // Without the subtype it is not known what would deny it.
    if (this.#isClosed || typeof id !== "string" || !isFields(request)) return;
    const reason = "The request is too large";
    this.#answerError(id, request, reason, "request_too_large", false);
  }

  /** Serves questions that are still open and ride on an answer. */
  acceptListed({ response }: JsonObject): void {
    if (!isObject(response)) return;
    const problem = (field: string, value: unknown, must: string) => {
      const fault = wrong(`response.${field}`, value, must);
      reportMalformed("control_response", response, fault, this.#telling);
    };
    for (const key of this.#conventions.pendingLists) {
      const requests = response[key] ?? [];
      if (!Array.isArray(requests)) problem(key, requests, "an array");
      else {for (const [at, request] of requests.entries()) {
          if (isObject(request)) this.accept(request, true);
          else problem(`${key}[${at}]`, request, "an object");
        }}
    }
  }

  /** Forgets answered requests: one that the CLI repeats from now on has lost its answer. */
  forgetAnswered(): void {
    this.#seen = new SeenRequests();
    for (const [id, { request }] of this.#open) this.#seen.add(id, request);
  }

  /** The CLI cancels a request: its signal is aborted. */
  cancel(line: JsonObject): void {
    const id = line.request_id;
    if (typeof id !== "string") {
      const problem = wrong("request_id", id, "a string");
      reportMalformed("control_cancel_request", line, problem, this.#telling);
      return;
    }
    const served = this.#open.get(id);
    if (served === undefined) return;
    this.#settle(served);
    this.#ended(id, served.request, "cancelled");
    served.abort(this.#conventions.cancelled());
  }

  /** Aborts all signals; nothing is answered any more. */
  close(reason: unknown): void {
    this.#isClosed = true;
    this.#reason = reason;
    for (const [id, served] of this.#open) {
      served.abort(reason);
      this.#ended(id, served.request, "cancelled");
    }
    this.#open.clear();
    this.#init.onChange?.();
  }

  #serve(id: string, request: ControlFields): void {
    const { handlers, onRequest, within } = this.#init;
    const { metrics, log, clock, onSign } = this.#telling;
    const { subtype } = request;
    const handler = handlers.get(subtype);
    if (log.isOn) log.debug("Request of the CLI", { requestId: id, subtype });
    metrics?.request(subtype);
    onRequest?.(request, id);
    if (handler === undefined) return this.#refuse(id, request);
    onSign?.();
    const startedMs = metrics === undefined ? 0 : clock.monotonic();
    const served = new Served(id, request, startedMs);
    try {
      const answer = within === undefined
        ? handler(request, served)
        : within(id, () => handler(request, served));
      // Answers that are there at once need no table: nothing can cancel them.
      if (answer instanceof Promise) this.#await(served, answer);
      else this.#answer(served, answer);
    } catch (error) {
      this.#fail(served, error);
    }
  }

  #await(served: Served, answer: Promise<JsonObject | undefined>): void {
    if (this.#isClosed) {
      // The handler closed the session itself, before it returned.
      ignoreResult(answer);
      return served.abort(this.#reason);
    }
    served.startedAt = this.#telling.clock.now();
    this.#open.set(served.requestId, served);
    this.#init.onChange?.();
    answer.then(
      (response) => {
        if (!this.#settle(served)) return;
        if (response !== undefined) return this.#answer(served, response);
        this.#ended(served.requestId, served.request, "cancelled");
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
    const { metrics, clock } = this.#telling;
    const { requestId, request, startedMs } = served;
    let line: string;
    try {
      line = success(requestId, response);
    } catch (error) {
      return this.#fail(served, error);
    }
    this.#init.outbox.post(line);
    metrics?.success(request.subtype, clock.monotonic() - startedMs);
    this.#ended(requestId, request, "success", response);
  }

  #fail({ requestId, request }: Served, cause: unknown): void {
    const { metrics, report, redact = (text) => text } = this.#telling;
    const { subtype } = request;
    const reason = redact(textOfError(cause));
    const code = this.#conventions.failureCode;
    this.#answerError(requestId, request, reason, code);
    metrics?.handlerFailure(subtype, cause);
    report(
      cause instanceof ProtocolError ? cause : new ProtocolError({
        message: `Request of the CLI failed: ${reason}`,
        category: "handler",
        cause,
        requestId,
        subtype,
        requestData: request,
      }),
    );
  }

  #refuse(id: string, request: ControlFields): void {
    const { report } = this.#telling;
    const { subtype } = request;
    const text = this.#conventions.unsupported(subtype);
    this.#answerError(id, request, text, "unsupported_request", false);
    report(
      new ProtocolError({
        message: `Unsupported control request: ${show(subtype)}`,
        category: "protocol",
        requestId: id,
        subtype,
        requestData: request,
      }),
    );
  }

  /** Answers with an error, or with a denial where there is one: the CLI proceeds after an error answer to a hook. */
  #answerError(
    id: string | number,
    request: ControlFields,
    reason: string,
    code: string | undefined,
    isWork = true,
  ): void {
    let line = failure(id, reason, code);
    let answer: JsonObject | undefined;
    try {
      const deny = this.#init.denials?.get(request.subtype);
      answer = deny?.(request, `Answer failed: ${reason}`);
      if (answer !== undefined) line = success(id, answer);
    } catch {
      // The error has to do.
    }
    this.#init.outbox.post(line, isWork);
    this.#telling.metrics?.error(request.subtype);
    this.#ended(String(id), request, "error", answer);
  }

  #ended(
    requestId: string,
    { subtype }: ControlFields,
    outcome: RequestAnswer["outcome"],
    response?: JsonObject,
  ): void {
    const { log } = this.#telling;
    this.#init.onAnswer?.(requestId, {
      outcome,
      ...response !== undefined && { response },
    });
    if (!log.isOn) return;
    log.debug("Request of the CLI ended", { requestId, subtype, outcome });
  }

  #refuseMalformed(line: JsonObject): void {
    const { request_id: id, request } = line;
    const [reason, code] = ["The request is malformed", "invalid_request"];
    let problem = wrong("request_id", id, "a string");
    if (typeof id === "number" && isFields(request)) {
      this.#answerError(id, request, reason, code, false);
    } else if (typeof id === "string" || typeof id === "number") {
      this.#init.outbox.post(failure(id, reason, code), false);
    }
    if (typeof id === "string") {
      problem = isObject(request)
        ? wrong("request.subtype", request.subtype, "a string")
        : wrong("request", request, "an object");
    }
    reportMalformed("control_request", line, problem, this.#telling);
  }
}

function isFields(value: unknown): value is ControlFields {
  return isObject(value) && typeof value.subtype === "string";
}

/** Number of requests that are remembered at least; at most it is twice that. */
const REMEMBERED = 1_000;

/** Served requests: a repeated one is not served again. */
class SeenRequests {
  #young = new Set<string>();
  #old: ReadonlySet<string> = new Set();

  /** Remembers a request; false if it was remembered. The oldest generation goes when the young one is full. */
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

/** Key of an MCP message: one id may carry several in a row. */
function keyOf(
  id: string,
  { server_name: server, message }: ControlFields,
): string {
  const { id: call, method } = (message ?? {}) as JsonObject;
  // A number is another id than its digits as a text.
  return [id, server, typeof call, call, method].join("\0");
}
