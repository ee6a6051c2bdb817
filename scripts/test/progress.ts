/** Says how far test lanes are: on one line of a terminal, else with a line now and then. */
import { stdout } from "node:process";

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
export interface Course {
  /** Finds in a line of its output that a file begins. */
  readonly begins: RegExp;
  /** How many files it has. */
  readonly files: number;
}

/** Starts to say how far the lanes are. */
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
