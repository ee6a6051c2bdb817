/** Remembers at least the newest so many ids: two generations, since a `Set` that loses its oldest one by one is slow. */
export class RecentIds {
  readonly #capacity: number;
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Whether an id is remembered. */
  has(id: string): boolean {
    return this.#young.has(id) || this.#old.has(id);
  }

  /** Remembers one; the oldest generation goes when the young one is full. */
  add(id: string): void {
    this.#young.add(id);
    if (this.#young.size < this.#capacity) return;
    this.#old = this.#young;
    this.#young = new Set();
  }
}
