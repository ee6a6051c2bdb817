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
  const far = new Far(options);
  return {
    transport: {
      open(launch, signal) {
        if (signal.aborted) return Promise.reject(signal.reason);
        return Promise.resolve(far.open(launch));
      },
    },
    far,
  };
}

const encoder = new TextEncoder();

/** The far end: what was written to it, and who it speaks to. */
class Far implements FarEnd {
  readonly lines: JsonObject[] = [];
  readonly stops: StopPlan[] = [];
  readonly #watch = new Watch();
  #launch: Launch | undefined;
  #line: FarLine | undefined;
  #gate: Deferred<void> | undefined;
  #hasInputEnded = false;
  readonly #options: MemoryTransportOptions;

  constructor(options: MemoryTransportOptions) {
    this.#options = options;
  }

  get launch(): Launch | undefined {
    return this.#launch;
  }

  get hasInputEnded(): boolean {
    return this.#hasInputEnded;
  }

  /** Opens a fresh channel; the far end speaks to the newest one. */
  open(launch: Launch): Channel {
    const line = new FarLine();
    this.#launch = launch;
    this.#line = line;
    this.#hasInputEnded = false;
    this.#watch.stir();
    return {
      readable: line.readable,
      exited: line.exited.promise,
      write: async (text) => {
        await this.#gate?.promise;
        if (line.exited.isSettled) {
          throw new Error("Cannot write: the other end is gone");
        }
        for (const one of splitLines(text).map(parseLine)) {
          this.lines.push(one);
          this.#respond(line, one);
        }
        this.#watch.stir();
      },
      end: async () => {
        await this.#gate?.promise;
        this.#hasInputEnded = true;
        this.#watch.stir();
        if (!this.#options.staysOpen) line.end({});
      },
      stop: async (plan) => {
        this.stops.push(plan);
        this.#gate?.resolve();
        line.end({ reason: plan.reason });
        await line.exited.promise;
      },
    };
  }

  line(
    fits: (line: JsonObject) => boolean,
    options: FarWaitOptions = {},
  ): Promise<JsonObject> {
    return this.#watch.within(() => this.lines.find(fits), options, {
      missing: "Far end did not get what was waited for",
      got: () => JSON.stringify(this.lines).slice(-2_000),
    });
  }

  async send(...items: readonly FarItem[]): Promise<void> {
    const line = this.#opened();
    await Promise.all(items.map((item) => line.put(toBytes(item))));
  }

  reply(
    { request_id }: JsonObject,
    response: JsonObject,
  ): Promise<void> {
    return this.send({
      type: "control_response",
      response: { subtype: "success", request_id, response },
    });
  }

  async inputEnded(): Promise<void> {
    await this.#watch.until(() => this.#hasInputEnded || undefined);
  }

  end(exit: Partial<ExitReport> = {}): void {
    this.#opened().end(exit);
  }

  fail(error: unknown): void {
    this.#opened().fail(error);
  }

  pause(): void {
    this.#gate ??= new Deferred();
  }

  resume(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  #respond(line: FarLine, message: JsonObject): void {
    const items = this.#options.respond?.(message);
    if (items === undefined) return;
    for (const item of isList(items) ? items : [items]) {
      void line.put(toBytes(item));
    }
  }

  #opened(): FarLine {
    if (this.#line === undefined) {
      throw new Error(
        "Far end has nobody to speak to: the transport is not open",
      );
    }
    return this.#line;
  }
}

function isList(
  items: FarItem | readonly FarItem[],
): items is readonly FarItem[] {
  return Array.isArray(items);
}

function toBytes(item: FarItem): Uint8Array {
  if (item instanceof Uint8Array) return item;
  return encoder.encode(
    typeof item === "string" ? item : `${JSON.stringify(item)}\n`,
  );
}

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
