/** Runs work at most once at a time: callers that come meanwhile share the one in flight. */
export class SingleFlight<T> {
  #inFlight: Promise<T> | undefined;

  /** Starts the work, or joins the one in flight. */
  run(work: () => Promise<T>): Promise<T> {
    return this.#inFlight ??= work().finally(() => {
      this.#inFlight = undefined;
    });
  }
}
