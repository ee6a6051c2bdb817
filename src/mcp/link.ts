import { backoffDelay } from "../async/backoff.ts";
import type { Deadlines } from "../async/deadline.ts";
import { withTimeout } from "../async/deadline.ts";
import { joinSignals, unlessAborted } from "../async/on_abort.ts";
import { LONGEST_TIMER_MS, systemClock } from "../async/system_clock.ts";
import { Unsettled } from "../async/unsettled.ts";
import { isAgentError } from "../errors/base.ts";
import { DeliveryUnknownError, ServerUnavailableError } from "../errors/mcp.ts";
import { textOfError } from "../errors/text.ts";
import type { McpConnection, McpRequestOptions } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type { HubRequestOptions, ServerStatus } from "../types/mcp_hub.ts";
import { type ListedTool, readTools, tokensOf } from "./catalog.ts";
import { closeInTime } from "./connect_all.ts";
import { dial } from "./dial.ts";
import {
  detailsOf,
  fateOf,
  McpFailure,
  needsRedial,
  retryAfterMsOf,
  timeoutFailure,
} from "./failure.ts";
import type { HubServer, HubSettings } from "./hub_config.ts";
import { readAll } from "./lists.ts";
import { observed, type ObservedRequest } from "./observed_request.ts";
import { refresher } from "./refresher.ts";
import { answerQuestions } from "./server_questions.ts";

export interface HubContext {
  readonly settings: HubSettings;
  readonly deadlines: Deadlines;
  readonly capabilities: JsonObject;
  /** Aborted when the hub closes, with the error that calls get then. */
  readonly closing: AbortSignal;
  readonly warn: (text: string) => void;
  publish(): void;
}

export interface Job<T> {
  readonly method: string;
  readonly tool?: string;
  readonly mayRepeat: boolean;
  readonly options: HubRequestOptions;
  /** @param observed The request as it is observed */
  work(
    connection: McpConnection,
    request: McpRequestOptions,
    observed: ObservedRequest,
  ): Promise<T>;
}

/** A session that lived this long is replaced at once, in milliseconds. */
const WORTH_MS = 5_000;

/**
 * One server of a hub, over all the connections it has in its life, and its tools as they were last read.
 *
 * A connection that is gone stays gone until the server is needed again; then it is dialled anew, once for all that
 * wait. Late messages of an earlier connection are dropped.
 */
export class ServerLink {
  readonly server: HubServer;
  /** By name; empty until they were read. */
  tools: readonly ListedTool[] = [];
  isRead = false;
  readonly #hub: HubContext;
  readonly #onListChanged: () => void;
  readonly #endings = new Unsettled();
  #state: ServerStatus["state"] = "idle";
  #error: unknown;
  /** The newest session; it may be gone. */
  #session: Session | undefined;
  /** Shared by everyone who needs the server meanwhile. */
  #dialling: Promise<Session> | undefined;
  #connectMs: number | undefined;
  #reconnects = 0;
  /** When a lost session was last replaced. */
  #replacedAt = -Infinity;
  /** Counts readings, so that a slow one never replaces a newer one. */
  #readings = 0;
  #lastReading = 0;

  constructor(server: HubServer, hub: HubContext) {
    this.server = server;
    this.#hub = hub;
    const { closing, settings: { clock } } = hub;
    const reread = () => this.#readAgain(true);
    this.#onListChanged = refresher(clock, closing, reread);
  }

  status(): ServerStatus {
    return {
      state: this.#state,
      ...this.#error !== undefined && { error: this.#error },
      ...this.#connectMs !== undefined && { connectMs: this.#connectMs },
      toolCount: this.tools.length,
      tokens: this.tools.reduce((sum, { bytes }) => sum + tokensOf(bytes), 0),
      reconnects: this.#reconnects,
    };
  }

