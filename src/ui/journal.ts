import { byteLength } from "../stream/byte_length.ts";
import { encode, textOfEvent } from "./event_text.ts";
import type { PageEvent } from "./mapping.ts";

/** Bytes of events that are joined into one chunk for a reader that is behind. */
const CHUNK_BYTES = 64 * 1024;
/** Ids begin at a random multiple of this, so that an id of another journal is recognized. */
const IDS_EACH = 2 ** 20;
const MOST_FIRST = 2 ** 32;
/** Slots of dropped events are cleared from this number on. */
const MOST_GONE = 1_024;

/** Events of one source in a bounded buffer, read by any number of cursors. */
export interface Journal {
  /** Whether the source has ended. */
  readonly isOver: boolean;
  /** Number of open cursors. */
  readonly readers: number;
  /** Whether no event follows an event, now or later. */
  isDone(lastEventId: string): boolean;
  /** Opens a cursor behind an event; without an id, or with one that is no longer there, at the oldest event. */
  open(lastEventId?: string): Cursor;
  /** Adds events that do not come from the source. */
  add(events: readonly PageEvent[]): void;
}

/** Place of one reader in a journal. */
export interface Cursor {
  /** Whether events before its first one are gone. */
  readonly hasGap: boolean;
  /** Bytes of the next events; `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** Closes the cursor; a pending `next()` resolves. */
  leave(): void;
}

/** Events of one read of the source. */
export interface Step {
  /** The events; perhaps none. */
  readonly events: readonly PageEvent[];
  /** Whether they are the last ones. */
  readonly isLast: boolean;
}

/** Source and size of a journal. */
export interface JournalInit {
  /** The next step of the source; not called after the last one. Never rejects. */
  read(): Promise<Step>;
  /** Bytes of events to keep. Events that an open cursor has not read are never dropped: they hold the source back. */
  readonly mostBytes: number;
}

/** An event as text, which takes less memory than its bytes. */
interface Entry {
  readonly text: string;
  readonly bytes: number;
}

/** Makes a journal: it reads the source only while a cursor waits and the buffer has room. */
export function makeJournal({ read, mostBytes }: JournalInit): Journal {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const first = 1 + IDS_EACH * (random % MOST_FIRST);
  let entries: (Entry | undefined)[] = [];
  /** Id of the entry at index 0, and index of the oldest entry that is kept. */
  let base = first;
  let head = 0;
  let bytes = 0;
  let isOver = false;
  let isReading = false;
  /** Id of the next event of each open cursor. */
  const places = new Set<{ at: number }>();
  const waiting = new Set<() => void>();
  const oldest = () => base + head;
  const next = () => base + entries.length;

  function add(events: readonly PageEvent[]): void {
    if (isOver || events.length === 0) return;
    for (const event of events) {
      const text = textOfEvent(event, next());
      const entry = { text, bytes: byteLength(text) };
      entries.push(entry);
      bytes += entry.bytes;
    }
    evict();
    wakeAll();
  }

  function wakeAll(): void {
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
  }

  function evict(): void {
    // The newest event stays, however large.
    let end = next() - 1;
    for (const { at } of places) end = Math.min(end, at);
    while (bytes > mostBytes && oldest() < end) {
      bytes -= entries[head]?.bytes ?? 0;
      entries[head++] = undefined;
    }
    if (head < MOST_GONE || head * 2 < entries.length) return;
    entries = entries.slice(head);
    base += head;
    head = 0;
  }

  async function fill(): Promise<void> {
    if (isReading) return;
    isReading = true;
    while (!isOver && waiting.size > 0 && hasRoom()) {
      const { events, isLast } = await read();
      add(events);
      isOver = isLast;
      if (isLast) wakeAll();
    }
    isReading = false;
  }

  /** Whether no unread event would have to be dropped for another one. */
  function hasRoom(): boolean {
    if (bytes <= mostBytes) return true;
    for (const { at } of places) if (at < next()) return false;
    return true;
  }

  /** Takes events that are there; several small ones at once. */
  function take(place: { at: number }): Uint8Array | undefined {
    let at = place.at - base;
    if (at === entries.length) return undefined;
    let text = "";
    for (let size = 0; at < entries.length && size < CHUNK_BYTES; at++) {
      text += entries[at]?.text ?? "";
      size += entries[at]?.bytes ?? 0;
    }
    place.at = base + at;
    evict();
    // Others may have waited for this reader.
    void fill();
    return encode(text);
  }

  function open(lastEventId?: string): Cursor {
    const id = /^\d{1,16}$/.test(lastEventId ?? "") ? Number(lastEventId) : 0;
    const isKnown = id >= first && id >= oldest() - 1 && id < next();
    const place = { at: isKnown ? id + 1 : oldest() };
    const hasGap = !isKnown && (lastEventId !== undefined || oldest() > first);
    let hasLeft = false;
    let wake = () => {};
    places.add(place);
    return {
      hasGap,
      async next() {
        while (!hasLeft) {
          const chunk = take(place);
          if (chunk !== undefined) return chunk;
          if (isOver) {
            places.delete(place);
            return undefined;
          }
          await new Promise<void>((resolve) => {
            wake = resolve;
            waiting.add(resolve);
            void fill();
          });
        }
      },
      leave() {
        hasLeft = true;
        places.delete(place);
        waiting.delete(wake);
        wake();
        evict();
        void fill();
      },
    };
  }

  return {
    open,
    add,
    isDone: (lastEventId) => isOver && lastEventId === String(next() - 1),
    get isOver() {
      return isOver;
    },
    get readers() {
      return places.size;
    },
  };
}
