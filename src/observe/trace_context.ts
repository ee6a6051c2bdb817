import type { TraceContext } from "../types/observer.ts";

/** Where every copy of `@opentelemetry/api` 1.x registers itself, and where its contexts hold the active span. */
const API = Symbol.for("opentelemetry.js.api.1");
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** All zeros = no span. Source: W3C Trace Context, section 3.2. */
const TRACE_ID = /^(?!0+$)[\da-f]{32}$/;
const SPAN_ID = /^(?!0+$)[\da-f]{16}$/;
const SAMPLED = 1;

/** A span of OpenTelemetry, as far as it is read here. */
interface SpanLike {
  spanContext(): {
    readonly traceId: string;
    readonly spanId: string;
    readonly traceFlags: number;
    readonly traceState?: { serialize(): string } | undefined;
  };
}

/** The active context of OpenTelemetry, if its API is in this program and has a context manager; loads nothing. */
function activeContext():
  | { getValue(key: symbol): unknown }
  | undefined {
  try {
    return Reflect.get(globalThis, API)?.context?.active();
  } catch {
    // Foreign code, which may do anything.
    return undefined;
  }
}

/** The active span of OpenTelemetry, for the process that is about to start. */
export function activeTrace(): TraceContext | undefined {
  try {
    const span = activeContext()?.getValue(SPAN);
    return span === undefined ? undefined : traceOf(span as SpanLike);
  } catch {
    return undefined;
  }
}

/** A span as its children see it; `undefined` for one that leads nowhere. */
function traceOf(span: SpanLike): TraceContext | undefined {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) return undefined;
  const flags = (traceFlags & SAMPLED) === SAMPLED ? "01" : "00";
  const tracestate = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...tracestate && { tracestate },
  };
}

/**
 * Variables by which a process continues a span, beside those that it is given; an inherited state is of another span.
 * Source: OpenTelemetry, environment variables as context carriers.
 */
export function traceVariables(
  trace: TraceContext | undefined,
  given: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  if (trace === undefined || "TRACEPARENT" in given) return {};
  return { TRACEPARENT: trace.traceparent, TRACESTATE: trace.tracestate };
}
