import { ignoreResult } from "../async/deferred.ts";
import type { FullClock } from "../ports/clock.ts";
import type { Complete } from "../types/option_values.ts";
import type {
  Metrics,
  ParserMetrics,
  ProtocolMetrics,
  TransportMetrics,
} from "../types/observe.ts";

/** The user's metrics: every member filled in, none throws; a group that was not given is absent, so that hot paths check once. */
export interface SafeMetrics {
  /** Process and pipes. */
  readonly transport: Complete<TransportMetrics> | undefined;
  readonly protocol: Complete<ProtocolMetrics> | undefined;
  readonly parser: ParserMetrics | undefined;
}

/** Redacts a value: returns a copy if it holds secrets. */
export type Redact = <Value>(value: Value) => Value;

/** Wraps the user's metrics; `shown` redacts errors and texts for them. */
export function safeMetrics(
  metrics: Metrics = {},
  shown: Redact = (value) => value,
): SafeMetrics {
  const { transport, protocol, parser } = metrics;
  return {
    transport: transport && {
      cliDiscovery: safe(transport, "cliDiscovery"),
      processStart: safe(transport, "processStart"),
      messageSent: safe(transport, "messageSent"),
      messageReceived: safe(transport, "messageReceived"),
      error: safe(transport, "error", shown),
      processExit: safe(transport, "processExit"),
    },
    protocol: protocol && {
      request: safe(protocol, "request", shown),
      success: safe(protocol, "success", shown),
      error: safe(protocol, "error", shown),
      timeout: safe(protocol, "timeout", shown),
      malformedMessage: safe(protocol, "malformedMessage", shown),
      unknownResponse: safe(protocol, "unknownResponse", shown),
      pendingRequests: safe(protocol, "pendingRequests"),
      orphanedRequests: safe(protocol, "orphanedRequests"),
      handlerFailure: safe(protocol, "handlerFailure", shown),
    },
    parser: parser && {
      // Once a message: that must cost nothing for nothing.
      ...isThere(parser, "parse") && {
        parse: safe(parser, "parse", remembered(shown)),
      },
      unknownMessageType: safe(parser, "unknownMessageType", shown),
      unknownBlockType: safe(parser, "unknownBlockType", shown),
      parseError: safe(parser, "parseError", shown),
    },
  };
}

/** Whether a group has a member; one that does not say so may have it. */
function isThere<Group extends object>(
  group: Group,
  key: keyof Group,
): boolean {
  try {
    return group[key] !== undefined;
  } catch {
    return true;
  }
}

const MOST_REMEMBERED = 100;

/** The same for kinds of messages: each is redacted once, since every message is counted. */
function remembered(shown: Redact): Redact {
  const known = new Map<unknown, unknown>();
  return <Value>(value: Value) => {
    if (typeof value !== "string") return value;
    const before = known.get(value);
    if (before !== undefined) return before as Value;
    const clean = shown(value);
    if (known.size < MOST_REMEMBERED) known.set(value, clean);
    return clean;
  };
}

/** A member as a function that never throws; called on its object, as a method would be. */
export function safe<Group extends object, Key extends keyof Group>(
  group: Group,
  key: Key,
  shown?: Redact,
): Complete<Group>[Key] {
  let isInside = false;
  const call = (...args: unknown[]): unknown => {
    // A member that causes what it counts would be called for ever.
    if (isInside) return undefined;
    isInside = true;
    try {
      const member: unknown = group[key];
      if (typeof member !== "function") return undefined;
      const all = shown === undefined ? args : args.map((one) => shown(one));
      const result: unknown = member.apply(group, all);
      ignoreResult(result);
      return result;
    } catch {
      // Metrics never disturb a conversation.
      return undefined;
    } finally {
      isInside = false;
    }
  };
  // Every member of the groups is a function, and may return nothing.
  return call as Complete<Group>[Key];
}

/** The counters behind `ProcessHealth`; touched once a chunk or a write, not once a message. */
export class Meter {
  bytesRead = 0;
  bytesWritten = 0;
  /** Lines read. */
  messagesReceived = 0;
  /** Lines written. */
  messagesSent = 0;
  /** When the process started and when the last byte was read or written, in milliseconds since 1970. */
  startedAt: number | undefined;
  lastActivityAt: number | undefined;
  /** The same start, and what the watch over a silent CLI counts from, by the monotonic clock. */
  startedMs: number | undefined;
  /** When the last line arrived that shows progress, or one was written that asks for it. */
  lastSignMs: number | undefined;
  /** When work was last under way after stdin was closed. */
  lastWorkMs: number | undefined;

  started(clock: FullClock): void {
    this.startedAt = clock.now();
    this.startedMs = clock.monotonic();
  }

  read(bytes: number, clock: FullClock): void {
    this.bytesRead += bytes;
    this.lastActivityAt = clock.now();
  }

  /** Counts what was written. */
  wrote(bytes: number, lines: number, clock: FullClock): void {
    this.bytesWritten += bytes;
    this.messagesSent += lines;
    this.lastActivityAt = clock.now();
  }
}
