import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { deno } from "./host.ts";

/** Interval of looking whether the other program has its answer, in milliseconds. */
const LOOK_MS = 100;
/** A wait that is longer is explained, in milliseconds. */
const NOTICE_MS = 1_000;
/** Longest wait, in milliseconds: the person may have left with the other question open. */
const LONGEST_MS = 300_000;

/** Longest name of a socket without a file: Node pads a shorter one. */
const LONGEST_NAME = 107;
/** All sockets, with their names. */
const SOCKETS = "/proc/net/unix";

/**
 * Waits until no other program asks by this name, on Linux.
 *
 * The name is that of a socket without a file: the system frees it when its program ends, however that happens. Bun cannot use the
 * longest name. It uses one that is shorter by one, and lets a program with the longest one go first.
 *
 * @param name The same for all programs that ask at one place
 * @param settings The longest wait; what shows a notice when it is not over soon
 * @returns A function that lets the next program ask
 * @throws {Error} If the other program takes too long, with what helps
 */
export async function takeTurn(
  name: string,
  { signal, onNotice, noticeMs = NOTICE_MS, longestMs = LONGEST_MS }: {
    readonly signal: AbortSignal;
    readonly onNotice: (text: string) => void;
    readonly noticeMs?: number;
    readonly longestMs?: number;
  },
): Promise<() => void> {
  const began = performance.now();
  const find = `ss -xlp | grep ${name}`;
  let isTold = false;
  let turn: Turn = "taken";
  try {
    for (;;) {
      signal.throwIfAborted();
      if (turn === "taken") turn = await listenAt(name, LONGEST_NAME);
      if (typeof turn === "function") {
        if (!await isTaken(name, LONGEST_NAME - 1)) {
          const end = turn;
          turn = "taken";
          return end;
        }
      } else if (turn === "refused") {
        const end = await listenAt(name, LONGEST_NAME - 1);
        if (typeof end === "function") {
          if (!await isTaken(name, LONGEST_NAME)) return end;
          end();
        }
      }
      const waited = performance.now() - began;
      if (waited > longestMs) {
        throw new Error(
          `Another program has been asking at this terminal for ${
            Math.round(waited / 1_000)
          } s: answer or end it (${find})`,
        );
      }
      if (waited > noticeMs && !isTold) {
        isTold = true;
        onNotice(
          `(another program asks at this terminal, the next question comes after its answer; to find it: ${find})`,
        );
      }
      await sleep(LOOK_MS, undefined, { signal });
    }
  } finally {
    if (typeof turn === "function") turn();
  }
}

/** Whether a program asks by this name. */
export async function isTurnTaken(name: string): Promise<boolean> {
  return await isTaken(name, LONGEST_NAME) ||
    await isTaken(name, LONGEST_NAME - 1);
}

/** Ends the turn; or the reason for a failure: another program listens, or this runtime cannot use such a name. */
type Turn = (() => void) | "taken" | "refused";

function socketName(name: string, length: number): string {
  return name.padEnd(length, "-");
}

/** Listens by a name, made as long as that. */
async function listenAt(name: string, length: number): Promise<Turn> {
  const path = `\0${socketName(name, length)}`;
  try {
    // Programs that Deno starts would inherit a socket of `node:net`, and keep the turn.
    const server = deno?.listen({ transport: "unix", path }) ??
      await serverAt(path);
    return () => void server.close();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === "EADDRINUSE") return "taken";
    // Bun before 1.4 gives no code.
    const isTooLong = code === "EINVAL" || code === undefined;
    if (isTooLong && length === LONGEST_NAME) return "refused";
    throw error;
  }
}

function serverAt(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => void socket.destroy());
    server.on("error", reject);
    server.listen(path, () => resolve(server));
  });
}

/** Whether a program listens by a name that is as long as that. */
async function isTaken(name: string, length: number): Promise<boolean> {
  const sockets = await readFile(SOCKETS, "latin1").catch(() => "");
  return sockets.split("\n")
    .some((line) => line.endsWith(` @${socketName(name, length)}`));
}
