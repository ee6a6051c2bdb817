import {
  type AgentError,
  type AgentOptions,
  type Conversation,
  type JsonObject,
  query,
} from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import {
  isAnswerTo,
  isRequest,
  logSpy,
  memoryCli,
  requestLine,
  requestOf,
  responseOf,
} from "../conversation/_rig.ts";

/** A conversation of whose callbacks the CLI asks, on a clock that the test moves. */
export interface Asking {
  readonly conversation: Conversation;
  readonly clock: FakeClock;
  /** Errors reported so far. */
  readonly errors: readonly AgentError[];
  /** The `hooks` field of `initialize`. */
  readonly hooks: Readonly<Record<string, readonly JsonObject[]>> | undefined;
  /** Asks as the CLI would; gives the response of the answer. */
  ask(request: JsonObject, id?: string): Promise<JsonObject>;
  /** Asks, and does not wait. */
  tell(request: JsonObject, id: string): Promise<void>;
  /** Takes a question back. */
  cancel(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts it; reports are in `errors` when the answer is there. */
export async function asking(options: AgentOptions): Promise<Asking> {
  const { transport, peer } = memoryCli();
  const clock = new FakeClock();
  const conversation = query(new ReadableStream<string>(), {
    logger: logSpy().logger,
    // The watch of silences would look meanwhile.
    health: { checkMs: 1_000_000_000 },
    ...options,
    transport,
    clock,
  });
  const errors: AgentError[] = [];
  const reading = (async () => {
    for await (const error of conversation.errors) errors.push(error);
  })();
  await conversation.ready;
  const { hooks } = requestOf(await peer.line(isRequest("initialize")));
  let count = 0;
  return {
    conversation,
    clock,
    errors,
    hooks: hooks as Asking["hooks"],
    async ask(request, id = `r${++count}`) {
      const before = peer.lines.length;
      await peer.send(requestLine(id, request));
      const answer = await peer.line((line) =>
        isAnswerTo(id)(line) && peer.lines.indexOf(line, before) !== -1
      );
      return (responseOf(answer).response ?? {}) as JsonObject;
    },
    tell: (request, id) => peer.send(requestLine(id, request)),
    cancel: (request_id) =>
      peer.send({ type: "control_cancel_request", request_id }),
    async close() {
      const closing = conversation.close();
      await clock.advance(60_000);
      await closing;
      await reading;
    },
  };
}

/** A promise that stays open. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
