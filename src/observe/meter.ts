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
  /** When the process was started. */
  startedMs: number | undefined;

  /** Counts what was read. */
  read(bytes: number, now: number): void {
    this.bytesRead += bytes;
    this.lastActivityMs = now;
  }

  /** Counts what was written. */
  wrote(bytes: number, lines: number, now: number): void {
    this.bytesWritten += bytes;
    this.messagesSent += lines;
    this.lastActivityMs = now;
  }
}
