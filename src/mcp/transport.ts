import type { JsonObject } from "../types/json.ts";
import type { McpFailure } from "./failure.ts";

/** Moves the messages of one connection. */
export interface Transport {
  /** Opens it; resolves when messages can be sent. */
  start(events: TransportEvents): Promise<void>;
  send(message: JsonObject): Promise<void>;
  /** Called when the handshake is done, with the protocol revision agreed on. */
  opened?(version: string): void;
  /** Called when a request has ended; without its answer, the rest of that is of no use. */
  settled?(id: number): void;
  /** Closes it, an open session in good order; idempotent. */
  close(): Promise<void>;
}

/** Receives what happens on a transport. */
export interface TransportEvents {
  readonly message: (message: JsonObject) => void;
  /** It ended; without a cause when it was closed by us. */
  readonly end: (cause?: unknown) => void;
  /** The answer to a request is lost; also called for answered requests. */
  readonly lost: (id: number, failure: McpFailure) => void;
  /** The server no longer knows the session. */
  readonly sessionLost: (failure: McpFailure) => void;
  /** Notifications may have been missed. */
  readonly gap: () => void;
}
