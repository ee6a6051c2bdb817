import { Deferred } from "../async/deferred.ts";

/** Messages that nobody has taken yet, and who waits for one. */
export class Inbox<T> {
  #items: { readonly value: T; readonly bytes: number }[] = [];
  #first = 0;
  #bytes = 0;
  readonly #waiting: Deferred<IteratorResult<T, undefined>>[] = [];
  #end: { readonly error?: unknown } | undefined;
  #room: Deferred<void> | undefined;

  /** Bytes of what nobody has taken yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether somebody waits. */
  get isWaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Adds one. */
  put(value: T, bytes: number): void {
    if (this.#end !== undefined) return;
    const taker = this.#waiting.shift();
    if (taker !== undefined) return taker.resolve({ done: false, value });
    this.#items.push({ value, bytes });
    this.#bytes += bytes;
  }

  /** The next, where it is there already: nothing is waited for then. */
  take(): IteratorYieldResult<T> | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#first++;
    if (this.#first === this.#items.length) {
      this.#items = [];
      this.#first = 0;
    }
    this.#bytes -= item.bytes;
    this.#room?.resolve();
    return { done: false, value: item.value };
  }

  /** The next; done at the end, and once more after the error that was the end. */
  next(): Promise<IteratorResult<T, undefined>> {
    const ready = this.take();
    if (ready !== undefined) return Promise.resolve(ready);
    const taker = new Deferred<IteratorResult<T, undefined>>();
    this.#waiting.push(taker);
    this.#tellEnd();
    this.#room?.resolve();
    return taker.promise;
  }

  /** Ends it, with an error or without; what is there is still given. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#tellEnd();
    this.#room?.resolve();
  }

  /** One throw is enough: whoever waits or asks then is at the end. */
  #tellEnd(): void {
    if (this.#end === undefined) return;
    for (const taker of this.#waiting.splice(0)) {
      const { error } = this.#end;
      this.#end = {};
      if (error !== undefined) taker.reject(error);
      else taker.resolve({ done: true, value: undefined });
    }
  }

  /** Resolves when something was taken, somebody waits, or it has ended. */
  async taken(): Promise<void> {
    if (this.#end !== undefined || this.isWaited) return;
    this.#room = new Deferred();
    await this.#room.promise;
    this.#room = undefined;
  }

  /** Something else wants what is read: who waits for room goes on. */
  wake(): void {
    this.#room?.resolve();
  }
}
