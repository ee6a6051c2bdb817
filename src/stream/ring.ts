/** The newest so many items. */
export class Ring<T> {
  readonly #capacity: number;
  #items: T[] = [];
  #head = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** How many there are. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Adds one; the oldest goes when there are too many. */
  push(item: T): void {
    this.#items.push(item);
    if (this.size > this.#capacity) this.#head++;
    // Moving the rest once in a while keeps both ends cheap.
    if (this.#head > this.#capacity) this.#compact();
  }

  /** Takes the oldest. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head++];
    if (this.#head > this.#capacity) this.#compact();
    return item;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
