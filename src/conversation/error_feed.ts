import type { AgentError } from "../errors/base.ts";

const NEWEST = 256;

/** The `errors` stream: keeps the newest 256, never blocks, and costs nothing unread. */
export class ErrorFeed {
  #stream: ReadableStream<AgentError> | undefined;
  #held: AgentError[] = [];
  #controller: ReadableStreamDefaultController<AgentError> | undefined;
  #watcher: ((error: AgentError) => void) | undefined;
  #isOpen = false;
  #isReading = false;
  #isFailed = false;
  #isEnded = false;

  /** The stream; ends after the messages do. Made when it is asked for: the first one of a program costs milliseconds. */
  get stream(): ReadableStream<AgentError> {
    return this.#stream ??= new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
        if (this.#isEnded) this.#finish(controller);
      },
      pull: () => {
        this.#isReading = true;
        this.#serve();
      },
      cancel: () => {
        this.#isEnded = true;
      },
    }, { highWaterMark: 0 });
  }

  get isAwaited(): boolean {
    return this.#isReading && !this.#isEnded;
  }

  /** Calls back with each error, read or not. */
  watch(watcher: (error: AgentError) => void): void {
    this.#watcher = watcher;
  }

  /** Lets errors be handed out: a start that fails has exactly one. */
  open(): void {
    this.#isOpen = true;
    this.#serve();
  }

  /** The start failed: this is the only one. */
  fail(error: AgentError): void {
    this.#held = [];
    this.push(error);
    this.#isFailed = true;
  }

  /** Adds one; after the end, and after a start that failed, it is dropped. */
  push(error: AgentError): void {
    if (this.#isEnded || this.#isFailed) return;
    this.#watcher?.(error);
    this.#held.push(error);
    if (this.#held.length > NEWEST) this.#held.shift();
    this.#serve();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#controller !== undefined) this.#finish(this.#controller);
  }

  /** A stream that is closed still hands out what was put into it. */
  #finish(controller: ReadableStreamDefaultController<AgentError>): void {
    for (const error of this.#held) controller.enqueue(error);
    this.#held = [];
    controller.close();
  }

  #serve(): void {
    if (!this.#isOpen || !this.#isReading) return;
    const error = this.#held.shift();
    if (error === undefined) return;
    this.#isReading = false;
    this.#controller?.enqueue(error);
  }
}
