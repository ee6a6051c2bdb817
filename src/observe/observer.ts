import type { Complete } from "../types/option_values.ts";
import type {
  ConversationMetrics,
  ConversationObserver,
  ConversationStart,
  TraceContext,
} from "../types/observer.ts";
import { type Redact, safe } from "./metrics.ts";

/** The user's observer of a conversation: every member filled in, none throws. */
export interface SafeObserver
  extends Complete<Omit<ConversationObserver, "within">> {
  /** Runs the work of a request, whatever the observer does; returns and throws as the work does. */
  within<T>(requestId: string, work: () => T): T;
}

/** Begins to observe a conversation; `undefined` without metrics of conversations. */
export function safeObserver(
  metrics: ConversationMetrics | undefined,
  start: ConversationStart,
  shown: Redact,
): SafeObserver | undefined {
  const observer = metrics && safe(metrics, "begin")(start);
  if (typeof observer !== "object" || observer === null) return undefined;
  const within = safe(observer, "within");
  const trace = safe(observer, "trace");
  return {
    trace: (requestId) => checkedTrace(trace(requestId)),
    ready: safe(observer, "ready"),
    prompt: safe(observer, "prompt"),
    messages: safe(observer, "messages"),
    request: safe(observer, "request"),
    within: (requestId, work) => onceWithin(within, requestId, work),
    answer: safe(observer, "answer"),
    error: safe(observer, "error", shown),
    end: safe(observer, "end", shown),
  };
}

/** Runs a work once, also where the observer does not, or does it twice. */
function onceWithin<T>(
  within: NonNullable<ConversationObserver["within"]>,
  requestId: string,
  work: () => T,
): T {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  const run = () => {
    if (outcome !== undefined) return;
    try {
      outcome = { value: work() };
    } catch (error) {
      outcome = { error };
    }
  };
  within(requestId, run);
  run();
  const done = outcome as unknown as NonNullable<typeof outcome>;
  if ("error" in done) throw done.error;
  return done.value;
}

const TRACEPARENT = /^[\da-f]{2}(?:-[\da-f]+){3}$/;
const TRACESTATE = /^[ -~]{1,1024}$/;

/** A trace context that can be sent: it becomes variables and fields of requests. */
export function checkedTrace(
  given: TraceContext | undefined,
): TraceContext | undefined {
  const { traceparent, tracestate } = given ?? {};
  if (typeof traceparent !== "string" || !TRACEPARENT.test(traceparent)) {
    return undefined;
  }
  const isState = typeof tracestate === "string" && TRACESTATE.test(tracestate);
  return { traceparent, ...isState && { tracestate } };
}
