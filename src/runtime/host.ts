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
