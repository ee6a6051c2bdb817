import { quiet } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { isObject } from "../errors/text.ts";
import type { SDKMessage } from "../protocol/official.ts";
import type { JsonObject } from "../types/json.ts";
import { type Ask, type Controls, controlsOf } from "./controls.ts";
import { operationAborted } from "./errors.ts";
import type { SdkServers } from "./sdk_servers.ts";
import type { Session } from "./session.ts";
import type { Options, SDKUserMessage } from "./types_options.ts";
import type { Query } from "./types_query.ts";

/** A running query: an asynchronous generator of messages, with what can be done meanwhile. */
export type CompatQuery = Query & Controls;

/** What there is of a query besides. */
interface Made {
  /** What the user gets. */
  readonly query: CompatQuery;
  /** Sends one prompt. */
  readonly say: (line: object) => Promise<void>;
  /** Sends any request. */
  readonly ask: Ask;
  /** A session begins in a process that was parked: what it says of itself counts from now on. */
  readonly claimed: (reply: Promise<JsonObject>) => void;
}

/** What is in the answer to a request. */
export function valuesOf({ response }: JsonObject): JsonObject {
  return isObject(response) ? response as JsonObject : {};
}

/** Makes what `query()` gives. */
export function makeQuery(
  { session, servers, options, initialized: first, hold, reinitialize }: {
    readonly session: Session;
    readonly servers: SdkServers;
    readonly options: Options;
    /** The answer to `initialize`. */
    readonly initialized: Promise<JsonObject>;
    /** Before it prompts may not leave; `undefined` = they need not wait. */
    readonly hold: Promise<JsonObject> | undefined;
    /** Says `initialize` again. */
    readonly reinitialize: () => Promise<JsonObject>;
  },
): Made {
  let initialized = first;
  let isOver = false;

  const leave = async () => {
    await session.close();
    await session.over;
  };
  const later = async (): Promise<IteratorResult<SDKMessage, void>> => {
    try {
      const next = await session.inbox.next();
      // Whoever hears of the end may rely on it: the process is gone.
      if (next.done) await leave();
      return next as unknown as IteratorResult<SDKMessage, void>;
    } catch (error) {
      await leave();
      throw error;
    }
  };
  const say = async (line: object) => {
    if (hold !== undefined) await hold;
    await session.prompt(line as JsonObject);
  };
  const ask: Ask = async (subtype, fields = {}) => {
    if (options.abortController?.signal.aborted && !session.isClosed) {
      throw operationAborted();
    }
    return valuesOf(await session.request({ ...fields, subtype }));
  };

  const query: CompatQuery = {
    ...controlsOf(ask, {
      session,
      servers,
      reinitialize,
      initialized: () => initialized,
    }),
    next() {
      if (isOver) return Promise.resolve({ done: true, value: undefined });
      const ready = session.inbox.take();
      return ready === undefined
        ? later()
        : Promise.resolve(ready as unknown as IteratorYieldResult<SDKMessage>);
    },
    async return(value) {
      isOver = true;
      await leave();
      return { done: true, value: await value };
    },
    async throw(error) {
      isOver = true;
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]: () => query,
    async [Symbol.asyncDispose]() {
      await query.return();
    },
    close: () => void session.close(),
    async streamInput(stream) {
      await session.begun;
      let count = 0;
      const sent: Promise<void>[] = [];
      const source = stream[Symbol.asyncIterator]();
      while (!session.signal.aborted) {
        const next = await promptOf(source, session.signal);
        if (next === undefined) break;
        count++;
        const sending = say(
          options.verbatimPrompts ? { ...next, client_composed: true } : next,
        );
        if (hold === undefined) await sending;
        else sent.push(quiet(sending));
      }
      await Promise.all(sent);
      if (count > 0 && session.run.isAsked()) await session.run.ended();
      session.endInput();
    },
  };
  return {
    query,
    say,
    ask,
    claimed(reply) {
      const before = initialized;
      initialized = quiet(reply.then(async ({ initialize }) => ({
        ...await before,
        ...isObject(initialize) ? initialize : {},
      }), () => before));
    },
  };
}

/** The next prompt; `undefined` at the end, and when the session ends first: then the source is told. */
async function promptOf(
  source: AsyncIterator<SDKUserMessage>,
  signal: AbortSignal,
): Promise<SDKUserMessage | undefined> {
  const next = source.next();
  try {
    const { done, value } = await unlessAborted(next, signal);
    return done ? undefined : value;
  } catch (error) {
    if (!signal.aborted) throw error;
    // One that is at its prompt hears of it when it comes back; nobody waits for that.
    void quiet(Promise.resolve(source.return?.()));
    return undefined;
  }
}
