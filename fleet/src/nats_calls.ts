import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import { ClosedError } from "@sluice/agent";
import {
  settleWithin,
  systemClock,
  textOfError,
  unlessAborted,
} from "@sluice/agent/extend";
import { backoffDelay } from "@sluice/agent/mcp";
import { FleetError } from "./errors.ts";
import { fleetError } from "./engine.ts";

/** Error codes of the server: there is no such consumer, message or stream. */
export const NO_CONSUMER = 10014;
export const NO_MESSAGE = 10037;
export const NO_STREAM = 10059;
/** The subject has a newer entry than the one expected. */
export const WRONG_SEQUENCE = 10071;
/** Too few servers; while a cluster starts, they do not know each other yet. */
const NO_PEERS = 10005;
/** Too few servers for the replicas. */
export const TOO_FEW_SERVERS: ReadonlySet<number> = new Set([NO_PEERS, 10074]);
/** The same message, or another write to the same subject, is on its way to the other servers of a cluster. */
const IN_PROCESS: ReadonlySet<number> = new Set([10158, 10164]);
/** No room: storage of the server or the account, limits of the stream. */
const NO_ROOM: ReadonlySet<number> = new Set([
  ...[10002, 10023, 10028, 10047, 10077, 10122],
]);

/** JSON of JetStream's API. */
export type Body = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly body: Body;
  /** The server's error, if it refused. */
  readonly error?: {
    readonly code?: number;
    readonly err_code?: number;
    readonly description?: string;
  };
  /** Its error code; 0 if it did not refuse. */
  readonly refused: number;
  /** Whether an earlier try may have had its effect. */
  readonly isAgain: boolean;
}

function answerIn(data: Uint8Array, isAgain: boolean): Answer {
  const text = new TextDecoder().decode(data);
  const body = Object(text === "" ? {} : JSON.parse(text));
  const { error } = body;
  return { body, error, refused: error ? error.err_code ?? 1 : 0, isAgain };
}

/** Whether the server only cannot do it now: it is starting, has no leader, or is about to do the same. */
function isTemporary({ error, refused }: Answer): boolean {
  return IN_PROCESS.has(refused) || refused === NO_PEERS ||
    error?.code === 503 && !NO_ROOM.has(refused);
}

