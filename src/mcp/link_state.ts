import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { ServerStatus } from "../types/mcp_hub.ts";
import { closeInTime } from "./connect_all.ts";

/** One connection to a server, from its handshake until it is closed. */
export class Session {
  readonly connection: McpConnection;
  readonly startedAt: number = systemClock.now();
  readonly #unanswered = new Set<Promise<unknown>>();

  constructor(connection: McpConnection) {
    this.connection = connection;
  }

  /** Waits for the answer to a request; {@link drain} does so too. */
  async use<T>(request: Promise<T>): Promise<T> {
    this.#unanswered.add(request);
    try {
      return await request;
    } finally {
      this.#unanswered.delete(request);
    }
  }

  /** Closes the connection once it has answered, or the signal is aborted. */
  async drain(signal: AbortSignal): Promise<void> {
    const answered = Promise.allSettled(this.#unanswered);
    await unlessAborted(answered, signal).catch(() => {});
    await closeInTime(this.connection);
  }
}

/** Where the link to a server is; earlier sessions drain beside it. */
export type LinkState =
  | { readonly name: "idle" }
  | { readonly name: "connecting"; readonly error?: unknown }
  | { readonly name: "connected"; readonly session: Session }
  | { readonly name: "lost"; readonly error: unknown }
  | { readonly name: "failed"; readonly error: unknown }
  | { readonly name: "closed"; readonly error?: unknown };

export type LinkEvent =
  | { readonly type: "dial" }
  | { readonly type: "open"; readonly session: Session }
  /** The connection is gone; without a cause it was closed in good order. */
  | { readonly type: "lose"; readonly error: unknown }
  | { readonly type: "fail"; readonly error: unknown }
  | { readonly type: "close" };

/** The state after an event. */
export function step(state: LinkState, event: LinkEvent): LinkState {
  // A connection dialled meanwhile is closed with the link.
  if (state.name === "closed") return state;
  switch (event.type) {
    case "dial":
      return { name: "connecting", error: errorIn(state) };
    case "open":
      return { name: "connected", session: event.session };
    case "lose":
      return { name: "lost", error: event.error };
    case "fail":
      return { name: "failed", error: event.error };
    case "close":
      // A server that could not be reached stays failed, also when its hub closes.
      return state.name === "failed"
        ? state
        : { name: "closed", error: errorIn(state) };
  }
}

function errorIn(state: LinkState): unknown {
  return "error" in state ? state.error : undefined;
}

/** The part of a state that users see. */
export function statusOf(
  state: LinkState,
): Pick<ServerStatus, "state" | "error"> {
  const error = errorIn(state);
  return { state: state.name, ...error !== undefined && { error } };
}
