import type { Host } from "../ports/host.ts";
import { runtimeName } from "./detect.ts";

let loaded: Promise<Host> | undefined;

/** The runtime this program runs on; always the same object. */
export function host(): Promise<Host> {
  return loaded ??= load();
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
