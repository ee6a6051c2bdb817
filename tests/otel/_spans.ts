import {
  BasicTracerProvider,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import type { TracerLike } from "@sluice/agent/otel";

/** A tracer whose ended spans can be read. */
export function spansInMemory(): {
  readonly tracer: TracerLike;
  readonly spans: () => readonly ReadableSpan[];
  /** The spans as a tree: one line each, children indented. */
  readonly tree: () => readonly string[];
  /** The one span of a name. */
  readonly one: (name: string) => ReadableSpan;
} {
  const ended: ReadableSpan[] = [];
  // An exporter in memory would start a timer for each span.
  const provider = new BasicTracerProvider({
    spanProcessors: [{
      onStart() {},
      onEnd: (span) => void ended.push(span),
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
    }],
  });
  const spans = () => ended;
  return {
    tracer: provider.getTracer("test"),
    spans,
    tree: () => treeOf(spans()),
    one(name) {
      const found = spans().filter((one) => one.name === name);
      if (found.length === 1) return found[0] as ReadableSpan;
      const names = spans().map((one) => one.name);
      throw new Error(`${found.length} spans "${name}": ${names.join(", ")}`);
    },
  };
}

/** One line a span, indented below its parent, siblings by name. */
function treeOf(spans: readonly ReadableSpan[]): readonly string[] {
  const ids = new Set(spans.map((one) => one.spanContext().spanId));
  const below = (parent: string | undefined): readonly string[] =>
    spans
      .filter(({ parentSpanContext }) => {
        const id = parentSpanContext?.spanId;
        return parent === undefined ? !ids.has(id ?? "") : id === parent;
      })
      .sort((a, b) => a.name < b.name ? -1 : a.name === b.name ? 0 : 1)
      .flatMap((one) => [
        one.name,
        ...below(one.spanContext().spanId).map((line) => `  ${line}`),
      ]);
  return below(undefined);
}
