import type { AgentErrorInit } from "@sluice/agent";
import { FleetError, type FleetFault } from "./errors.ts";

/** Place of a stored value: words of any characters, the most general first. */
export type Path = readonly string[];

/** Lanes of the queue, the one that is emptied first at the front. */
export const LANES = ["high", "normal", "low"] as const;

/** A lane of the queue. */
export type Lane = typeof LANES[number];

/** A value and its revision, which is another one after each change. */
export interface Row {
  readonly path: Path;
  readonly value: Uint8Array<ArrayBuffer>;
  readonly revision: number;
}

/** One entry of a log. */
export interface LogEntry {
  readonly value: Uint8Array<ArrayBuffer>;
  /** Its place: larger than those before it, not always the next number. */
  readonly place: number;
}

/** An entry of the queue, held until its lease ends: no other worker gets it while it is extended. */
export interface Lease {
  readonly value: Uint8Array<ArrayBuffer>;
  /** Milliseconds for which no other worker can have it, by this machine's monotonic clock: counted from before the server was last asked. */
  leftMs(): number;
  /** Begins the time of the lease anew; asks until the server has confirmed it, the lease is over or the signal is aborted. Never rejects. */
  extend(signal: AbortSignal): Promise<void>;
  /** Takes it out of the queue. */
  done(): Promise<void>;
  /** Gives it back to the queue, for after this time. */
  later(ms: number): Promise<void>;
}

/**
 * A server, as far as a fleet needs one: rows, logs, a queue and signals. Data is stored before a promise resolves.
 *
 * A temporary failure is tried again for `patienceMs`, each write with an id by which the server knows it; only then a call
 * rejects with a `FleetError`. `close()` ends all calls with `ClosedError`.
 */
export interface Engine {
  /** The most bytes that one value may have. */
  readonly maxBytes: number;
  /** Length of a lease, in milliseconds. */
  readonly leaseMs: number;
  /** Aborted when the server cannot be reached any more; another one when it can. */
  readonly connection: AbortSignal;
  /** The server's clock, milliseconds since 1970: one time for the whole fleet. */
  now(): number;

  get(path: Path): Promise<Row | undefined>;
  /** Writes a row if it still has this revision, 0 = no row; returns the new one, `undefined` when it had another. */
  put(
    path: Path,
    value: Uint8Array,
    revision: number,
  ): Promise<number | undefined>;
  /** Removes a row or a log with all below it; a missing one is no error. */
  remove(kind: "row" | "log", path: Path): Promise<void>;
  /** Every row below a path; one that changes meanwhile may come twice. */
  rows(below: Path): AsyncIterable<Row>;
  /** The paths of the rows below a path, without reading them. */
  paths(below: Path): Promise<readonly Path[]>;

  /** Adds to a log if its newest entry still has this place, 0 = an empty log; returns the place, `undefined` when it has another. */
  append(
    path: Path,
    value: Uint8Array,
    after: number,
  ): Promise<number | undefined>;
  /** The first entry behind a place, if there is one. */
  read(path: Path, after: number): Promise<LogEntry | undefined>;
  newest(path: Path): Promise<LogEntry | undefined>;

  /** Puts an entry into a lane; the same id a second time within two minutes changes nothing. */
  push(lane: Lane, value: Uint8Array, id: string): Promise<void>;
  /** The next entry of the queue, if one is ready. */
  take(): Promise<Lease | undefined>;
  /** Entries in the queue, those held included. */
  depth(): Promise<number>;

  /** Wakes all that listen; it may be lost. */
  signal(topic: Path): void;
  /** Calls back for each signal, and whenever one may have been lost; the returned function ends it. */
  listen(topic: Path, wake: () => void): () => void;

  close(): Promise<void>;
}

export function fleetError(
  fault: FleetFault,
  message: string,
  more?: Pick<AgentErrorInit, "cause" | "details">,
): FleetError {
  return new FleetError({ message, fault, ...more });
}
