import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import { serveLoopback } from "../runtime/loopback.ts";
import { DONE } from "./exit_code.ts";
import type { RecordingReader } from "./inspect.ts";
import { interrupts } from "./interrupts.ts";
import { toPage } from "./page.ts";
import type { Screen } from "./screen.ts";
import type { Step } from "./story.ts";
import { UsageError } from "./tree.ts";

/** How often it looks whether the recording has grown, in milliseconds. */
const LOOK_MS = 200;

const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Serves a recording to whoever has the token, on this machine alone, and follows it until it is told to end. */
export async function serve(
  reader: RecordingReader,
  port: number,
  on: Screen,
): Promise<number> {
  const stopped = interrupts(on.program);
  const token = crypto.randomUUID();
  const listeners = new Set<(steps: readonly Step[]) => void>();
  await reader.readMore();
  try {
    const server = await serveLoopback(async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === `/${token}/`) {
        const { html, policy } = await toPage(reader.story, true);
        return new Response(html, {
          headers: {
            ...HEADERS,
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": `${policy}; frame-ancestors 'none'`,
          },
        });
      }
      if (pathname === `/${token}/events`) {
        return new Response(events(reader, listeners, request.signal), {
          headers: { ...HEADERS, "content-type": "text/event-stream" },
        });
      }
      return new Response("There is nothing here", {
        status: 404,
        headers: HEADERS,
      });
    }, { port }).catch((error: unknown) => {
      throw new UsageError(
        `Cannot listen on port ${port}: ${
          textOfError(error)
        }; leave --port out for one that is free`,
      );
    });
    try {
      await on.write(`${server.url}/${token}/\n`);
      await on.note(on.err.dim("Ctrl-C ends it"));
      reader.story.takeChanged();
      while (!stopped.signal.aborted) {
        await systemClock.sleep(LOOK_MS, stopped.signal).catch(() => {});
        if (!await reader.readMore()) continue;
        const changed = reader.story.takeChanged();
        for (const tell of listeners) tell(changed);
      }
    } finally {
      await server.close();
    }
    return stopped.exitCode() ?? DONE;
  } finally {
    stopped.stop();
  }
}

/** What came since a page was made, as events; the first holds everything, since a page may be older. */
function events(
  { story }: RecordingReader,
  listeners: Set<(steps: readonly Step[]) => void>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      const tell = (steps: readonly Step[]) => {
        const { context, head, turns } = story;
        const text = JSON.stringify({ head, turns, context, steps });
        controller.enqueue(encoder.encode(`data: ${text}\n\n`));
      };
      listeners.add(tell);
      tell(story.steps);
      signal.addEventListener("abort", () => {
        listeners.delete(tell);
        try {
          controller.close();
        } catch {
          // The reader has cancelled it.
        }
      }, { once: true });
    },
  });
}
