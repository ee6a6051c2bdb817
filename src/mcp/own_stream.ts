import { backoffDelay } from "../async/backoff.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { FullClock } from "../ports/clock.ts";
import type { McpFailure } from "./failure.ts";
import type { TransportEvents } from "./transport.ts";

/** A stream that lived this long was worth opening, in milliseconds. */
const WORTH_MS = 5_000;

/**
 * Opens the stream on which a server reports what it was not asked for; the transport of the MCP SDK asks for it.
 *
 * One that was open is opened again with a growing wait, until the session is lost. A server that never offered one is
 * not asked again.
 */
export function ownStream(
  exchanges: StreamSource,
  { name, clock, log }: {
    readonly name: string;
    readonly clock: FullClock;
    readonly log: Log;
  },
): (url: string | URL, init: RequestInit) => Promise<Response> {
  const { closing } = exchanges;
  let isOpen = false;
  let wasOpen = false;
  let openedAt = 0;
  /** Requests in a row that led to nothing. */
  let misses = 0;
  let isTold = false;

  return async (url, init) => {
    if (isOpen) return notOffered();
    const isAgain = wasOpen;
    try {
      if (misses > 0) await clock.sleep(backoffDelay(misses - 1), closing);
      const response = await exchanges.do(url, init, {
        id: OWN,
        onEnd() {
          isOpen = false;
          misses = clock.monotonic() - openedAt >= WORTH_MS ? 0 : misses + 1;
        },
      });
      if (isEventStream(response)) {
        isOpen = wasOpen = true;
        openedAt = clock.monotonic();
        isTold = false;
        const isResumed = new Headers(init.headers).has("last-event-id");
        if (isAgain && (misses > 0 || !isResumed)) exchanges.events?.gap();
      } else if (isAgain) {
        const failure = await exchanges.refusal(response, init);
        if (failure.isSessionLost) return notOffered();
        throw failure;
      }
      return response;
    } catch (error) {
      // An error would let the transport ask for ever.
      if (closing.aborted) return notOffered();
      misses++;
      if (isAgain && !isTold) {
        isTold = true;
        log.warn(
          "MCP server cannot report changes: its event stream is lost, and opened again as soon as possible",
          { server: name, error: textOfError(error) },
        );
      }
      throw error;
    }
  };
}

/** The part of the exchanges of a connection that opens streams. */
interface StreamSource {
  readonly closing: AbortSignal;
  readonly events: TransportEvents | undefined;
  do(
    url: string | URL,
    init: RequestInit,
    facts: { readonly id: number; readonly onEnd: () => void },
  ): Promise<Response>;
  refusal(response: Response, init: RequestInit): Promise<McpFailure>;
}

/** Stands for the id of a request; those begin at 1. */
export const OWN = 0;

/** Whether a transport reads events from a response. */
export function isEventStream({ ok, headers }: Response): boolean {
  const kind = headers.get("content-type")?.toLowerCase() ?? "";
  return ok && kind.startsWith("text/event-stream");
}

/** The answer after which the transport no longer asks for a stream. */
export function notOffered(): Response {
  return new Response(null, { status: 405 });
}
