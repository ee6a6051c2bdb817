/** What happens to the process and its pipes; every member is optional, a throwing one is ignored. */
export interface TransportMetrics {
  /** Discovery ended: the path found (or tried last), how long it took, whether it found one. */
  cliDiscovery?(path: string, durationMs: number, success: boolean): void;
  /** A process started. */
  processStart?(pid: number): void;
  /** One line was handed to stdin, newline included in the bytes. */
  messageSent?(bytes: number): void;
  /** One line was read from stdout; its bytes without the newline. */
  messageReceived?(bytes: number): void;
  /** Something failed at a stage: `discovery`, `connect`, `write`, `read` or `exit`. */
  error?(stage: string, error: unknown): void;
  /** The process ended; `null` when a signal ended it. */
  processExit?(exitCode: number | null, runtimeMs: number): void;
}

/** What happens in the control protocol, both directions; every member is optional. */
export interface ProtocolMetrics {
  /** A request began. */
  request?(subtype: string): void;
  /** A request was answered well. */
  success?(subtype: string, durationMs: number): void;
  /** A request was answered with an error, or its answer could not be sent. */
  error?(subtype: string): void;
  /** A request passed its limit. */
  timeout?(subtype: string): void;
  /** A control line of a wrong shape was dropped. */
  malformedMessage?(kind: string): void;
  /** An answer came that nobody waits for. */
  unknownResponse?(requestId: string): void;
  /** How many requests of ours are open; called at every change. */
  pendingRequests?(count: number): void;
  /** So many abandoned requests were swept. */
  orphanedRequests?(count: number): void;
  /** A callback threw, was late or returned nonsense. */
  handlerFailure?(subtype: string, error: unknown): void;
}

/** What the parser meets; every member is optional. */
export interface ParserMetrics {
  /** A message was parsed, or was not. */
  parse?(messageType: string, success: boolean): void;
  /** A message kind this package does not know was handed on as unknown. */
  unknownMessageType?(type: string): void;
  /** A content block kind this package does not know was wrapped. */
  unknownBlockType?(type: string): void;
  /** A required field was missing or of the wrong type. */
  parseError?(messageType: string, field: string): void;
}

/** The three groups of metrics; all optional. */
export interface Metrics {
  /** Process and pipes. */
  readonly transport?: TransportMetrics;
  /** Control protocol. */
  readonly protocol?: ProtocolMetrics;
  /** Parser. */
  readonly parser?: ParserMetrics;
}
