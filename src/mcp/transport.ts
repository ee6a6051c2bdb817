import type { JsonObject } from "../types/json.ts";
import type { McpFailure } from "./failure.ts";

export interface Transport {
  start(events: TransportEvents): Promise<void>;
  send(message: JsonObject): Promise<void>;
  /** Called when the handshake is done, with the protocol revision agreed on. */
  opened?(version: string): void;
  /** Called when a request has ended; without its answer, the rest of that is of no use. */
  settled?(id: number): void;
  /** Closes it, an open session in good order; idempotent. */
  close(): Promise<void>;
}

export interface TransportEvents {
  readonly message: (message: JsonObject) => void;
  /** It ended; without a cause when it was closed by us. */
  readonly end: (cause?: unknown) => void;
  /** The answer to a request is lost; also called for answered requests. */
  readonly lost: (id: number, failure: McpFailure) => void;
  readonly sessionLost: (failure: McpFailure) => void;
  /** Notifications may have been missed. */
  readonly gap: () => void;
}
