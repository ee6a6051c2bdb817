import assert from "node:assert/strict";
import type { Channel, ExitReport, Transport } from "@sluice/agent";
import { Watch } from "../../src/testing/watch.ts";

/** A line of a CLI, parsed. */
// deno-lint-ignore no-explicit-any -- tests look into lines of all kinds
export type Line = any;

/** How a CLI is started. */
export interface DriveOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const STREAM_JSON =
  "--output-format stream-json --verbose --input-format stream-json";

/** Drives a CLI line by line for one test, and stops it afterwards. */
export async function withDriver(
  transport: Transport,
  { args = [], env = {}, cwd = "." }: DriveOptions,
  use: (cli: CliDriver) => Promise<void>,
): Promise<void> {
  const launch = {
    args: [...STREAM_JSON.split(" "), ...args],
    env: { PATH: "/usr/bin:/bin", ...env },
    cwd,
  };
  const channel = await transport.open(launch, new AbortController().signal);
  try {
    await use(new CliDriver(channel));
  } finally {
    await channel.stop({ reason: "closed", graceMs: 0, killMs: 0 });
  }
}

/** A CLI on a channel: the least that speaks its protocol. */
export class CliDriver {
  /** Every line so far; text that is no JSON as `{ raw }`. */
  readonly lines: Line[] = [];
  readonly channel: Channel;
  /** Resolves after the last line. */
  readonly exited: Promise<ExitReport>;
  readonly #watch = new Watch();
  #exit: ExitReport | undefined;

  constructor(channel: Channel) {
    this.channel = channel;
    this.exited = this.#read();
  }

  send(line: object): Promise<void> {
    return this.channel.write(`${JSON.stringify(line)}\n`);
  }

  prompt(content: string, uuid?: string): void {
    const message = { role: "user", content };
    const parent_tool_use_id = null;
    void this.send({ type: "user", message, parent_tool_use_id, uuid });
  }

  /** Sends a control request; resolves with its answer. */
  async control(request: object, id: string): Promise<Line> {
    const line = { type: "control_request", request_id: id, request };
    await this.send(line).catch(() => {});
    const { response } = await this.next(({ response }) =>
      response?.request_id === id
    );
    return response;
  }

  initialize(fields: object = {}): Promise<Line> {
    return this.control({ subtype: "initialize", ...fields }, "init-1");
  }

  answer(request_id: string, response: object): void {
    const answer = { subtype: "success", request_id, response };
    void this.send({ type: "control_response", response: answer });
  }

  /** The first line that fits, including past ones. */
  async next(fits: (line: Line) => boolean): Promise<Line> {
    await this.until(() => this.lines.some(fits));
    return this.lines.find(fits);
  }

  result(): Promise<Line> {
    return this.next(({ type }) => type === "result");
  }

  /** The first control request, or the one of a subtype. */
  asked(subtype?: string): Promise<Line> {
    return this.next(({ request }) =>
      request !== undefined && (subtype ?? request.subtype) === request.subtype
    );
  }

  /** Waits until a condition holds; fails when the CLI ended before. */
  async until(holds: () => boolean): Promise<void> {
    await this.#watch.until(() => holds() || this.#exit);
    assert.ok(holds(), `CLI ended too early: ${this.#exit?.stderrTail}`);
  }

  ofType(type: string, subtype?: string): Line[] {
    return this.lines.filter((line) =>
      line.type === type && (subtype ?? line.subtype) === line.subtype
    );
  }

  end(): Promise<void> {
    return this.channel.end();
  }

  async #read(): Promise<ExitReport> {
    const text = this.channel.readable.pipeThrough(
      new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
    );
    let rest = "";
    for await (const chunk of text) {
      const texts = `${rest}${chunk}`.split("\n");
      rest = texts.pop() ?? "";
      this.lines.push(...texts.map(parse));
      this.#watch.stir();
    }
    this.#exit = await this.channel.exited;
    this.#watch.stir();
    return this.#exit;
  }
}

function parse(text: string): Line {
  try {
    return JSON.parse(text);
  } catch {
    return { raw: text };
  }
}
