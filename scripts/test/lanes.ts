/** The programs in which a lane runs tests: how they are run, how far they are, and what their reports say. */
import { stdout } from "node:process";
import { ROOT } from "../project.ts";

/** What to run. */
interface Supervised {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; the root unless given. */
  readonly cwd?: string;
  /** Milliseconds until the group is killed. */
  readonly limitMs: number;
  /** Called with the output as it comes. */
  readonly onOutput?: (bytes: Uint8Array) => void;
}

/** How it ended. */
interface SupervisedEnd {
  readonly code: number;
  readonly output: string;
  readonly isOverrun: boolean;
}

/** What runs now: when this script is told to stop, all of it has to go. */
const running = new Set<Deno.ChildProcess>();

const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** Runs a program in a process group of its own, so that nothing it started outlives it, and waits for its end; kills its group when time is up, or when this script is told to stop. */
export async function supervise(
  { command, args, env, cwd, limitMs, onOutput }: Supervised,
): Promise<SupervisedEnd> {
  const child = new Deno.Command(command, {
    args: [...args],
    cwd: cwd ?? ROOT,
    clearEnv: true,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: Deno.build.os !== "windows",
  }).spawn();
  let isOverrun = false;
  const timer = setTimeout(() => {
    isOverrun = true;
    killGroup(child);
  }, limitMs);
  running.add(child);
  for (const signal of STOP_SIGNALS) Deno.addSignalListener(signal, stop);

  const chunks: Uint8Array[] = [];
  const gather = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) {
      chunks.push(chunk);
      onOutput?.(chunk);
    }
  };
  const drained = Promise.all([gather(child.stdout), gather(child.stderr)]);
  const { code } = await child.status;
  // What it left behind would hold the pipes open.
  killGroup(child);
  await drained;
  clearTimeout(timer);
  running.delete(child);
  if (running.size === 0) {
    for (const signal of STOP_SIGNALS) Deno.removeSignalListener(signal, stop);
  }
  return {
    code,
    output: await new Blob(chunks as BlobPart[]).text(),
    isOverrun,
  };
}

function stop(): never {
  running.forEach(killGroup);
  Deno.exit(130);
}

function killGroup(child: Deno.ChildProcess): void {
  try {
    if (Deno.build.os === "windows") child.kill("SIGKILL");
    else Deno.kill(-child.pid, "SIGKILL");
  } catch {
    // Everybody has left already.
  }
}

const REDRAW_MS = 1_000;
const LINE_MS = 30_000;
/** Part of the files after which an estimate is worth something. */
const TELLING = 0.1;

/** How far some lanes are. */
export interface Progress {
  /** Takes what a lane prints. */
  hear(lane: string, bytes: Uint8Array): void;
  /** Notes that a lane is through. */
  end(lane: string): void;
  /** Prints a line without getting in the way. */
  say(text: string): void;
  /** Stops. */
  stop(): void;
}

/** What there is to know of a lane before it starts. */
interface Course {
  /** Finds in a line of its output that a file begins. */
  readonly begins: RegExp;
  /** How many files it has. */
  readonly files: number;
}

