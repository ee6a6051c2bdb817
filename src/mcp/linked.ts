import type { RpcMessage } from "./jsonrpc.ts";
import type { ForeignMcpServer } from "../types/mcp.ts";
import type { Transport } from "./transport.ts";

/** Connects a server object of the MCP SDK; it stays the caller's, and can be connected again after the close. */
export async function linkedTransport(
  instance: ForeignMcpServer,
): Promise<Transport> {
  const { InMemoryTransport } = await (import(
    "@modelcontextprotocol/sdk/inMemory.js"
  ) as Promise<typeof import("@modelcontextprotocol/sdk/inMemory")>);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  return {
    async start({ message, end }) {
      ours.onmessage = (one) => message(one as RpcMessage);
      ours.onclose = () => end();
      await instance.connect(theirs);
    },
    // Their type of messages is narrower.
    send: (message) => ours.send(message as never),
    close: () => ours.close(),
  };
}
