import type { TraceContext } from "../types/observer.ts";
import { activeContext, type ContextLike } from "./open_telemetry.ts";

const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** All zeros = no span. Source: W3C Trace Context, section 3.2. */
const TRACE_ID = /^(?!0+$)[\da-f]{32}$/;
const SPAN_ID = /^(?!0+$)[\da-f]{16}$/;
const SAMPLED = 1;

/** A span of OpenTelemetry, as far as it is read here. */
interface SpanLike {
  spanContext(): SpanIds;
}

interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string } | undefined;
}

/**
 * Returns the active span of OpenTelemetry, for a process or a server that continues it. It is read where `@opentelemetry/api` 1.x has
 * registered itself; nothing is loaded.
 *
 * @returns The span; `undefined` without one
 *
 * @example Pass the active span on
 * ```ts
 * import { activeTrace } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const headers = { accept: "application/json", ...activeTrace() };
 * // No span is active here.
 * assert.deepEqual(headers, { accept: "application/json" });
 * ```
 */
export function activeTrace(): TraceContext | undefined {
  try {
    const span = activeContext()?.getValue(SPAN);
    return span === undefined
      ? undefined
      : traceOf((span as SpanLike).spanContext());
  } catch {
    return undefined;
  }
}

/** A context whose active span is this one. */
export function contextWith(context: ContextLike, span: SpanLike): ContextLike {
  return context.setValue(SPAN, span);
}

/** A span as its children see it; `undefined` for one that leads nowhere. */
export function traceOf(
  { traceId, spanId, traceFlags, traceState }: SpanIds,
): TraceContext | undefined {
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