/** The error for a refusal of the server. */
export function refusal(
  { error, refused }: Pick<Answer, "error" | "refused">,
  call: string,
): FleetError {
  const isFull = NO_ROOM.has(refused);
  const what = isFull ? "Server has no room" : "Server refused";
  const { description = "no reason" } = error ?? {};
  return fleetError(
    isFull ? "full" : "server",
    `${what}: ${call}: ${description} (${refused})`,
    { details: { errorCode: refused } },
  );
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** Whether the same call may succeed soon: no answer in time, no responder, a lost connection. */
export function passes(error: unknown): boolean {
  const name = nameOf(error);
  if (name !== "RequestError") {
    return ["TimeoutError", "ConnectionError", "NoResponders"]
      .includes(name);
  }
  const cause = (error as Error).cause;
  return cause === undefined || passes(cause);
}

/** For one try. */
const ASK_MS = 5_000;
/** Headers count against the server's limit as well. */
const ROOM_FOR_HEADERS = 4_096;
const CLOSE_MS = 2_000;
/** Time for a socket without a server to close, in milliseconds. */
const GOING_MS = 20;
const RETRY = { baseMs: 50, capMs: 500 };

/** The connection broke, and is being made again. */
class LostConnection extends Error {
  override readonly name = "ConnectionError";

  constructor() {
    super("connection is lost");
  }
}

/**
 * Questions to a NATS server over one connection, asked until there is an answer.
 *
 * A call that was lost, or that the server cannot answer yet, is repeated for `patienceMs`.
 */
export class NatsCalls {
  readonly maxBytes: number;
  readonly #connection: NatsConnection;
  readonly #headers: () => MsgHdrs;
  readonly #patienceMs: number;
  readonly #onBack: () => void;
  readonly #ended = new AbortController();
  /** Aborted when the connection is lost; another one once it is back. */
  #lost = new AbortController();

  /**
   * @param connection The connection
   * @param headers Makes empty headers
   * @param patienceMs How long a call is tried again
   * @param onBack Called whenever the connection is there again, and when it has ended
   */
  constructor(
    connection: NatsConnection,
    headers: () => MsgHdrs,
    patienceMs: number,
    onBack: () => void,
  ) {
    this.#connection = connection;
    this.#headers = headers;
    this.#patienceMs = patienceMs;
    this.#onBack = onBack;
    const { max_payload: limit = 1_048_576 } = connection.info ?? {};
    this.maxBytes = limit - ROOM_FOR_HEADERS;
    this.#follow();
  }

  /** Aborted when it was closed, or the server no longer accepts the credentials. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Aborted while the connection is lost; another one once it is back. */
  get connection(): AbortSignal {
    return this.#lost.signal;
  }

  /** Ends the connection, and every call with `ClosedError`. */
  async close(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new ClosedError("Fleet"));
    this.#onBack();
    // The client drops its listeners before the last error of a socket whose server has just gone, so that one closes first.
    await systemClock.sleep(GOING_MS);
    // On Deno it waits for a server that takes nothing.
    await settleWithin(this.#connection.close(), CLOSE_MS, systemClock);
  }

  /** Sends a message that may be lost. */
  send(subject: string, text?: string): void {
    if (!this.#connection.isClosed()) this.#connection.publish(subject, text);
  }

  /** Calls back for each message of a subject; the returned function ends it. */
  listen(subject: string, callback: () => void): () => void {
    this.ended.throwIfAborted();
    const subscription = this.#connection.subscribe(subject, { callback });
    return () => subscription.unsubscribe();
  }

  /** Stores a value under a subject; the answer may be a refusal. */
  publish(
    subject: string,
    value: Uint8Array,
    fields: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    if (value.length > this.maxBytes) {
      throw fleetError(
        "settings",
        `A value has more bytes than the server takes: ${value.length} of ${this.maxBytes}`,
      );
    }
    const headers = this.#headers();
    for (const [name, text] of Object.entries(fields)) headers.set(name, text);
    return this.ask(subject, value, headers);
  }

  /** A call of JetStream's API; `undefined` for the error code `missing`. */
  async api(
    call: string,
    body: Body,
    missing?: number,
  ): Promise<Body | undefined> {
    const answer = await this.ask(`$JS.API.${call}`, JSON.stringify(body));
    if (answer.refused === 0) return answer.body;
    if (answer.refused === missing) return undefined;
    throw refusal(answer, call);
  }

  /** Asks until there is an answer, for `patienceMs`. */
  async ask(
    subject: string,
    payload: Uint8Array | string,
    headers?: MsgHdrs,
  ): Promise<Answer> {
    const end = performance.now() + this.#patienceMs;
    for (let attempt = 0;; attempt++) {
      let failure: unknown;
      try {
        const message = await this.once(
          subject,
          payload,
          headers && { headers },
        );
        const answer = answerIn(message.data, attempt > 0);
        if (!isTemporary(answer)) return answer;
        failure = refusal(answer, subject);
      } catch (error) {
        if (!passes(error)) throw this.failure(error, subject);
        failure = error;
      }
      if (performance.now() > end) {
        throw fleetError(
          "unreachable",
          `Server did not answer for ${this.#patienceMs} ms: ${
            textOfError(failure)
          }`,
          {
            cause: failure,
            ...failure instanceof FleetError && { details: failure.details },
          },
        );
      }
      const ms = backoffDelay(attempt, RETRY);
      await systemClock.sleep(ms, this.#ended.signal);
    }
  }

  /** Asks once, while the connection is there. */
  once(
    subject: string,
    payload: Uint8Array | string,
    more?: { readonly headers: MsgHdrs } | { readonly noMux: true },
  ): Promise<Msg> {
    const { connection, ended } = this;
    if (ended.aborted) return Promise.reject(ended.reason);
    // The client would keep the question, and ask it long after its timeout.
    if (connection.aborted) return Promise.reject(connection.reason);
    const options = { timeout: ASK_MS, ...more };
    const asked = this.#connection.request(subject, payload, options);
    return unlessAborted(unlessAborted(asked, connection), ended);
  }

  /** The error for the caller of a call. */
  failure(error: unknown, subject: string): unknown {
    const { signal } = this.#ended;
    if (signal.aborted) return signal.reason;
    const names = [nameOf(error), nameOf((error as Error)?.cause)];
    const isRefused = names.includes("PermissionViolationError") ||
      names.includes("AuthorizationError");
    const what = isRefused
      ? "Server does not let this user do that: give it the rights of a fleet"
      : "Server failed";
    return fleetError(
      isRefused ? "refused" : "server",
      `${what}: ${subject}: ${textOfError(error)}`,
      { cause: error },
    );
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === "disconnect") this.#lost.abort(new LostConnection());
      if (type !== "reconnect") continue;
      if (this.#lost.signal.aborted) this.#lost = new AbortController();
      this.#onBack();
    }
    // A server that no longer accepts the credentials ends the connection.
    const error = await this.#connection.closed();
    this.#ended.abort(
      error instanceof Error
        ? this.failure(error, "connection")
        : new ClosedError("Fleet"),
    );
    this.#onBack();
  }
}
