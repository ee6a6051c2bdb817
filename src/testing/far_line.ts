import { Deferred } from "../async/deferred.ts";
import type { ExitReport } from "../ports/transport.ts";

/** One item on its way to the reader. */
interface Parcel {
  readonly bytes: Uint8Array;
  readonly taken: Deferred<void>;
}

/** The way from the far end to one reader. */
export class FarLine {
  readonly exited: Deferred<ExitReport> = new Deferred();
  readonly readable: ReadableStream<Uint8Array>;
  readonly #parcels: Parcel[] = [];
  #asked: Deferred<void> | undefined;
  #isDropped = false;
  #exit: Partial<ExitReport> | undefined;
  #error: { readonly reason: unknown } | undefined;

  constructor() {
    this.readable = new ReadableStream({
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#drop(),
    }, { highWaterMark: 0 });
  }

  put(bytes: Uint8Array): Promise<void> {
    const taken = new Deferred<void>();
    if (this.#isDropped) taken.resolve();
    else this.#parcels.push({ bytes, taken });
    this.#asked?.resolve();
    return taken.promise;
  }

  /** The first end counts. */
  end(exit: Partial<ExitReport>): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.exited.resolve({ code: 0, signal: null, stderrTail: "", ...exit });
    this.#asked?.resolve();
  }

  fail(reason: unknown): void {
    this.#error = { reason };
    this.#asked?.resolve();
  }

  async #pull(
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    while (!this.#isDropped) {
      const parcel = this.#parcels.shift();
      if (parcel !== undefined) {
        controller.enqueue(parcel.bytes);
        parcel.taken.resolve();
        return;
      }
      if (this.#error !== undefined) throw this.#error.reason;
      if (this.#exit !== undefined) {
        controller.close();
        return;
      }
      this.#asked = new Deferred();
      await this.#asked.promise;
    }
  }

  /** Nobody reads any more: nothing that is sent may wait for it. */
  #drop(): void {
    this.#isDropped = true;
    for (const { taken } of this.#parcels.splice(0)) taken.resolve();
    this.#asked?.resolve();
  }
}
