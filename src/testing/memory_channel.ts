import { Change } from "../async/change.ts";
import { Deferred } from "../async/deferred.ts";
import type { Channel, ExitReport, StopPlan } from "../ports/transport.ts";
import { splitLines } from "./lines.ts";

/** The side of the host, as the peer sees it. */
export interface ChannelListener {
  onLine(text: string): void;
  /** There will be no more input. */
  onEnd(): void;
  /** Called before the peer is ended. */
  onStop?(plan: StopPlan): void | Promise<void>;
}

/** A channel in this process, and how its peer acts on it. */
export interface MemoryChannel {
  readonly channel: Channel;
  hasExited(): boolean;
  /** Sends text or bytes; resolves when they were read, or never will be. */
  send(data: string | Uint8Array): Promise<void>;
  /** Ends the peer, after everything sent; the first call counts. */
  exit(report?: Partial<ExitReport>): void;
  fail(error: unknown): void;
  pause(): void;
  resume(): void;
}

const encoder = new TextEncoder();

export function memoryChannel(listener: ChannelListener): MemoryChannel {
  const exited = new Deferred<ExitReport>();
  const sent: { readonly bytes: Uint8Array; readonly read: Deferred<void> }[] =
    [];
  const change = new Change();
  let gate: Deferred<void> | undefined;
  let isDropped = false;
  let failure: { readonly error: unknown } | undefined;
  let reason: StopPlan["reason"] | undefined;
  return {
    channel: {
      readable: new ReadableStream({ pull, cancel: drop }, {
        highWaterMark: 0,
      }),
      exited: exited.promise,
      async write(text) {
        await gate?.promise;
        if (exited.isSettled) throw new Error("Cannot write: the peer is gone");
        for (const line of splitLines(text)) listener.onLine(line);
      },
      async end() {
        await gate?.promise;
        listener.onEnd();
      },
      async stop(plan) {
        reason ??= plan.reason;
        await listener.onStop?.(plan);
        exit();
        // A pending write fails now.
        resume();
      },
    },
    hasExited: () => exited.isSettled,
    send(data) {
      const bytes = typeof data === "string" ? encoder.encode(data) : data;
      const read = new Deferred<void>();
      if (isDropped) read.resolve();
      else sent.push({ bytes, read });
      change.tell();
      return read.promise;
    },
    exit,
    fail(error) {
      failure = { error };
      change.tell();
    },
    pause() {
      gate ??= new Deferred();
    },
    resume,
  };

  function exit(report: Partial<ExitReport> = {}): void {
    const usual = { code: 0, signal: null, stderrTail: "" };
    exited.resolve({ ...usual, ...reason && { reason }, ...report });
    change.tell();
  }

  function resume(): void {
    gate?.resolve();
    gate = undefined;
  }

  async function pull(
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    while (!isDropped) {
      const next = sent.shift();
      if (next !== undefined) {
        controller.enqueue(next.bytes);
        return next.read.resolve();
      }
      if (failure !== undefined) throw failure.error;
      if (exited.isSettled) return controller.close();
      await change.next;
    }
  }

  /** Without a reader, nothing that is sent may wait for one. */
  function drop(): void {
    isDropped = true;
    for (const { read } of sent.splice(0)) read.resolve();
    change.tell();
  }
}
