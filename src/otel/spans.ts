import { attempt } from "../async/deferred.ts";
import { activeContext, openTelemetry } from "../observe/open_telemetry.ts";
import { contextWith, traceOf } from "../observe/trace_context.ts";
import type { TraceContext } from "../types/observer.ts";
import type { Attributes, ContextLike, SpanLike, TracerLike } from "./api.ts";
import { ATTRIBUTE } from "./names.ts";

const ERROR = 2;

/** Kinds of spans, as OpenTelemetry numbers them. */
export const KIND = { internal: 0, client: 2, consumer: 4 } as const;

/** A span that is about to begin. */
export interface SpanStart {
  readonly name: string;
  readonly attributes: Attributes;
  readonly kind?: number | undefined;
  /** The span that it belongs to; the active one. */
  readonly parent?: Span | undefined;
  /** The same in another program. */
  readonly remote?: TraceContext | undefined;
  /** Milliseconds since 1970; now. */
  readonly atMs?: number | undefined;
}

/** A span whose tracer may throw: it is ended once, and never disturbs its caller. */
export class Span {
  readonly startMs: number;
  readonly #span: SpanLike | undefined;
  readonly #context: ContextLike;
  #isEnded = false;

  constructor(
    tracer: TracerLike | undefined,
    {
      name,
      attributes,
      kind = KIND.internal,
      parent,
      remote,
      atMs = Date.now(),
    }: SpanStart,
  ) {
    this.startMs = atMs;
    const active = activeContext() ?? NO_CONTEXT;
    const outer = parent !== undefined
      ? parent.#context
      : remote !== undefined
      ? contextWith(active, remoteSpan(remote))
      : active;
    const startTime = new Date(atMs);
    this.#span = attempt(() =>
      tracer?.startSpan(name, { kind, attributes, startTime }, outer)
    );
    this.#context =
      attempt(() => this.#span && contextWith(outer, this.#span)) ??
        outer;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The span as others continue it. */
  get trace(): TraceContext | undefined {
    const ids = attempt(() => this.#span?.spanContext());
    return attempt(() => ids && traceOf(ids));
  }

  set(attributes: Attributes): void {
    attempt(() => this.#span?.setAttributes(attributes));
  }

  event(name: string, attributes: Attributes = {}): void {
    attempt(() => this.#span?.addEvent(name, attributes, new Date()));
  }

  /** Marks it as failed; the first type of an error stays. */
  fail(type: string, message?: string): void {
    this.set({ [ATTRIBUTE.error]: type });
    const status = { code: ERROR, ...message && { message } };
    attempt(() => this.#span?.setStatus(status));
  }

  /** Ends it, at the earliest when it began; returns its duration in seconds. */
  end(atMs: number = Date.now()): number {
    const endMs = Math.max(atMs, this.startMs);
    if (!this.#isEnded) {
      this.#isEnded = true;
      attempt(() => this.#span?.end(new Date(endMs)));
    }
    return (endMs - this.startMs) / 1_000;
  }

  /** Runs something with this as the active span. */
  within(work: () => void): void {
    const { context } = openTelemetry();
    if (context === undefined) work();
    else context.with(this.#context, work);
  }
}

/** A span of another program, as a parent. */
function remoteSpan({ traceparent, tracestate }: TraceContext) {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const traceState = {
    serialize: () => tracestate ?? "",
    get: () => undefined,
    set: () => traceState,
    unset: () => traceState,
  };
  const ids = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...tracestate !== undefined && { traceState },
  };
  return { spanContext: () => ids, isRecording: () => false };
}

/** A context, for programs without a context manager. */
function contextOf(values: ReadonlyMap<symbol, unknown>): ContextLike {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextOf(new Map(values).set(key, value)),
    deleteValue: (key) =>
      contextOf(new Map([...values].filter(([one]) => one !== key))),
  };
}

const NO_CONTEXT = contextOf(new Map());
