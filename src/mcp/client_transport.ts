import type { JsonObject } from "../types/json.ts";
import type { McpFailure } from "./failure.ts";

/** The part of a transport of the MCP SDK that this package makes or uses. */
export interface ClientTransport {
  /** Opens it. */
  start(): Promise<void>;
  /** Sends one message. */
  send(message: JsonObject, options?: object): Promise<void>;
  /** Closes it; idempotent. */
  close(): Promise<void>;
  /** Hears of its end. */
  onclose?: (() => void) | undefined;
  /** Hears of what went wrong without ending it. */
  onerror?: ((error: Error) => void) | undefined;
  /** Hears of each message. */
  onmessage?: ((message: JsonObject) => void) | undefined;
}

/** A transport, and what a connection must know of it beside. */
export interface TransportSetup {
  /** The transport. */
  readonly transport: ClientTransport;
  /** Why it ended; `undefined` when it has not, or was closed by us. */
  readonly causeOf?: () => unknown;
  /** Ends a session in good order, before the transport is closed. */
  readonly beforeClose?: () => Promise<void>;
  /** Is handed the way to fail one request whose answer was lost, by the id it travelled under. */
  readonly onLost?: (fail: (id: number, failure: McpFailure) => void) => void;
  /** Hears that the transport can ask again for the rest of a request's stream, after the event of that id. */
  readonly onResumable?: (id: number, token: string) => void;
  /** Hears that nobody waits for the answer to a request any more. */
  readonly onSettled?: (id: number) => void;
  /** Is handed the way to tell that the server may have said something that was not heard. */
  readonly onGap?: (tell: () => void) => void;
  /** Makes sense of an error that is neither an answer nor ours. */
  readonly explain?: (error: unknown) => McpFailure | undefined;
}
