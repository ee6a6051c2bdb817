import { textOfError } from "../../errors/text.ts";
import { isSessionId } from "../../transcripts/places.ts";
import { hasJson, readJson } from "../../ui/request_body.ts";
import { sse } from "../../ui/sse.ts";
import {
  answerOf,
  eventsAnswer,
  pageAnswer,
  type Routes,
} from "../page_server.ts";
import type { PageEvent } from "./data.ts";
import { type PageEvents, pageEvents } from "./events.ts";
import { webPage } from "./page.ts";
import type { Reply } from "./questions.ts";
import type { WebSession } from "./session.ts";
import type { WebSessions } from "./sessions.ts";

/** Streams of events at a time: a browser has six connections to a server, and the others are for requests. */
const MOST_STREAMS = 4;
/** The longest request, in bytes. */
const LARGEST_BODY = 20_000_000;

/** The routes of the page, and of what it sends. */
export function routesOf(sessions: WebSessions): Routes {
  /** The oldest first. */
  const streams = new Set<PageEvents>();

  return {
    "": { GET: page },
    events: { GET: events },
    sessions: { GET: async () => jsonAnswer(await sessions.list()) },
    prompt: {
      POST: posted(async (session, { text }) => {
        if (typeof text !== "string" || text.trim() === "") {
          return [400, "A prompt is a text"];
        }
        await session.send(text);
        return [204];
      }),
    },
    interrupt: {
      POST: posted(async (session) => {
        await session.interrupt();
        return [204];
      }),
    },
    answer: {
      POST: posted((session, { answer }) => session.questions.answer(answer)),
    },
  };

  async function page({ url }: Request): Promise<Response> {
    const id = new URL(url).searchParams.get("session");
    if (id === null) {
      return answerOf(null, 302, { location: `?session=${sessions.current}` });
    }
    return isSessionId(id)
      ? pageAnswer(await webPage())
      : answerOf("This is no id of a session", 400);
  }

  async function events({ url }: Request): Promise<Response> {
    const id = new URL(url).searchParams.get("session");
    if (!isSessionId(id)) return answerOf("This is no id of a session", 400);
    const [session, leave] = await sessions.open(id);
    const stream = pageEvents(session);
    const end = () => {
      streams.delete(stream);
      stream.pause();
      leave();
    };
    const [oldest] = streams;
    if (streams.size >= MOST_STREAMS && oldest !== undefined) {
      streams.delete(oldest);
      oldest.pause();
    }
    streams.add(stream);
    return eventsAnswer(sse(streamOf(stream.events, end)));
  }

  /** A handler of what a page sends about its session. */
  function posted(
    act: (
      session: WebSession,
      body: Readonly<Record<string, unknown>>,
    ) => Promise<Reply>,
  ): (request: Request) => Promise<Response> {
    return async (request) => {
      const [status, text = null] = await reply(request).catch((error) =>
        [500, textOfError(error)] as const
      );
      return answerOf(text, status);
    };

    async function reply(request: Request): Promise<Reply> {
      if (!hasJson(request)) return [415, "Send the type application/json"];
      let body: Readonly<Record<string, unknown>>;
      try {
        body = await readJson(request, LARGEST_BODY);
      } catch (error) {
        return [400, textOfError(error)];
      }
      const { session: id } = body;
      const session = isSessionId(id) ? await sessions.get(id) : undefined;
      if (session === undefined) return [404, "No page shows this session"];
      return await act(session, body);
    }
  }
}

function jsonAnswer(value: unknown): Response {
  return answerOf(JSON.stringify(value), 200, {
    "content-type": "application/json",
  });
}

/** Events as a stream; `onEnd` is called when the page is gone or paused. */
function streamOf(
  events: AsyncGenerator<PageEvent>,
  onEnd: () => void,
): ReadableStream<PageEvent> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next();
      if (!done) return controller.enqueue(value);
      onEnd();
      controller.close();
    },
    cancel: onEnd,
  }, { highWaterMark: 0 });
}
