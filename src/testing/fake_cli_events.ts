/** What has happened to a fake CLI, for steps that wait for it. */
export class FakeEvents {
  readonly #counts = new Map<string, number>();
  readonly #lasting = new Set<string>();
  readonly #watchers = new Set<() => void>();

  /** Something happened; one wait takes it. */
  happened(event: string): void {
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1);
    this.stir();
  }

  /** Something happened and stays so, for every wait. */
  lasts(event: string): void {
    this.#lasting.add(event);
    this.stir();
  }

  /** Takes one occurrence of an event; false when there is none. */
  take(event: string): boolean {
    if (this.#lasting.has(event)) return true;
    const count = this.#counts.get(event) ?? 0;
    if (count > 0) this.#counts.set(event, count - 1);
    return count > 0;
  }

  /** Waits until a condition holds; looks whenever something happened. */
  until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!signal.aborted && !condition()) return;
        this.#watchers.delete(look);
        signal.removeEventListener("abort", look);
        if (signal.aborted) reject(signal.reason);
        else resolve();
      };
      this.#watchers.add(look);
      signal.addEventListener("abort", look);
      look();
    });
  }

  /** Lets everybody who waits look again. */
  stir(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}