  /** Dials, and reads the tools: before it counts as connected the first time, beside it when it is back. */
  open(signal: AbortSignal): Promise<Session> {
    const dialling = observed(
      this.#hub.settings.metrics,
      { server: this.server.name, method: "initialize" },
      () => this.#establish(signal),
    ).finally(() => {
      if (this.#dialling === dialling) this.#dialling = undefined;
    });
    return this.#dialling = dialling;
  }

  /** Reads the tools; whether they are others than before. */
  async read(options: HubRequestOptions): Promise<boolean> {
    const before = this.#text();
    await this.ask({
      method: "tools/list",
      mayRepeat: true,
      options,
      work: (connection, limits) => this.#list(connection, limits),
    });
    return this.#text() !== before;
  }

  /**
   * Does a job, and repeats what may be repeated, knowing what became of each attempt.
   *
   * Rejects with the signal's reason when it is aborted, with what the server answered, with `DeliveryUnknownError` when
   * it may have run and must not run twice, and with `ServerUnavailableError` after the last attempt.
   */
  ask<T>(job: Job<T>): Promise<T> {
    const { method, tool } = job;
    const request = { server: this.server.name, method, tool };
    return observed(
      this.#hub.settings.metrics,
      request,
      (one) => this.#ask(job, one),
    );
  }

  async #ask<T>(
    { method, tool, mayRepeat, options, work }: Job<T>,
    observed: ObservedRequest,
  ): Promise<T> {
    const { name, callMs } = this.server;
    const { closing, settings: { retry, clock, random } } = this.#hub;
    const { signal, timeoutMs = callMs } = options;
    const what = tool === undefined ? method : `tool "${tool}"`;
    for (let attempts = 1;; attempts++) {
      let session = this.#live;
      try {
        session ??= await this.#connect(signal);
        const limits = { timeoutMs, signal };
        const request = work(session.connection, limits, observed);
        return await session.use(request);
      } catch (error) {
        signal?.throwIfAborted();
        closing.throwIfAborted();
        // An error of the hub itself is final.
        if (isAgentError(error) && !(error instanceof McpFailure)) throw error;
        const facts = (fact: string) => ({
          message: `MCP server "${name}" ${fact}: ${textOfError(error)}`,
          server: name,
          tool,
          attempts,
          cause: error,
          details: detailsOf(error),
        });
        const fate = session === undefined ? "not_sent" : fateOf(error);
        if (session !== undefined && needsRedial(error)) {
          this.#lose(session, error);
        }
        if (retry.policy === "safe") {
          if (fate === "answered") throw error;
          if (fate === "unknown" && !mayRepeat) {
            // Dialled anew for the next request, which gets the error if that fails.
            this.#connect(undefined).catch(() => {});
            throw new DeliveryUnknownError(facts(
              `may or may not have run ${what}, which must not run twice`,
            ));
          }
        }
        if (attempts >= retry.attempts) {
          const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
          throw new ServerUnavailableError(
            facts(`is not available for ${what} after ${times}`),
          );
        }
        observed.retry(error);
        const asked = retryAfterMsOf(error);
        const waitMs = asked === undefined
          ? backoffDelay(attempts - 1, { ...retry, ...(random && { random }) })
          : Math.min(asked, retry.capMs, LONGEST_TIMER_MS);
        const either = joinSignals(signal, closing);
        try {
          await clock.sleep(waitMs, either.signal);
        } finally {
          either.release();
        }
      }
    }
  }

  /** Closes every connection it has or had; rejects with what went wrong with the last one. */
  async close(): Promise<void> {
    this.#enter("closed");
    this.tools = [];
    await this.#dialling?.catch(() => {});
    await this.#endings.settled();
    if (this.#session) await closeInTime(this.#session.connection);
  }

  /** The session that is not known to be gone. */
  get #live(): Session | undefined {
    return this.#state === "connected" ? this.#session : undefined;
  }

