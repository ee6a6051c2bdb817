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
import { isAsciiLocale } from "./locale.ts";
import { untilQuiet } from "./quiet.ts";
import {
  afterReports,
  isSilentTerminal,
  loseReports,
  onLostReports,
  reportsOf,
  whenLate,
} from "./shown_report.ts";

/** The keyboard of the person before the screen, whatever stdin is. */
const TTY = "/dev/tty";
const JOB = "/proc/self/stat";
const TO_LISTEN = [
  { name: "read" },
  { name: "write" },
  { name: "net" },
] as const;
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
    needsWord: isSilentTerminal,
    isAscii: () => isGranted({ name: "env" }) && isAsciiLocale(process.env),
    onChange(listener) {
      process.on("SIGCONT", listener);
      screen?.on("resize", listener);
      const leave = onLostReports(listener);
      return () => {
        leave();
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
      const last = text.slice(prompt);
      const typed = await dropTypedAhead(input, screen, last, signal);
      signal.throwIfAborted();
      if (hasEnded || typed === undefined) return undefined;
      // In raw mode the terminal did not echo it.
      // deno-lint-ignore no-control-regex -- keys of a terminal are control characters
      const echo = typed.replace(/[\x00-\x1f\x7f].*/s, "");
      await shown(screen, echo === typed ? echo : `${echo}\n`);
      // The terminal edits the line, and Ctrl-C stays a signal.
      return await oneLine(input, signal, typed);
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

/** Keys that are signals, except in raw mode. */
const SIGNALS = [["\x03", "SIGINT"], ["\x1a", "SIGTSTP"]] as const;
const CTRL_D = "\x04";

/**
 * Shows the last line of a question, and drops everything typed before the terminal has reported that it did. Only a quiet keyboard counts
 * where it reports nothing.
 *
 * @returns What was typed since; `undefined` at the end of the input
 */
async function dropTypedAhead(
  input: ReadStream,
  screen: WriteStream,
  last: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reports = isSilentTerminal() ? undefined : reportsOf(screen);
  const decoder = new TextDecoder();
  let signalled: (typeof SIGNALS)[number][1] | undefined;
  let hear = (_text: string) => {};
  let onEnd = () => {};
  let isOver = false;
  const drop = (bytes: Uint8Array | string) => {
    const text = typeof bytes === "string"
      ? bytes
      : decoder.decode(bytes, { stream: true });
    signalled ??= SIGNALS.find(([key]) => text.includes(key))?.[1];
    hear(text);
  };
  const end = () => {
    isOver = true;
    hasEnded ||= input === process.stdin;
    onEnd();
  };
  // A line without its end is given out in raw mode alone.
  input.setRawMode(true);
  input.on("data", drop);
  for (const name of ENDS) input.on(name, end);
  // After an earlier question it is paused, and a listener alone does not change that.
  input.resume();
  let leave = () => {};
  try {
    await untilQuiet((heard) => hear = heard);
    if (reports === undefined || isOver || signalled) {
      return isOver ? undefined : "";
    }
    return await new Promise<string | undefined>((resolve, reject) => {
      const abort = () => reject(signal.reason);
      const endWait = whenLate(() => loseReports("silence"));
      signal.addEventListener("abort", abort, { once: true });
      leave = () => {
        endWait();
        signal.removeEventListener("abort", abort);
      };
      onEnd = () => resolve(undefined);
      hear = (text) => {
        const { after } = reports.take(text);
        if (after?.includes(CTRL_D)) end();
        else if (after !== undefined) resolve(after);
        else if (signalled) resolve("");
      };
      if (signal.aborted) abort();
      else void shown(screen, `${last}${reports.request}`);
    });
  } finally {
    leave();
    input.off("data", drop);
    for (const name of ENDS) input.off(name, end);
    input.pause();
    if (!input.destroyed) input.setRawMode(false);
    if (signalled) {
      raise(signalled);
      loseReports("interrupt");
    }
    if (reports === undefined) await shown(screen, last);
  }
}

/** Signals this job, as its terminal does. */
function raise(name: "SIGINT" | "SIGTSTP"): void {
  if (name === "SIGINT") process.kill(process.pid, name);
  else if (process.platform !== "win32") {
    const group = jobOfProgram()?.group;
    process.kill(group === undefined ? process.pid : -group, name);
  }
}

/** Waits for a whole line; `undefined` at the end of the input, whatever was typed before it. */
function oneLine(
  input: ReadStream,
  signal: AbortSignal,
  typed: string,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
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
      resolve(afterReports(line));
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
    take("");
  });
}
