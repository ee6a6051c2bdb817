import { isPromise } from "../async/deferred.ts";
import type { Deadlines } from "../async/deadline.ts";
import { textOfError } from "../errors/text.ts";
import type { ControlContext } from "../types/controls.ts";
import type { ToolGuard } from "../options/tool_guard.ts";
import type { JsonObject } from "../types/json.ts";
import { CallbackFailure } from "./failure.ts";
import { judge, type ToolCall } from "./gate.ts";

/** One call of a callback: its signal costs nothing until somebody reads it. */
export class Call {
  /** What the CLI asked. */
  readonly raw: JsonObject;
  readonly requestId: string;
  readonly #context: ControlContext;
  #controller: AbortController | undefined;
  #reason: CallbackFailure | undefined;
  #about: ToolCall | undefined;
  #refusal: string | undefined;

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

  /** The tool call that it is about, as it was before the callback saw it. */
  get about(): ToolCall | undefined {
    return this.#about;
  }

  /** Why that may not run, whatever the callback says. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Notes the tool call, and lets the guard judge it. */
  judge(about: ToolCall, guard: ToolGuard | undefined): void {
    this.#about = about;
    this.#refusal = judge(guard, about);
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
  readonly deadlines: Deadlines;
  readonly limitMs: number;
  /** Makes the answer of what the callback gave; throws `CallbackFailure` for a wrong shape. */
  readonly accept: (value: unknown, call: Call) => JsonObject;
  /** Tells everybody of a failure; the reason in words. */
  readonly tell: (failure: CallbackFailure, call: Call) => string;
  /** Makes the answer of a failure. */
  readonly refuse: (
    reason: string,
    failure: CallbackFailure,
    call: Call,
  ) => JsonObject;
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
  let isLater: boolean;
  try {
    value = callback();
    // A proxy may throw when it is asked what it has.
    isLater = isPromise(value);
  } catch (error) {
    return refused(error, call, guarding);
  }
  return isLater
    ? answerInTime(value, call, guarding)
    : answer(value, call, guarding);
}

function answerInTime(
  value: unknown,
  call: Call,
  guarding: Guarding,
): Promise<JsonObject> {
  const { deadlines, limitMs } = guarding;
  return new Promise((resolve) => {
    let isLate = false;
    const deadline = deadlines.add(limitMs, () => {
      isLate = true;
      const failure = call.isTakenBack ? takenBack() : tooLate(limitMs);
      call.end(failure);
      resolve(refused(failure, call, guarding));
    });
    // Not Promise.resolve(), which looks at a promise before it is caught what that throws.
    new Promise((settle) => settle(value)).then((result) => {
      if (isLate) return;
      deadline.cancel();
      resolve(answer(result, call, guarding));
    }, (error: unknown) => {
      if (isLate) return;
      deadline.cancel();
      resolve(refused(error, call, guarding));
    });
  });
}

function answer(
  value: unknown,
  call: Call,
  guarding: Guarding,
): JsonObject {
  try {
    return guarding.accept(value, call);
  } catch (error) {
    return refused(error, call, guarding);
  }
}

/** The answer of a failure: there is one whatever was thrown, and whoever breaks on hearing of it. */
export function refused(
  error: unknown,
  call: Call,
  { tell, refuse }: Guarding,
): JsonObject {
  const failure = toFailure(error, call);
  let reason: string;
  try {
    reason = tell(failure, call);
  } catch {
    reason = "Callback failed";
  }
  return refuse(reason, failure, call);
}

function toFailure(error: unknown, call: Call): CallbackFailure {
  try {
    if (error instanceof CallbackFailure) return error;
    if (call.isTakenBack) return takenBack();
    return new CallbackFailure("threw", `failed: ${textOfError(error)}`, {
      cause: error,
    });
  } catch {
    return new CallbackFailure("threw", "failed with something unreadable");
  }
}

function takenBack(): CallbackFailure {
  return new CallbackFailure("aborted", "was not needed any more");
}

function tooLate(limitMs: number): CallbackFailure {
  const text = `did not answer within ${limitMs} ms`;
  return new CallbackFailure("timeout", text, { limitMs });
}
