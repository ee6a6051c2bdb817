import { Deferred } from "../async/deferred.ts";

/** Number of taken entries after which their slots are cleared. */
const MOST_GONE = 1_024;

/** Source of batches: a promise of the next one, `undefined` at the end. */
export interface BatchSource<T> {
  /** The next batch, never empty; rejects with the error that ended it. */
  take(): Promise<readonly T[] | undefined>;
  /** Called when everything is cut off: batches taken and not used yet are dropped as well. */
  onCut?(listener: (cut: Cut) => void): void;
  /** Reports that the last batch was handed on; so does asking for the next one. */
  used?(): void;
}

/** End or cut-off of a queue: with an error to throw, or without. */
export interface Cut {
  /** The error to throw; absent = a normal end. */
  readonly error?: unknown;
}

/** The producer behind a queue. */
export interface Feed {
  /** A consumer waits. */
  demanded(): void;
  /** No consumer waits any longer: it got a batch, or left. */
  waitEnded(): void;
}

/** A batch, or a function that makes it: pieces read ahead stay unparsed until they are taken. */
export type Batch<T> = readonly T[] | (() => readonly T[]);

interface Entry<T> {
  readonly bytes: number;
  readonly batch: Batch<T>;
}

/**
 * Unread messages, in batches, counted in bytes.
 *
 * Nothing is handed out before {@link open}, so that a failed start delivers nothing. The bytes of a batch are freed when
 * the next one is asked for, since until then the consumer works on it. A consumer that leaves puts back what it has
 * not read.
 */
export class Queue<T> implements BatchSource<T> {
  #feed: Feed | undefined;
  readonly #drained = new Deferred<void>();
  #entries: (Entry<T> | undefined)[] = [];
  #head = 0;
  /** Items that were put back. */
  #back: readonly T[] = [];
  /** The batch that the consumer works on. */
  #lent: readonly T[] | undefined;
  #heldBytes = 0;
  #lentBytes = 0;
  #waiters: Deferred<readonly T[] | undefined>[] = [];
  #isOpen = false;
  #ending: Cut | undefined;
  #demands = 0;
  #isServing = false;
  #isCut = false;
  #puts = 0;
  #gone = 0;
  #waiting: { readonly position: number; readonly passed: Deferred<void> }[] =
    [];
  readonly #cutListeners: ((cut: Cut) => void)[] = [];

  /** Names what fills it; before that nothing is asked for. */
  connect(feed: Feed): void {
    this.#feed = feed;
  }

  /** Bytes held, the batch that the consumer works on included. */
  get bytes(): number {
    return this.#heldBytes + this.#lentBytes;
  }

  /** Whether a consumer waits and batches may be handed out. */
  get isWaited(): boolean {
    return this.#isOpen && this.#waiters.length > 0;
  }

