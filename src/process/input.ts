import type { TextSink } from "../ports/process.ts";

/** The input of a process, which gives up what is stuck when the process is gone. */
export class Input implements TextSink {
  readonly #sink: TextSink;
  #ending: Promise<void> | undefined;
  #giveUp: ((error: Error) => void) | undefined;
  #isOver = false;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  write(text: string): Promise<void> {
    if (this.#isOver || this.#ending !== undefined) {
      return Promise.reject(brokenPipe());
    }
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      this.#sink.write(text).then(resolve, reject);
    });
  }

  end(): Promise<void> {
    return this.#ending ??= this.#sink.end();
  }

  /** The process is gone: a write that is stuck rejects, since a grandchild may hold the pipe without reading. */
  close(): void {
    this.#isOver = true;
    this.#giveUp?.(brokenPipe());
    this.end();
  }
}

function brokenPipe(): Error {
  const text = "Input of the process is closed: EPIPE";
  return Object.assign(new Error(text), { code: "EPIPE" });
}
