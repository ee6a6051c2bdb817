import { Deferred } from "../async/deferred.ts";
import type {
  Channel,
  ExitReport,
  Launch,
  StopPlan,
  Transport,
} from "../ports/transport.ts";
import type { JsonObject } from "../types/json.ts";
import { type FarWaitOptions, Watch } from "./watch.ts";
import { parseLine, splitLines } from "./wire_lines.ts";

/** What the far end can send: an object becomes a line of JSON, text and bytes go out as they stand. */
export type FarItem = JsonObject | string | Uint8Array;

/** The other end of a memory transport: the place of the CLI, played by a test. */
export interface FarEnd {
  /** What the last opening asked for; undefined before the first. */
  readonly launch: Launch | undefined;
  /** The lines that were written to it, over all openings, parsed; text that is no JSON object as `{ raw: text }`. */
  readonly lines: readonly JsonObject[];
  /** Whether there will be no more input. */
  readonly hasInputEnded: boolean;
  /** How it was asked to stop, in order. */
  readonly stops: readonly StopPlan[];
  /** Waits for the first line that fits, one that has already come included; rejects with an `Error` when the time is up. */
  line(
    fits: (line: JsonObject) => boolean,
    options?: FarWaitOptions,
  ): Promise<JsonObject>;
  /** Sends items in order; resolves when they were read. */
  send(...items: readonly FarItem[]): Promise<void>;
  /** Answers a control request with success. */
  reply(request: JsonObject, response: JsonObject): Promise<void>;
  /** Resolves when there will be no more input. */
  inputEnded(): Promise<void>;
  /** Ends as a process does, after everything sent; with exit code 0 unless given. */
  end(exit?: Partial<ExitReport>): void;
  /** Breaks the way out: reading fails with this error. */
  fail(error: unknown): void;
  /** Takes no more input until {@link FarEnd.resume}: writes stay pending. */
  pause(): void;
  /** Takes input again. */
  resume(): void;
}

/** Settings of a memory transport. */
export interface MemoryTransportOptions {
  /** Whether the far end lives on when its input ends, until the test ends it or the package stops it; false unless given: it ends as an idle CLI does. */
  readonly staysOpen?: boolean | undefined;
  /** Answers each line by itself: what it returns is sent, one item or several; nothing is sent for undefined. */
  readonly respond?:
    | ((
      line: JsonObject,
    ) => FarItem | readonly FarItem[] | undefined)
    | undefined;
}

/** A transport and its other end. */
export interface MemoryPair {
  /** For the option `transport`. */
  readonly transport: Transport;
  /** For the test. */
  readonly far: FarEnd;
}

/**
 * Makes a linked pair: a transport for the option of this name, and the other end for the test that plays the CLI.
 *
 * Everything happens in this process: no child, no pipe, no timer. The transport may be opened again; the
 * far end then speaks to the newest channel.
 *
 * @param options Answers that it gives by itself, and whether it outlives its input
 * @returns The two ends
 *
 * @example Play the CLI by hand
 * ```ts
 * import { query } from "@sluice/agent";
 * import { memoryTransport } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { transport, far } = memoryTransport();
 * const conversation = query("hi", { transport });
 *
 * await far.reply(await far.line((line) => line.type === "control_request"), {
 *   commands: [], agents: [], models: [], account: {}, output_style: "default", available_output_styles: [],
 * });
 * await conversation.ready;
 * const prompt = await far.line((line) => line.type === "user");
 * assert.deepEqual((prompt.message as { role: string }).role, "user");
 * await conversation.close();
 * ```
 */
export function memoryTransport(
  options: MemoryTransportOptions = {},
): MemoryPair {
  const lines: JsonObject[] = [];
  const stops: StopPlan[] = [];
  const watch = new Watch();
  let launch: Launch | undefined;
  let line: FarLine | undefined;
  let gate: Deferred<void> | undefined;
  let hasInputEnded = false;
  const far: FarEnd = {
    get launch() {
      return launch;
    },
    lines,
    get hasInputEnded() {
      return hasInputEnded;
    },
    stops,
    line: (fits, options = {}) =>
      watch.within(() => lines.find(fits), options, {
        missing: "Far end did not get what was waited for",
        got: () => JSON.stringify(lines).slice(-2_000),
      }),
    async send(...items) {
      const line = opened();
      await Promise.all(items.map((item) => line.put(item)));
    },
    reply: ({ request_id }, response) =>
      far.send({
        type: "control_response",
        response: { subtype: "success", request_id, response },
      }),
    async inputEnded() {
      await watch.until(() => hasInputEnded || undefined);
    },
    end: (exit = {}) => opened().end(exit),
    fail: (error) => opened().fail(error),
    pause() {
      gate ??= new Deferred();
    },
    resume() {
      gate?.resolve();
      gate = undefined;
    },
  };
  const transport: Transport = {
    open(launch, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      return Promise.resolve(open(launch));
    },
  };
  return { transport, far };

  /** Opens a fresh channel; the far end speaks to the newest one. */
  function open(asked: Launch): Channel {
    const own = line = new FarLine();
    launch = asked;
    hasInputEnded = false;
    watch.stir();
    return {
      readable: own.readable,
      exited: own.exited.promise,
      async write(text) {
        await gate?.promise;
        if (own.exited.isSettled) {
          throw new Error("Cannot write: the other end is gone");
        }
        for (const one of splitLines(text).map(parseLine)) {
          lines.push(one);
          const answer = options.respond?.(one);
          const items = answer === undefined ? [] : [answer].flat();
          for (const item of items) void own.put(item);
        }
        watch.stir();
      },
      async end() {
        await gate?.promise;
        hasInputEnded = true;
        watch.stir();
        if (!options.staysOpen) own.end({});
      },
      async stop(plan) {
        stops.push(plan);
        gate?.resolve();
        own.end({ reason: plan.reason });
        await own.exited.promise;
      },
    };
  }

  function opened(): FarLine {
    if (line !== undefined) return line;
    throw new Error(
      "Far end has nobody to speak to: the transport is not open",
    );
  }
}

const encoder = new TextEncoder();

/** One item on its way to the reader. */
interface Parcel {
  readonly bytes: Uint8Array;
  readonly taken: Deferred<void>;
}

/** The way from the far end to one reader. */
class FarLine {
  readonly exited: Deferred<ExitReport> = new Deferred();
  readonly readable: ReadableStream<Uint8Array>;
  readonly #parcels: Parcel[] = [];
  #asked: Deferred<void> | undefined;
  #isDropped = false;
  #error: { readonly reason: unknown } | undefined;

  constructor() {
    this.readable = new ReadableStream({
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#drop(),
    }, { highWaterMark: 0 });
  }

  put(item: FarItem): Promise<void> {
    const bytes = item instanceof Uint8Array ? item : encoder.encode(
      typeof item === "string" ? item : `${JSON.stringify(item)}\n`,
    );
    const taken = new Deferred<void>();
    if (this.#isDropped) taken.resolve();
    else this.#parcels.push({ bytes, taken });
    this.#asked?.resolve();
    return taken.promise;
  }

  /** The first end counts. */
  end(exit: Partial<ExitReport>): void {
    if (this.exited.isSettled) return;
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
      if (this.exited.isSettled) return controller.close();
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
