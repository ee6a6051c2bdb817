import process from "node:process";
import { deno } from "./globals.ts";

/**
 * Calls back, synchronously, when this program is about to end by itself; the returned function takes it back.
 * Of a signal without a listener, and of SIGKILL, nobody is told.
 */
export function onExit(listener: () => void): () => void {
  if (deno !== undefined) {
    // Deno.exit() skips the `exit` event of `process`, while `unload` comes in every case that has either.
    globalThis.addEventListener("unload", listener);
    return () => globalThis.removeEventListener("unload", listener);
  }
  process.on("exit", listener);
  return () => void process.removeListener("exit", listener);
}
