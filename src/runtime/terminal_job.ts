import { fstatSync, readFileSync, statSync } from "node:fs";
import process from "node:process";
import type { ReadStream, WriteStream } from "node:tty";
import { isGranted } from "./host.ts";

/** The keyboard of the person before the screen, whatever stdin is. */
export const TTY = "/dev/tty";
const JOB = "/proc/self/stat";
/** Descriptors by number: output streams of Deno, such as 2.7.7, may not have theirs. */
const STDIN = 0;
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
export function raise(name: "SIGINT" | "SIGTSTP"): void {
  if (name === "SIGINT") process.kill(process.pid, name);
  else if (process.platform !== "win32") {
    const group = jobOfProgram()?.group;
    process.kill(group === undefined ? process.pid : -group, name);
  }
}
