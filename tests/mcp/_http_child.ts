import { safeLogger, systemClock } from "@sluice/agent/extend";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Child, startChild } from "../../src/process/child.ts";
import { host } from "../_children.ts";
import type { JsonObject } from "@sluice/agent";

/** Requests that the server has seen. */
export interface HttpState {
  /** Number of calls of each tool. */
  readonly calls: Readonly<Record<string, number>>;
  /** When its own stream was asked for, and from where on. */
  readonly gets: readonly {
    readonly at: number;
    readonly lastEventId: string | null;
  }[];
  /** How often the rest of an answer was asked for. */
  readonly resumes: number;
  /** Number of session ends (DELETE). */
  readonly deletes: number;
  /** Number of times its tools were listed. */
  readonly lists: number;
  /** How many sessions began. */
  readonly sessions: number;
  /** How many calls wait for their release. */
  readonly held: number;
  /** How many streams are open. */
  readonly streams: number;
}

/** A server behind a URL in a process of its own, with a given behaviour. */
export class HttpChild {
  readonly url: string;
  readonly #origin: string;
  readonly #child: Child;

  private constructor(origin: string, child: Child) {
    this.url = `${origin}/mcp`;
    this.#origin = origin;
    this.#child = child;
  }

  static async start(): Promise<HttpChild> {
    const path = new URL("../fixtures/mcp/http.mjs", import.meta.url);
    const { PATH = "" } = process.env;
    const child = await startChild(await host(), {
      command: "node",
      args: [fileURLToPath(path)],
      cwd: process.cwd(),
      env: { PATH },
    }, {
      stderr: { tailBytes: 4_096, linesPerSecond: 100, warnBytes: 1e6 },
      forwardSignals: false,
      clock: systemClock,
      log: safeLogger(),
    });
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(decoderOf())) {
      text += chunk;
      if (text.includes("\n")) break;
    }
    return new HttpChild(text.trim(), child);
  }

  /** Sets what it does from now on. */
  async set(settings: JsonObject): Promise<void> {
    const response = await fetch(`${this.#origin}/control`, {
      method: "POST",
      body: JSON.stringify(settings),
      headers: { connection: "close" },
    });
    await response.text();
  }

  /** Requests it has seen. */
  async state(): Promise<HttpState> {
    const response = await fetch(`${this.#origin}/state`);
    return await response.json() as HttpState;
  }

  /** Waits until it has seen something; the limit of the test is the limit. */
  async until(isSo: (state: HttpState) => boolean): Promise<HttpState> {
    for (;;) {
      const state = await this.state();
      if (isSo(state)) return state;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async stop(): Promise<void> {
    await this.#child.stop({ reason: "aborted", graceMs: 0, killMs: 1_000 });
  }
}

/** Runs with a server in a process of its own. */
export async function withHttpChild(
  run: (server: HttpChild) => Promise<void>,
): Promise<void> {
  const server = await HttpChild.start();
  try {
    await run(server);
  } finally {
    await server.stop();
  }
}

function decoderOf(): ReadableWritablePair<string, Uint8Array> {
  // The types of the two differ in what they take for bytes.
  return new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
}
