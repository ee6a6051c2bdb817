import { settleWithin } from "../async/deadline.ts";
import { onAbort } from "../async/on_abort.ts";
import { closeAll, closeFailure } from "../async/scope.ts";
import { systemClock } from "../async/system_clock.ts";
import { McpInitError } from "../errors/mcp.ts";
import type { McpConnection } from "../ports/mcp.ts";
import { McpFailure } from "./failure.ts";

/** A connection of this package takes less: a program is killed after 4 s. */
const CLOSE_MS = 6_000;

/**
 * Connects several servers at once, with a function that must settle when its signal is aborted.
 *
 * `"strict"`: the first failure ends the others, what was opened is closed, and when that is done the one error
 * surfaces. `"partial"`: the connected ones stay; only if all fail it is an error. An abort ends all of them, and its
 * reason is the rejection. What was opened and failures come in the order of the servers.
 *
 * @param hint For the details of an error, such as an option that would have kept the others
 */
export async function connectAll<Server, Open>(
  servers: ReadonlyMap<string, Server>,
  connect: (server: Server, signal: AbortSignal, name: string) => Promise<Open>,
  close: (open: Open) => Promise<void>,
  { signal, policy, hint }: {
    readonly signal: AbortSignal;
    readonly policy: "strict" | "partial";
    readonly hint?: string;
  },
): Promise<{
  readonly opened: ReadonlyMap<string, Open>;
  readonly failures: ReadonlyMap<string, McpInitError>;
}> {
  signal.throwIfAborted();
  const causes = new Map<string, unknown>();
  // One each: Node takes more than ten listeners on one signal for a leak.
  const ends = Array.from(servers, () => new AbortController());
  const endAll = (reason: unknown) => {
    for (const end of ends) end.abort(reason);
  };
  const unfollow = onAbort(signal, () => endAll(signal.reason));
  const attempts = [...servers].map(async ([name, server], index) => {
    // There is one for each.
    const end = (ends[index] as AbortController).signal;
    try {
      return [[name, await connect(server, end, name)] as const];
    } catch (error) {
      // An attempt that was ended did not fail.
      const isEnded = end.aborted && (error === end.reason ||
        error instanceof Error && error.name === "AbortError");
      if (isEnded) return [];
      causes.set(name, error);
      const text = `MCP server "${name}" failed to connect`;
      if (policy === "strict") endAll(new DOMException(text, "AbortError"));
      return [];
    }
  });
  const opened = new Map((await Promise.all(attempts)).flat());
  unfollow();
  const isGood = causes.size === 0 || policy === "partial" && opened.size > 0;
  if (isGood && !signal.aborted) {
    const failures = [...servers.keys()].filter((name) => causes.has(name))
      .map((name) => [name, new McpInitError(name, causes.get(name))] as const);
    return { opened, failures: new Map(failures) };
  }
  const closeFailures = await closeAll(opened, close);
  signal.throwIfAborted();
  const [[name, cause] = ["", undefined], ...others] = causes;
  throw new McpInitError(name, cause, {
    ...others.length > 0 && { others: Object.fromEntries(others) },
    ...closeFailures.size > 0 &&
      { closeFailures: Object.fromEntries(closeFailures) },
    ...hint !== undefined && { hint },
  });
}

export async function closeServers<Server>(
  servers: Iterable<readonly [name: string, server: Server]>,
  close: (server: Server) => Promise<void>,
): Promise<readonly Error[]> {
  return Array.from(
    await closeAll(servers, close),
    ([name, cause]) => closeFailure(`MCP server "${name}"`, cause),
  );
}

/** Closes a connection of any make; rejects when that fails or takes too long. */
export async function closeInTime(connection: McpConnection): Promise<void> {
  // A method of the user may throw synchronously.
  const closing = (async () => await connection.close())();
  const closed = closing.then(() => true);
  if (await settleWithin(closed, CLOSE_MS, systemClock)) return;
  throw new McpFailure(`Connection did not close within ${CLOSE_MS} ms`, {
    kind: "timeout",
  });
}
