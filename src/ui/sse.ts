import { asyncIteratorOf } from "../async/iterator.ts";
import { integer } from "../options/fields.ts";
import { type BodySettings, eventBody } from "./event_body.ts";
import { encode, textOfEvent } from "./event_text.ts";
import { failureOf } from "./failure.ts";
import { endEvents } from "./mapping.ts";

const HEARTBEAT_MS = 15_000;

/** Settings of {@link sse}. */
export interface SseOptions {
  /** Silence after which a heartbeat is sent, in milliseconds; 15 000; 0 = none. It is a comment, which readers ignore. */
  readonly heartbeatMs?: number | undefined;
  /** Ends the stream and cancels the source. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Encodes the values of a stream as server-sent events.
 *
 * Shape: `data: <JSON>` and an empty line for each value, in UTF-8. It reads the source only when it is read, and
 * cancels the source when it is cancelled. An error of the source becomes an event `failure` with `code` and `message`,
 * then an event `end`.
 *
 * @param stream Values that can be written as JSON
 * @param options Heartbeats, and a signal
 * @returns The body of a response of the type `text/event-stream`
 * @throws {ConfigError} If `heartbeatMs` is no number of milliseconds
 *
 * @example Send your own values
 * ```ts
 * import { sse } from "@sluice/agent/ui";
 * import assert from "node:assert/strict";
 *
 * async function* values() {
 *   yield { step: 1 };
 *   yield "two\nlines";
 * }
 * assert.equal(
 *   await new Response(sse(values())).text(),
 *   'data: {"step":1}\n\ndata: "two\\nlines"\n\n',
 * );
 * ```
 */
export function sse<T>(
  stream: AsyncIterable<T> | ReadableStream<T>,
  { heartbeatMs, signal }: SseOptions = {},
): ReadableStream<Uint8Array> {
  const settings: BodySettings = {
    heartbeatMs: heartbeatOf(heartbeatMs),
    signal,
  };
  const values = asyncIteratorOf(stream);
  const leave = () => void values.return?.().catch(() => {});
  /** Events after an error. */
  let last: Uint8Array[] | undefined;
  return eventBody({
    async next() {
      if (last !== undefined) return last.shift();
      try {
        const { value, done } = await values.next();
        return done ? undefined : encode(textOfEvent({ data: value }));
      } catch (error) {
        last = endEvents(failureOf(error)).map((event) =>
          encode(textOfEvent(event))
        );
        leave();
        return last.shift();
      }
    },
    leave,
  }, settings);
}

/** Returns the silence before a heartbeat, in milliseconds. */
export function heartbeatOf(value: number | undefined): number {
  const ms = value ?? HEARTBEAT_MS;
  integer({ min: 0 })(ms, "heartbeatMs");
  return ms;
}
