import type { Message } from "@sluice/agent";

/** Messages that a test lets through one by one. */
export interface Source extends AsyncIterable<Message> {
  /** How many were read. */
  readonly reads: number;
  /** Resolves when it was left early. */
  readonly left: Promise<void>;
}

/** A message whose JSON has about this many bytes. */
export function textMessage(text: string, bytes = 0): Message {
  return {
    type: "system",
    subtype: "local_command_output",
    content: text.padEnd(bytes, "."),
    uuid: `uuid-${text}`,
    session_id: "s1",
  };
}

/** A source of messages; it counts how many were read. */
export function sourceOf(messages: Iterable<Message>): Source {
  const iterator = messages[Symbol.iterator]();
  let reads = 0;
  let leave = () => {};
  const left = new Promise<void>((resolve) => leave = resolve);
  return {
    left,
    get reads() {
      return reads;
    },
    [Symbol.asyncIterator]: () => ({
      next() {
        const { value, done } = iterator.next();
        if (done) return Promise.resolve({ value: undefined, done });
        reads++;
        return Promise.resolve({ value, done: false });
      },
      return() {
        leave();
        return Promise.resolve({ value: undefined, done: true });
      },
    }),
  };
}

/** Messages without end. */
export function* flood(bytes = 0): Generator<Message> {
  for (let one = 0;; one++) yield textMessage(String(one), bytes);
}

/** Several messages. */
export function several(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, at) => textMessage(String(at)));
}
