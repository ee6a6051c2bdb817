import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import { serveLoopback } from "../runtime/loopback.ts";
import { type Screen, untilEnded, UsageError } from "./command_line.ts";
import type { RecordingReader } from "./inspect.ts";
import { toPage } from "./page.ts";
import type { Step } from "./story_data.ts";

/** How often it looks whether the recording has grown, in milliseconds. */
const LOOK_MS = 200;

const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Serves a recording on this machine to holders of the token, and follows it until the signal aborts. */
export function serve(
  reader: RecordingReader,
  port: number,
  on: Screen,
): Promise<number> {
  const token = crypto.randomUUID();
  const listeners = new Set<Listener>();
  return untilEnded(on, async (signal) => {
    await reader.readMore();
    const server = await serveLoopback(
      (request) => answer(request, token, reader, listeners),
      { port },
    ).catch((error: unknown) => {
      throw new UsageError(
        `Cannot listen on port ${port}: ${
          textOfError(error)
        }; leave --port out for one that is free`,
      );
    });
    try {
      await on.write(`${server.url}/${token}/\n`);
      await on.note(on.err.dim("Ctrl-C ends it"));
      return await follow(reader, listeners, signal, on);
    } finally {
      await server.close();
    }
  });
}

async function answer(
  request: Request,
  token: string,
  reader: RecordingReader,
  listeners: Set<Listener>,
): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  // A page elsewhere whose name was made to lead here does not come by this name.
  if (hostname !== "127.0.0.1" && hostname !== "localhost") {
    return refusal(403, "This is for this machine alone");
  }
  const isPage = pathname === `/${token}/`;
  if (!isPage && pathname !== `/${token}/events`) {
    return refusal(404, "There is nothing here");
  }
  if (request.method !== "GET") return refusal(405, "This can only be read");
  if (!isPage) {
    return new Response(events(reader, listeners), {
      headers: { ...HEADERS, "content-type": "text/event-stream" },
    });
  }
  const { html, policy } = await toPage(reader.story, true);
  return new Response(html, {
    headers: {
      ...HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `${policy}; frame-ancestors 'none'`,
    },
  });
}

function refusal(status: number, text: string): Response {
  return new Response(text, { status, headers: HEADERS });
}

/** Follows the file until the signal aborts, then rejects; an unreadable file may come back. */
async function follow(
  reader: RecordingReader,
  listeners: ReadonlySet<Listener>,
  signal: AbortSignal,
  on: Screen,
): Promise<never> {
  let sent = "";
  reader.story.takeChanged();
  for (;;) {
    await systemClock.sleep(LOOK_MS, signal);
    try {
      const news = await reader.readMore();
      if (news === "nothing") continue;
      sent = "";
      const changed = reader.story.takeChanged();
      for (const hear of listeners) hear(changed, news === "anew");
    } catch (error) {
      const text = textOfError(error);
      if (text === sent) continue;
      sent = text;
      reader.story.head.warnings.push(text);
      await on.note(on.err.yellow(`warning: ${text}`));
      for (const hear of listeners) hear([], false);
    }
  }
}

/** A page that is open. */
type Listener = (changed: readonly Step[], isAnew: boolean) => void;

/**
 * New steps as events; the first holds all steps, since a page may be older.
 *
 * Undelivered steps are kept once each, so that a page that reads nothing costs nothing.
 */
function events(
  reader: RecordingReader,
  listeners: Set<Listener>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let steps = new Set(reader.story.steps);
  let isAnew = false;
  let news = new Deferred<void>();
  news.resolve();
  const hear: Listener = (changed, isOther) => {
    if (isOther) isAnew = true;
    for (const step of changed) steps.add(step);
    news.resolve();
  };
  listeners.add(hear);
  return new ReadableStream({
    async pull(controller) {
      await news.promise;
      news = new Deferred();
      const { context, head, turns } = reader.story;
      const data = { head, turns, context, steps: [...steps] };
      const event = isAnew
        ? "event: anew\ndata:\n\n"
        : `data: ${JSON.stringify(data)}\n\n`;
      steps = new Set();
      isAnew = false;
      controller.enqueue(encoder.encode(event));
    },
    cancel() {
      listeners.delete(hear);
    },
  }, { highWaterMark: 0 });
}
