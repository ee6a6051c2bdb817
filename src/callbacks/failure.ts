import { ProtocolError } from "../errors/cli.ts";
import { excerpt } from "../errors/clean.ts";
import type { Scrub } from "../errors/secrets.ts";
import type { Log } from "../observe/log.ts";
import type { JsonObject } from "../types/json.ts";
import type { ProtocolMetrics } from "../types/observe.ts";

/**
 * How a callback failed: too late, by throwing, by what it returned, by wanting to run what may not run, or when nobody
 * wanted to know any more.
 */
export type FailureKind =
  | "timeout"
  | "threw"
  | "shape"
  | "refused"
  | "aborted";

/** A callback did not give what it is for. */
export class CallbackFailure extends Error {
  override readonly name = "CallbackFailure";
  readonly kind: FailureKind;
  /** The limit that passed, in milliseconds. */
  readonly limitMs: number | undefined;

  /** Takes the end of a sentence that begins with the callback: `failed: boom`. */
  constructor(
    kind: FailureKind,
    message: string,
    { cause, limitMs }: { cause?: unknown; limitMs?: number } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.limitMs = limitMs;
  }
}

/** Who is told of failures. */
export interface Listeners {
  /** Gets each as an error. */
  readonly report: (error: ProtocolError) => void;
  readonly metrics: ProtocolMetrics | undefined;
  /** Is told of limits that passed. */
  readonly log: Log;
  /** Takes secrets out of what they show. */
  readonly scrub?: Scrub;
}

interface FailedCall {
  /** The callback, as the beginning of a sentence. */
  readonly what: string;
  readonly request: JsonObject;
  readonly requestId: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Tells everybody that a callback failed, unless nobody waits for it; gives the reason in words, which the CLI and the model get to read. */
export function tellFailure(
  failure: CallbackFailure,
  { what, request, requestId, details }: FailedCall,
  { report, metrics, log, scrub = (text) => text }: Listeners,
): string {
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
    details: {
      ...details,
      ...(isLate && { limitMs: failure.limitMs }),
    },
    cause: failure.cause,
  });
  metrics?.handlerFailure?.(subtype, error);
  report(error);
  return message;
}
