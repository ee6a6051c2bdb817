import { isPromise } from "../async/deferred.ts";
import type { Deadlines } from "../async/deadline.ts";
import { textOfError } from "../errors/text.ts";
import type {
  ControlContext,
  ControlHandler,
  Denial,
} from "../types/controls.ts";
import type { ToolPolicy } from "../options/tool_policy.ts";
import type { JsonObject } from "../types/json.ts";
import { type Asked, judge, suggestedIn, type ToolCall } from "./gate.ts";
import { excerpt } from "../errors/excerpt.ts";
import { ProtocolError } from "../errors/protocol.ts";
import type { Scrub } from "../errors/secrets.ts";
import type { Log } from "../observe/log.ts";
import type {
  AgentOptions,
  Complete,
  TimeoutOptions,
} from "../types/options.ts";
import type { ProtocolMetrics } from "../types/observe.ts";
import { CallbackFailure } from "./failure.ts";

/** How far the consumer of the messages is. */
export interface Progress {
  /** How far the messages have been read. */
  position(): number;
  /** Resolves when the consumer has all messages up to a position, or will not take them. */
  passed(position: number): Promise<void>;
}

/** Hooks of our own before every tool call that may wait for somebody's decision. */
export interface Waiting {
  /** They are called at once, and what they say is judged like the word of any hook. */
  readonly hooks: readonly ((
    input: JsonObject,
    context: { readonly signal: AbortSignal },
  ) => Promise<JsonObject>)[];
  /** The limit of each, in milliseconds. */
  readonly limitMs: number;
  /** Takes what the input of another hook names its call by, and gives its answer to be sent: what that says of the call is known to them, or comes too late. */
  beside(
    call: JsonObject,
    answer: JsonObject | Promise<JsonObject>,
  ): JsonObject | Promise<JsonObject>;
  /** Why a call that they put off may not run now. */
  refusal(toolUseId: unknown): string | undefined;
  /** The conversation ends: they put off what waits, and resolve with whether anything did. */
  leave(): Promise<boolean>;
}

/** What the callbacks of one conversation are, and all that they are called with. */
export interface Setting {
  readonly settings: {
    readonly options: AgentOptions;
    readonly timeouts: Complete<TimeoutOptions>;
  };
  /** Judges every tool call, in a hook of our own and where permissions are answered, if the options need it: what it refuses is never allowed. */
  readonly guard: ToolPolicy | undefined;
  /** Decides calls that wait, if the options say so: what it put off does not run before the session is resumed. */
  readonly waiting: Waiting | undefined;
  readonly deadlines: Deadlines;
  readonly progress: Progress;
  /** Gets each failure as an error. */
  readonly report: (error: ProtocolError) => void;
  readonly metrics: ProtocolMetrics | undefined;
  /** Is told of limits that passed. */
  readonly log: Log;
  /** Takes secrets out of what they show. */
  readonly scrub: Scrub;
}

/** Who answers which request of the CLI, and what is answered when that breaks, by subtype. */
export interface Answering {
  readonly handlers: Map<string, ControlHandler>;
  readonly denials: Map<string, Denial>;
}

/** One call of a callback: its signal costs nothing until somebody reads it. */
export class Call implements Asked {
  /** What the CLI asked. */
  readonly raw: JsonObject;
  readonly requestId: string;
  readonly #context: ControlContext;
  #controller: AbortController | undefined;
  #reason: CallbackFailure | undefined;
  #about: ToolCall | undefined;
  #suggested: Asked["suggested"];
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

  /** What the CLI suggested with it, as it was before the callback saw it. */
  get suggested(): Asked["suggested"] {
    return this.#suggested;
  }

  /** Why that may not run, whatever the callback says. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Notes the tool call and what the CLI suggests, and lets the guard judge it. */
  judge(
    about: ToolCall,
    question: JsonObject,
    guard: ToolPolicy | undefined,
  ): void {
    this.#about = about;
    this.#suggested = suggestedIn(question);
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
  readonly setting: Setting;
  readonly limitMs: number;
  /** Makes the answer of what the callback gave; throws `CallbackFailure` for a wrong shape. */
  readonly accept: (value: unknown, call: Call) => JsonObject;
  /** The callback of a request as the beginning of a sentence, and what an error says of it beside that. */
  readonly about: (request: JsonObject) => {
    readonly what: string;
    readonly details: Readonly<Record<string, unknown>>;
  };
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
  const { setting: { deadlines }, limitMs } = guarding;
  return new Promise((resolve) => {
    let isLate = false;
    const deadline = deadlines.add(limitMs, () => {
      isLate = true;
      const late = `did not answer within ${limitMs} ms`;
      const failure = call.isTakenBack
        ? takenBack()
        : new CallbackFailure("timeout", late, { limitMs });
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
  guarding: Guarding,
): JsonObject {
  const failure = toFailure(error, call);
  let reason: string;
  try {
    reason = tellFailure(failure, call, guarding);
  } catch {
    reason = "Callback failed";
  }
  return guarding.refuse(reason, failure, call);
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

/** Tells everybody that a callback failed, unless nobody waits for it; gives the reason in words, which the CLI and the model get to read. */
function tellFailure(
  failure: CallbackFailure,
  { raw: request, requestId }: Call,
  { about, setting: { report, metrics, log, scrub } }: Guarding,
): string {
  const { what, details } = about(request);
  const message = scrub(`${what} ${failure.message}`);
  if (failure.kind === "aborted") return message;
  const subtype = String(request.subtype);
  const isLate = failure.kind === "timeout";
  if (isLate) {
    log.warn("Callback passed its limit", {
      subtype,
      requestId,
      input: excerpt(request.input, scrub).value,
      durationMs: failure.limitMs,
    });
    metrics?.timeout?.(subtype);
  }
  const error = new ProtocolError({
    message,
    category: isLate ? "timeout" : "handler",
    subtype,
    requestId,
    requestData: excerpt(request, scrub).value,
    details: { ...details, ...isLate && { limitMs: failure.limitMs } },
    cause: failure.cause,
  });
  metrics?.handlerFailure?.(subtype, error);
  report(error);
  return message;
}
