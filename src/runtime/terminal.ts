import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  statSync,
} from "node:fs";
import process from "node:process";
import { ReadStream, type WriteStream } from "node:tty";
import type { Terminal } from "../ports/terminal.ts";
import { isGranted } from "./host.ts";
import { untilQuiet } from "./quiet.ts";

/** The keyboard of the person before the screen, whatever stdin is. */
const TTY = "/dev/tty";
const JOB = "/proc/self/stat";
const TO_LISTEN = [
  { name: "read" },
  { name: "write" },
  { name: "net" },
] as const;
const encoder = new TextEncoder();
const ENDS = ["end", "close", "error"] as const;
/** Whether stdin gives no further line, after Ctrl-D; runtimes disagree on how a stream shows that. */
let hasEnded = false;
/** Settled when keys are free: a question that was ended drops those typed ahead a moment longer. */
let lastRead: Promise<unknown> = Promise.resolve();

/** Whether there is one that may be read. */
function hasKeyboard(): boolean {
  try {
    closeSync(openSync(TTY, "r"));
    return true;
  } catch {
    return false;
  }
}

/** The job of this program, as the system controls it; `undefined` where it does not tell. */
interface Job {
  /** Its process group. */
  readonly group: number;
  /** The number of its terminal, 0 for none. */
  readonly device: number;
  /** The process group that may read the keyboard. */
  readonly front: number;
}

function jobOfProgram(): Job | undefined {
  if (!isGranted({ name: "read", path: JOB })) return undefined;
  try {
    const [, fields = ""] = readFileSync(JOB, "latin1")
      .split(/\) (?=[^)]*$)/);
    const [, , group = 0, , device = 0, front = 0] = fields.split(" ")
      .map(Number);
    return { group, device, front };
  } catch {
    return undefined;
  }
}

/** The number of the terminal whose keyboard is read; `undefined` where the system does not tell. */
function keyboardDevice(): number | undefined {
  return process.stdin.isTTY
    ? deviceOf(process.stdin.fd)
    : jobOfProgram()?.device;
}

function deviceOf(fd: number): number | undefined {
  // Windows numbers no terminals.
  if (process.platform === "win32") return undefined;
  const { rdev } = fstatSync(fd);
  // Opened by that name it is the terminal of this program.
  const isOwn = isGranted({ name: "read", path: TTY }) &&
    rdev === statSync(TTY, { throwIfNoEntry: false })?.rdev;
  return isOwn ? jobOfProgram()?.device : rdev;
}

/** The screen above the keyboard: stderr, since stdout may be what the program makes, or stdout; `undefined` when both lead elsewhere. */
export function screenOfPerson(): WriteStream | undefined {
  const keyboard = keyboardDevice();
  return [process.stderr, process.stdout].find((stream) => {
    if (!stream.isTTY) return false;
    const device = deviceOf(stream.fd) ?? keyboard;
    return keyboard === undefined || device === keyboard;
  });
}

/** Shows a text; resolves when the terminal has taken it. */
export function shown(screen: WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (text === "") resolve();
    else screen.write(text, () => resolve());
  });
}

/** The terminal of this program: stdin may be a pipe. */
export function terminal(): Terminal {
  const { stdin } = process;
  const screen = screenOfPerson();
  return {
    isPerson: screen !== undefined && (stdin.isTTY === true || hasKeyboard()),
    size: () => ({ columns: screen?.columns ?? 0, rows: screen?.rows ?? 0 }),
    onChange(listener) {
      process.on("SIGCONT", listener);
      screen?.on("resize", listener);
      return () => {
        process.off("SIGCONT", listener);
        screen?.off("resize", listener);
      };
    },
    async takeTurn(signal) {
      const name = turnName();
      if (name === undefined) return () => {};
      const { takeTurn } = await import("./terminal_turn.ts");
      const onNotice = (text: string) => void screen?.write(`\n${text}\n`);
      return await takeTurn(name, { signal, onNotice });
    },
    ask(text, signal) {
      const line = lastRead.then(() => read(text, signal));
      lastRead = line.catch(() => {});
      return line;
    },
  };

  async function read(
    text: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    signal.throwIfAborted();
    if (hasEnded || screen === undefined) return undefined;
    const own = stdin.isTTY ? undefined : new ReadStream(openSync(TTY, "r"));
    const input = own ?? stdin;
    try {
      comeToFront(input);
      const prompt = text.lastIndexOf("\n") + 1;
      await shown(screen, text.slice(0, prompt));
      // Keys typed while a slow terminal drew all that answer nothing.
      await dropTypedAhead(input);
      signal.throwIfAborted();
      await shown(screen, text.slice(prompt));
      signal.throwIfAborted();
      // The terminal edits the line, and Ctrl-C stays a signal.
      return await oneLine(input, signal);
    } finally {
      own?.destroy();
    }
  }
}

/**
 * Stops here, as the system stops a job in the background that changes its terminal, until the person brings it to the front: a question
 * in the background would stand below that of another program, which gets the keys.
 */
export function comeToFront(input: ReadStream): void {
  const isRaw = input.isRaw === true;
  input.setRawMode(!isRaw);
  input.setRawMode(isRaw);
  const { device, front, group } = jobOfProgram() ?? {};
  // Without a shell that could bring it back it is not stopped.
  if (front !== group && device === keyboardDevice()) {
    throw new Error("This program is in the background of its terminal");
  }
}

/**
 * Name that programs share which would read each other's keys, on Linux. The system gives the keyboard to one process group at a time, so
 * only those of one group take turns: one that is stopped, or in the background, blocks no other.
 */
function turnName(): string | undefined {
  const job = process.platform === "linux" && isGranted(...TO_LISTEN)
    ? jobOfProgram()
    : undefined;
  const device = keyboardDevice();
  if (job === undefined || device === undefined) return undefined;
  const group = job.device === device ? job.group : 0;
  return `sluice-${device}-${group}`;
}

const CTRL_C = 3;

/** Reads and drops everything typed before a question was displayed. */
async function dropTypedAhead(input: ReadStream): Promise<void> {
  let isInterrupted = false;
  let isHeard = () => {};
  const drop = (bytes: Uint8Array | string) => {
    const codes = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
    isInterrupted ||= codes.includes(CTRL_C);
    isHeard();
  };
  // A line without its end is given out in raw mode alone.
  input.setRawMode(true);
  input.on("data", drop);
  // After an earlier question it is paused, and a listener alone does not change that.
  input.resume();
  try {
    await untilQuiet((heard) => isHeard = heard);
  } finally {
    input.off("data", drop);
    input.pause();
    input.setRawMode(false);
  }
  // The key is a signal again.
  if (isInterrupted) process.kill(process.pid, "SIGINT");
}

/** Waits for a whole line; `undefined` at the end of the input, whatever was typed before it. */
function oneLine(
  input: ReadStream,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    let typed = "";
    const leave = () => {
      signal.removeEventListener("abort", abort);
      input.off("data", take);
      for (const name of ENDS) input.off(name, end);
      input.pause();
    };
    const take = (bytes: Uint8Array | string) => {
      typed += typeof bytes === "string"
        ? bytes
        : decoder.decode(bytes, { stream: true });
      const line = /^(.*?)(?:\r|\n)/s.exec(typed)?.[1];
      if (line === undefined) return;
      leave();
      resolve(line);
    };
    const end = () => {
      hasEnded ||= input === process.stdin;
      leave();
      resolve(undefined);
    };
    const abort = () => {
      leave();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    input.on("data", take);
    for (const name of ENDS) input.on(name, end);
    input.resume();
  });
}
