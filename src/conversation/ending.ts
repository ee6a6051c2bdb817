import { Deferred } from "../async/deferred.ts";
import type { Scope } from "../async/scope.ts";
import type { AgentError } from "../errors/base.ts";
import type { Log } from "../observe/log.ts";
import type { StopReason } from "../ports/transport.ts";
import type { Window } from "../stream/window.ts";
import type { ErrorFeed } from "./error_feed.ts";

/** What an {@link Ending} is made from. */
export interface EndingInit {
  /** Where messages wait. */
  readonly window: Pick<Window<unknown>, "isOpen" | "finish" | "cut">;
  /** The errors. */
  readonly errors: ErrorFeed;
  /** Everything that was opened. */
  readonly scope: Scope;
  /** Where later reasons go. */
  readonly log: Pick<Log, "error">;
  /** Hears of the error that ends it. */
  readonly onFatal: (error: AgentError) => void;
}

/** How a conversation ends: the first reason wins, and decides what the consumer gets to see. */
export class Ending {
  /** Resolves with the first reason. */
  readonly begun: Deferred<void> = new Deferred();
  readonly #init: EndingInit;
  #reason: StopReason | undefined;
  #error: unknown;

  constructor(init: EndingInit) {
    this.#init = init;
  }

  /** Why it ends; `undefined` while it goes on. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** The error or the signal's reason that ends it; `undefined` for any other end. */
  get error(): unknown {
    return this.#error;
  }

  /** The CLI ended as it should: messages end, then errors. */
  finish(): Promise<void> {
    if (this.#take("finished")) this.#init.window.finish();
    return this.#close();
  }

  /** Something broke: all that arrived is delivered, then the error is thrown. */
  fail(
    error: AgentError,
    reason: "failed" | "stalled" = "failed",
  ): Promise<void> {
    const { window, errors, onFatal } = this.#init;
    if (!window.isOpen) void this.failStart(error);
    else if (this.#take(reason, error)) {
      window.finish(error);
      onFatal(error);
      // After those of messages that were not parsed yet.
      errors.push(error);
    }
    return this.#close();
  }

  /** The start failed: everything is closed first, then the one error surfaces; no message is delivered. */
  async failStart(error: AgentError): Promise<void> {
    const isFirst = this.#take("failed", error);
    if (isFirst) this.#init.onFatal(error);
    await this.#close().catch(() => {});
    if (!isFirst) return;
    this.#init.errors.fail(error);
    this.#init.window.cut({ error });
  }

  /** The caller's signal: the consumer is told at once, the rest follows. */
  abort(reason: unknown): Promise<void> {
    if (this.#take("aborted", reason)) this.#init.window.cut({ error: reason });
    return this.#close();
  }

  /** The caller closes: whoever waits for messages is at the end. */
  close(): Promise<void> {
    if (this.#take("closed")) this.#init.window.cut();
    return this.#close();
  }

  /** Nobody wants to hear the rest of what had ended before: only how it ended. */
  dropRest(): void {
    const { window } = this.#init;
    if (this.#reason === "finished") window.cut();
    // A start that failed is told when all is closed.
    const isTold = this.#reason === "failed" || this.#reason === "stalled";
    if (isTold && window.isOpen) window.cut({ error: this.#error });
  }

  #take(reason: StopReason, error?: unknown): boolean {
    if (this.#reason === undefined) {
      this.#reason = reason;
      this.#error = error;
      this.begun.resolve();
      return true;
    }
    if (error !== undefined) {
      this.#init.log.error("Failed while ending", {
        error,
        ending: this.#reason,
      });
    }
    return false;
  }

  #close(): Promise<void> {
    const closed = this.#init.scope.close();
    // Whoever calls close() hears of its failures; in the background nobody does.
    closed.catch((error) => this.#init.log.error("Failed to close", { error }));
    return closed;
  }
}
