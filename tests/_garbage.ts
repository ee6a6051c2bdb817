import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects garbage now; V8 offers it on demand only. */
export function collectGarbage(): void {
  const { Bun } = globalThis as { Bun?: { gc(isSync: boolean): void } };
  if (Bun !== undefined) return Bun.gc(true);
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/** How many bytes what a function returns keeps alive. */
export function keptBytes(make: () => unknown): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = make();
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  // Looked at last, so that it lives until here.
  return kept === undefined ? 0 : bytes;
}

/** A text of 1 MiB, another one each time. */
export function longText(seed: number): string {
  const bytes = new Uint8Array(1024 * 1024).fill(97 + seed % 20);
  return new TextDecoder().decode(bytes);
}
