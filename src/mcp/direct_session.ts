import { Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import type {
  McpConnection,
  McpDirectCall,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { OpenCalls } from "./call.ts";
import { closedFailure } from "./failure.ts";
import { methodNotFound } from "./jsonrpc.ts";

/** A server that is asked by function calls. */
interface DirectServer {
  readonly info: McpServerInfo;
  /** Its answer to `tools/list`. */
  list(): JsonObject | Promise<JsonObject>;
  /** Its answer to `tools/call`. */
  call(
    params: JsonObject | undefined,
    call: McpDirectCall,
  ): JsonValue | Promise<JsonValue>;
}

/** A session that can say what the server says by itself. */
export interface DirectSession extends McpConnection {
  tell(method: string): void;
}

/** Opens a session with a server of this program; calls that are open when it closes reject. */
export function directSession(
  name: string,
  server: DirectServer,
  onClose: () => void = () => {},
): DirectSession {
  const closed = new Deferred<unknown>();
  const deadlines = new Deadlines(systemClock);
  const calls = new OpenCalls({ server: name, deadlines });
  const listeners = new Set<(method: string) => void>();

  function answer(
    method: string,
    params: JsonObject | undefined,
    call: McpDirectCall,
  ): JsonValue | Promise<JsonValue> {
    if (closed.isSettled) throw closedFailure(name, { delivery: "not_sent" });
    switch (method) {
      case "tools/call":
        return server.call(params, call);
      case "tools/list":
        return server.list();
      case "ping":
        return {};
      default:
        throw methodNotFound(method);
    }
  }

  return {
    name,
    server: server.info,
    closed: closed.promise,
    answer,
    request: (method, params, options = {}) =>
      calls.run(method, options, (call) => answer(method, params, call)),
    // Nothing that a caller can say matters to functions.
    notify: () => Promise.resolve(),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    // It asks nothing; the servers behind a hub ask the program that has the hub.
    serve: () => {},
    tell(method) {
      for (const listener of listeners) listener(method);
    },
    close() {
      if (!closed.isSettled) {
        closed.resolve(undefined);
        onClose();
        calls.end(closedFailure(name, {}));
        deadlines.close();
      }
      return Promise.resolve();
    },
  };
}
