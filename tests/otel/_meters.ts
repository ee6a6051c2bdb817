import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import type { MeterLike } from "@sluice/agent/otel";

const AGENT_NAME = "gen_ai.agent.name";

/** A reader that reads when it is asked. */
class Reader extends MetricReader {
  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }

  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }
}

/** A meter, and the points of a metric: attributes with a sum, a count for durations. */
export function metersInMemory(): {
  readonly meter: MeterLike;
  /** The points of a metric, without the name of the agent, which all have. */
  points(name: string): Promise<readonly (readonly unknown[])[]>;
} {
  const reader = new Reader();
  const provider = new MeterProvider({ readers: [reader] });
  return {
    meter: provider.getMeter("test"),
    async points(name: string): Promise<readonly (readonly unknown[])[]> {
      const { resourceMetrics } = await reader.collect();
      return resourceMetrics.scopeMetrics
        .flatMap(({ metrics }) => metrics)
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map((
            { attributes: { [AGENT_NAME]: agent, ...others }, value },
          ) => [
            // All have it.
            agent === undefined ? "no agent" : others,
            typeof value !== "object"
              ? value
              : descriptor.unit === "s"
              ? (value as { readonly count: number }).count
              : (value as { readonly sum?: number }).sum,
          ])
        );
    },
  };
}
