import type { RuntimeName } from "../ports/host.ts";
import { bun, deno } from "./globals.ts";

/** Tells which runtime executes this module. */
export function runtimeName(): RuntimeName {
  // Bun and Deno both pretend to be Node; neither pretends to be the other.
  if (bun !== undefined) return "bun";
  return deno === undefined ? "node" : "deno";
}
