import { backoffDelay } from "../async/backoff.ts";
import { textOfError } from "../errors/text.ts";
import {
  type Exchanges,
  isEventStream,
  notOffered,
  type RemoteServer,
} from "./exchanges.ts";
import { McpFailure } from "./failure.ts";

/** A stream that lived for so long was worth opening, in milliseconds. */
const WORTH_MS = 5_000;

/** The stream of one server, over all the requests that open it. */
export interface OwnStream {
  /** Sets the callback for when something may have been missed. */
  listen(onGap: () => void): void;
  /** Opens nothing any more. */
  close(): void;
  /** A `fetch` for the transport; whatever opens no stream of this kind goes straight on. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
}

/**
 * The stream on which a server says what nobody asked for.
 *
 * A server that never offered one is not asked again. One that was open is opened again with a growing wait, up to half
 * a minute, and what was said meanwhile is lost: that is told.
 */
export function ownStream(
  exchanges: Exchanges,
  { name, clock, log }: RemoteServer,
): OwnStream {
  const closing = new AbortController();
  let state: "new" | "opening" | "open" | "ended" = "new";
  let openedAt = 0;
  /** Requests in a row that led to nothing. */
  let misses = 0;
  let isTold = false;
  let onGap: () => void = () => {};

  return {
    listen: (listener) => void (onGap = listener),
    close: () => closing.abort(),
    async fetch(url, init = {}) {
      const { method, headers } = init;
      if (method !== "GET") return await exchanges.fetch(url, init);
      // An error would let it ask for ever.
      if (closing.signal.aborted) return notOffered();
      if (exchanges.restOf(init) !== undefined) {
        return await exchanges.fetch(url, init);
      }
      const isResumed = new Headers(headers).has("last-event-id");
      const isFirst = state === "new";
      // The rest of an answer that nobody waits for.
      if (isFirst ? isResumed : state !== "ended") return notOffered();
      state = "opening";
      return isFirst
        ? await openFirst(url, init)
        : await openAgain(url, init, isResumed);
    },
  };

  async function openFirst(
    url: string | URL,
    init: RequestInit,
  ): Promise<Response> {
    try {
      return await open(url, init);
    } finally {
      if (state === "opening") state = "new";
    }
  }

  async function openAgain(
    url: string | URL,
    init: RequestInit,
    isResumed: boolean,
  ): Promise<Response> {
    const missed = misses;
    try {
      if (missed > 0) {
        await clock.sleep(backoffDelay(missed - 1), closing.signal);
      }
      const response = await open(url, init);
      if (!isEventStream(response)) throw refusal(response);
      isTold = false;
      if (missed > 0 || !isResumed) onGap();
      return response;
    } catch (error) {
      state = "ended";
      if (closing.signal.aborted) return notOffered();
      misses++;
      tell(error);
      throw error;
    }
  }

  async function open(url: string | URL, init: RequestInit): Promise<Response> {
    const onEnd = () => {
      state = "ended";
      misses = clock.now() - openedAt >= WORTH_MS ? 0 : misses + 1;
    };
    const response = await exchanges.do(url, init, { onEnd });
    if (isEventStream(response)) {
      state = "open";
      openedAt = clock.now();
    }
    return response;
  }

  function refusal({ status }: Response): McpFailure {
    return new McpFailure(`MCP server "${name}" answered HTTP ${status}`, {
      kind: "http",
      status,
    });
  }

  function tell(error: unknown): void {
    if (isTold) return;
    isTold = true;
    log.warn(
      "MCP server cannot say what changed: its event stream is lost, and opened again as soon as it can be",
      { server: name, error: textOfError(error) },
    );
  }
}