  #enter(state: ServerStatus["state"], error?: unknown): void {
    // A connection dialled meanwhile is closed with the link.
    if (this.#state === "closed") return;
    // A server that could not be reached stays failed, also when its hub closes.
    if (this.#state === "failed" && state === "closed") return;
    this.#state = state;
    if (state !== "connecting" && state !== "closed") this.#error = error;
  }

  /** The session, dialled anew when it is gone; an abort ends the waiting, not the dialling. */
  async #connect(signal: AbortSignal | undefined): Promise<Session> {
    if (this.#live !== undefined) return this.#live;
    const { closing } = this.#hub;
    closing.throwIfAborted();
    return await unlessAborted(this.#dialling ?? this.open(closing), signal);
  }

  /** A session turned out to be of no use any more. */
  #lose(session: Session, cause: unknown): void {
    if (session !== this.#live) return;
    this.#enter("lost", cause);
    // Without a cause it was closed on purpose.
    if (this.#hub.closing.aborted || cause === undefined) return;
    const { name } = this.server;
    this.#hub.warn(`MCP server "${name}" is gone: ${textOfError(cause)}`);
  }

  /**
   * Begins a new session without waiting for a call: the server tells on its stream what changed.
   *
   * One that loses session after session is dialled by the next call alone.
   */
  async #replace(): Promise<void> {
    const now = systemClock.monotonic();
    const isSoon = now - this.#replacedAt < WORTH_MS;
    this.#replacedAt = now;
    // The next request dials again, and gets the error.
    if (this.isRead && !isSoon) await this.#connect(undefined).catch(() => {});
  }

  async #establish(signal: AbortSignal): Promise<Session> {
    const old = this.#session;
    this.#enter("connecting");
    try {
      if (!this.isRead) return await this.#start(signal);
      const session = await this.#dial(signal);
      this.#reconnects++;
      if (old !== undefined) this.#end(old);
      // It is there anew, perhaps with other tools.
      void this.#readAgain(false);
      return session;
    } catch (error) {
      // An abort is not a failure.
      if (signal.aborted) this.#enter("closed");
      else this.#enter("failed", error);
      throw error;
    }
  }

  async #start(signal: AbortSignal): Promise<Session> {
    const { name, connectMs, callMs: timeoutMs } = this.server;
    const startedAt = systemClock.monotonic();
    const session = await this.#dial(signal);
    try {
      const leftMs = connectMs - (systemClock.monotonic() - startedAt);
      await withTimeout(
        (signal) => this.#list(session.connection, { timeoutMs, signal }),
        {
          clock: systemClock,
          ms: Math.max(leftMs, 1),
          signal,
          onTimeout: () => timeoutFailure(name, "tools/list", connectMs),
        },
      );
    } catch (error) {
      this.#enter("lost");
      await closeInTime(session.connection).catch(() => {});
      throw error;
    }
    this.#connectMs = systemClock.monotonic() - startedAt;
    this.#hub.publish();
    return session;
  }

  async #list(
    connection: McpConnection,
    limits: McpRequestOptions,
  ): Promise<void> {
    const reading = ++this.#readings;
    const { warn } = this.#hub;
    const items = await readAll(connection, "tools/list", warn, limits);
    if (reading < this.#lastReading) return;
    this.#lastReading = reading;
    this.tools = readTools(this.server.name, items, warn);
    this.isRead = true;
  }

  #text(): string {
    return JSON.stringify(this.tools.map(({ definition }) => definition));
  }

  /** Reads the tools beside everything else; a change that the server told of is a new revision, whatever it was. */
  async #readAgain(isTold: boolean): Promise<void> {
    const { closing, warn } = this.#hub;
    try {
      const isChanged = await this.read({});
      if (isChanged || isTold) this.#hub.publish();
    } catch (error) {
      if (closing.aborted) return;
      warn(
        `Tools of MCP server "${this.server.name}" could not be read again, the old ones stay: ${
          textOfError(error)
        }`,
      );
    }
  }

  async #dial(signal: AbortSignal): Promise<Session> {
    const connection = await dial(this.#hub, this.server, signal);
    const session = this.#session = new Session(connection);
    // Before its first list is read: what it says from now on is heard.
    const { capabilities, settings, warn } = this.#hub;
    if (Object.keys(capabilities).length > 0) {
      connection.serve(answerQuestions(this.server.name, settings, warn));
    }
    connection.listen((method) => {
      const isCurrent = session === this.#session;
      if (isCurrent && method === "notifications/tools/list_changed") {
        this.#onListChanged();
      }
    });
    this.#enter("connected");
    connection.closed.then((cause) => this.#lose(session, cause));
    connection.sessionLost?.then((cause) => {
      if (session !== this.#live) return;
      this.#lose(session, cause);
      void this.#replace();
    });
    return session;
  }

  #end(old: Session): void {
    this.#endings.add(
      old.drain(this.#hub.closing).catch((error) =>
        this.#hub.warn(
          `Cannot close an earlier connection to MCP server "${this.server.name}": ${
            textOfError(error)
          }`,
        )
      ),
    );
  }
}

class Session {
  readonly connection: McpConnection;
  readonly #unanswered = new Unsettled();

  constructor(connection: McpConnection) {
    this.connection = connection;
  }

  use<T>(request: Promise<T>): Promise<T> {
    return this.#unanswered.add(request);
  }

  /** Closes the connection once it has answered, or the signal is aborted. */
  async drain(signal: AbortSignal): Promise<void> {
    const answered = this.#unanswered.settled();
    await unlessAborted(answered, signal).catch(() => {});
    await closeInTime(this.connection);
  }
}
