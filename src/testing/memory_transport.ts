import type {
  ExitReport,
  Launch,
  StopPlan,
  Transport,
} from "../ports/transport.ts";
import type { JsonObject } from "../types/json.ts";
import { type MemoryChannel, memoryChannel } from "./memory_channel.ts";
import { type WaitOptions, Watch } from "./watch.ts";
import { parseLine } from "./lines.ts";

/** An item that the peer can send: an object becomes a line of JSON, text and bytes go out as they are. */
export type PeerItem = JsonObject | string | Uint8Array;

/** The other end of a memory transport: the CLI, played by a test. */
export interface MemoryPeer {
  /** The request of the last opening; undefined before the first. */
  readonly launch: Launch | undefined;
  /** The lines written to it, over all openings, parsed; text that is no JSON object as `{ raw: text }`. */
  readonly lines: readonly JsonObject[];
  /** Whether there will be no more input. */
  readonly hasInputEnded: boolean;
  /** Plans of the stops requested so far, in order. */
  readonly stops: readonly StopPlan[];
  /** Waits for the first line that fits, including past ones; rejects with an `Error` at the timeout. */
  line(
    fits: (line: JsonObject) => boolean,
    options?: WaitOptions,
  ): Promise<JsonObject>;
  /** Sends items in order; resolves when they were read. */
  send(...items: readonly PeerItem[]): Promise<void>;
  /** Answers a control request with success. */
  reply(request: JsonObject, response: JsonObject): Promise<void>;
  /** Resolves when there will be no more input. */
  inputEnded(): Promise<void>;
  /** Ends as a process does, after everything sent; with exit code 0 by default. */
  end(exit?: Partial<ExitReport>): void;
  /** Breaks the output: reading fails with this error. */
  fail(error: unknown): void;
  /** Stops reading input until {@link MemoryPeer.resume}: writes stay pending. */
  pause(): void;
  /** Resumes reading input. */
  resume(): void;
}

/** Settings of a memory transport. */
export interface MemoryTransportOptions {
  /** Whether the peer stays when its input ends, until the test ends it or the package stops it; false by default: it ends as an idle CLI does. */
  readonly staysOpen?: boolean | undefined;
  /** Answers each line: its result is sent, one item or several; nothing for undefined. */
  readonly respond?:
    | ((
      line: JsonObject,
    ) => PeerItem | readonly PeerItem[] | undefined)
    | undefined;
}

/** A transport and its other end. */
export interface MemoryPair {
  /** For the option `transport`. */
  readonly transport: Transport;
  /** For the test. */
  readonly peer: MemoryPeer;
}

/**
 * Creates a linked pair: a transport for the option of this name, and a peer with which the test plays the CLI.
 *
 * Everything happens in this process: no child, no pipe, no timer. The transport may be opened again; the
 * peer then speaks to the newest channel.
 *
 * @param options Automatic answers, and whether the peer outlives its input
 * @returns The two ends
 *
 * @example Play the CLI in a test
 * ```ts
 * import { query } from "@sluice/agent";
 * import { memoryTransport } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { transport, peer } = memoryTransport();
 * const conversation = query("hi", { transport });
 *
 * await peer.reply(await peer.line((line) => line.type === "control_request"), {
 *   commands: [], agents: [], models: [], account: {}, output_style: "default", available_output_styles: [],
 * });
 * await conversation.ready;
 * const prompt = await peer.line((line) => line.type === "user");
 * assert.deepEqual((prompt.message as { role: string }).role, "user");
 * await conversation.close();
 * ```
 */
export function memoryTransport(
  { respond, staysOpen = false }: MemoryTransportOptions = {},
): MemoryPair {
  const lines: JsonObject[] = [];
  const stops: StopPlan[] = [];
  const watch = new Watch();
  let launch: Launch | undefined;
  let channel: MemoryChannel | undefined;
  let hasInputEnded = false;
  let isPaused = false;
  const peer: MemoryPeer = {
    get launch() {
      return launch;
    },
    lines,
    get hasInputEnded() {
      return hasInputEnded;
    },
    stops,
    line: (fits, options = {}) =>
      watch.withTimeout(() => lines.find(fits), options, {
        missing: "Peer did not get the expected line",
        got: () => JSON.stringify(lines).slice(-2_000),
      }),
    async send(...items) {
      const channel = opened();
      await Promise.all(items.map((item) => channel.send(dataOf(item))));
    },
    reply: ({ request_id }, response) =>
      peer.send({
        type: "control_response",
        response: { subtype: "success", request_id, response },
      }),
    async inputEnded() {
      await watch.until(() => hasInputEnded || undefined);
    },
    end: (exit) => opened().exit(exit),
    fail: (error) => opened().fail(error),
    pause() {
      isPaused = true;
      channel?.pause();
    },
    resume() {
      isPaused = false;
      channel?.resume();
    },
  };
  const transport: Transport = {
    open(asked, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      launch = asked;
      hasInputEnded = false;
      const own = channel = open();
      if (isPaused) own.pause();
      watch.stir();
      return Promise.resolve(own.channel);
    },
  };
  return { transport, peer };

  function open(): MemoryChannel {
    const own = memoryChannel({
      onLine(text) {
        const line = parseLine(text);
        lines.push(line);
        const answer = respond?.(line);
        const items = answer === undefined ? [] : [answer].flat();
        for (const item of items) void own.send(dataOf(item));
        watch.stir();
      },
      onEnd() {
        hasInputEnded = true;
        watch.stir();
        if (!staysOpen) own.exit();
      },
      onStop: (plan) => void stops.push(plan),
    });
    return own;
  }

  function opened(): MemoryChannel {
    if (channel !== undefined) return channel;
    throw new Error("Peer has no channel: the transport is not open");
  }
}

function dataOf(item: PeerItem): string | Uint8Array {
  return typeof item === "string" || item instanceof Uint8Array
    ? item
    : `${JSON.stringify(item)}\n`;
}
