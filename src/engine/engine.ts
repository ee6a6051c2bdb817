import { ProtocolError } from "../errors/protocol.ts";
import type { Channel } from "../ports/transport.ts";
import { byteLength } from "../stream/byte_length.ts";
import { ByteReader } from "../stream/byte_reader.ts";
import { OWN_CONVENTIONS } from "../wire/conventions.ts";
import { Incoming } from "../wire/incoming.ts";
import { Outbox } from "../wire/outbox.ts";
import { requestIds } from "../wire/request_id.ts";
import { Pending } from "../wire/requests.ts";
import { Router } from "../wire/router.ts";
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

/** Makes the way out, the requests of both sides, and the router between them. */
function makeControl<Item>(
  { time, limits, messages, control, observed, faults }: Profile<Item>,
  readOn: () => void,
) {
  const { clock, deadlines } = time;
  const { meter, telling } = observed;
  const { controlMs, abandonedMs, handlers, denials } = control;
  const conventions = control.conventions ?? OWN_CONVENTIONS;
  const outbox = new Outbox({
    deadlines,
    writeMs: limits.writeMs,
    toError: (message, cause) => faults.unwritten(message, cause),
    onLost: (error) => faults.answersLost?.(error),
    onWritten: (text, batch) => {
      meter.wrote(byteLength(text), batch.lines.length, clock);
      if (batch.isWork) telling.onSign?.();
      observed.onWritten?.(batch);
    },
  });
  const requests = new Pending({
    outbox,
    deadlines,
    nextId: requestIds(() => clock.now()),
    controlMs,
    abandonedMs,
    conventions,
    // The reader must continue until the answer has arrived.
    onAdded: readOn,
    ...control.learn && { learn: control.learn },
  }, telling);
  const incoming = new Incoming({
    handlers,
    denials,
    outbox,
    conventions,
    ...control.onRequest && { onRequest: control.onRequest },
    ...control.within && { within: control.within },
    ...control.onAnswer && { onAnswer: control.onAnswer },
    ...control.onChange && { onChange: control.onChange },
  }, telling);
  const router = new Router({
    log: telling.log,
    onRequest: (line) => incoming.accept(line),
    onSkippedRequest: (line) => incoming.refuseTooLarge(line),
    onCancel: (line) => incoming.cancel(line),
    onResponse(line) {
      requests.settle(line);
      incoming.acceptListed(line);
    },
    onMirror: messages.mirror,
    onAlive: messages.alive,
    report: (error) => {
      if (error instanceof ProtocolError) {
        telling.metrics?.handlerFailure("router", error);
      } else telling.metrics?.malformedMessage("line");
      telling.report(error);
    },
  });
  return { outbox, requests, incoming, router };
}
