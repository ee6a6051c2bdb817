import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import { systemClock } from "../async/system_clock.ts";
import { isObject } from "../errors/is_object.ts";
import {
  type Engine,
  type Lane,
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
  type Streams,
  streamsOf,
  subjectOf,
} from "./nats_streams.ts";

const MESSAGE_ID = "Nats-Msg-Id";
const LAST_SEQUENCE = "Nats-Expected-Last-Subject-Sequence";
/** Signals may be lost while nobody knows that the connection is gone. */
const WAKE_AGAIN_MS = 10_000;

/** What a NATS engine is made of. */
export interface NatsParts {
  readonly connection: NatsConnection;
  /** Makes empty headers. */
  readonly headers: () => MsgHdrs;
  /** Name of the fleet. */
  readonly name: string;
  readonly leaseMs: number;
  readonly patienceMs: number;
  readonly replicas: number;
}

/** What is kept, each in a stream of its own. */
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
 * A row and a log are subjects of a stream: whoever writes says which sequence it saw last. Nothing rests on the time to
 * live of a message, on pausing or on schedules, which older servers leave out without a word.
 */
export class NatsEngine implements Engine {
  readonly maxBytes: number;
  readonly leaseMs: number;
  readonly #parts: NatsParts;
  readonly #calls: NatsCalls;
  readonly #streams: Streams;
  readonly #listeners = new Set<() => void>();
  #offsetMs = 0;

