import type { Host } from "../ports/host.ts";
import { bun, deno } from "./globals.ts";

let loaded: Promise<Host> | undefined;

/** The runtime this program runs on; always the same object. */
export function host(): Promise<Host> {
  return loaded ??= load();
}

/** Each import is a literal, so that the npm build can rewrite its extension. */
async function load(): Promise<Host> {
  // Bun and Deno both pretend to be Node; neither pretends to be the other.
  if (bun !== undefined) return (await import("./bun.ts")).bunHost();
  if (deno !== undefined) return (await import("./deno.ts")).denoHost();
  return (await import("./node.ts")).nodeHost();
}

/**
 * A text as the body of a request that is sent once at most.
 *
 * When a connection that served before closes without an answer, Deno sends a text or bytes a second time, a POST too; a
 * blob it cannot, and the length is told all the same.
 */
export function sentOnce(text: string): string | Blob {
  return deno === undefined ? text : new Blob([text]);
}

/** The member of `process` in use: Node, Bun and Deno all have it. */
interface Emitter {
  readonly emitWarning?: (
    text: string,
    options: { readonly code: string },
  ) => void;
}

/** Tells of something as a warning of the process: on stderr, unless the program listens or was started with `--no-warnings`. */
export function warnProcess(text: string, code: string): void {
  const { process } = globalThis as { readonly process?: Emitter };
  process?.emitWarning?.(text, { code });
}
