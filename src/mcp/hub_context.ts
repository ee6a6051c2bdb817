import type { Deadlines } from "../async/deadline.ts";
import type { JsonObject } from "../types/json.ts";
import type { HubSettings } from "./hub_config.ts";

/** The part of a hub that its links use. */
export interface HubContext {
  readonly settings: HubSettings;
  readonly warnings: Warnings;
  /** Timers of requests. */
  readonly deadlines: Deadlines;
  /** Offered to each server. */
  readonly capabilities: JsonObject;
  /** Aborted when the hub closes, with the error that calls get then. */
  readonly closing: AbortSignal;
  /** Makes a new catalogue of what the servers list now. */
  publish(): void;
}

/** The ways to tell what goes wrong in the background. */
export interface Warnings {
  readonly tell: (text: string) => void;
  /** Tells it once: a list that is read again is as strange as before. */
  readonly once: (text: string) => void;
  /** Wraps a listener so that its failure is caught, and warned of once. */
  guard<T>(listener: (value: T) => unknown, label: string): (value: T) => void;
}
