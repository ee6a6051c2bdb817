import type { Deadlines } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Profile } from "../engine/profile.ts";
import { asError } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import type { Meter } from "../observe/metrics.ts";
import type { Host } from "../ports/host.ts";
import { DRAIN_MS } from "../stream/byte_reader.ts";
import type { Queue } from "../stream/queue.ts";
import type { ControlHandler } from "../types/controls.ts";
import type { JsonObject } from "../types/json.ts";
import { OFFICIAL_CONVENTIONS } from "./conventions.ts";
import type { StoreFirst } from "./store_first.ts";

/** Parts of a session that the engine uses. */
interface Parts {
  /** The runtime; read when there is a channel. */
  readonly host: () => Host;
  readonly deadlines: Deadlines;
  readonly queue: Queue<JsonObject>;
  readonly meter: Meter;
  readonly handlers: ReadonlyMap<string, ControlHandler>;
  readonly store: StoreFirst | undefined;
  /** Looks at a message; returns whether the consumer gets it. */
  readonly isConsumers: (message: JsonObject) => boolean;
  /** Looks at a sign of life. */
  readonly onAlive: ((line: JsonObject) => void) | undefined;
  /** Called when one more request of the CLI is served, or one less. */
  readonly onServed: () => void;
  /** Called for a fault of this program. */
  readonly onFault: (error: Error) => void;
}

/** The official SDK has neither timeouts nor limits of size, and reports nothing beside its errors. */
export function officialProfile(parts: Parts): Profile<JsonObject> {
  const { host, deadlines, queue, meter, handlers, store } = parts;
  return {
    host: {
      get tuning() {
        return host().tuning;
      },
      isAscii: (bytes) => host().isAscii(bytes),
      nextTurn: (callback) => host().nextTurn(callback),
    },
    time: { clock: systemClock, deadlines },
    queue,
    limits: {
      lineBytes: Infinity,
      readAheadBytes: Infinity,
      unreadBytes: Infinity,
      joinMs: Infinity,
      writeMs: Infinity,
      quietMs: DRAIN_MS,
      lateMs: DRAIN_MS * 25,
    },
    messages: {
      read: (objects) => {
        const own = objects.filter((one) => parts.isConsumers(one));
        return store === undefined ? own : store.untilResult(own);
      },
      heldBack: () => store?.releasing,
      mirror: store?.copy,
      alive: parts.onAlive,
    },
    control: {
      handlers,
      denials: new Map(),
      controlMs: Infinity,
      abandonedMs: Infinity,
      conventions: OFFICIAL_CONVENTIONS,
      onChange: parts.onServed,
    },
    observed: {
      meter,
      telling: {
        clock: systemClock,
        log: safeLogger(),
        metrics: undefined,
        report: () => {},
      },
    },
    faults: {
      unwritten: (message, cause) => new Error(message, { cause }),
      internal: (error) => parts.onFault(asError(error)),
    },
  };
}
