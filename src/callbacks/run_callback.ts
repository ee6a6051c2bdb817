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
import { type Asked, judge, suggestedIn, type ToolCall } from "./decisions.ts";
import { excerpt } from "../errors/excerpt.ts";
import { ProtocolError } from "../errors/protocol.ts";
import type { Scrub } from "../errors/secrets.ts";
import type { Log } from "../observe/log.ts";
import type { Complete } from "../types/option_values.ts";
import type { AgentOptions, TimeoutOptions } from "../types/options.ts";
import type { ProtocolMetrics } from "../types/observe.ts";
import { CallbackFailure } from "./failure.ts";

/** Progress of the consumer of the messages. */
export interface Progress {
  /** Number of message batches read so far. */
  position(): number;
  /** Resolves when the consumer has all messages up to a position, or will not take them. */
  passed(position: number): Promise<void>;
}

type DeskHook = (
  input: JsonObject,
  context: { readonly signal: AbortSignal },
) => Promise<JsonObject>;

/** Hooks of this package that hold tool calls until they are approved. */
export interface ApprovalDesk {
  /** Called at the same time; their answers are checked like those of any hook. */
  readonly hooks: {
    /** Waits for the decision. */
    readonly approval: DeskHook;
    /** Makes a CLI ask about a call that it does not defer. */
    readonly deferral: DeskHook;
  };
  /** Timeout of each, in milliseconds. */
  readonly limitMs: number;
  /** Takes the answer of another hook to the same call; returns the answer to send. */
  beside(
    call: JsonObject,
    answer: JsonObject | Promise<JsonObject>,
  ): JsonObject | Promise<JsonObject>;
  /** Takes the answer of a hook to the question about a call; returns the answer to send. */
  permits(
    tool: unknown,
    input: unknown,
    answer: JsonObject,
  ): Promise<JsonObject>;
  /** Why a deferred call may not run now. */
  refusal(toolUseId: unknown): string | undefined;
  /** Gives the input with which a call was approved, and throws for another call; `undefined` if none was approved under this id. */
  approved(toolUseId: unknown): ((call: ToolCall) => JsonObject) | undefined;
  /** Denies calls that wait, for their turn is interrupted: no decision is used any more. */
  interrupt(): void;
  /** Denies a deferred call that a prompt dropped, unless it was decided; resolves with whether it was deferred here. */
  drop(toolUseId: string): Promise<boolean>;
  /** Defers pending calls at the end of the conversation; resolves with whether there were any. */
  leave(): Promise<boolean>;
}

/** The callbacks of one conversation and their surroundings. */
export interface Setting {
  readonly settings: {
    readonly options: AgentOptions;
    readonly timeouts: Complete<TimeoutOptions>;
  };
  /** Policy of the tool lists, if there are any: a call that it refuses is never allowed. */
  readonly policy: ToolPolicy | undefined;
  /** Holds calls for approval, if the options ask for it: a deferred call runs only after a resume. */
  readonly desk: ApprovalDesk | undefined;
  readonly deadlines: Deadlines;
  readonly progress: Progress;
  /** Receives each failure as an error. */
  readonly report: (error: ProtocolError) => void;
  readonly metrics: ProtocolMetrics | undefined;
  /** Logs timeouts. */
  readonly log: Log;
  /** Redacts the texts of failures. */
  readonly scrub: Scrub;
}

/** Handlers of requests of the CLI and their answers to failures, by subtype. */
export interface Answering {
  readonly handlers: Map<string, ControlHandler>;
  readonly denials: Map<string, Denial>;
}

/** One call of a callback; its signal is made when it is read. */
export class Call implements Asked {
  /** The request of the CLI. */
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

  /** Whether the CLI cancelled the request, or the conversation ended. */
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

  /** Suggestions of the CLI, read before the callback could change them. */
  get suggested(): Asked["suggested"] {
    return this.#suggested;
  }

