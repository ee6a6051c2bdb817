/** Remembers something of at least the newest so many ids: two generations, since a `Map` that loses its oldest one by one is slow. */
export class RecentIds<T> {
  readonly #capacity: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** What is remembered of an id. */
  get(id: string): T | undefined {
    return this.#young.get(id) ?? this.#old.get(id);
  }

  /** Remembers one; the oldest generation goes when the young one is full. */
  set(id: string, value: T): void {
    this.#young.set(id, value);
    if (this.#young.size < this.#capacity) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
