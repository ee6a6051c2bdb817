import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import { serveLoopback } from "../runtime/loopback.ts";
import { type Screen, untilEnded, UsageError } from "./command_line.ts";
import { toPage } from "./page.ts";
import type { RecordingReader } from "./recording_reader.ts";
import type { Story } from "./story.ts";

/** Interval of looking whether the recording has grown, in milliseconds. */
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
  let news = new Deferred<void>();
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
      return await follow(signal);
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
      return new Response(events(reader, () => news.promise), { headers });
    }
    const { html, policy } = await toPage(reader.story, true);
    const headers = {
      ...HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `${policy}; frame-ancestors 'none'`,
    };
    return new Response(html, { headers });
  }
  /** Follows the file until the signal aborts, then rejects; an unreadable file may come back. */
  async function follow(signal: AbortSignal): Promise<never> {
    let warned = "";
    for (;;) {
      await systemClock.sleep(LOOK_MS, signal);
      try {
        if (!await reader.readMore()) continue;
        warned = "";
      } catch (error) {
        const text = textOfError(error);
        if (text === warned) continue;
        warned = text;
        reader.story.head.warnings.push(text);
        await on.note(on.err.yellow(`warning: ${text}`));
      }
      news.resolve();
      news = new Deferred();
    }
  }
}

/** The story as events: first all of it, since a page may be older, then what changed until the page has read the event before. */
function events(
  reader: RecordingReader,
  news: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = Promise.resolve();
  let shown: Story | undefined;
  let changes = 0;
  return new ReadableStream({
    async pull(controller) {
      await next;
      next = news();
      const { story } = reader;
      const { context, head, turns } = story;
      const isAnew = shown !== undefined && shown !== story;
      shown = story;
      if (isAnew) {
        changes = 0;
        return controller.enqueue(encoder.encode("event: anew\ndata:\n\n"));
      }
      const data = { head, turns, context, steps: story.stepsSince(changes) };
      changes = story.changes;
      const event = `data: ${JSON.stringify(data)}\n\n`;
      controller.enqueue(encoder.encode(event));
    },
  }, { highWaterMark: 0 });
}
