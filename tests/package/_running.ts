/** Handles of a script: a running program, an open page. */
import assert from "node:assert/strict";
import { descendantsOf, killAll } from "../../scripts/check/descendants.ts";
import { say } from "../../scripts/project.ts";

/** A wait for a program. */
const LIMIT_MS = 120_000;

/** How long a program may take to end by SIGTERM; a check that waits for ever says nothing. */
const STOP_MS = 10_000;

/** A program that runs. */
export class Running {
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #ended: Promise<unknown>;
  #stdout = "";
  #stderr = "";
  /** Up to where {@link says} has looked. */
  #seen = 0;
  #onOutput = () => {};
  #isOver = false;

  constructor(
    [program = "", ...args]: readonly string[],
    options: {
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    },
  ) {
    this.#child = new Deno.Command(program, {
      ...options,
      args,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    void this.#child.status.then(() => this.#isOver = true);
    this.#stdin = this.#child.stdin.getWriter();
    const { stdout, stderr } = this.#child;
    this.#ended = Promise.all([
      read(stdout, (text) => this.#stdout += text, () => this.#onOutput()),
      read(stderr, (text) => this.#stderr += text, () => this.#onOutput()),
    ]);
  }

  /** Types into its stdin. */
  async type(text: string): Promise<void> {
    await this.#stdin.write(new TextEncoder().encode(text));
  }

  /** Ends its stdin. */
  async end(): Promise<void> {
    await this.#stdin.close();
  }

  /** Waits until what it has written since the last time fits. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    let isOver = false;
    const giveUp = () => {
      isOver = true;
      this.#onOutput();
    };
    const timer = setTimeout(giveUp, LIMIT_MS);
    void this.#ended.then(giveUp);
    try {
      for (;;) {
        const found = pattern.exec(this.#stdout.slice(this.#seen));
        if (found !== null) {
          this.#seen = this.#stdout.length;
          return found;
        }
        if (isOver) throw new Error(`Not said: ${pattern}\n${this.#all}`);
        await new Promise<void>((resolve) => this.#onOutput = resolve);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits for its end, which must be a good one; gives all that it wrote. */
  async succeed(): Promise<string> {
    const timer = setTimeout(() => void this.#kill(), LIMIT_MS);
    const { code } = await this.#child.status;
    clearTimeout(timer);
    await this.#outputEnd();
    if (code !== 0) throw new Error(`It exited with ${code}:\n${this.#all}`);
    return this.#stdout;
  }

  /** Ends it, if it still runs. */
  async stop(): Promise<void> {
    // Those that outlive it would belong to no one.
    const started = this.#isOver ? [] : await descendantsOf(this.#child.pid);
    await this.#stdin.close().catch(() => {});
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // It is over.
    }
    const timer = setTimeout(() => {
      say(`Process ${this.#child.pid} did not end by SIGTERM, it is killed`);
      void this.#kill();
    }, STOP_MS);
    await this.#child.status;
    clearTimeout(timer);
    killAll(started);
    await this.#outputEnd();
  }

  /** With all that it started: they may hold its pipes open. */
  async #kill(): Promise<void> {
    const { pid } = this.#child;
    killAll([...await descendantsOf(pid), pid]);
  }

  /** Waits for the end of its output, which a process that outlives it may hold open. */
  async #outputEnd(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([this.#ended, late]);
    clearTimeout(timer);
  }

  get #all(): string {
    return this.#stdout + this.#stderr;
  }
}

async function read(
  stream: ReadableStream<Uint8Array>,
  take: (text: string) => void,
  onOutput: () => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    take(text);
    onOutput();
  }
}

/** A page in a browser, as far as its events go. */
export class Page {
  /** Text of the agent so far. */
  text = "";
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #leave: AbortController;
  #rest = "";

  private constructor(response: Response, leave: AbortController) {
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    this.#reader = (response.body ?? new ReadableStream())
      .pipeThrough(new TextDecoderStream()).getReader();
    this.#leave = leave;
  }

  /** Opens the stream of events. */
  static async open(url: string): Promise<Page> {
    const leave = new AbortController();
    return new Page(await fetch(url, { signal: leave.signal }), leave);
  }

  /** Reads on to an event of a kind whose data fit. */
  async next(kind: string, fits: RegExp = /./): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n");
      if (end < 0) {
        const { value, done } = await this.#reader.read();
        if (done) throw new Error(`No event "${kind}": ${this.#rest}`);
        this.#rest += value;
        continue;
      }
      const [event = "", data = ""] = this.#rest.slice(0, end).split("\n");
      this.#rest = this.#rest.slice(end + 2);
      const text = data.replace("data: ", "");
      if (event === "event: text") this.text += JSON.parse(text);
      if (event === `event: ${kind}` && fits.test(text)) return text;
    }
  }

  /** Leaves. */
  async close(): Promise<void> {
    this.#leave.abort();
    await this.#reader.cancel().catch(() => {});
  }
}
