import { quiet } from "../async/deferred.ts";
import { iteratorOf } from "../async/iterator.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { isObject, typeOf } from "../errors/text.ts";
import type { SDKMessage } from "./generated/official.ts";
import { type ControlParts, CONTROLS, type Controls } from "./controls.ts";
import type { Options } from "./generated/options.ts";
import type { Query, SDKUserMessage } from "./generated/types.ts";

/** Parts of a running query. */
interface QueryParts extends ControlParts {
  readonly options: Options;
  /** Aborts it as the user does. */
  readonly abort: AbortController;
  /** Sends one prompt, once it may leave. */
  readonly say: (line: object) => Promise<void>;
  /** Whether prompts wait until the CLI has confirmed the first `initialize`. */
  readonly isHeld: boolean;
  /** Resolves when the query that was left has ended. */
  leaving?: Promise<void>;
}

/**
 * A running query: an asynchronous generator of messages with control methods.
 *
 * A class, because wrappers copy the methods of its prototype; without `#private`, because others call them on a proxy.
 */
export class RunningQuery {
  /** Not enumerable: printing a query shows no options. */
  declare readonly parts: QueryParts;

  constructor(parts: QueryParts) {
    Object.defineProperty(this, "parts", { value: parts });
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    const { session: { messages }, leaving } = this.parts;
    // Behind a `return()` that is not awaited, it waits for the end, as in a generator.
    const next = leaving?.then(() => messages.next()) ?? messages.next();
    return next as Promise<IteratorResult<never, void>>;
  }

  async return(
    value?: void | PromiseLike<void>,
  ): Promise<IteratorResult<SDKMessage, void>> {
    await (this.parts.leaving ??= leave(this.parts));
    return { done: true, value: await value };
  }

  async throw(error?: unknown): Promise<IteratorResult<SDKMessage, void>> {
    await (this.parts.leaving ??= leave(this.parts));
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  close(): void {
    void this.parts.session.close();
  }

  async streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    const { session, say, isHeld, options, abort } = this.parts;
    await session.input.begun;
    if (session.isClosed) throw session.tooLate;
    let count = 0;
    const sent: Promise<void>[] = [];
    // Arrays and synchronous generators are accepted, as in the official SDK.
    const source = iteratorOf<unknown>(stream);
    const lost = () => abort.signal.aborted ? undefined : session.tooLate;
    await session.input.reading(async () => {
      while (!session.signal.aborted) {
        const next = await promptOf(source, session.signal, lost);
        if (next === undefined) break;
        count++;
        const sending = say(
          options.verbatimPrompts ? { ...next, client_composed: true } : next,
        );
        if (isHeld) sent.push(quiet(sending));
        else await sending;
      }
    });
    await Promise.all(sent);
    if (count > 0 && session.run.isAsked()) await session.run.ended();
    await session.input.promptsSent();
    session.input.end();
  }
}

export interface RunningQuery extends Query, Controls {}

for (const [name, value] of Object.entries(CONTROLS)) {
  // Not enumerable, as methods of a class are.
  Object.defineProperty(RunningQuery.prototype, name, {
    value,
    writable: true,
    configurable: true,
  });
}

/** Ends the query; a `next()` that waits settles first, as in a generator. */
async function leave({ session }: QueryParts): Promise<void> {
  const { messages } = session;
  // First: a result that waits for the store is for the `next()` that waits.
  await session.close();
  await messages.return();
  await messages.settled;
}

/** A source of prompts returned something else; it has not failed itself. */
export class WrongPrompt extends TypeError {}

/** The next prompt; `undefined` at the end. Where the session ends first, the source is closed, and a prompt that it still gives is lost. */
async function promptOf(
  source: AsyncIterator<unknown> | Iterator<unknown>,
  signal: AbortSignal,
  lost: () => Error | undefined,
): Promise<SDKUserMessage | undefined> {
  const next = Promise.resolve(source.next());
  try {
    const { done, value } = await unlessAborted(next, signal);
    if (done) return undefined;
    if (isObject(value)) return value as SDKUserMessage;
    throw new WrongPrompt(
      `A stream of prompts gives messages, as in { type: "user", message: { role: "user", content: "Hi" }, parent_tool_use_id: null }, not ${
        typeOf(value)
      }`,
    );
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    // A source that is busy with a prompt learns of it later.
    void quiet(Promise.resolve(source.return?.()));
    const { done } = await next;
    const error = lost();
    if (done || error === undefined) return undefined;
    throw error;
  }
}