  constructor(parts: NatsParts) {
    const { connection, headers, patienceMs, name, leaseMs } = parts;
    this.#parts = parts;
    // Whoever waits asks once more, or is told that it is over.
    this.#calls = new NatsCalls(connection, headers, patienceMs, () => {
      this.#wake();
    });
    this.maxBytes = this.#calls.maxBytes;
    this.leaseMs = leaseMs;
    this.#streams = streamsOf(name);
  }

  /** Makes what is missing on the server, and refuses what is there and differs. */
  async open(): Promise<void> {
    this.#wakeNowAndThen();
    const ts = await openStreams(this.#calls, this.#parts);
    const server = Date.parse(String(ts));
    if (Number.isNaN(server)) return;
    this.#offsetMs = server - performance.timeOrigin - performance.now();
  }

  get connection(): AbortSignal {
    return this.#calls.connection;
  }

  now(): number {
    return performance.timeOrigin + performance.now() + this.#offsetMs;
  }

  get(path: Path): Promise<Row | undefined> {
    return this.#last("row", path).then((found) => found && this.#row(found));
  }

  put(
    path: Path,
    value: Uint8Array,
    revision: number,
  ): Promise<number | undefined> {
    return this.#write("row", path, value, revision);
  }

  async remove(kind: Kind, path: Path): Promise<void> {
    const call = `STREAM.PURGE.${this.#streams[kind]}`;
    const subject = this.#subject(kind, path);
    for (const filter of [subject, `${subject}.>`]) {
      await this.#calls.api(call, { filter });
    }
  }

  async *rows(below: Path): AsyncGenerator<Row> {
    const filter = this.#subject("row", below, ">");
    for (let seq = 1;;) {
      const found = await this.#get("row", { seq, next_by_subj: filter });
      if (found === undefined) return;
      seq = found.seq + 1;
      yield this.#row(found);
    }
  }

  async paths(below: Path): Promise<readonly Path[]> {
    const root = this.#subject("row", []);
    const call = `STREAM.INFO.${this.#streams.row}`;
    const all: Path[] = [];
    for (;;) {
      const info = await this.#calls.api(call, {
        subjects_filter: this.#subject("row", below, ">"),
        offset: all.length,
      });
      const state = info?.["state"];
      const page = isObject(state) && isObject(state["subjects"])
        ? Object.keys(state["subjects"])
        : [];
      all.push(...page.map((subject) => pathOf(root, subject)));
      if (page.length === 0 || all.length >= Number(info?.["total"] ?? 0)) {
        return all;
      }
    }
  }

  append(
    path: Path,
    value: Uint8Array,
    after: number,
  ): Promise<number | undefined> {
    return this.#write("log", path, value, after);
  }

  read(path: Path, after: number): Promise<LogEntry | undefined> {
    const next_by_subj = this.#subject("log", path);
    return this.#get("log", { seq: after + 1, next_by_subj }).then(entryOf);
  }

  newest(path: Path): Promise<LogEntry | undefined> {
    return this.#last("log", path).then(entryOf);
  }

  async push(lane: Lane, value: Uint8Array, id: string): Promise<void> {
    const subject = this.#subject("queue", [lane]);
    const answer = await this.#calls.publish(subject, value, {
      [MESSAGE_ID]: id,
    });
    if (answer.refused !== 0) throw refusal(answer, subject);
  }

  async take(): Promise<Lease | undefined> {
    for (const lane of LANES) {
      // A question that waits for the connection would hold what nobody takes any more.
      if (!this.#calls.isConnected) return undefined;
      const subject =
        `$JS.API.CONSUMER.MSG.NEXT.${this.#streams.queue}.${lane}`;
      const body = JSON.stringify({ batch: 1, no_wait: true });
      // What is taken comes with the subject that it was put under, so an inbox of its own tells where it belongs.
      const message = await this.#calls.once(subject, body, { noMux: true })
        .catch((error) => {
          if (passes(error)) return undefined;
          throw this.#calls.failure(error, subject);
        });
      if (message?.reply?.startsWith("$JS.ACK.")) return this.#lease(message);
    }
    return undefined;
  }

  async depth(): Promise<number> {
    const call = `STREAM.INFO.${this.#streams.queue}`;
    const info = await this.#calls.api(call, {});
    const state = info?.["state"];
    return isObject(state) ? Number(state["messages"]) : 0;
  }

  signal(topic: Path): void {
    this.#calls.send(this.#subject("signal", topic));
  }

  listen(topic: Path, wake: () => void): () => void {
    const leave = this.#calls.listen(this.#subject("signal", topic), wake);
    this.#listeners.add(wake);
    return () => {
      this.#listeners.delete(wake);
      leave();
    };
  }

  async close(): Promise<void> {
    await this.#calls.close();
    this.#listeners.clear();
  }

  #subject(kind: string, path: Path, end?: string): string {
    const subject = subjectOf(`sluice.${this.#parts.name}.${kind}`, path);
    return end === undefined ? subject : `${subject}.${end}`;
  }

  #row({ subject, seq, data = "" }: Stored): Row {
    const root = this.#subject("row", []);
    return {
      path: pathOf(root, subject),
      value: bytesOf(data),
      revision: seq,
    };
  }

  #lease(message: Msg): Lease {
    const { reply = "", data } = message;
    return {
      value: new Uint8Array(data),
      extend: () => this.#calls.send(reply, "+WPI"),
      done: async () => {
        await this.#calls.ask(reply, "+ACK");
      },
      later: async (ms) => {
        const delay = Math.round(ms) * NANOS_PER_MS;
        await this.#calls.ask(reply, `-NAK ${JSON.stringify({ delay })}`);
      },
    };
  }

  #last(kind: Kind, path: Path): Promise<Stored | undefined> {
    return this.#get(kind, { last_by_subj: this.#subject(kind, path) });
  }

  async #get(kind: Kind, body: Body): Promise<Stored | undefined> {
    const call = `STREAM.MSG.GET.${this.#streams[kind]}`;
    const answer = await this.#calls.api(call, body, NO_MESSAGE);
    return answer?.["message"] as Stored | undefined;
  }

  /** Writes what nobody may have written since; gives its sequence. */
  async #write(
    kind: Kind,
    path: Path,
    value: Uint8Array,
    last: number,
  ): Promise<number | undefined> {
    const subject = this.#subject(kind, path);
    const id = crypto.randomUUID();
    const answer = await this.#calls.publish(subject, value, {
      [MESSAGE_ID]: id,
      [LAST_SEQUENCE]: String(last),
    });
    if (answer.refused === 0) return Number(answer.body["seq"]);
    if (answer.refused !== WRONG_SEQUENCE) throw refusal(answer, subject);
    if (!answer.isAgain) return undefined;
    // The first try may have come through, and its answer not.
    const found = await this.#last(kind, path);
    const isOurs = found !== undefined &&
      textDecoder.decode(bytesOf(found.hdrs ?? "")).includes(id);
    return isOurs ? found.seq : undefined;
  }

  async #wakeNowAndThen(): Promise<void> {
    const signal = this.#calls.ended;
    const sleep = () => systemClock.sleep(WAKE_AGAIN_MS, signal);
    while (await sleep().then(() => true, () => false)) this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#listeners]) wake();
  }
}

const textDecoder = new TextDecoder();

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function entryOf(stored: Stored | undefined): LogEntry | undefined {
  return stored && { value: bytesOf(stored.data ?? ""), place: stored.seq };
}