/** Starts to say how far the lanes are: on one line of a terminal, else with a line now and then. */
export function showProgress(lanes: ReadonlyMap<string, Course>): Progress {
  const start = performance.now();
  const begun = new Map(
    [...lanes.keys()].map((name) => [name, new Set<string>()]),
  );
  const ended = new Set<string>();
  const listeners = new Map(
    [...lanes].map(([name, { begins }]) => [
      name,
      byLine((line) => {
        if (begins.test(line)) begun.get(name)?.add(line);
      }),
    ]),
  );
  const isTerminal = stdout.isTTY;
  const draw = () => {
    const counts = [...lanes].map(([name, { files }]) => ({
      name,
      done: ended.has(name) ? files : begun.get(name)?.size ?? 0,
      files,
    }));
    const text = describe(counts, performance.now() - start);
    stdout.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`);
  };
  const timer = setInterval(draw, isTerminal ? REDRAW_MS : LINE_MS);
  const clear = () => isTerminal && stdout.write("\r\x1b[K");
  return {
    hear: (lane, bytes) => listeners.get(lane)?.(bytes),
    end: (lane) => void ended.add(lane),
    say(text) {
      clear();
      stdout.write(`${text}\n`);
    },
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}

/** `deno 45/183, bun 80/183, node 12/183 files, 1:04, about 2 min left`. */
function describe(
  lanes: readonly { name: string; done: number; files: number }[],
  ms: number,
): string {
  const counts = lanes.map(({ name, done, files }) =>
    `${name} ${done}/${files}`
  );
  const sum = (key: "done" | "files") =>
    lanes.reduce((sum, lane) => sum + lane[key], 0);
  const part = sum("done") / sum("files");
  const left = part < TELLING ? "" : `, ${rest(ms / part - ms)} left`;
  return `${counts.join(", ")} files, ${clock(ms)}${left}`;
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`;
}

function rest(ms: number): string {
  return ms < 60_000
    ? `about ${Math.ceil(ms / 10_000) * 10} s`
    : `about ${Math.round(ms / 60_000)} min`;
}

function byLine(take: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let open = "";
  return (bytes) => {
    const lines = (open + decoder.decode(bytes, { stream: true })).split("\n");
    open = lines.pop() ?? "";
    lines.forEach(take);
  };
}

/** One test as a report tells it. */
export interface TestCase {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** What the failure says, or why it is skipped where the report tells; else empty. */
  readonly text: string;
  /** How long it took. */
  readonly seconds: number;
}

/** Takes the tests out of the JUnit report of any runtime, which agree on little; an empty or cut one gives those it holds. */
export function parseJunit(xml: string): readonly TestCase[] {
  const cases = xml.matchAll(
    /<testcase\b((?:[^>"]|"[^"]*")*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  );
  return [...cases]
    .map(([, attributes = "", body = ""]) => toCase(attributes, body))
    .filter((one) => !isFileItself(one));
}

function toCase(attributes: string, body: string): TestCase {
  const name = unescape(/\bname="([^"]*)"/.exec(attributes)?.[1] ?? "");
  const seconds = Number(/\btime="([^"]*)"/.exec(attributes)?.[1] ?? 0);
  const failure =
    /<(failure|error)\b((?:[^>"]|"[^"]*")*?)(?:\/>|>([\s\S]*?)<\/\1>)/.exec(
      body,
    );
  if (failure !== null) {
    const [, , details = "", text = ""] = failure;
    const message = /\bmessage="([^"]*)"/.exec(details)?.[1] ?? "";
    const full = unescape(text).trim() || unescape(message);
    return { name, outcome: "failed", text: full, seconds };
  }
  const skip = /<skipped\b(?:[^>"]|"[^"]*")*>/.exec(body)?.[0];
  if (skip === undefined) return { name, outcome: "passed", text: "", seconds };
  const text = unescape(/\bmessage="([^"]*)"/.exec(skip)?.[1] ?? "");
  return { name, outcome: "skipped", text, seconds };
}

/** Node reports a program that declares no test as one passed test with the path as its name. */
function isFileItself(one: TestCase): boolean {
  return one.outcome === "passed" && isWholeFile(one);
}

/** Whether it tells of the program itself: Node does so when that fails outside of its tests, without saying why. */
export function isWholeFile({ name }: TestCase): boolean {
  return /test[\\/]part\.mjs$/.test(name);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

function unescape(text: string): string {
  return text.replace(
    /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi,
    (whole, decimal, hex, named) => {
      if (decimal) return String.fromCodePoint(Number(decimal));
      if (hex) return String.fromCodePoint(parseInt(hex, 16));
      return ENTITIES[named] ?? whole;
    },
  );
}
