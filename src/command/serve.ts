import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import { serveLoopback } from "../runtime/loopback.ts";
import { type Screen, untilEnded, UsageError } from "./command_line.ts";
import { toPage } from "./page.ts";
import type { RecordingReader } from "./recording_reader.ts";
import type { Step } from "./story_data.ts";

/** Interval of looking whether the recording has grown, in milliseconds. */
const LOOK_MS = 200;

const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** A page that is open. */
type Listener = (changed: readonly Step[], isAnew: boolean) => void;

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
    const server = await serveLoopback(answer, { port }).catch((error) => {
      const text = textOfError(error);
      throw new UsageError(
        `Cannot listen on port ${port}: ${text}; leave --port out for one that is free`,
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

  async function answer(request: Request): Promise<Response> {
    const { hostname, pathname } = new URL(request.url);
    const refuse = (status: number, text: string) =>
      new Response(text, { status, headers: HEADERS });
    // Another page may have a name that leads here.
    if (hostname !== "127.0.0.1" && hostname !== "localhost") {
      return refuse(403, "This is for this machine alone");
    }
    const isPage = pathname === `/${token}/`;
    if (!isPage && pathname !== `/${token}/events`) {
      return refuse(404, "There is nothing here");
    }
    if (request.method !== "GET") return refuse(405, "This can only be read");
    if (!isPage) {
      const headers = { ...HEADERS, "content-type": "text/event-stream" };
      return new Response(events(reader, listeners), { headers });
    }
    const { html, policy } = await toPage(reader.story, true);
    const headers = {
      ...HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `${policy}; frame-ancestors 'none'`,
    };
    return new Response(html, { headers });
  }
}

/** Follows the file until the signal aborts, then rejects; an unreadable file may come back. */
async function follow(
  reader: RecordingReader,
  listeners: ReadonlySet<Listener>,
  signal: AbortSignal,
  on: Screen,
): Promise<never> {
  let warned = "";
  reader.story.takeChanged();
  for (;;) {
    await systemClock.sleep(LOOK_MS, signal);
    try {
      const news = await reader.readMore();
      if (news === "nothing") continue;
      warned = "";
      const changed = reader.story.takeChanged();
      for (const listen of listeners) listen(changed, news === "anew");
    } catch (error) {
      const text = textOfError(error);
      if (text === warned) continue;
      warned = text;
      reader.story.head.warnings.push(text);
      await on.note(on.err.yellow(`warning: ${text}`));
      for (const listen of listeners) listen([], false);
    }
  }
}

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
  const listen: Listener = (changed, isOther) => {
    if (isOther) isAnew = true;
    for (const step of changed) steps.add(step);
    news.resolve();
  };
  listeners.add(listen);
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
      listeners.delete(listen);
    },
  }, { highWaterMark: 0 });
}
