import { Deferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { Scope } from "../async/scope.ts";
import { type AgentError, ClosedError, isAgentError } from "../errors/base.ts";
import { CliError } from "../errors/cli.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { StopReason } from "../ports/transport.ts";
import type { Message } from "../protocol/messages_other.ts";
import { Queue } from "../stream/queue.ts";
import type { ConversationEnd } from "../types/observer.ts";
import { ErrorFeed } from "./error_feed.ts";

/** Phase of a conversation; an end has the error or the signal's reason that caused it. */
export type Phase =
  | { readonly name: "starting" | "running" }
  | {
    readonly name: "ending" | "gone";
    readonly reason: StopReason;
    readonly error?: unknown;
  };

interface EndLog {
  readonly log: Log;
  readonly logError: (error: AgentError) => void;
}

/** A conversation from its start to its end: the first reason to end wins, and decides what the consumer gets to see. */
export class Life {
  /** Unread messages. */
  readonly queue: Queue<Message> = new Queue();
  readonly errors: ErrorFeed = new ErrorFeed();
  /** All that has to be closed. */
  readonly scope: Scope = new Scope();
  /** Resolves when the start has succeeded or failed. */
  readonly started: Deferred<void> = new Deferred();
  /** Resolves when the end begins. */
  readonly ending: Deferred<void> = new Deferred();
  /** Resolves when everything is closed. */
  readonly gone: Deferred<void> = new Deferred();
  readonly #givenUp = new AbortController();
  #phase: Phase = { name: "starting" };
  #onEnding: ((end: ConversationEnd) => void) | undefined;
  #endLog: EndLog | undefined;

  get phase(): Phase {
    return this.#phase;
  }

  /** Why it ends; `undefined` before. */
  get reason(): StopReason | undefined {
    return "reason" in this.#phase ? this.#phase.reason : undefined;
  }

  /** The error or the signal's reason that ended it; `undefined` for any other end. */
  get error(): unknown {
    return "error" in this.#phase ? this.#phase.error : undefined;
  }

  /** Aborted when the conversation is given up. */
  get signal(): AbortSignal {
    return this.#givenUp.signal;
  }

  /** Logs ends from now on. */
  logTo(log: EndLog): void {
    this.#endLog = log;
  }

  /** Calls back when the end begins, before its consumer notices; at once when it has. */
  onEnding(listener: (end: ConversationEnd) => void): void {
    this.#onEnding = listener;
    const { reason, error } = this;
    if (reason !== undefined) listener({ reason, error });
  }

  /** Runs when the start has succeeded, which is noted before messages are handed out; else fails with its error. */
  async start<T>(opening: Promise<T>, onReady: () => void): Promise<T> {
    try {
      const info = await unlessAborted(opening, this.signal);
      onReady();
      if (this.#phase.name === "starting") this.#phase = { name: "running" };
      this.started.resolve();
      this.queue.open();
      this.errors.open();
      return info;
    } catch (reason) {
      opening.catch(() => {});
      this.started.resolve();
      if (this.reason !== undefined) throw this.error ?? reason;
      const error = startError(reason);
      this.#givenUp.abort(error);
      await this.failStart(error);
      throw error;
    }
  }

  /** The CLI ended as it should: messages end, then errors. */
  finish(): Promise<void> {
    if (this.#end("finished")) this.queue.finish();
    return this.#close();
  }

  /** Something broke: all that arrived is delivered, then the error is thrown. */
  fail(
    error: AgentError,
    reason: "failed" | "stalled" = "failed",
  ): Promise<void> {
    if (!this.queue.isOpen) void this.failStart(error);
    else if (this.#end(reason, error)) {
      this.queue.finish(error);
      this.#endLog?.logError(error);
      // After those of messages that were not parsed yet.
      this.errors.push(error);
    }
    return this.#close();
  }

  /** The start failed: everything is closed first, then the one error surfaces; no message is delivered. */
  async failStart(error: AgentError): Promise<void> {
    const isFirst = this.#end("failed", error);
    if (isFirst) this.#endLog?.logError(error);
    await this.#close().catch(() => {});
    if (!isFirst) return;
    this.errors.fail(error);
    this.queue.cut({ error });
  }

  /** The caller's signal: the consumer gets its reason at once, the rest follows. */
  abort(reason: unknown): Promise<void> {
    this.#givenUp.abort(reason);
    if (this.#end("aborted", reason)) this.queue.cut({ error: reason });
    return this.#close();
  }

  /** The caller closes: consumers that wait are at the end. */
  close(): Promise<void> {
    this.#givenUp.abort(new ClosedError("Conversation"));
    if (this.#end("closed")) this.queue.cut();
    return this.#close();
  }

  /** Drops unread messages of a conversation that had ended before; its error stays. */
  dropRest(): void {
    const { reason, error, queue } = this;
    if (reason === "finished") queue.cut();
    // A failed start surfaces when everything is closed.
    const isTold = reason === "failed" || reason === "stalled";
    if (isTold && queue.isOpen) queue.cut({ error });
  }

  #end(reason: StopReason, error?: unknown): boolean {
    if (this.reason === undefined) {
      this.#phase = { name: "ending", reason, error };
      this.#onEnding?.({ reason, error });
      this.ending.resolve();
      return true;
    }
    if (error !== undefined) {
      const ending = this.reason;
      this.#endLog?.log.error("Failed while ending", { error, ending });
    }
    return false;
  }

  #close(): Promise<void> {
    const closed = this.scope.close();
    // The caller of close() gets its failures; in the background only the log does.
    closed.catch((error) =>
      this.#endLog?.log.error("Failed to close", { error })
    ).finally(() => {
      if ("reason" in this.#phase) {
        this.#phase = { ...this.#phase, name: "gone" };
      }
      this.gone.resolve();
    });
    return closed;
  }
}

/** The error of a failed start: a custom transport may throw anything. */
export function startError(cause: unknown): AgentError {
  return isAgentError(cause) ? cause : new CliError({
    stage: "connect",
    message: `Conversation could not be started: ${textOfError(cause)}`,
    cause,
  });
}
