import { onAbort } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import { after } from "../async/timer.ts";
import { HEARTBEAT } from "./event_text.ts";

/** Where the bytes of a body come from. */
export interface ByteSource {
  /** The next bytes; `undefined` at the end. Called again only after it has settled. */
  next(): Promise<Uint8Array | undefined>;
  /** The reader left before the end. */
  leave(): void;
}

export interface BodySettings {
  /** Silence before a heartbeat, in milliseconds; 0 = no heartbeats. */
  readonly heartbeatMs: number;
  /** Ends the body. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes the body of a response. It reads only when it is read, and sends a heartbeat while that takes long. */
export function eventBody(
  source: ByteSource,
  { heartbeatMs, signal }: BodySettings,
): ReadableStream<Uint8Array> {
  type Step = { readonly bytes?: Uint8Array | undefined } | { error: unknown };
  let isOver = false;
  let isReading = false;
  let step: Step | undefined;
  /** Resolves the pull that waits. */
  let wake = () => {};
  let unfollow = () => {};

  function finish(): void {
    isOver = true;
    unfollow();
    wake();
  }

  function read(): void {
    if (isReading) return;
    isReading = true;
    const settle = (next: Step) => {
      step = next;
      isReading = false;
      wake();
    };
    source.next().then(
      (bytes) => settle({ bytes }),
      (error) => settle({ error }),
    );
  }

  /** Waits for the next step or for a heartbeat. */
  function wait(): Promise<void> {
    return new Promise((resolve) => {
      const stop = heartbeatMs === 0
        ? () => {}
        : after(systemClock, heartbeatMs, () => wake());
      wake = () => {
        stop();
        wake = () => {};
        resolve();
      };
    });
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (signal === undefined) return;
      const stop = () => {
        if (isOver) return;
        finish();
        controller.close();
        source.leave();
      };
      if (signal.aborted) stop();
      else unfollow = onAbort(signal, stop);
    },
    async pull(controller) {
      // A step may have come after a heartbeat, between two pulls.
      if (step === undefined) {
        read();
        await wait();
      }
      if (isOver) return;
      const done = step;
      step = undefined;
      if (done === undefined) return controller.enqueue(HEARTBEAT);
      if ("error" in done) {
        finish();
        return controller.error(done.error);
      }
      if (done.bytes !== undefined) return controller.enqueue(done.bytes);
      finish();
      controller.close();
    },
    cancel() {
      if (isOver) return;
      finish();
      source.leave();
    },
  }, { highWaterMark: 0 });
}
