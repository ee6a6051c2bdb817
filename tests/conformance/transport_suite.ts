import assert from "node:assert/strict";
import type { Channel, Launch, Transport } from "@sluice/agent";
import { test } from "../_harness.ts";

/** One transport to be tried, and how to get the other end to act. */
export interface TransportSubject {
  readonly transport: Transport;
  readonly launch: Launch;
  /** Writes prompt number `n` the way this other end understands it. */
  readonly prompt: (n: number) => string;
  /** The text that the result of prompt number `n` has. */
  readonly answer: (n: number) => string;
  /** Takes away whatever the subject was made of. */
  close(): Promise<void>;
}

/** How many prompts a subject has to answer, one result each. */
export const PROMPTS = 3;

const PLAN = { reason: "closed", graceMs: 2_000, killMs: 4_000 } as const;

/**
 * Behaviour of every transport. The peer answers each prompt with a result,
 * exits with code 0 when its input ends, and gives up when it is stopped.
 */
export function transportSuite(
  name: string,
  makeSubject: () => Promise<TransportSubject>,
): void {
  function fact(
    text: string,
    body: (subject: TransportSubject) => Promise<void>,
  ) {
    test(`${name}: ${text}`, async () => {
      const subject = await makeSubject();
      try {
        await body(subject);
      } finally {
        await subject.close();
      }
    });
  }

  fact(
    "open() rejects with the signal's reason when it is aborted before",
    async ({ transport, launch }) => {
      const reason = new Error("Not wanted any more");
      await assert.rejects(
        transport.open(launch, AbortSignal.abort(reason)),
        (error) => error === reason,
      );
    },
  );

  fact(
    "readable gives what the other end says to each prompt, in order",
    async (subject) => {
      const channel = await open(subject);
      const lines = new LineReader(channel.readable);
      for (let n = 0; n < PROMPTS; n++) {
        await channel.write(`${subject.prompt(n)}\n`);
        assert.equal(await lines.result(), subject.answer(n));
      }
      await channel.end();
      await lines.end();
      const { code, signal, reason } = await channel.exited;
      assert.deepEqual({ code, signal, reason }, {
        code: 0,
        signal: null,
        reason: undefined,
      });
    },
  );

  fact("write() takes several lines in one piece", async (subject) => {
    const channel = await open(subject);
    const lines = new LineReader(channel.readable);
    const all = Array.from({ length: PROMPTS }, (_, n) => subject.prompt(n));
    await channel.write(all.map((line) => `${line}\n`).join(""));
    for (let n = 0; n < PROMPTS; n++) {
      assert.equal(await lines.result(), subject.answer(n));
    }
    await channel.end();
    await lines.end();
    await channel.exited;
  });

  fact(
    "exited resolves when the input ends without a prompt, and readable ends",
    async (subject) => {
      const channel = await open(subject);
      const lines = new LineReader(channel.readable);
      await channel.end();
      await lines.end();
      assert.equal((await channel.exited).code, 0);
    },
  );

  fact(
    "stop() resolves when the other end is gone, and exited tells the reason",
    async (subject) => {
      const channel = await open(subject);
      const lines = new LineReader(channel.readable);
      await channel.write(`${subject.prompt(0)}\n`);
      await lines.result();
      let isGone = false;
      channel.exited.then(() => isGone = true);
      await channel.stop(PLAN);
      await Promise.resolve();
      assert.ok(isGone, "it is gone");
      assert.equal((await channel.exited).reason, "closed");
      await lines.end();
    },
  );

  fact("stop() may be called twice, and after the end", async (subject) => {
    const channel = await open(subject);
    const lines = new LineReader(channel.readable);
    await Promise.all([channel.stop(PLAN), channel.stop(PLAN)]);
    await lines.end();
    await channel.exited;
    await channel.stop(PLAN);
  });

  fact("stop() needs no reader", async (subject) => {
    const channel = await open(subject);
    await channel.write(`${subject.prompt(0)}\n`);
    await channel.stop(PLAN);
    await channel.exited;
    await channel.readable.cancel();
  });

  fact(
    "write() rejects and end() does not when the other end is gone",
    async (subject) => {
      const channel = await open(subject);
      const lines = new LineReader(channel.readable);
      await channel.stop(PLAN);
      await lines.end();
      await channel.exited;
      await assert.rejects(channel.write(`${subject.prompt(0)}\n`));
      await channel.end();
    },
  );

  fact("open() may be called again", async (subject) => {
    for (let round = 0; round < 2; round++) {
      const channel = await open(subject);
      const lines = new LineReader(channel.readable);
      await channel.write(`${subject.prompt(0)}\n`);
      assert.equal(await lines.result(), subject.answer(0));
      await channel.stop(PLAN);
      await lines.end();
      await channel.exited;
    }
  });
}

function open({ transport, launch }: TransportSubject): Promise<Channel> {
  return transport.open(launch, new AbortController().signal);
}

/** Reads results, whatever the pieces in which they come. */
class LineReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(readable: ReadableStream<Uint8Array>) {
    this.#reader = readable.getReader();
  }

  /** The text of the next result. */
  async result(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = JSON.parse(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 1);
        if (line.type === "result") return line.result;
        continue;
      }
      const { done, value } = await this.#reader.read();
      assert.ok(!done, "ended before the result");
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** Reads to the end. */
  async end(): Promise<void> {
    while (!(await this.#reader.read()).done);
  }
}
