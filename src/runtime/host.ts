import type { Host, RuntimeName } from "../ports/host.ts";
import { bun, deno } from "./globals.ts";

let loaded: Promise<Host> | undefined;

/** The runtime this program runs on; always the same object. */
export function host(): Promise<Host> {
  return loaded ??= load();
}

/** Tells which runtime executes this module. */
function runtimeName(): RuntimeName {
  // Bun and Deno both pretend to be Node; neither pretends to be the other.
  if (bun !== undefined) return "bun";
  return deno === undefined ? "node" : "deno";
}

/** Each import is a literal, so that the npm build can rewrite its extension. */
async function load(): Promise<Host> {
  switch (runtimeName()) {
    case "deno":
      return (await import("./deno.ts")).denoHost();
    case "bun":
      return (await import("./bun.ts")).bunHost();
    case "node":
      return (await import("./node.ts")).nodeHost();
  }
}
