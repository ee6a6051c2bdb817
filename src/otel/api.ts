import type { ContextLike } from "../observe/open_telemetry.ts";

export type { ContextLike };

/** Value of an attribute. */
export type AttributeValue = string | number | boolean | string[];

/** Attributes of a span, an event or a measurement, by name. */
export type Attributes = Record<string, AttributeValue | undefined>;

/** A span, as far as it is used here; that of `@opentelemetry/api` fits. */
export interface SpanLike {
  /** Returns its ids. */
  spanContext(): {
    readonly traceId: string;
    readonly spanId: string;
    readonly traceFlags: number;
    readonly traceState?: { serialize(): string } | undefined;
  };
  /** Sets attributes. */
  setAttributes(attributes: Attributes): unknown;
  /** Adds an event. */
  addEvent(name: string, attributes?: Attributes, time?: Date): unknown;
  /** Sets the status: 2 = error. */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Ends it. */
  end(time?: Date): void;
}

/** Options of a span. */
export interface SpanSettings {
  /** 0 = internal, 2 = client, 4 = consumer. */
  kind?: number;
  /** Attributes from the beginning. */
  attributes?: Attributes;
  /** When it began. */
  startTime?: Date;
}

/** Makes spans; the tracers of `@opentelemetry/api` fit. */
export interface TracerLike {
  /** Begins a span. */
  startSpan(
    name: string,
    options?: SpanSettings,
    context?: ContextLike,
  ): SpanLike;
}

/** Options of an instrument. */
export interface InstrumentSettings {
  /** Its meaning. */
  description?: string;
  /** Its unit, in UCUM. */
  unit?: string;
  /** Hints for aggregation. */
  advice?: { explicitBucketBoundaries?: number[] };
}

/** Makes instruments; the meters of `@opentelemetry/api` 1.9 and later fit. */
export interface MeterLike {
  /** Makes a histogram. */
  createHistogram(
    name: string,
    options?: InstrumentSettings,
  ): { record(value: number, attributes?: Attributes): void };
  /** Makes a counter. */
  createCounter(
    name: string,
    options?: InstrumentSettings,
  ): { add(value: number, attributes?: Attributes): void };
  /** Makes a counter that also falls. */
  createUpDownCounter(
    name: string,
    options?: InstrumentSettings,
  ): { add(value: number, attributes?: Attributes): void };
  /** Makes an instrument for the current value. */
  createGauge(
    name: string,
    options?: InstrumentSettings,
  ): { record(value: number, attributes?: Attributes): void };
}
