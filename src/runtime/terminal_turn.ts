import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Interval of looking whether the other program has its answer, in milliseconds. */
const LOOK_MS = 100;
/** A wait that is longer is explained, in milliseconds. */
const NOTICE_MS = 1_000;
/** Longest wait, in milliseconds: the person may have left with the other question open. */
const LONGEST_MS = 300_000;

/**
 * Waits until no other program asks by this name, on Linux.
 *
 * The name is that of a socket without a file: the system frees it when its program ends, however that happens.
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
  let isTold = false;
  for (;;) {
    signal.throwIfAborted();
    const end = await listenAt(`\0${name}`);
    if (end !== undefined) return end;
    const waited = performance.now() - began;
    const find = `ss -xlp | grep ${name}`;
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
}

/** Listens by a name; `undefined` where another one does. */
function listenAt(path: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => void socket.destroy());
    server.on("error", (error: Error & { readonly code?: unknown }) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(() => void server.close()));
  });
}
