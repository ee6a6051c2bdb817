import type { Host, ProgramHost } from "../ports/host.ts";
import type { BunGlobal, DenoGlobal } from "./globals.ts";
import { nextTurn } from "./next_turn.ts";

// The types of whichever runtime checks this say more than is in use here.
const globals = globalThis as unknown as {
  readonly Deno?: DenoGlobal;
  readonly Bun?: BunGlobal;
};

export const deno: DenoGlobal | undefined = globals.Deno;

/** Whether this program may do that; Deno would otherwise ask for it, in the middle of another question. */
export function isGranted(
  ...asked: readonly Parameters<DenoGlobal["permissions"]["querySync"]>[0][]
): boolean {
  return deno === undefined ||
    asked.every((one) => deno?.permissions.querySync(one).state === "granted");
}

const bun: BunGlobal | undefined = globals.Bun;

let loaded: Promise<Host> | undefined;

/** The runtime this program runs on; always the same object. */
export function host(): Promise<Host> {
  return loaded ??= load();
}

/**
 * Describes the running program and its machine, the same on Deno, Bun and Node.
 *
 * @returns Its id, environment, machine and signals, and a way to read files
 *
 * @example The name of a worker
 * ```ts
 * import { programHost } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const { machine, pid } = await programHost();
 * assert.match(`${machine() ?? "machine"}-${pid}`, /-\d+$/);
 * ```
 */
export async function programHost(): Promise<ProgramHost> {
  const all = await host();
  return {
    pid: all.pid,
    env: () => all.env(),
    machine: () => all.machine(),
    onSignal: (signal, listener) => all.onSignal(signal, listener),
    readText: (path) => all.files.readText(path),
  };
}

/** Each import is a literal, so that the npm build can rewrite its extension. */
async function load(): Promise<Host> {
  // Bun and Deno both pretend to be Node; neither pretends to be the other.
  if (bun !== undefined) {
    return (await import("./bun.ts")).bunHost(bun, nextTurn);
  }
  if (deno !== undefined) {
    return (await import("./deno.ts")).denoHost(deno, nextTurn);
  }
  return (await import("./node.ts")).nodeHost(nextTurn);
}

/**
 * A text as the body of a request that is sent once at most.
 *
 * When a connection that served before closes without an answer, Deno sends a text or bytes a second time, a POST too; a
 * blob it cannot, and its length is still sent.
 */
export function sentOnce(text: string): string | Blob {
  return deno === undefined ? text : new Blob([text]);
}

/** The members of `process` in use before the runtime is loaded: Node, Bun and Deno all have them. */
interface ThisProcess {
  readonly env: Readonly<Record<string, string>>;
  cwd(): string;
  readonly emitWarning?: (
    text: string,
    options: { readonly code: string },
  ) => void;
}

const { process } = globalThis as { readonly process?: ThisProcess };

/** A copy of the environment of this moment; `undefined` where it may not be read. */
export function environmentNow(): Record<string, string> | undefined {
  try {
    return deno ? deno.env.toObject() : { ...process?.env };
  } catch {
    return undefined;
  }
}

/** The working directory of this moment; `undefined` where it was deleted or may not be read. */
export function directoryNow(): string | undefined {
  try {
    return deno ? deno.cwd() : process?.cwd();
  } catch {
    return undefined;
  }
}

/** Tells of something as a warning of the process: on stderr, unless the program listens or was started with `--no-warnings`. */
export function warnProcess(text: string, code: string): void {
  process?.emitWarning?.(text, { code });
}

/** Warnings remembered at most; a text with a changing part must not fill the memory. */
const MOST_WARNINGS = 1_000;
const warned = new Set<string>();

/** Logs a warning of a program without a logger, once for each text. */
export function warnOnce(text: string): void {
  if (warned.has(text) || warned.size >= MOST_WARNINGS) return;
  warned.add(text);
  warnProcess(text, "SLUICE_WARNING");
}
