import { onAbort } from "../async/on_abort.ts";
import { closeAll } from "../async/scope.ts";
import { McpInitError } from "../errors/mcp.ts";
import type { McpConnection } from "../ports/mcp.ts";
import { closeInTime } from "./close.ts";

/** What {@link connectAll} is made from. */
export interface ConnectAllInit {
  /** Ends connecting; the rejection is its reason. */
  readonly signal: AbortSignal;
  /** One failure fails all, or the others stay. */
  readonly policy: "strict" | "partial";
  /** Told in the details of an error, such as the option that would have gone on. */
  readonly hint?: string;
}

/** Connects one server by its name; must settle when its signal is aborted. */
export type Connect = (
  name: string,
  signal: AbortSignal,
) => Promise<McpConnection>;

/** How connecting went. */
export interface ConnectOutcome {
  /** The connected ones, in the order of the names. */
  readonly connections: ReadonlyMap<string, McpConnection>;
  /** The failed ones, in the order of the names; empty with `"strict"`. */
  readonly failures: ReadonlyMap<string, McpInitError>;
}

/**
 * Connects several servers at once.
 *
 * `"strict"`: the first failure ends the others, what was opened is closed, and when that is done the one error
 * surfaces. `"partial"`: the connected ones stay; only if all fail it is an error. An abort ends all of them.
 */
export async function connectAll(
  names: readonly string[],
  connect: Connect,
  { signal, policy, hint }: ConnectAllInit,
): Promise<ConnectOutcome> {
  signal.throwIfAborted();
  const attempts = new Attempts(names, connect, policy);
  const unfollow = onAbort(signal, () => attempts.end(signal.reason));
  await attempts.settled.finally(unfollow);
  const { connections, failures } = attempts;
  const isGood = policy === "strict"
    ? failures.size === 0
    : connections.size > 0 || names.length === 0;
  if (isGood && !signal.aborted) {
    return {
      connections: inOrder(names, connections),
      failures: wrap(names, failures),
    };
  }
  const closeFailures = await closeAll(connections, closeInTime);
  signal.throwIfAborted();
  throw firstFailure(failures, closeFailures, hint);
}

/** The attempts that run at the same time. */
class Attempts {
  /** Resolves when none runs any more. */
  readonly settled: Promise<unknown>;
  readonly connections = new Map<string, McpConnection>();
  /** In the order in which they failed; without those that were ended. */
  readonly failures = new Map<string, unknown>();
  /** One each: Node takes more than ten listeners on one signal for a leak. */
  readonly #controllers: readonly AbortController[];

  constructor(
    names: readonly string[],
    connect: Connect,
    policy: "strict" | "partial",
  ) {
    this.#controllers = names.map(() => new AbortController());
    this.settled = Promise.all(names.map(async (name, index) => {
      // There is one for each name.
      const { signal } = this.#controllers[index] as AbortController;
      try {
        this.connections.set(name, await connect(name, signal));
      } catch (error) {
        if (signal.aborted && wasEnded(error, signal.reason)) return;
        this.failures.set(name, error);
        if (policy === "strict") this.end(sibling(name));
      }
    }));
  }

  end(reason: unknown): void {
    for (const controller of this.#controllers) controller.abort(reason);
  }
}

/** What was ended by us did not fail by itself. */
function wasEnded(error: unknown, reason: unknown): boolean {
  return error === reason ||
    (error instanceof Error && error.name === "AbortError");
}

function sibling(name: string): DOMException {
  return new DOMException(
    `MCP server "${name}" failed to connect`,
    "AbortError",
  );
}

function firstFailure(
  failures: ReadonlyMap<string, unknown>,
  closeFailures: ReadonlyMap<string, unknown>,
  hint: string | undefined,
): McpInitError {
  const [[name, cause] = ["", undefined], ...others] = failures;
  return new McpInitError(name, cause, {
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
    ...(closeFailures.size === 0
      ? {}
      : { closeFailures: Object.fromEntries(closeFailures) }),
    ...(hint === undefined ? {} : { hint }),
  });
}

function wrap(
  names: readonly string[],
  failures: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, McpInitError> {
  return new Map(
    Array.from(
      inOrder(names, failures),
      ([name, cause]) => [name, new McpInitError(name, cause)],
    ),
  );
}

function inOrder<T>(
  names: readonly string[],
  values: ReadonlyMap<string, T>,
): ReadonlyMap<string, T> {
  return new Map(
    names.flatMap((name) => {
      const value = values.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
