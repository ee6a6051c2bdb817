import { type ChildProcessByStdio, spawn } from "node:child_process";
import { kill } from "node:process";
import type { Readable, Writable } from "node:stream";

/** The arguments of every conversation. */
export const STREAM_JSON: readonly string[] = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
];

/** A line of a CLI, parsed. */
// deno-lint-ignore no-explicit-any -- tests look into lines of all kinds
export type Line = any;

/** How a CLI is started. */
export interface DriveOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A CLI driven by hand, line by line: the least that speaks its protocol. */
export class CliDriver {
  /** Every line so far; text that is no JSON as `{ raw }`. */
  readonly lines: Line[] = [];
  stderr = "";
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #watchers = new Set<() => void>();
  #hasEnded = false;
  #rest = Buffer.alloc(0);

  constructor(
    [command = "", ...first]: readonly string[],
    { args = [], env = {}, cwd }: DriveOptions = {},
  ) {
    this.#child = spawn(command, [...first, ...STREAM_JSON, ...args], {
      env: { PATH: "/usr/bin:/bin", ...env },
      stdio: ["pipe", "pipe", "pipe"],
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child.stdin.on("error", () => {});
    this.#child.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#child.stderr.on("data", (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.#stir();
    });
    this.exited = new Promise((resolve) => {
      this.#child.on("close", (code, signal) => {
        this.#hasEnded = true;
        this.#stir();
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Writes a line, or text as it stands; resolves with the error, if there is one. */
  send(line: object | string): Promise<Error | undefined> {
    const text = typeof line === "string" ? line : `${JSON.stringify(line)}\n`;
    return new Promise((resolve) =>
      this.#child.stdin.write(text, (error) => resolve(error ?? undefined))
    );
  }

  prompt(content: string, uuid?: string): void {
    this.send({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
      session_id: "",
      ...(uuid === undefined ? {} : { uuid }),
    });
  }

  /** Sends a control request and waits for its answer. */
  async control(request: object, id: string): Promise<Line> {
    this.send({ type: "control_request", request_id: id, request });
    const line = await this.next((line) =>
      line.type === "control_response" && line.response.request_id === id
    );
    return line.response;
  }

  initialize(fields: object = {}): Promise<Line> {
    return this.control({ subtype: "initialize", ...fields }, "init-1");
  }

  answer(id: string, response: object): void {
    this.send({
      type: "control_response",
      response: { subtype: "success", request_id: id, response },
    });
  }

  /** The first line that fits, one that has come already included. */
  async next(fits: (line: Line) => boolean): Promise<Line> {
    await this.until(() => this.lines.some(fits));
    return this.lines.find(fits);
  }

  /** Waits until a condition holds; rejects when the process ended before. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!holds() && !this.#hasEnded) return;
        this.#watchers.delete(look);
        if (holds()) resolve();
        else reject(new Error(`CLI ended too early: ${this.stderr}`));
      };
      this.#watchers.add(look);
      look();
    });
  }

  ofType(type: string, subtype?: string): Line[] {
    return this.lines.filter((line) =>
      line.type === type && (subtype === undefined || line.subtype === subtype)
    );
  }

  pauseOutput(): void {
    this.#child.stdout.pause();
  }

  resumeOutput(): void {
    this.#child.stdout.resume();
  }

  end(): void {
    this.#child.stdin.end();
  }

  /** By pid: under Deno the child's own kill() misreports the exit. */
  kill(signal: "SIGTERM" | "SIGKILL" | "SIGINT"): void {
    kill(this.pid, signal);
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = this.#rest.indexOf(10);
      if (end < 0) break;
      const text = this.#rest.subarray(0, end).toString();
      this.#rest = this.#rest.subarray(end + 1);
      try {
        this.lines.push(JSON.parse(text));
      } catch {
        this.lines.push({ raw: text });
      }
    }
    this.#stir();
  }

  #stir(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}
