import { cleanCopy } from "../errors/clean.ts";
import type { Scrubber } from "../errors/scrubber.ts";
import type { McpConnection } from "../ports/mcp.ts";

/** Connects; no error of the connection, nor of connecting, holds a secret of its configuration. */
export async function scrubbed(
  scrubber: Scrubber,
  signal: AbortSignal,
  connect: () => Promise<McpConnection>,
): Promise<McpConnection> {
  const inner = await clean(connect(), signal);
  let closing: Promise<void> | undefined;
  return {
    name: inner.name,
    get server() {
      return inner.server;
    },
    closed: inner.closed.then((cause) => cleanCopy(cause, scrubber)),
    request: (method, params, options) =>
      clean(inner.request(method, params, options), options?.signal),
    notify: (method, params) => clean(inner.notify(method, params)),
    listen: (listener) => inner.listen(listener),
    serve: (handler) => inner.serve(handler),
    close: () => closing ??= clean(inner.close()),
  };

  async function clean<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work;
    } catch (error) {
      // The reason of a signal is the caller's own.
      throw signal?.aborted && error === signal.reason
        ? error
        : cleanCopy(error, scrubber);
    }
  }
}
