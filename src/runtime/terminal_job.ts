import { fstatSync, readFileSync, statSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadStream, WriteStream } from "node:tty";
import { host, isGranted } from "./host.ts";

/** The keyboard of the person before the screen, whatever stdin is. */
export const TTY = "/dev/tty";
const JOB = "/proc/self/stat";
/** A signal of this program to itself arrives sooner, in milliseconds. */
export const RAISED_MS = 20;
/** Descriptors by number: output streams of Deno, such as 2.7.7, may not have theirs. */
export const STDIN = 0;
const SCREENS = [[2, "stderr"], [1, "stdout"]] as const;
const TO_LISTEN = [
  { name: "read" },
  { name: "write" },
  { name: "net" },
] as const;

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
  return process.stdin.isTTY ? deviceOf(STDIN) : jobOfProgram()?.device;
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
  const [, screen] = SCREENS.find(([fd, name]) => {
    if (!process[name].isTTY) return false;
    const device = deviceOf(fd) ?? keyboard;
    return keyboard === undefined || device === keyboard;
  }) ?? [];
  return screen && process[screen];
}

/** Whether the keyboard belongs to another job; `false` where the system does not tell. */
export function isInBackground(): boolean {
  const { device, front, group } = jobOfProgram() ?? {};
  return Boolean(device) && front !== group && device === keyboardDevice();
}

/**
 * Stops, as the system stops a job in the background that changes its terminal, until the person brings it to the front: a question
 * in the background would stand below that of another program, which gets the keys.
 *
 * @param signal Ends the waiting with its reason; signals that came while the program was stopped are heard first, since they may abort it
 */
export async function comeToFront(
  input: ReadStream,
  signal: AbortSignal,
): Promise<void> {
  const { signalsTold } = await host();
  let isContinued = true;
  const goOn = () => isContinued = true;
  process.on("SIGCONT", goOn);
  try {
    for (;;) {
      await signalsTold();
      signal.throwIfAborted();
      if (!isInBackground()) break;
      // Without a shell that could bring it back it is not stopped.
      if (!isContinued) {
        throw new Error("This program is in the background of its terminal");
      }
      isContinued = false;
      // The system itself would stop it within a call, which no other signal ends.
      raise("SIGTTOU");
      await sleep(RAISED_MS);
    }
  } finally {
    process.off("SIGCONT", goOn);
  }
  // A shell may have changed the mode, which the runtime does not know.
  const isRaw = input.isRaw === true;
  input.setRawMode(!isRaw);
  input.setRawMode(isRaw);
}

/** In the background, ends by a signal: at an exit each runtime sets the modes of its terminal, and the system would stop it. */
export async function endInBackground(
  name: "SIGTERM" | "SIGHUP",
): Promise<void> {
  const { stderr, stdin, stdout } = process;
  const isAtTerminal = [stdin, stdout, stderr].some(({ isTTY }) => isTTY);
  if (!isAtTerminal || !isInBackground()) return;
  process.kill(process.pid, name);
  await sleep(RAISED_MS);
}

/**
 * Name that programs share which would read each other's keys, on Linux. The system gives the keyboard to one process group at a time, so
 * only those of one group take turns: one that is stopped, or in the background, blocks no other.
 */
export function turnName(): string | undefined {
  const job = process.platform === "linux" && isGranted(...TO_LISTEN)
    ? jobOfProgram()
    : undefined;
  const device = keyboardDevice();
  if (job === undefined || device === undefined) return undefined;
  const group = job.device === device ? job.group : 0;
  return `sluice-${device}-${group}`;
}

/** Signals this job, as its terminal does. */
export function raise(name: "SIGINT" | "SIGTSTP" | "SIGTTOU"): void {
  if (name === "SIGINT") process.kill(process.pid, name);
  else if (process.platform !== "win32") {
    const group = jobOfProgram()?.group;
    process.kill(group === undefined ? process.pid : -group, name);
  }
}
