import type { Deadlines } from "../async/deadline.ts";
import { textOfError } from "../errors/text.ts";
import type { ControlContext } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import { CallbackFailure } from "./failure.ts";

/** One call of a callback: its signal costs nothing until somebody reads it. */
export class Call {
  /** What the CLI asked. */
  readonly raw: JsonObject;
  /** Id of the request. */
  readonly requestId: string;
  readonly #context: ControlContext;
  #controller: AbortController | undefined;
  #reason: CallbackFailure | undefined;

  constructor(raw: JsonObject, context: ControlContext) {
    this.raw = raw;
    this.requestId = context.requestId;
    this.#context = context;
  }

  /** Whether the CLI took the request back, or the conversation ended. */
  get isTakenBack(): boolean {
    return this.#context.signal.aborted;
  }

  /** Aborted when the request is taken back, and when the limit passes. */
  get signal(): AbortSignal {
    this.#controller ??= this.#watch();
    return this.#controller.signal;
  }

  /** Tells the callback that its answer comes too late. */
  end(reason: CallbackFailure): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  #watch(): AbortController {
    const controller = new AbortController();
    const { signal } = this.#context;
    const follow = () => controller.abort(signal.reason);
    if (this.#reason !== undefined) controller.abort(this.#reason);
    else if (signal.aborted) follow();
    else signal.addEventListener("abort", follow, { once: true });
    return controller;
  }
}

/** What becomes of the outcomes of one callback. */
export interface Guarding {
  /** Limits. */
  readonly deadlines: Deadlines;
  /** The limit of one call, in milliseconds. */
  readonly limitMs: number;
  /** Makes the answer of what the callback gave; throws `CallbackFailure` for a wrong shape. */
  readonly accept: (value: unknown, call: Call) => JsonObject;
  /** Makes the answer of a failure. */
  readonly refuse: (failure: CallbackFailure, call: Call) => JsonObject;
}

/**
 * Calls the user's code, and answers whatever it does.
 *
 * An answer that is there at once is given at once: no promise, no timer, no signal.
 */
export function runGuarded(
  callback: () => unknown,
  call: Call,
  guarding: Guarding,
): JsonObject | Promise<JsonObject> {
  let value: unknown;
  try {
    value = callback();
  } catch (error) {
    return guarding.refuse(toFailure(error, call), call);
  }
  return isThenable(value)
    ? answerInTime(value, call, guarding)
    : answer(value, call, guarding);
}

function answerInTime(
  value: PromiseLike<unknown>,
  call: Call,
  guarding: Guarding,
): Promise<JsonObject> {
  const { deadlines, limitMs, refuse } = guarding;
  return new Promise((resolve) => {
    let isLate = false;
    const deadline = deadlines.add(limitMs, () => {
      isLate = true;
      const failure = call.isTakenBack ? takenBack() : tooLate(limitMs);
      call.end(failure);
      resolve(refuse(failure, call));
    });
    Promise.resolve(value).then((result) => {
      if (isLate) return;
      deadline.cancel();
      resolve(answer(result, call, guarding));
    }, (error: unknown) => {
      if (isLate) return;
      deadline.cancel();
      resolve(refuse(toFailure(error, call), call));
    });
  });
}

function answer(
  value: unknown,
  call: Call,
  { accept, refuse }: Guarding,
): JsonObject {
  try {
    return accept(value, call);
  } catch (error) {
    return refuse(toFailure(error, call), call);
  }
}

function toFailure(error: unknown, call: Call): CallbackFailure {
  if (error instanceof CallbackFailure) return error;
  if (call.isTakenBack) return takenBack();
  return new CallbackFailure("threw", `failed: ${textOfError(error)}`, {
    cause: error,
  });
}

function takenBack(): CallbackFailure {
  return new CallbackFailure("aborted", "was not needed any more");
}

function tooLate(limitMs: number): CallbackFailure {
  const text = `did not answer within ${limitMs} ms`;
  return new CallbackFailure("timeout", text, { limitMs });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}
