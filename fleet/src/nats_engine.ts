import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import { systemClock, unlessAborted } from "@sluice/agent/extend";
import { backoffDelay } from "@sluice/agent/mcp";
import {
  type Engine,
  LANES,
  type Lease,
  type LogEntry,
  type Path,
  type Row,
} from "./engine.ts";
import {
  type Body,
  NatsCalls,
  NO_MESSAGE,
  passes,
  refusal,
  WRONG_SEQUENCE,
} from "./nats_calls.ts";
import {
  NANOS_PER_MS,
  openStreams,
  pathOf,
  streamsOf,
  subjectOf,
} from "./nats_streams.ts";

const MESSAGE_ID = "Nats-Msg-Id";
const LAST_SEQUENCE = "Nats-Expected-Last-Subject-Sequence";
const EXTEND_AGAIN = { baseMs: 50, capMs: 500 };
/** Signals may be lost before a lost connection is noticed. */
const WAKE_AGAIN_MS = 10_000;

type Kind = "row" | "log";

/** A message as `MSG.GET` gives it. */
interface Stored {
  readonly subject: string;
  readonly seq: number;
  readonly data?: string;
  readonly hdrs?: string;
}

/**
 * The engine on NATS JetStream, by its plain API of requests and answers: three streams, and a consumer for each lane.
 *
 * A row and a log are subjects of a stream, and each write names the sequence that it saw last. It uses no time to live of
 * messages, no pausing and no schedules, which older servers silently ignore.
 *
 * @param connection The connection
 * @param headers Makes empty headers
 * @param settings Name of the fleet, and by which rules
 * @returns The engine; `open()` makes what is missing on the server, and refuses what is there and differs
 */
