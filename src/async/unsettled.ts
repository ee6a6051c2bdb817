/** Promises of work that is under way: each is forgotten when it settles. */
export class Unsettled {
  readonly #open = new Set<Promise<void>>();

  get size(): number {
    return this.#open.size;
  }

  /** Keeps a promise until it settles, and returns it; an unobserved rejection does not become an unhandled one. */
  add<T>(promise: Promise<T>): Promise<T> {
    const forget = () => void this.#open.delete(settled);
    const settled = promise.then(forget, forget);
    this.#open.add(settled);
    return promise;
  }

  /** Resolves when all that are kept now have settled, however. */
  async settled(): Promise<void> {
    await Promise.all(this.#open);
  }
}
