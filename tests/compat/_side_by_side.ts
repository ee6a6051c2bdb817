import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { scriptedModel } from "@sluice/agent/testing";
import { ENGINE } from "../_real_cli.ts";
import type { Model, Place, ProgramModule } from "./_program.ts";
import { type Outcome, programRunner, type Runner } from "./_runner.ts";

/** Run of a program on one package. */
export interface Taken {
  /** Printed lines. */
  readonly printed: readonly string[];
  /** Arguments of each CLI. */
  readonly args: readonly string[];
  /** Lines that the CLIs got. */
  readonly stdin: readonly string[];
  /** How the CLIs ended. */
  readonly exits: readonly string[];
  /** How the program itself ended. */
  readonly code: number | null;
  /** How many processes it left. */
  readonly left: number;
}

const FOLDER = new URL("./programs/", import.meta.url);
/** `.ts`, but `.js` where the runtime cannot read that. */
const ENDING = import.meta.url.slice(-3);
const LIMIT_MS = 90_000;

/** Names of all programs. */
export const PROGRAMS: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length)).sort();

/** The module of a program. */
export async function moduleOf(name: string): Promise<ProgramModule> {
  return await import(new URL(`${name}${ENDING}`, FOLDER).href);
}

/** How a program is run on a package. */
export interface TakeSettings {
  /** The package, ours unless given. */
  readonly sdk?: string;
  readonly cli?: string;
  readonly isRecorded?: boolean;
  /** Where it runs, a process of its own unless given. */
  readonly runner?: Runner;
}

/** Runs a program with the real CLI and a scripted model. */
export async function take(
  name: string,
  {
    sdk = "",
    cli = process.env["SLUICE_TEST_CLI"] ?? "",
    isRecorded = false,
    runner,
  }: TakeSettings = {},
): Promise<Taken> {
  const { model, isUnordered } = await moduleOf(name);
  return await takeOf(
    (place) =>
      runner === undefined
        ? runAlone(name, sdk, place)
        : runner.run(name, sdk, place),
    { model, cli, isRecorded, isUnordered },
  );
}

/** Runs a program in a process that ends with it. */
async function runAlone(
  name: string,
  sdk: string,
  place: PlainPlace,
): Promise<Outcome> {
  const runner = programRunner();
  const { code, output } = await runner.run(name, sdk, place);
  const end = await runner.end();
  return { code: code === 0 ? end.code : code, output: output + end.output };
}

/** Where a program runs, as JSON carries it. */
export type PlainPlace = Pick<Place, "options" | "stdioServer">;

/** Settings of a run besides its place. */
export interface TakeOptions {
  /** Answers of the model. */
  readonly model: Model;
  /** The real CLI. */
  readonly cli: string;
  /** Whether what the CLI gets is kept. */
  readonly isRecorded?: boolean | undefined;
  /** Whether the order of what it sends is a matter of time. */
  readonly isUnordered?: boolean | undefined;
}

