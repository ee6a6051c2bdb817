import type { JsonObject } from "../types/json.ts";
import type { Exchanges } from "./exchanges.ts";
import type { McpFailure } from "./failure.ts";

/** The part of a transport of the MCP SDK that this package makes or uses. */
export interface ClientTransport {
  start(): Promise<void>;
  send(message: JsonObject, options?: object): Promise<void>;
  /** Closes it; idempotent. */
  close(): Promise<void>;
  /** Called with the revision agreed on; HTTP carries it in a header. */
  setProtocolVersion?(version: string): void;
  onclose?: (() => void) | undefined;
  /** Called with what went wrong without ending it. */
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JsonObject) => void) | undefined;
}

/** A transport, and what a connection must know of it beside. */
export interface TransportSetup {
  readonly transport: ClientTransport;
  /** Why it ended; `undefined` when it has not, or was closed by us. */
  readonly causeOf?: () => unknown;
  /** Called when the handshake is done. */
  readonly onOpen?: () => void;
  /** Ends a session in good order, before the transport is closed. */
  readonly beforeClose?: () => Promise<void>;
  /** What the transport does by HTTP; it loses single answers, and can ask again for the rest of some. */
  readonly exchanges?: Exchanges;
  /** Takes the function to call when the server may have said something that was missed. */
  readonly onGap?: (tell: () => void) => void;
  /** Makes sense of an error that is neither an answer nor ours. */
  readonly explain?: (error: unknown) => McpFailure | undefined;
}
