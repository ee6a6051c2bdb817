import type { ConversationMetrics } from "./observer.ts";
import type { PoolMetrics } from "./pool_stats.ts";

/** Facts of a log line, by name. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Receives log lines; `console` is a valid logger.
 *
 * A logger that throws never disturbs a conversation. Secrets never reach it.
 */
export interface Logger {
  /** Logs details for debugging; optional. */
  debug(message: string, fields?: LogFields): void;
  /** Start and end of processes. */
  info(message: string, fields?: LogFields): void;
  /** Logs a problem that does not stop the work. */
  warn(message: string, fields?: LogFields): void;
  /** Logs a failure. */
  error(message: string, fields?: LogFields): void;
}

/** Events of the process and its pipes; every member is optional, a throwing one is ignored. */
export interface TransportMetrics {
  /** Discovery ended: the path found (or tried last), how long it took, whether it found one. */
  readonly cliDiscovery?:
    | ((path: string, durationMs: number, success: boolean) => void)
    | undefined;
  /** A process started. */
  readonly processStart?: ((pid: number) => void) | undefined;
  /** One line was handed to stdin, newline included in the bytes. */
  readonly messageSent?: ((bytes: number) => void) | undefined;
  /** One line was read from stdout; its bytes without the newline. */
  readonly messageReceived?: ((bytes: number) => void) | undefined;
  /** Something failed at a stage: `discovery`, `connect`, `write`, `read` or `exit`. */
  readonly error?: ((stage: string, error: unknown) => void) | undefined;
  /** The process ended; `null` when a signal ended it. */
  readonly processExit?:
    | ((exitCode: number | null, runtimeMs: number) => void)
    | undefined;
}

/** Events of the control protocol, both directions; every member is optional. */
export interface ProtocolMetrics {
  /** A request began. */
  readonly request?: ((subtype: string) => void) | undefined;
  /** A request succeeded. */
  readonly success?:
    | ((subtype: string, durationMs: number) => void)
    | undefined;
  /** A request was answered with an error, or its answer could not be sent. */
  readonly error?: ((subtype: string) => void) | undefined;
  /** A request timed out. */
  readonly timeout?: ((subtype: string) => void) | undefined;
  /** A control line of a wrong shape was dropped. */
  readonly malformedMessage?: ((kind: string) => void) | undefined;
  /** A response arrived without a pending request. */
  readonly unknownResponse?: ((requestId: string) => void) | undefined;
  /** Number of pending requests of this program; called at every change. */
  readonly pendingRequests?: ((count: number) => void) | undefined;
  /** Number of abandoned requests that were dropped. */
  readonly orphanedRequests?: ((count: number) => void) | undefined;
  /** A callback threw, timed out or returned an invalid value. */
  readonly handlerFailure?:
    | ((subtype: string, error: unknown) => void)
    | undefined;
}

/** Events of the parser; every member is optional. */
export interface ParserMetrics {
  /** A message was parsed, or was not. */
  readonly parse?:
    | ((messageType: string, success: boolean) => void)
    | undefined;
  /** A message of an unknown kind was passed on as {@link UnknownMessage}. */
  readonly unknownMessageType?: ((type: string) => void) | undefined;
  /** A content block of an unknown kind was wrapped. */
  readonly unknownBlockType?: ((type: string) => void) | undefined;
  /** A required field was missing or of the wrong type. */
  readonly parseError?:
    | ((messageType: string, field: string) => void)
    | undefined;
}

/** The groups of metrics; all optional. */
export interface Metrics {
  /** Process and pipes. */
  readonly transport?: TransportMetrics | undefined;
  /** Control protocol. */
  readonly protocol?: ProtocolMetrics | undefined;
  /** Parser. */
  readonly parser?: ParserMetrics | undefined;
  /** A `Pool`; unused elsewhere. */
  readonly pool?: PoolMetrics | undefined;
  /** Conversations, turn by turn. */
  readonly conversation?: ConversationMetrics | undefined;
}
