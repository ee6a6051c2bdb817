import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import { backoffDelay } from "../async/backoff.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import { isObject } from "../errors/is_object.ts";
import { FleetError } from "../errors/fleet.ts";
import { ClosedError } from "../errors/state.ts";
import { textOfError } from "../errors/text.ts";
import {
  type Engine,
  type Lane,
  LANES,
  type Lease,
  type LogEntry,
  type Path,
  type Row,
} from "./engine.ts";
import { pathOf, subjectOf } from "./nats_subject.ts";

/** One question to the server; a lost answer is asked for again. */
const ASK_MS = 5_000;
/** Headers and the words round a value count against the server's limit as well. */
const ROOM_FOR_HEADERS = 4_096;
const NANOS_PER_MS = 1_000_000;
/** As long as a write may be tried again, and longer. */
const DUPLICATE_WINDOW_MS = 300_000;
const MESSAGE_ID = "Nats-Msg-Id";
const LAST_SEQUENCE = "Nats-Expected-Last-Subject-Sequence";
const RETRY = { baseMs: 50, capMs: 500 };
/** Signals may be lost while nobody knows that the connection is gone. */
const WAKE_AGAIN_MS = 10_000;

/** Words of the server's own for what a call may meet. */
const NO_CONSUMER = 10014;
const NO_MESSAGE = 10037;
const NO_STREAM = 10059;
const WRONG_SEQUENCE = 10071;
/** No room for it: storage of the server or the account, limits of the stream. */
const NO_ROOM: ReadonlySet<number> = new Set([
  ...[10002, 10023, 10028, 10047, 10077, 10122],
]);

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

/** What is asked of JetStream's API, in JSON. */
type Body = Readonly<Record<string, unknown>>;

/** A message as `MSG.GET` gives it. */
interface Stored {
  readonly subject: string;
  readonly seq: number;
  readonly data?: string;
  readonly hdrs?: string;
}

/** What came of a call. */
interface Answer {
  readonly body: Body;
  /** The server's number for why it said no; 0 when it did not. */
  readonly refused: number;
  /** Whether an earlier try may have had its effect. */
  readonly isAgain: boolean;
}

/** The connection broke, and is being made again. */
class LostConnection extends Error {
  override readonly name = "ConnectionError";

  constructor() {
    super("connection is lost");
  }
}

