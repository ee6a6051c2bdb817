import process from "node:process";
import type { ReadStream } from "node:tty";

type Take = (bytes: Uint8Array | string) => void;

/** Deno before 2.7.14 reads no more from a terminal after a pause, and opens no terminal but stdin. */
export const isStdinOnly: boolean =
  /^(?:[01]|2\.[0-6]|2\.7\.(?:\d|1[0-3]))(?:\.|$)/
    .test(process.versions["deno"] ?? "");
/** Bun still reads from a keyboard that was closed: the next keys are lost. */
export const keepsReading: boolean = process.versions["bun"] !== undefined;
/** Keys between two takers, where nothing is paused. */
const held: (Uint8Array | string)[] = [];
const hold: Take = (bytes) => void held.push(bytes);

/** Hands over the keys of a terminal, those since the last taker included. */
export function takeKeys(input: ReadStream, take: Take): void {
  input.on("data", take);
  if (isStdinOnly) {
    const before = releaseKeys(input);
    input.ref();
    queueMicrotask(() => before.forEach(take));
  }
  // After an earlier question it is paused, and a listener alone does not change that.
  input.resume();
}

/** Leaves the next keys to the next taker. */
export function leaveKeys(input: ReadStream, take: Take): void {
  input.off("data", take);
  if (isStdinOnly) {
    input.on("data", hold);
    input.unref();
  } else input.pause();
}

/** Holds no keys after a question. */
export function releaseKeys(
  input: ReadStream,
): readonly (Uint8Array | string)[] {
  input.off("data", hold);
  return held.splice(0);
}