export function natsEngine(
  connection: NatsConnection,
  headers: () => MsgHdrs,
  settings: {
    readonly name: string;
    readonly leaseMs: number;
    readonly patienceMs: number;
    readonly replicas: number;
  },
): Engine & { open(): Promise<void> } {
  const { name, leaseMs, patienceMs } = settings;
  const streams = streamsOf(name);
  const listeners = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of [...listeners]) wake();
  };
  const calls = new NatsCalls(connection, headers, patienceMs, wakeAll);
  const root = `sluice.${name}`;
  let offsetMs = 0;

  function subject(kind: string, path: Path): string {
    return subjectOf(`${root}.${kind}`, path);
  }

  function rowOf({ subject, seq, data = "" }: Stored): Row {
    const path = pathOf(`${root}.row`, subject);
    return { path, value: bytesOf(data), revision: seq };
  }

  function leaseOf({ reply = "", data }: Msg, askedAt: number): Lease {
    let since = askedAt;
    // An extension may not follow the end of the lease.
    let isGivenBack = false;
    const leftMs = () => since + leaseMs - performance.now();
    return {
      value: new Uint8Array(data),
      leftMs,
      async extend(signal) {
        for (let tries = 0; leftMs() > 0; tries++) {
          if (signal.aborted || isGivenBack || calls.ended.aborted) return;
          const sentAt = performance.now();
          try {
            await unlessAborted(calls.once(reply, "+WPI"), signal);
            since = sentAt;
            return;
          } catch {
            const ms = backoffDelay(tries, EXTEND_AGAIN);
            await systemClock.sleep(ms, signal).catch(() => {});
          }
        }
      },
      async done() {
        isGivenBack = true;
        await calls.ask(reply, "+ACK");
      },
      async later(ms) {
        isGivenBack = true;
        const delay = Math.round(ms) * NANOS_PER_MS;
        await calls.ask(reply, `-NAK ${JSON.stringify({ delay })}`);
      },
    };
  }

  function last(kind: Kind, path: Path): Promise<Stored | undefined> {
    return get(kind, { last_by_subj: subject(kind, path) });
  }

  async function get(kind: Kind, body: Body): Promise<Stored | undefined> {
    const call = `STREAM.MSG.GET.${streams[kind]}`;
    const answer = await calls.api(call, body, NO_MESSAGE);
    return answer?.["message"] as Stored | undefined;
  }

  /** Writes if the newest sequence of the subject is still the one that was seen; returns the new one. */
  async function write(
    kind: Kind,
    path: Path,
    value: Uint8Array,
    seen: number,
  ): Promise<number | undefined> {
    const to = subject(kind, path);
    const id = crypto.randomUUID();
    const answer = await calls.publish(to, value, {
      [MESSAGE_ID]: id,
      [LAST_SEQUENCE]: String(seen),
    });
    if (answer.refused === 0) return Number(answer.body["seq"]);
    if (answer.refused !== WRONG_SEQUENCE) throw refusal(answer, to);
    if (!answer.isAgain) return undefined;
    // The first try may have come through, and its answer not.
    const found = await last(kind, path);
    const isOurs = found !== undefined &&
      textDecoder.decode(bytesOf(found.hdrs ?? "")).includes(id);
    return isOurs ? found.seq : undefined;
  }

  async function wakeNowAndThen(): Promise<void> {
    const sleep = () => systemClock.sleep(WAKE_AGAIN_MS, calls.ended);
    while (await sleep().then(() => true, () => false)) wakeAll();
  }

  return {
    maxBytes: calls.maxBytes,
    leaseMs,
    async open() {
      void wakeNowAndThen();
      const server = Date.parse(String(await openStreams(calls, settings)));
      if (Number.isNaN(server)) return;
      offsetMs = server - performance.timeOrigin - performance.now();
    },
    get connection() {
      return calls.connection;
    },
    now: () => performance.timeOrigin + performance.now() + offsetMs,
    get: (path) => last("row", path).then((found) => found && rowOf(found)),
    put: (path, value, revision) => write("row", path, value, revision),
    async remove(kind, path) {
      const call = `STREAM.PURGE.${streams[kind]}`;
      const all = subject(kind, path);
      for (const filter of [all, `${all}.>`]) await calls.api(call, { filter });
    },
    async *rows(below) {
      const filter = `${subject("row", below)}.>`;
      for (let seq = 1;;) {
        const found = await get("row", { seq, next_by_subj: filter });
        if (found === undefined) return;
        seq = found.seq + 1;
        yield rowOf(found);
      }
    },
    async paths(below) {
      const call = `STREAM.INFO.${streams.row}`;
      const all: Path[] = [];
      for (;;) {
        const info = await calls.api(call, {
          subjects_filter: `${subject("row", below)}.>`,
          offset: all.length,
        });
        const { subjects } = stateIn(info);
        const page = Object.keys(subjects ?? {});
        all.push(...page.map((one) => pathOf(`${root}.row`, one)));
        if (page.length === 0 || all.length >= Number(info?.["total"] ?? 0)) {
          return all;
        }
      }
    },
    append: (path, value, after) => write("log", path, value, after),
    read(path, after) {
      const next_by_subj = subject("log", path);
      return get("log", { seq: after + 1, next_by_subj }).then(entryOf);
    },
    newest: (path) => last("log", path).then(entryOf),
    async push(lane, value, id) {
      const to = subject("queue", [lane]);
      const answer = await calls.publish(to, value, { [MESSAGE_ID]: id });
      if (answer.refused !== 0) throw refusal(answer, to);
    },
    async take() {
      for (const lane of LANES) {
        // A question that waits for the connection would hold an entry too long.
        if (calls.connection.aborted) return undefined;
        const to = `$JS.API.CONSUMER.MSG.NEXT.${streams.queue}.${lane}`;
        const body = JSON.stringify({ batch: 1, no_wait: true });
        const askedAt = performance.now();
        // An entry comes with the subject that it was put under, so the answer needs an inbox of its own.
        const message = await calls.once(to, body, { noMux: true })
          .catch((error) => {
            if (passes(error)) return undefined;
            throw calls.failure(error, to);
          });
        if (message?.reply?.startsWith("$JS.ACK.")) {
          return leaseOf(message, askedAt);
        }
      }
      return undefined;
    },
    async depth() {
      const info = await calls.api(`STREAM.INFO.${streams.queue}`, {});
      return stateIn(info).messages ?? 0;
    },
    signal: (topic) => calls.send(subject("signal", topic)),
    listen(topic, wake) {
      const leave = calls.listen(subject("signal", topic), wake);
      listeners.add(wake);
      return () => {
        listeners.delete(wake);
        leave();
      };
    },
    async close() {
      await calls.close();
      listeners.clear();
    },
  };
}

function stateIn(info: Body | undefined): {
  readonly messages?: number;
  readonly subjects?: object;
} {
  return Object(info?.["state"]);
}

const textDecoder = new TextDecoder();

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function entryOf(stored: Stored | undefined): LogEntry | undefined {
  return stored && { value: bytesOf(stored.data ?? ""), place: stored.seq };
}