/** The name of a fleet's stream. */
function streamName(name: string, part: string): string {
  return `SLUICE_${name}_${part}`;
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
  readonly #connection: NatsConnection;
  readonly #rows: string;
  readonly #logs: string;
  readonly #queue: string;
  readonly #ended = new AbortController();
  readonly #listeners = new Set<() => void>();
  #offsetMs = 0;
  /** Aborted when the connection is lost; `undefined` until it is there again. */
  #connected: AbortController | undefined = new AbortController();

  constructor(parts: NatsParts) {
    this.#parts = parts;
    this.#connection = parts.connection;
    this.leaseMs = parts.leaseMs;
    const { max_payload: limit = 1_048_576 } = parts.connection.info ?? {};
    this.maxBytes = limit - ROOM_FOR_HEADERS;
    const { name } = parts;
    this.#rows = streamName(name, "rows");
    this.#logs = streamName(name, "logs");
    this.#queue = streamName(name, "queue");
  }

  /** Makes what is missing on the server, and refuses what is there and differs. */
  async open(): Promise<void> {
    this.#follow();
    this.#wakeNowAndThen();
    const { replicas, leaseMs } = this.#parts;
    const common = {
      storage: "file",
      num_replicas: replicas,
      duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
    };
    await this.#stream(this.#rows, {
      ...common,
      subjects: [this.#subject("row", [], ">")],
      retention: "limits",
      max_msgs_per_subject: 1,
      discard: "old",
      max_age: 0,
    });
    await this.#stream(this.#logs, {
      ...common,
      subjects: [this.#subject("log", [], ">")],
      retention: "limits",
      max_msgs_per_subject: -1,
      discard: "new",
    });
    await this.#stream(this.#queue, {
      ...common,
      subjects: [this.#subject("queue", [], "*")],
      retention: "workqueue",
      discard: "new",
      max_age: 0,
    });
    for (const lane of LANES) {
      await this.#consumer(lane, {
        durable_name: lane,
        filter_subject: this.#subject("queue", [lane]),
        ack_policy: "explicit",
        ack_wait: leaseMs * NANOS_PER_MS,
        max_deliver: -1,
        max_ack_pending: -1,
        deliver_policy: "all",
      });
    }
  }

  now(): number {
    return performance.timeOrigin + performance.now() + this.#offsetMs;
  }

  get(path: Path): Promise<Row | undefined> {
    return this.#get(this.#rows, {
      last_by_subj: this.#subject("row", path),
    }).then((found) => found && this.#row(found));
  }

  put(
    path: Path,
    value: Uint8Array,
    revision: number,
  ): Promise<number | undefined> {
    return this.#write(
      this.#rows,
      this.#subject("row", path),
      value,
      revision,
    );
  }

  async remove(kind: "row" | "log", path: Path): Promise<void> {
    const stream = kind === "row" ? this.#rows : this.#logs;
    const subject = this.#subject(kind, path);
    for (const filter of [subject, `${subject}.>`]) {
      await this.#api(`STREAM.PURGE.${stream}`, { filter });
    }
  }

  async *rows(below: Path): AsyncGenerator<Row> {
    const filter = this.#subject("row", below, ">");
    for (let seq = 1;;) {
      const found = await this.#get(this.#rows, { seq, next_by_subj: filter });
      if (found === undefined) return;
      seq = found.seq + 1;
      yield this.#row(found);
    }
  }

  append(
    path: Path,
    value: Uint8Array,
    after: number,
  ): Promise<number | undefined> {
    return this.#write(this.#logs, this.#subject("log", path), value, after);
  }

  read(path: Path, after: number): Promise<LogEntry | undefined> {
    const filter = this.#subject("log", path);
    return this.#get(this.#logs, { seq: after + 1, next_by_subj: filter })
      .then(entryOf);
  }

  newest(path: Path): Promise<LogEntry | undefined> {
    const subject = this.#subject("log", path);
    return this.#get(this.#logs, { last_by_subj: subject }).then(entryOf);
  }

  async push(lane: Lane, value: Uint8Array, id: string): Promise<void> {
    const subject = this.#subject("queue", [lane]);
    const answer = await this.#publish(subject, value, { [MESSAGE_ID]: id });
    if (answer.refused !== 0) throw refusal(answer, subject);
  }

  async take(): Promise<Lease | undefined> {
    for (const lane of LANES) {
      // A question that waits for the connection would hold what nobody takes any more.
      if (this.#connected === undefined) return undefined;
      const subject = `$JS.API.CONSUMER.MSG.NEXT.${this.#queue}.${lane}`;
      const body = JSON.stringify({ batch: 1, no_wait: true });
      // What is taken comes with the subject that it was put under, so an inbox of its own tells where it belongs.
      const message = await this.#once(subject, body, { noMux: true }).catch(
        (error) => {
          if (passes(error)) return undefined;
          throw this.#failure(error, subject);
        },
      );
      if (message?.reply?.startsWith("$JS.ACK.")) return this.#lease(message);
    }
    return undefined;
  }

  async depth(): Promise<number> {
    const info = await this.#api(`STREAM.INFO.${this.#queue}`, {});
    const state = info?.["state"];
    return isObject(state) ? Number(state["messages"]) : 0;
  }

  signal(topic: Path): void {
    if (this.#connection.isClosed()) return;
    this.#connection.publish(this.#subject("signal", topic));
  }

  listen(topic: Path, wake: () => void): () => void {
    this.#ended.signal.throwIfAborted();
    const subscription = this.#connection.subscribe(
      this.#subject("signal", topic),
      { callback: wake },
    );
    this.#listeners.add(wake);
    return () => {
      this.#listeners.delete(wake);
      subscription.unsubscribe();
    };
  }

  async close(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new ClosedError("Fleet"));
    // Whoever waits asks once more, and is told.
    this.#wake();
    this.#listeners.clear();
    await this.#connection.close();
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
      extend: () => {
        if (!this.#connection.isClosed()) {
          this.#connection.publish(reply, "+WPI");
        }
      },
      done: async () => {
        await this.#ask(reply, "+ACK");
      },
      later: async (ms) => {
        const delay = Math.round(ms) * NANOS_PER_MS;
        await this.#ask(reply, `-NAK ${JSON.stringify({ delay })}`);
      },
    };
  }

  async #stream(name: string, wanted: Body): Promise<void> {
    const found = await this.#api(`STREAM.INFO.${name}`, {}, NO_STREAM) ??
      await this.#api(`STREAM.CREATE.${name}`, { name, ...wanted });
    this.#setClock(found?.["ts"]);
    // How safe and how large is up to whoever runs the server.
    const { num_replicas: _, duplicate_window: __, ...needed } = wanted;
    refuseOther(`Stream ${name}`, found?.["config"], needed);
  }

  async #consumer(lane: Lane, wanted: Body): Promise<void> {
    const at = `${this.#queue}.${lane}`;
    const found = await this.#api(`CONSUMER.INFO.${at}`, {}, NO_CONSUMER) ??
      await this.#api(`CONSUMER.CREATE.${at}.${wanted["filter_subject"]}`, {
        stream_name: this.#queue,
        config: wanted,
      });
    refuseOther(
      `Consumer ${lane} of ${this.#queue}`,
      found?.["config"],
      wanted,
    );
  }

  /** The clock of the server, by one answer of it. */
  #setClock(ts: unknown): void {
    const server = Date.parse(String(ts));
    if (Number.isNaN(server)) return;
    this.#offsetMs = server - performance.timeOrigin - performance.now();
  }

  async #get(stream: string, body: Body): Promise<Stored | undefined> {
    const call = `STREAM.MSG.GET.${stream}`;
    const answer = await this.#api(call, body, NO_MESSAGE);
    return answer?.["message"] as Stored | undefined;
  }

  /** Writes what nobody may have written since; gives its sequence. */
  async #write(
    stream: string,
    subject: string,
    value: Uint8Array,
    last: number,
  ): Promise<number | undefined> {
    const id = crypto.randomUUID();
    const answer = await this.#publish(subject, value, {
      [MESSAGE_ID]: id,
      [LAST_SEQUENCE]: String(last),
    });
    if (answer.refused === 0) return Number(answer.body["seq"]);
    if (answer.refused !== WRONG_SEQUENCE) throw refusal(answer, subject);
    if (!answer.isAgain) return undefined;
    // The first try may have come through, and its answer not.
    const found = await this.#get(stream, { last_by_subj: subject });
    const isOurs = found !== undefined &&
      textDecoder.decode(bytesOf(found.hdrs ?? "")).includes(id);
    return isOurs ? found.seq : undefined;
  }

  #publish(
    subject: string,
    value: Uint8Array,
    fields: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    if (value.length > this.maxBytes) {
      throw new FleetError({
        message:
          `A value has more bytes than the server takes: ${value.length} of ${this.maxBytes}`,
        fault: "settings",
      });
    }
    const headers = this.#parts.headers();
    for (const [name, text] of Object.entries(fields)) headers.set(name, text);
    return this.#ask(subject, value, headers);
  }

  /** A call of JetStream's API; `undefined` where it said that there is no such thing. */
  async #api(
    call: string,
    body: Body,
    missing?: number,
  ): Promise<Body | undefined> {
    const answer = await this.#ask(`$JS.API.${call}`, JSON.stringify(body));
    if (answer.refused === 0) return answer.body;
    if (answer.refused === missing) return undefined;
    throw refusal(answer, call);
  }

  /** Asks until there is an answer, as long as the patience lasts. */
  async #ask(
    subject: string,
    payload: Uint8Array | string,
    headers?: MsgHdrs,
  ): Promise<Answer> {
    const end = performance.now() + this.#parts.patienceMs;
    for (let attempt = 0;; attempt++) {
      let failure: unknown;
      try {
        const message = await this.#once(
          subject,
          payload,
          headers && { headers },
        );
        const answer = answerIn(message.data, attempt > 0);
        if (!isForNow(answer)) return answer;
        failure = refusal(answer, subject);
      } catch (error) {
        if (!passes(error)) throw this.#failure(error, subject);
        failure = error;
      }
      if (performance.now() > end) {
        throw new FleetError({
          message: `Server did not answer for ${this.#parts.patienceMs} ms: ${
            textOfError(failure)
          }`,
          fault: "unreachable",
          cause: failure,
        });
      }
      const ms = backoffDelay(attempt, RETRY);
      await systemClock.sleep(ms, this.#ended.signal);
    }
  }

  #once(
    subject: string,
    payload: Uint8Array | string,
    more?: { readonly headers: MsgHdrs } | { readonly noMux: true },
  ): Promise<Msg> {
    const { signal } = this.#ended;
    const connected = this.#connected?.signal;
    if (signal.aborted) return Promise.reject(signal.reason);
    // A question that is kept until the connection is there again would be asked when nobody waits for it.
    if (connected === undefined) return Promise.reject(new LostConnection());
    const options = { timeout: ASK_MS, ...more };
    const asked = this.#connection.request(subject, payload, options);
    return unlessAborted(unlessAborted(asked, connected), signal);
  }

  #failure(error: unknown, subject: string): unknown {
    const { signal } = this.#ended;
    if (signal.aborted) return signal.reason;
    const names = [nameOf(error), nameOf((error as Error)?.cause)];
    const isRefused = names.includes("PermissionViolationError") ||
      names.includes("AuthorizationError");
    const what = isRefused
      ? "Server does not let this user do that: give it the rights of a fleet"
      : "Server failed";
    return new FleetError({
      message: `${what}: ${subject}: ${textOfError(error)}`,
      fault: isRefused ? "refused" : "server",
      cause: error,
    });
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === "disconnect") {
        this.#connected?.abort(new LostConnection());
        this.#connected = undefined;
      }
      if (type !== "reconnect") continue;
      this.#connected ??= new AbortController();
      this.#wake();
    }
    // A server that lets nobody in any more ends the connection.
    const error = await this.#connection.closed();
    this.#ended.abort(
      error instanceof Error
        ? this.#failure(error, "connection")
        : new ClosedError("Fleet"),
    );
    this.#wake();
  }

  async #wakeNowAndThen(): Promise<void> {
    const { signal } = this.#ended;
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

