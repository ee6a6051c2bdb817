import type { JsonObject } from "../types/json.ts";
import type { ForeignMcpServer } from "../types/mcp.ts";
import type { Transport, TransportEvents } from "./transport.ts";

/** Connects a server object of the MCP SDK; it stays the caller's, and can be connected again after the close. */
export function linkedTransport(instance: ForeignMcpServer): Transport {
  let events: TransportEvents | undefined;
  let isClosed = false;
  const theirs: SdkTransport = {
    start: () => Promise.resolve(),
    send(message) {
      if (isClosed) return Promise.reject(new Error("Not connected"));
      events?.message(message);
      return Promise.resolve();
    },
    close,
  };
  return {
    async start(given) {
      events = given;
      await instance.connect(theirs);
    },
    send(message) {
      if (isClosed) return Promise.reject(new Error("Not connected"));
      theirs.onmessage?.(message);
      return Promise.resolve();
    },
    // By the close of their end, which its owner may have wrapped.
    close: () => theirs.close(),
  };

  function close(): Promise<void> {
    if (isClosed) return Promise.resolve();
    isClosed = true;
    theirs.onclose?.();
    events?.end();
    return Promise.resolve();
  }
}

/** The part of a transport of the MCP SDK that its servers use. */
interface SdkTransport {
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
  onclose?: () => void;
  onmessage?: (message: JsonObject) => void;
}
