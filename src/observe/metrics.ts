import type {
  Metrics,
  ParserMetrics,
  ProtocolMetrics,
  TransportMetrics,
} from "../types/metrics.ts";
import { ignoreResult } from "./log.ts";

/** The user's metrics: every member filled in, none throws; a group nobody gave is absent, so that hot paths ask once. */
export interface SafeMetrics {
  /** Process and pipes. */
  readonly transport: Required<TransportMetrics> | undefined;
  /** Control protocol. */
  readonly protocol: Required<ProtocolMetrics> | undefined;
  /** Parser. */
  readonly parser: Required<ParserMetrics> | undefined;
}

/** Wraps the user's metrics. */
export function safeMetrics(metrics: Metrics = {}): SafeMetrics {
  const { transport, protocol, parser } = metrics;
  return {
    transport: transport && {
      cliDiscovery: safe(transport, "cliDiscovery"),
      processStart: safe(transport, "processStart"),
      messageSent: safe(transport, "messageSent"),
      messageReceived: safe(transport, "messageReceived"),
      error: safe(transport, "error"),
      processExit: safe(transport, "processExit"),
    },
    protocol: protocol && {
      request: safe(protocol, "request"),
      success: safe(protocol, "success"),
      error: safe(protocol, "error"),
      timeout: safe(protocol, "timeout"),
      malformedMessage: safe(protocol, "malformedMessage"),
      unknownResponse: safe(protocol, "unknownResponse"),
      pendingRequests: safe(protocol, "pendingRequests"),
      orphanedRequests: safe(protocol, "orphanedRequests"),
      handlerFailure: safe(protocol, "handlerFailure"),
    },
    parser: parser && {
      parse: safe(parser, "parse"),
      unknownMessageType: safe(parser, "unknownMessageType"),
      unknownBlockType: safe(parser, "unknownBlockType"),
      parseError: safe(parser, "parseError"),
    },
  };
}

/** A member as a function that never throws; called on its object, as a method would be. */
function safe<Group extends object, Key extends keyof Group>(
  group: Group,
  key: Key,
): Required<Group>[Key] {
  const call = (...args: unknown[]): void => {
    try {
      const member: unknown = group[key];
      if (typeof member === "function") {
        ignoreResult(member.apply(group, args));
      }
    } catch {
      // Metrics never disturb a conversation.
    }
  };
  // Every member of the three groups takes arguments and returns nothing.
  return call as Required<Group>[Key];
}

/** The counters behind `ProcessHealth`; touched once a chunk or a write, not once a message. */
export class Meter {
  /** Bytes read from stdout. */
  bytesRead = 0;
  /** Bytes written to stdin. */
  bytesWritten = 0;
  /** Lines read. */
  messagesReceived = 0;
  /** Lines written. */
  messagesSent = 0;
  /** When the last byte went either way, milliseconds since 1970. */
  lastActivityMs: number | undefined;
  /** The same without lines that only say that the CLI is there. */
  lastSignMs: number | undefined;
  /** When the process was started. */
  startedMs: number | undefined;

  /** Counts what was read, and whether it is a sign that work goes on. */
  read(bytes: number, now: number, isSign: boolean = true): void {
    this.bytesRead += bytes;
    this.lastActivityMs = now;
    if (isSign) this.lastSignMs = now;
  }

  /** Counts what was written. */
  wrote(bytes: number, lines: number, now: number): void {
    this.bytesWritten += bytes;
    this.messagesSent += lines;
    this.lastActivityMs = this.lastSignMs = now;
  }
}
