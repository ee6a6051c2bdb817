import { Deferred } from "../async/deferred.ts";
import type { AgentError } from "../errors/base.ts";
import type { StopReason } from "../ports/transport.ts";
import type { Scope } from "../async/scope.ts";
import type { Log } from "../observe/log.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { Queue } from "../stream/queue.ts";
import type { ErrorFeed } from "./error_feed.ts";

/** What an end is told to. */
interface Ends {
  readonly queue: Queue<Message>;
  readonly errors: ErrorFeed;
  readonly scope: Scope;
  /** There from the moment that the CLI is started. */
  readonly reporter: () =>
    | { readonly log: Log; readonly tell: (error: AgentError) => void }
    | undefined;
}

/** How a conversation ends: the first reason wins, and decides what the consumer gets to see. */
export class Ending {
  /** Resolves with the first reason. */
  readonly begun: Deferred<void> = new Deferred();
  /** Resolves when everything is closed. */
  readonly over: Deferred<void> = new Deferred();
  readonly #shell: Ends;
  /** Why it ends; `undefined` while it goes on. */
  reason: StopReason | undefined;
  /** The error or the signal's reason that ends it; `undefined` for any other end. */
  error: unknown;

  constructor(shell: Ends) {
    this.#shell = shell;
  }

  /** The CLI ended as it should: messages end, then errors. */
  finish(): Promise<void> {
    if (this.#take("finished")) this.#shell.queue.finish();
    return this.#close();
  }

  /** Something broke: all that arrived is delivered, then the error is thrown. */
  fail(
    error: AgentError,
    reason: "failed" | "stalled" = "failed",
  ): Promise<void> {
    if (!this.#shell.queue.isOpen) void this.failStart(error);
    else if (this.#take(reason, error)) {
      this.#shell.queue.finish(error);
      this.#shell.reporter()?.tell(error);
      // After those of messages that were not parsed yet.
      this.#shell.errors.push(error);
    }
    return this.#close();
  }

  /** The start failed: everything is closed first, then the one error surfaces; no message is delivered. */
  async failStart(error: AgentError): Promise<void> {
    const isFirst = this.#take("failed", error);
    if (isFirst) this.#shell.reporter()?.tell(error);
    await this.#close().catch(() => {});
    if (!isFirst) return;
    this.#shell.errors.fail(error);
    this.#shell.queue.cut({ error });
  }

  /** The caller's signal: the consumer is told at once, the rest follows. */
  abort(reason: unknown): Promise<void> {
    if (this.#take("aborted", reason)) {
      this.#shell.queue.cut({ error: reason });
    }
    return this.#close();
  }

  /** The caller closes: whoever waits for messages is at the end. */
  close(): Promise<void> {
    if (this.#take("closed")) this.#shell.queue.cut();
    return this.#close();
  }

  /** Nobody wants to hear the rest of what had ended before: only how it ended. */
  dropRest(): void {
    const queue = this.#shell.queue;
    if (this.reason === "finished") queue.cut();
    // A start that failed is told when all is closed.
    const isTold = this.reason === "failed" || this.reason === "stalled";
    if (isTold && queue.isOpen) queue.cut({ error: this.error });
  }

  #take(reason: StopReason, error?: unknown): boolean {
    if (this.reason === undefined) {
      this.reason = reason;
      this.error = error;
      this.begun.resolve();
      return true;
    }
    if (error !== undefined) {
      this.#shell.reporter()?.log.error("Failed while ending", {
        error,
        ending: this.reason,
      });
    }
    return false;
  }

  #close(): Promise<void> {
    const closed = this.#shell.scope.close();
    // Whoever calls close() gets its failures; in the background only the log does.
    closed.catch((error) =>
      this.#shell.reporter()?.log.error("Failed to close", { error })
    ).finally(() => this.over.resolve());
    return closed;
  }
}
