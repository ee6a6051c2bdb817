// Processes are those of Node.
import type { Options, SpawnedProcess } from "@anthropic-ai/claude-agent-sdk";
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";

export function piped(p: SpawnedProcess): void {
  p.stdout.pipe(createWriteStream("/dev/null"));
  p.stdout.on("data", (c: Buffer) => c.length);
  createInterface({ input: p.stdout });
  p.stdin.write("x");
  p.stdin.end();
  const o: Readable = p.stdout;
  const i: Writable = p.stdin;
  void o;
  void i;
  p.kill("SIGINT");
  p.signalCode?.toUpperCase();
  p.on("exit", (code, signal) => {
    const s: NodeJS.Signals | null = signal;
    void s;
    void code;
  });
}

export const options: Options = {
  spawnClaudeCodeProcess: (o) => {
    const child = spawn(o.command, o.args, {
      cwd: o.cwd,
      env: o.env,
      signal: o.signal,
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stderr.pipe(process.stderr);
    return child;
  },
};

export const options2: Options = {
  spawnClaudeCodeProcess: (o) =>
    spawn(o.command, o.args, {
      stdio: ["pipe", "pipe", "pipe"],
    }) as SpawnedProcess,
};

export class Remote implements SpawnedProcess {
  stdin: Writable = new PassThrough();
  stdout: Readable = new PassThrough();
  killed = false;
  exitCode: number | null = null;
  kill(signal: NodeJS.Signals): boolean {
    return signal === "SIGTERM";
  }
  on(): void {}
  once(): void {}
  off(): void {}
}
