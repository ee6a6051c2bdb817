import { backoffDelay } from "../async/backoff.ts";
import { textOfError } from "../errors/text.ts";
import {
  type Exchanges,
  isEventStream,
  notOffered,
  type RemoteServer,
} from "./exchanges.ts";
import { McpFailure } from "./failure.ts";

/** A stream that lived for so long was worth opening, in milliseconds. */
const WORTH_MS = 5_000;

/**
 * The stream on which a server says what nobody asked for, over all the requests that open it.
 *
 * A server that never offered one is not asked again. One that was open is opened again with a growing wait, up to half
 * a minute, and what was said meanwhile is lost: that is told.
 */
export class OwnStream {
  readonly #exchanges: Exchanges;
  readonly #server: RemoteServer;
  readonly #closing = new AbortController();
  #state: "new" | "opening" | "open" | "ended" = "new";
  #openedAt = 0;
  /** Requests in a row that led to nothing. */
  #misses = 0;
  #isTold = false;
  #onGap: () => void = () => {};

  constructor(exchanges: Exchanges, server: RemoteServer) {
    this.#exchanges = exchanges;
    this.#server = server;
  }

  /** Sets the callback for when something may have been missed. */
  listen(onGap: () => void): void {
    this.#onGap = onGap;
  }

  /** Opens nothing any more. */
  close(): void {
    this.#closing.abort();
  }

  /** A `fetch` for the transport; whatever opens no stream of this kind goes straight on. */
  readonly fetch = async (
    url: string | URL,
    init: RequestInit = {},
  ): Promise<Response> => {
    const { method, headers } = init;
    if (method !== "GET") return await this.#exchanges.fetch(url, init);
    // An error would let it ask for ever.
    if (this.#closing.signal.aborted) return notOffered();
    if (this.#exchanges.restOf(init) !== undefined) {
      return await this.#exchanges.fetch(url, init);
    }
    const isResumed = new Headers(headers).has("last-event-id");
    const isFirst = this.#state === "new";
    // The rest of an answer that nobody waits for.
    if (isFirst ? isResumed : this.#state !== "ended") return notOffered();
    this.#state = "opening";
    return isFirst
      ? await this.#first(url, init)
      : await this.#again(url, init, isResumed);
  };

  async #first(url: string | URL, init: RequestInit): Promise<Response> {
    try {
      return await this.#open(url, init);
    } finally {
      if (this.#state === "opening") this.#state = "new";
    }
  }

  async #again(
    url: string | URL,
    init: RequestInit,
    isResumed: boolean,
  ): Promise<Response> {
    const { clock } = this.#server;
    const misses = this.#misses;
    try {
      if (misses > 0) {
        const ms = backoffDelay(misses - 1);
        await clock.sleep(ms, this.#closing.signal);
      }
      const response = await this.#open(url, init);
      if (!isEventStream(response)) throw this.#refusal(response);
      this.#isTold = false;
      if (misses > 0 || !isResumed) this.#onGap();
      return response;
    } catch (error) {
      this.#state = "ended";
      if (this.#closing.signal.aborted) return notOffered();
      this.#misses++;
      this.#tell(error);
      throw error;
    }
  }

  async #open(url: string | URL, init: RequestInit): Promise<Response> {
    const { clock } = this.#server;
    const onEnd = () => {
      this.#state = "ended";
      const isWorthIt = clock.now() - this.#openedAt >= WORTH_MS;
      this.#misses = isWorthIt ? 0 : this.#misses + 1;
    };
    const response = await this.#exchanges.do(url, init, { onEnd });
    if (isEventStream(response)) {
      this.#state = "open";
      this.#openedAt = clock.now();
    }
    return response;
  }

  #refusal({ status }: Response): McpFailure {
    return new McpFailure(
      `MCP server "${this.#server.name}" answered HTTP ${status}`,
      { kind: "http", status },
    );
  }

  #tell(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#server.log.warn(
      "MCP server cannot say what changed: its event stream is lost, and opened again as soon as it can be",
      { server: this.#server.name, error: textOfError(error) },
    );
  }
}