function answerIn(data: Uint8Array, isAgain: boolean): Answer {
  const text = textDecoder.decode(data);
  const body: unknown = text === "" ? {} : JSON.parse(text);
  if (!isObject(body)) return { body: {}, refused: 0, isAgain };
  const { error } = body;
  const refused = isObject(error) ? Number(error["err_code"] ?? 1) : 0;
  return { body, refused, isAgain };
}

function codeIn({ body: { error } }: Answer): number {
  return isObject(error) ? Number(error["code"]) : 0;
}

/** Whether the server says that it cannot just now: it is starting, or has no leader. */
function isForNow(answer: Answer): boolean {
  return codeIn(answer) === 503 && !NO_ROOM.has(answer.refused);
}

function refusal(answer: Answer, what: string): FleetError {
  const { body: { error }, refused } = answer;
  const words = isObject(error) ? String(error["description"]) : "no reason";
  const isFull = NO_ROOM.has(refused);
  return new FleetError({
    message: `${
      isFull ? "Server has no room" : "Server said no"
    }: ${what}: ${words} (${refused})`,
    fault: isFull ? "full" : "server",
    details: { errorCode: refused },
  });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** Whether the same call may succeed soon: no answer in time, nobody who answers, a connection that was lost. */
function passes(error: unknown): boolean {
  const name = nameOf(error);
  if (name !== "RequestError") {
    return ["TimeoutError", "ConnectionError", "NoRespondersError"]
      .includes(name);
  }
  const cause = (error as Error).cause;
  return cause === undefined || passes(cause);
}

/** Refuses what somebody else has set up under the same name. */
function refuseOther(what: string, found: unknown, wanted: Body): void {
  const actual: Body = isObject(found) ? found : {};
  for (const [key, value] of Object.entries(wanted)) {
    const is = actual[key] ?? (key === "max_age" ? 0 : undefined);
    if (JSON.stringify(is) === JSON.stringify(value)) continue;
    const help = key === "ack_wait"
      ? '"leaseMs" has to be the same in all programs of a fleet'
      : "remove it, or use another name";
    throw new FleetError({
      message: `${what} is there with other settings: "${key}" is ${
        JSON.stringify(is)
      }, needed is ${JSON.stringify(value)}; ${help}`,
      fault: "settings",
    });
  }
}
