import type { Attributes, InstrumentSettings, MeterLike } from "./api.ts";
import { METRIC } from "./names.ts";

/** Bounds of token counts and of seconds. Source: semantic conventions for generative AI, metrics. */
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144]
  .concat([1_048_576, 4_194_304, 16_777_216, 67_108_864]);
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12]
  .concat([10.24, 20.48, 40.96, 81.92, 163.84, 327.68]);

type Kind = "histogram" | "counter" | "sum" | "gauge";

/** One metric: its kind, unit and meaning. */
interface Row {
  readonly kind: Kind;
  readonly unit: string;
  readonly description: string;
}

const METRICS: Readonly<Record<keyof typeof METRIC, Row>> = {
  tokens: row("histogram", "{token}", "Tokens of a turn, by model and type"),
  duration: row("histogram", "s", "Turns, model requests and tool calls"),
  cost: row("counter", "{USD}", "Cost, by model"),
  tools: row("counter", "{call}", "Tool calls, by tool"),
  permissionWait: row("histogram", "s", "Waits for a permission, by tool"),
  stalls: row("counter", "{stall}", "Silences of a CLI that owes an answer"),
  conversations: row("sum", "{conversation}", "Running conversations"),
  processExits: row("counter", "{exit}", "Ends of CLI processes, by exit code"),
  processErrors: row("counter", "{error}", "Failures of processes and pipes"),
  processLife: row("histogram", "s", "Run times of CLI processes"),
  requestDuration: row("histogram", "s", "Control requests of both sides"),
  requestErrors: row("counter", "{error}", "Control requests that failed"),
  parseErrors: row("counter", "{error}", "Messages that were not understood"),
  mcpDuration: row("histogram", "s", "Requests of hubs to MCP servers"),
  poolQueries: row("counter", "{query}", "Queries of pools, warm or cold"),
  poolProcesses: row("gauge", "{process}", "Processes of a pool, by state"),
  jobWait: row("histogram", "s", "Waits of jobs for a worker"),
  jobDuration: row("histogram", "s", "Attempts of jobs, by outcome"),
  jobLoad: row("gauge", "{job}", "Jobs of a fleet, by state"),
};

/** Records a value of a metric; never throws. */
export type Recorder = (
  metric: keyof typeof METRIC,
  value: number,
  attributes?: Attributes,
) => void;

/**
 * Makes each instrument when it is first used, so that a meter that is registered late is found.
 *
 * @param common Attributes of all measurements
 */
export function recorder(
  meterNow: () => MeterLike | undefined,
  common: Attributes,
): Recorder {
  const made = new Map<
    string,
    (value: number, attributes: Attributes) => void
  >();
  return (metric, value, attributes = {}) => {
    try {
      let write = made.get(metric);
      if (write === undefined) {
        const meter = meterNow();
        if (meter === undefined) return;
        write = instrument(meter, METRIC[metric], METRICS[metric]);
        made.set(metric, write);
      }
      write(value, { ...common, ...attributes });
    } catch {
      // A meter never disturbs an agent.
    }
  };
}

function instrument(
  meter: MeterLike,
  name: string,
  { kind, unit, description }: Row,
): (value: number, attributes: Attributes) => void {
  const options: InstrumentSettings = { unit, description };
  switch (kind) {
    case "histogram": {
      const explicitBucketBoundaries = unit === "s" ? SECONDS : TOKENS;
      const advice = { explicitBucketBoundaries };
      const histogram = meter.createHistogram(name, { ...options, advice });
      return (value, attributes) => histogram.record(value, attributes);
    }
    case "counter": {
      const counter = meter.createCounter(name, options);
      return (value, attributes) => counter.add(value, attributes);
    }
    case "sum": {
      const sum = meter.createUpDownCounter(name, options);
      return (value, attributes) => sum.add(value, attributes);
    }
    case "gauge": {
      const gauge = meter.createGauge(name, options);
      return (value, attributes) => gauge.record(value, attributes);
    }
  }
}

function row(kind: Kind, unit: string, description: string): Row {
  return { kind, unit, description };
}
