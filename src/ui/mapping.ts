import type { Approval } from "../approvals/store.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { StreamFailure } from "./failure.ts";

/** Maps a conversation to the values of one format, step by step; it keeps what it needs from earlier steps. */
export interface Mapping<T> {
  /** Values for the next message. */
  message(message: Message): readonly T[];
  /** Values for a question that was asked or answered. */
  approval(approval: Approval): readonly T[];
  /** Values for the end, normal or not; called once, as the last. */
  end(failure?: StreamFailure): readonly T[];
}

/** One event of a page. */
export type PageEvent = {
  /** Its name; absent = the default event. */
  readonly name?: string;
  /** Its value; undefined is written as `null`. */
  readonly data: unknown;
} | {
  /** A line that is no JSON. */
  readonly raw: string;
};

/** Maps a conversation to its messages, with named events beside them. */
export function messageMapping(): Mapping<PageEvent> {
  return {
    message: (data) => [{ data }],
    approval: (data) => [{ name: "approval", data }],
    end: endEvents,
  };
}

/** Events at the end of a stream with named events. */
export function endEvents(failure?: StreamFailure): readonly PageEvent[] {
  const end = { name: "end", data: {} };
  return failure === undefined
    ? [end]
    : [{ name: "failure", data: failure }, end];
}

/** The same mapping, with each value made into others. */
export function mapped<From, To>(
  mapping: Mapping<From>,
  map: (value: From) => readonly To[],
): Mapping<To> {
  return {
    message: (message) => mapAll(mapping.message(message), map),
    approval: (approval) => mapping.approval(approval).flatMap(map),
    end: (failure) => mapping.end(failure).flatMap(map),
  };
}

/** Maps values one by one. A loop, since this is done for every message. */
export function mapAll<From, To>(
  values: readonly From[],
  map: (value: From) => readonly To[],
): readonly To[] {
  const [first] = values;
  if (values.length === 1 && first !== undefined) return map(first);
  const all: To[] = [];
  for (const value of values) for (const one of map(value)) all.push(one);
  return all;
}
