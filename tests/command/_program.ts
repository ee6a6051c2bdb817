import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { main } from "../../src/command/main.ts";
import { program } from "../../src/runtime/program.ts";
import type { JsonObject } from "@sluice/agent";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
} from "@sluice/agent/testing";
import { fixture, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";

const PROGRAM = new URL("../fixtures/sluice.ts", import.meta.url);

/** How the program ended, and what it said. */
export interface Ran {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and with what it runs. */
export interface RunSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its input; empty unless given. `null` leaves its stdin open. */
  readonly input?: string | null | undefined;
  /** Whether it loads packages from npm, which Deno finds by the configuration and the lock file of the project. */
  readonly loadsPackages?: boolean;
  /** File that gets its stdout. */
  readonly stdout?: string | undefined;
}

/** The command line of the program, as a shell and a terminal take it. */
export function commandLine(...args: readonly string[]): readonly string[] {
  const { args: flags, command } = fixture(PROGRAM);
  // Deno finds its packages where the repository has them.
  const manual = flags.map((one) =>
    one === "--no-config" ? [one, "--node-modules-dir=manual"] : [one]
  ).flat();
  return [command, ...manual, ...args];
}

/** The variables that it needs to run at all. */
export function baseEnvironment(): Readonly<Record<string, string>> {
  return fixture(PROGRAM).env;
}

/** A program that runs, its ends as they come, and its end. */
export interface Running {
  readonly pid: number;
  readonly child: ReturnType<typeof spawn>;
  /** Its output so far. */
  texts(): { readonly stdout: string; readonly stderr: string };
  /** Resolves when stdout or stderr contains a text. */
  said(text: string): Promise<void>;
  /** Sends SIGINT, as Ctrl-C does; by its id, since Deno would report that signal as the end of the child. */
  interrupt(): void;
  readonly ended: Promise<Ran>;
}

/** Starts the program. */
export function start(
  args: readonly string[],
  { cwd, env = {}, input = "", loadsPackages = false, stdout }: RunSettings =
    {},
): Running {
  const line = commandLine(...args).filter((word) =>
    !loadsPackages || !/^--(?:no-config|no-lock|import-map)/.test(word)
  );
  const [command = "", ...rest] = stdout === undefined
    ? line
    : ["/bin/sh", "-c", 'f=$1; shift; exec "$@" >"$f"', "sh", stdout, ...line];
  const child = spawn(command, rest, {
    cwd,
    env: { ...baseEnvironment(), ...env },
  });
  const texts = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    const decoder = new TextDecoder();
    child[name].on("data", (bytes: Uint8Array) => {
      texts[name] += decoder.decode(bytes, { stream: true });
      for (const look of waiting) look();
    });
  }
  child.stdin.on("error", () => {});
  if (input !== null) child.stdin.end(input);
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      child.stdin.destroy();
      resolve({ code, signal, ...texts });
      for (const look of waiting) look();
    });
  });
  let isOver = false;
  ended.then(() => isOver = true, () => isOver = true);
  return {
    pid: child.pid ?? 0,
    child,
    ended,
    texts: () => texts,
    interrupt: () => void process.kill(child.pid ?? 0, "SIGINT"),
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (texts.stdout.includes(text) || texts.stderr.includes(text)) {
            waiting.delete(look);
            resolve();
          } else if (isOver) {
            reject(
              new Error(`Never said ${text}: ${JSON.stringify(texts)}`),
            );
          }
        };
        waiting.add(look);
        void ended.then(() => queueMicrotask(look));
        look();
      }),
  };
}

/** Runs the program to its end. */
export function run(
  args: readonly string[],
  settings?: RunSettings,
): Promise<Ran> {
  return start(args, settings).ended;
}

/** Runs a command line that starts nothing in this process: what the program says of it, without the cost of its start. */
export async function told(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const texts = { stdout: "", stderr: "" };
  const decoder = new TextDecoder();
  const code = await main(args, {
    ...program(),
    args,
    env: { ...baseEnvironment(), ...env },
    terminals: { stdin: false, stdout: false, stderr: false },
    columns: () => undefined,
    readInput: (_onBytes, onEnd) => onEnd(),
    write(bytes) {
      texts.stdout += decoder.decode(bytes, { stream: true });
      return Promise.resolve();
    },
    writeError(text) {
      texts.stderr += text;
      return Promise.resolve();
    },
  });
  return { code, signal: null, ...texts };
}

/** A stand-in CLI behind one path, and an empty home and folder for its user. */
export interface StandIn {
  readonly fake: FakeCli;
  /** The path that starts it. */
  readonly path: string;
  /** An empty folder. */
  readonly folder: string;
  /** Where the program finds it, and nothing of the developer's own. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborts when the test has run too long. */
  readonly signal: AbortSignal;
  /** Runs the program there. */
  sluice(args: readonly string[], input?: string): Promise<Ran>;
  /** Starts the program there. */
  start(args: readonly string[], input?: string | null): Running;
}

/** A stand-in CLI for one test; everything is removed afterwards. */
export async function withStandIn(
  script: FakeCliScript,
  use: (standIn: StandIn) => Promise<void>,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const fake = fakeCli(script);
  const root = await mkdtemp(join(tmpdir(), "sluice-command-"));
  try {
    const [folder, home] = [join(root, "cwd"), join(root, "home")];
    await mkdir(folder);
    await mkdir(home);
    const path = join(root, "claude");
    const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
    await writeFile(path, `#!/bin/sh\nexec ${words} "$@"\n`);
    await chmod(path, 0o755);
    const env = { CLAUDE_CLI_PATH: path, CLAUDE_CONFIG_DIR: home };
    const begin: StandIn["start"] = (args, input) =>
      start(args, { env, cwd: folder, input });
    await use({
      ...{ fake, path, folder, env, signal },
      start: begin,
      sluice: (args, input) => begin(args, input).ended,
    });
  } finally {
    await fake.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Declares a test with a stand-in CLI. */
export function testStandIn(
  name: string,
  script: FakeCliScript,
  use: (standIn: StandIn) => Promise<void>,
  { skip = needsShell }: { readonly skip?: string | undefined } = {},
): void {
  test(name, ({ signal }) => withStandIn(script, use, signal), { skip });
}

/** A folder for PATH with the program in it, and the environment of a shell that uses it. */
export async function shellEnvironment(
  { env, folder }: Pick<StandIn, "env" | "folder">,
): Promise<Readonly<Record<string, string>>> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const words = commandLine().map((word) => `'${word}'`).join(" ");
  await writeFile(join(bin, "sluice"), `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(join(bin, "sluice"), 0o755);
  const { PATH = "", ...base } = baseEnvironment();
  return { ...base, ...env, PATH: `${bin}:${PATH}` };
}

/** A step in which the CLI reports a failed request. */
export function failedRequest(
  error: string,
  text: string,
): { readonly message: JsonObject } {
  return {
    message: {
      type: "assistant",
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "<synthetic>",
        content: [{ type: "text", text }],
      },
      parent_tool_use_id: null,
      error,
    },
  };
}
