import type { Telling } from "../../src/wire/telling.ts";
import { Deadlines } from "../../src/async/deadline.ts";
import type {
  JsonObject,
  LogFields,
  Logger,
  ProtocolError,
  ProtocolMetrics,
} from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { safeLogger } from "../../src/observe/log.ts";
import { safeMetrics } from "../../src/observe/metrics.ts";
import { type LineSink, Outbox } from "../../src/wire/outbox.ts";
import { requestIds } from "../../src/wire/request_id.ts";
import { Pending, type Requests } from "../../src/wire/requests.ts";
import { OpenSink } from "./_sink.ts";

/** One call of a member. */
export type Call = readonly [name: string, ...args: readonly unknown[]];

/** Metrics that remember their calls. */
export function metricsSpy(): {
  readonly protocol: ProtocolMetrics;
  readonly calls: Call[];
  count(name: string): number;
} {
  const calls: Call[] = [];
  const protocol = new Proxy({}, {
    get: (_, name) => (...args: unknown[]) =>
      void calls.push([String(name), ...args]),
  });
  return {
    protocol,
    calls,
    count: (name) => calls.filter(([called]) => called === name).length,
  };
}

/** A logger that remembers its lines. */
export function logSpy(): Logger & {
  readonly lines: (readonly [string, string, LogFields | undefined])[];
} {
  const lines: (readonly [string, string, LogFields | undefined])[] = [];
  const level = (name: string) => (message: string, fields?: LogFields) =>
    void lines.push([name, message, fields]);
  return {
    lines,
    debug: level("debug"),
    info: level("info"),
    warn: level("warn"),
    error: level("error"),
  };
}

/** Requests of ours with everything they need; the sink takes every write. */
export interface RequestsRig<Sink extends LineSink> {
  readonly clock: FakeClock;
  readonly deadlines: Deadlines;
  readonly sink: Sink;
  readonly outbox: Outbox;
  readonly pending: Pending;
  readonly requests: Requests;
  /** Sends a request under an id. */
  add(id: string, timeoutMs?: number, subtype?: string): Promise<JsonObject>;
  readonly metrics: ReturnType<typeof metricsSpy>;
  readonly log: ReturnType<typeof logSpy>;
  readonly added: number[];
  readonly reported: ProtocolError[];
}

/** Makes them: 60 s for a request, 300 s for an abandoned one. */
export function requestsRig(abandonedMs?: number): RequestsRig<OpenSink>;
export function requestsRig<Sink extends LineSink = OpenSink>(
  abandonedMs: number | undefined,
  sink: Sink | undefined,
  redact?: Telling["redact"],
): RequestsRig<Sink>;
export function requestsRig(
  abandonedMs = 300_000,
  sink: LineSink = new OpenSink(),
  redact?: Telling["redact"],
): RequestsRig<LineSink> {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock);
  const metrics = metricsSpy();
  const logger = logSpy();
  const log = safeLogger(logger);
  const outbox = new Outbox({
    deadlines,
    writeMs: 5_000,
    toError: (message, cause) => new Error(message, { cause }),
    onLost: () => {},
    onWritten: () => {},
  });
  const added: number[] = [];
  const reported: ProtocolError[] = [];
  const ids: string[] = [];
  const makeId = requestIds(() => clock.now());
  const pending = new Pending({
    outbox,
    deadlines,
    nextId: () => ids.shift() ?? makeId(),
    controlMs: 60_000,
    abandonedMs,
    onAdded: () => added.push(pending.size),
  }, {
    clock,
    ...redact && { redact },
    metrics: safeMetrics({ protocol: metrics.protocol }).protocol,
    log,
    report: (error) => void reported.push(error),
  });
  outbox.connect(sink);
  return {
    clock,
    deadlines,
    sink,
    outbox,
    pending,
    requests: pending,
    add(id, timeoutMs, subtype = "set_model") {
      ids.push(id);
      return pending.send(subtype, { model: "opus" }, { timeoutMs });
    },
    metrics,
    log: logger,
    added,
    reported,
  };
}

/** Hands an answer over as the line that carries it. */
export function settle(pending: Pending, response: JsonObject): void {
  pending.settle({ type: "control_response", response });
}
