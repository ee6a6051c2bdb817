import type { Channel } from "../ports/transport.ts";
import { ByteReader } from "../stream/byte_reader.ts";
import type { Incoming } from "../wire/incoming.ts";
import type { Outbox } from "../wire/outbox.ts";
import type { Pending } from "../wire/requests.ts";
import { makeControl } from "./control.ts";
import { Pipeline } from "./pipeline.ts";
import type { Profile } from "./profile.ts";
import { Pump } from "./pump.ts";

/** An open channel and all that passes over it: the one reader, requests of both sides, the way out. */
export interface Engine {
  readonly outbox: Outbox;
  /** Requests of ours. */
  readonly requests: Pending;
  /** Requests of the CLI. */
  readonly incoming: Incoming;
  /** Begins to read; calls back when the output has ended, or broke. */
  start(
    channel: Pick<Channel, "readable" | "gone" | "exited">,
    onEnd: (error?: unknown) => void,
  ): void;
  /** Lets out what was written so far, in one write. */
  connect(channel: Pick<Channel, "write" | "end">): void;
  /** From now on messages are dropped: a full pipe would keep the CLI from ending. */
  drain(): void;
  /** Ends the output now. */
  stopReading(): Promise<void>;
}

/** Makes an engine, before there is a channel: what is written waits. */
export function makeEngine<Item>(profile: Profile<Item>): Engine {
  const { host, queue, limits, time: { clock } } = profile;
  const { outbox, requests, incoming, router } = makeControl(
    profile,
    () => pump.run(),
  );
  const pump = new Pump({ host, queue, limits, clock });
  queue.connect(pump);
  let reader: ByteReader | undefined;
  return {
    outbox,
    requests,
    incoming,
    start(channel, onEnd) {
      const { reusesBuffer } = host.tuning;
      const own = reader = new ByteReader(channel.readable, reusesBuffer);
      // Another process may hold the pipe, and write to it.
      (channel.gone ?? channel.exited).then(() =>
        own.endAfterSilence(limits.quietMs, clock, limits.lateMs)
      );
      pump.start({
        reader: own,
        pipeline: new Pipeline(profile, { router, outbox }, own.isReused),
        requests,
        queueFull: () => profile.faults.queueFull?.(),
        onEnd,
      });
    },
    connect: (channel) => outbox.connect(channel),
    drain: () => pump.drain(),
    stopReading: async () => await reader?.cancel(),
  };
}
