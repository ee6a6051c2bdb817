import { Change } from "../async/change.ts";
import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import { sse } from "../ui/sse.ts";
import { type Screen, untilEnded } from "./command_line.ts";
import { toPage } from "./page.ts";
import { eventsAnswer, pageAnswer, servePages } from "./page_server.ts";
import type { RecordingReader } from "./recording_reader.ts";
import type { Story } from "./story.ts";
import type { Anew, StoryData } from "./story_data.ts";

/** Interval of looking whether the recording has grown, in milliseconds. */
const LOOK_MS = 200;

/** Serves a recording on this machine to holders of the token, and follows it until the signal aborts. */
export function serve(
  reader: RecordingReader,
  port: number,
  on: Screen,
): Promise<number> {
  const news = new Change();
  return untilEnded(on, async (signal) => {
    await reader.readMore();
    const server = await servePages({
      "": {
        GET: async () => pageAnswer(await toPage(reader.story.data, true)),
      },
      events: {
        GET: () => eventsAnswer(sse(events(reader, news))),
      },
    }, port);
    try {
      await on.write(`${server.address}\n`);
      await on.note(on.err.dim("Ctrl-C ends it"));
      return await follow(signal);
    } finally {
      await server.close();
    }
  });

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
      news.tell();
    }
  }
}

/** The story as events: first all of it, since a page may be older, then what changed until the page has read the event before. */
function events(
  reader: RecordingReader,
  news: Change,
): ReadableStream<StoryData | Anew> {
  let next = Promise.resolve();
  let shown: Story | undefined;
  let changes = 0;
  return new ReadableStream({
    async pull(controller) {
      await next;
      next = news.next;
      const { story } = reader;
      const isAnew = shown !== undefined && shown !== story;
      shown = story;
      if (isAnew) {
        changes = 0;
        return controller.enqueue({ isAnew });
      }
      controller.enqueue(story.dataSince(changes));
      changes = story.changes;
    },
  }, { highWaterMark: 0 });
}