  get demands(): number {
    return this.#demands;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether nothing waits to be taken for the first time. */
  get isEmpty(): boolean {
    return this.#head === this.#entries.length;
  }

  /** Resolves when the end was delivered, or the consumer is gone. */
  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  /** Number of batches put. */
  get position(): number {
    return this.#puts;
  }

  /** Resolves when the consumer has every batch up to a position, or has left. */
  passed(position: number): Promise<void> {
    if (this.#ending !== undefined || this.#isPast(position)) {
      return Promise.resolve();
    }
    const passed = new Deferred<void>();
    this.#waiting.push({ position, passed });
    return passed.promise;
  }

  used(): void {
    this.#lent = undefined;
    if (this.#waiting.length > 0) this.#letPast();
  }

  /** The consumer has left: pending waits for it resolve. */
  letPass(): void {
    for (const { passed } of this.#waiting.splice(0)) passed.resolve();
  }

  open(): void {
    this.#isOpen = true;
    this.#serve();
    // Earlier requests could not be noticed until now.
    if (this.isWaited) this.#feed?.demanded();
  }

  /** Adds a batch behind what is held; a function that makes one is called when it is taken. */
  put(batch: Batch<T>, bytes: number): void {
    if (this.#ending !== undefined) return;
    this.#puts++;
    this.#entries.push({ batch, bytes });
    this.#heldBytes += bytes;
    this.#serve();
  }

  /** The next batch; asking frees the one before. */
  take(): Promise<readonly T[] | undefined> {
    this.#demands++;
    this.#lentBytes = 0;
    this.used();
    const waiter = new Deferred<readonly T[] | undefined>();
    this.#waiters.push(waiter);
    this.#serve();
    if (!waiter.isSettled) this.#feed?.demanded();
    return waiter.promise;
  }

  /** Puts items back, in front of everything. */
  putBack(items: readonly T[]): void {
    if (items.length === 0) return;
    this.#back = [...items, ...this.#back];
    this.#serve();
  }

  /** Whether an item was put back and not taken again. */
  holds(item: T): boolean {
    return this.#back.includes(item);
  }

  /**
   * The consumer leaves while it waits for a batch: it must ignore what it still gets, for that is the next one's.
   */
  withdraw(): void {
    const waiters = this.#waiters.splice(0);
    for (const waiter of waiters) waiter.resolve(undefined);
    // Handed over, and on its way to the consumer.
    if (waiters.length === 0) this.putBack(this.#lent ?? []);
    this.#lent = undefined;
    this.#feed?.waitEnded();
  }

  /** Parses the waiting batches, so that their errors are reported now. */
  settle(): void {
    for (let at = this.#head; at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (typeof entry?.batch !== "function") continue;
      this.#entries[at] = { batch: entry.batch(), bytes: entry.bytes };
    }
  }

  /** After what is held: the end, or the error. */
  finish(error?: unknown): void {
    this.#end(error === undefined ? {} : { error });
  }

  /** Now: drops what is held, and ends or throws. */
  cut(ending: Cut = {}): void {
    if (!this.#isCut) {
      this.#isCut = true;
      this.settle();
    }
    this.#entries = [];
    this.#head = 0;
    this.#back = [];
    this.#heldBytes = 0;
    this.#isOpen = true;
    this.#ending = undefined;
    this.#end(ending);
    this.#drained.resolve();
    this.letPass();
    for (const listener of this.#cutListeners.splice(0)) listener(ending);
  }

  onCut(listener: (cut: Cut) => void): void {
    if (!this.#isCut) this.#cutListeners.push(listener);
  }

  #end(ending: Cut): void {
    if (this.#ending !== undefined) return;
    this.settle();
    this.#ending = ending;
    this.#isOpen = true;
    this.#serve();
    this.letPass();
    if (this.#demands === 0) this.#drained.resolve();
  }

  #isPast(position: number): boolean {
    return this.#gone > position ||
      (this.#gone === position && this.#lent === undefined &&
        this.#back.length === 0);
  }

  #letPast(): void {
    this.#waiting = this.#waiting.filter(({ position, passed }) => {
      const isPast = this.#isPast(position);
      if (isPast) passed.resolve();
      return !isPast;
    });
  }

  /** Serves waiting consumers; making a batch may re-enter here, and must not overtake itself. */
  #serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      while (this.#waiters.length > 0 && this.#isOpen) {
        const batch = this.#next();
        if (batch !== undefined) {
          this.#lent = batch;
          this.#waiters.shift()?.resolve(batch);
          this.#feed?.waitEnded();
        } else if (this.#ending !== undefined) this.#handOverEnd(this.#ending);
        else return;
      }
    } finally {
      this.#isServing = false;
    }
  }

  #handOverEnd(ending: Cut): void {
    const waiter = this.#waiters.shift();
    if ("error" in ending) {
      waiter?.reject(ending.error);
      // The error is thrown once; later calls are at the end.
      this.#ending = {};
    } else waiter?.resolve(undefined);
    this.#drained.resolve();
  }

  /** The next batch that is not empty, made now if it was not parsed yet. */
  #next(): readonly T[] | undefined {
    if (this.#back.length > 0) {
      const back = this.#back;
      this.#back = [];
      return back;
    }
    while (!this.isEmpty) {
      const { batch, bytes } = this.#shift();
      const items = typeof batch === "function" ? batch() : batch;
      if (this.#isCut) return undefined;
      if (items.length > 0) {
        this.#lentBytes = bytes;
        return items;
      }
    }
    return undefined;
  }

  /** Takes the oldest entry; moving the rest once in a while keeps both ends cheap. */
  #shift(): Entry<T> {
    // Entries behind the head were not taken yet.
    const entry = this.#entries[this.#head] as Entry<T>;
    this.#entries[this.#head++] = undefined;
    this.#gone++;
    this.#heldBytes -= entry.bytes;
    if (this.#head === this.#entries.length) {
      this.#entries = [];
      this.#head = 0;
    } else if (
      this.#head >= MOST_GONE && this.#head * 2 > this.#entries.length
    ) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }
}
