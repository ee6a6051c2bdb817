import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import type { JsonObject } from "../types/json.ts";
import type { StreamPart } from "./model_stream.ts";

/** Characters that are gathered before they go out. */
const WRITE_CHARS = 65_536;

/** Time for what was said to get out before the connection is cut. */
const FLUSH_MS = 10;

const encoder = new TextEncoder();

/** Server-sent events, as the API gives them, until the signal is aborted; what hangs goes on when it is released. Whoever reads decides the pace. */
export function eventBody(
  parts: readonly StreamPart[],
  clock: Clock,
  signal: AbortSignal,
  released: Promise<void>,
): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const ending = AbortSignal.any([signal, left.signal]);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      let text = "";
      try {
        while (at < parts.length && text.length < WRITE_CHARS) {
          const part = parts[at];
          if (part === undefined) break;
          if ("event" in part) {
            text += toFrame(part.event);
          } else if (text !== "") {
            // What was said goes out before the wait.
            break;
          } else if ("pauseMs" in part) {
            await clock.sleep(part.pauseMs, ending);
          } else if (part.end === "hang") {
            await unlessAborted(released, ending);
          } else {
            await systemClock.sleep(FLUSH_MS, ending);
            return controller.error();
          }
          at++;
        }
      } catch {
        // Closed, or left: the connection is cut. Bun prints a reason, so there is none.
        return controller.error();
      }
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (at >= parts.length) controller.close();
    },
    cancel() {
      left.abort(new Error("Nobody reads the answer any more"));
    },
  }, { highWaterMark: 0 });
}

function toFrame(event: JsonObject): string {
  return `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`;
}