  /** Why the call may not run, whatever the callback decides. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Stores the tool call and the suggestions, and asks the policy. */
  judge(
    about: ToolCall,
    question: JsonObject,
    policy: ToolPolicy | undefined,
  ): void {
    this.#about = about;
    this.#suggested = suggestedIn(question);
    this.#refusal = judge(policy, about);
  }

  /** Aborts the signal of a callback whose answer comes too late. */
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

/** Conversion of a callback's outcomes into answers. */
export interface CallbackSpec {
  readonly setting: Setting;
  readonly limitMs: number;
  /** Turns a return value into an answer; throws `CallbackFailure` for a wrong shape. */
  readonly accept: (value: unknown, call: Call) => JsonObject;
  /** Name of the callback for error texts, and details of the error. */
  readonly about: (request: JsonObject) => {
    readonly what: string;
    readonly details: Readonly<Record<string, unknown>>;
  };
  /** Turns a failure into an answer. */
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
export function runCallback(
  callback: () => unknown,
  call: Call,
  spec: CallbackSpec,
): JsonObject | Promise<JsonObject> {
  let value: unknown;
  let isLater: boolean;
  try {
    value = callback();
    // A proxy may throw when it is asked what it has.
    isLater = isPromise(value);
  } catch (error) {
    return failureAnswer(error, call, spec);
  }
  return isLater ? answerInTime(value, call, spec) : answer(value, call, spec);
}

function answerInTime(
  value: unknown,
  call: Call,
  spec: CallbackSpec,
): Promise<JsonObject> {
  const { setting: { deadlines }, limitMs } = spec;
  return new Promise((resolve) => {
    let isLate = false;
    const deadline = deadlines.add(limitMs, () => {
      isLate = true;
      const late = `did not answer within ${limitMs} ms`;
      const failure = call.isTakenBack
        ? takenBack()
        : new CallbackFailure("timeout", late, { limitMs });
      call.end(failure);
      resolve(failureAnswer(failure, call, spec));
    });
    // Not Promise.resolve(), which looks at a promise before it is caught what that throws.
    new Promise((settle) => settle(value)).then((result) => {
      if (isLate) return;
      deadline.cancel();
      resolve(answer(result, call, spec));
    }, (error: unknown) => {
      if (isLate) return;
      deadline.cancel();
      resolve(failureAnswer(error, call, spec));
    });
  });
}

function answer(
  value: unknown,
  call: Call,
  spec: CallbackSpec,
): JsonObject {
  try {
    return spec.accept(value, call);
  } catch (error) {
    return failureAnswer(error, call, spec);
  }
}

/** The answer to a failure, whatever was thrown, even if reporting it fails. */
export function failureAnswer(
  error: unknown,
  call: Call,
  spec: CallbackSpec,
): JsonObject {
  const failure = toFailure(error, call);
  let reason: string;
  try {
    reason = tellFailure(failure, call, spec);
  } catch {
    reason = "Callback failed";
  }
  return spec.refuse(reason, failure, call);
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

/** Reports a failure unless its answer is no longer needed; returns the reason, which the CLI and the model read. */
function tellFailure(
  failure: CallbackFailure,
  { raw: request, requestId }: Call,
  { about, setting: { report, metrics, log, scrub } }: CallbackSpec,
): string {
  const { what, details } = about(request);
  const message = scrub(`${what} ${failure.message}`);
  if (failure.kind === "aborted") return message;
  const subtype = String(request.subtype);
  const isLate = failure.kind === "timeout";
  if (isLate) {
    log.warn("Callback timed out", {
      subtype,
      requestId,
      input: excerpt(request.input).value,
      durationMs: failure.limitMs,
    });
    metrics?.timeout?.(subtype);
  }
  const error = new ProtocolError({
    message,
    category: isLate ? "timeout" : "handler",
    subtype,
    requestId,
    requestData: request,
    details: { ...details, ...isLate && { limitMs: failure.limitMs } },
    cause: failure.cause,
  });
  metrics?.handlerFailure?.(subtype, error);
  report(error);
  return message;
}