/** Has a program run in a folder of its own, with the real CLI and a scripted model. */
export async function takeOf(
  start: (place: PlainPlace) => Promise<Outcome>,
  { model: turns, cli, isRecorded = false, isUnordered = false }: TakeOptions,
): Promise<Taken> {
  const folder = await mkdtemp(join(tmpdir(), "compat-"));
  const model = await scriptedModel(turns);
  const record = join(folder, "record.ndjson");
  try {
    for (const one of ["home", "cwd", "tmp"]) await mkdir(join(folder, one));
    const place = {
      options: {
        // Arguments are recorded only if there is a second run to compare.
        pathToClaudeCodeExecutable: isRecorded
          ? fileURLToPath(new URL("./recording_cli.mjs", import.meta.url))
          : cli,
        cwd: join(folder, "cwd"),
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: join(folder, "home"),
          TMPDIR: join(folder, "tmp"),
          REAL_CLI: cli,
          CLI_RECORD: record,
          ...ENGINE,
          ...model.env,
        },
      },
      stdioServer: {
        command: "node",
        args: [fileURLToPath(new URL("./echo_server.mjs", import.meta.url))],
      },
    };
    const { code, output } = await start(place);
    const left = await leftOf(folder);
    const entries = existsSync(record)
      ? readFileSync(record, "utf8").trim().split("\n")
        .map((line) => JSON.parse(line))
      : [];
    const plain = plainer(folder);
    const lines = (of: string) =>
      entries.filter((entry) => of in entry).map((entry) => entry[of]);
    const stdin = stdinOf(lines("line").map(String)).map(plain);
    const args = lines("args").map((args) =>
      args.map((arg: string) => plain(arg)).join("\n")
    );
    const exits = lines("exit").map(String);
    return {
      printed: output.trimEnd().split("\n").map(plain),
      args: isUnordered ? args.toSorted() : args,
      stdin: isUnordered ? stdin.toSorted() : stdin,
      exits: isUnordered ? exits.toSorted() : exits,
      code,
      left,
    };
  } finally {
    await model.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Where two takes differ, as lines for people; none when they are the same. */
export function differences(
  a: Taken,
  b: Taken,
  excused: NonNullable<ProgramModule["differs"]>["parts"] = [],
): string[] {
  return (["printed", "args", "stdin", "exits", "code"] as const).flatMap(
    (part) => {
      if (excused.includes(part)) return [];
      const [left, right] = [a[part], b[part]].map((one) =>
        Array.isArray(one) ? one.map(String) : [String(one)]
      ) as [string[], string[]];
      const at = Array.from(
        { length: Math.max(left.length, right.length) },
        (_, index) => index,
      ).find((index) => left[index] !== right[index]);
      return at === undefined ? [] : [
        `${part} ${at}: ${firstDifference(left[at] ?? "-", right[at] ?? "-")}`,
      ];
    },
  );
}

/** Verdict on two takes, and whether they are equal apart from excused parts. */
export function verdictOn(
  name: string,
  { theirs, own }: { readonly theirs: Taken; readonly own: Taken },
  differs: ProgramModule["differs"],
): { readonly isSame: boolean; readonly text: string } {
  const found = differences(theirs, own, differs?.parts);
  const word = found.length > 0 ? "DIFFERS" : differs ? "other" : "same";
  const head = `${name.padEnd(30)} ${
    word.padEnd(7)
  } left ${theirs.left}/${own.left}`;
  const why = differs === undefined ? [] : [differs.why];
  return {
    isSame: found.length === 0,
    text: [head, ...[...why, ...found].map((one) => `  ${one}`)].join("\n"),
  };
}

function firstDifference(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const from = Math.max(0, at - 60);
  return `\n    official ...${a.slice(from, at + 160)}\n    ours     ...${
    b.slice(from, at + 160)
  }`;
}

/** Lines with ids of requests by number, keys in order: what is random and what is form is no difference. */
function stdinOf(lines: readonly string[]): readonly string[] {
  return lines.map((line) => {
    const value = JSON.parse(line);
    if (value.type === "control_request") value.request_id = "#";
    return JSON.stringify(sorted(value));
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([key, one]) => [key, sorted(one)]),
  );
}

/** Takes out of a text what is another in each run. */
export function plainer(folder: string): (text: string) => string {
  return (text) =>
    text.replaceAll(folder, "FOLDER")
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
      .replaceAll(/127\.0\.0\.1:\d+/g, "MODEL")
      .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"ID"')
      .replaceAll(/req_\w+/g, "ID")
      .replaceAll(/<duration_ms>\d+/g, "<duration_ms>MS");
}

/** Processes that have the folder in their environment, once those that are about to end have ended. */
async function leftOf(folder: string): Promise<number> {
  for (let looks = 0;; looks++) {
    const left = readdirSync("/proc").filter((id) => {
      try {
        return /^\d+$/.test(id) &&
          readFileSync(`/proc/${id}/environ`, "latin1").includes(folder);
      } catch {
        return false;
      }
    });
    if (left.length === 0 || looks === 200) return left.length;
    await sleep(50);
  }
}

/** Runs a program to its end. */
export function run(
  command: string,
  args: readonly string[],
  { env, cwd }: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd?: string;
  },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      ...cwd !== undefined && { cwd },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk) => output += chunk);
    child.stderr.on("data", (chunk) => errors += chunk);
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output: code === 0 ? output : output + errors });
    });
  });
}
