import { Correlator } from "../async/correlator.ts";
import { Deadlines } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { isObject, textOfError } from "../errors/text.ts";
import {
  INTERNAL_ERROR,
  type RequestId,
  type RpcMessage,
} from "../mcp/jsonrpc.ts";
import type { JsonObject } from "../types/json.ts";
import { Served } from "../wire/served.ts";
import type { McpTransport } from "./generated/types.ts";

/** A request that is being answered. */
export interface RpcRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly transport: McpTransport;
  /** Has the signal, aborted when the client cancels the request or leaves. */
  readonly call: Served;
  /** Sends a request of the server meanwhile; ends with this one at the latest. */
  readonly ask: (request: object) => Promise<unknown>;
}

/** Requests without an answer yet; the MCP connections of this room have no timeouts. */
export class OpenRequests<Answer>
  extends Correlator<unknown, undefined, Answer> {
  constructor() {
    super(new Deadlines(systemClock));
  }
}

/** Answers the requests that come over a transport; a cancelled one is not answered. */
export function serveOver(
  transport: McpTransport,
  answer: (request: RpcRequest) => Promise<object>,
  onClose: () => void,
): void {
  const calls = new Map<unknown, Served>();
  const asked = new OpenRequests<unknown>();
  let nextId = 0;
  transport.onmessage = (message: RpcMessage) => {
    const { id, method, params } = message;
    if (method === undefined) settle(message);
    else if (id !== undefined && id !== null) {
      void serve(id, method, params ?? {});
    } else if (method === "notifications/cancelled") {
      const call = calls.get(params?.requestId);
      calls.delete(params?.requestId);
      call?.abort(params?.reason ?? undefined);
    }
  };
  transport.onclose = () => {
    for (const call of calls.values()) call.abort();
    calls.clear();
    onClose();
  };

  async function serve(
    id: RequestId,
    method: string,
    params: JsonObject,
  ): Promise<void> {
    const call = new Served(String(id), { subtype: method }, 0);
    calls.set(id, call);
    const ask = async (request: object) => {
      const { signal } = call;
      signal.throwIfAborted();
      const own = nextId++;
      const { promise } = asked.open(own, undefined, { signal });
      transport.send({ jsonrpc: "2.0", id: own, ...request })
        .catch((error) => asked.take(own)?.reject(error));
      return await promise;
    };
    let answered: object;
    try {
      answered = await answer({ id, method, params, transport, call, ask });
    } catch (error) {
      const message = textOfError(error);
      answered = { error: { code: INTERNAL_ERROR, message } };
    }
    // Cancelled, or asked anew under the same id.
    if (calls.get(id) !== call) return;
    calls.delete(id);
    await transport.send({ jsonrpc: "2.0", id, ...answered }).catch(() => {});
  }

  function settle({ id, result, error }: RpcMessage): void {
    const request = asked.take(id);
    if (!isObject(error)) return request?.resolve(result);
    const { code, message, data } = error;
    const failure = new Error(`MCP error ${code}: ${message}`);
    request?.reject(Object.assign(failure, { code, data }));
  }
}
