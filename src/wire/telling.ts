import type { ProtocolError } from "../errors/protocol.ts";
import type { Log } from "../observe/log.ts";
import type { FullClock } from "../ports/clock.ts";
import type { ProtocolMetrics } from "../types/observe.ts";
import type { Complete } from "../types/option_values.ts";

/** Clock, log, metrics and reports of requests of either side. */
export interface Telling {
  readonly clock: Pick<FullClock, "now" | "monotonic">;
  readonly log: Log;
  readonly metrics: Complete<ProtocolMetrics> | undefined;
  readonly redact?: <Value>(value: Value) => Value;
  /** Called with requests and answers of a wrong shape, and with handlers that failed. */
  readonly report: (error: ProtocolError) => void;
  /** Called at each sign of life of the CLI or of a handler. */
  readonly onSign?: () => void;
}
