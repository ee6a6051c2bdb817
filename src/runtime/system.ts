import { isAscii } from "node:buffer";
import { homedir } from "node:os";
import process from "node:process";
import { setImmediate } from "node:timers";
import type { Host } from "../ports/host.ts";
import { onExit } from "./exit_hook.ts";
import { files } from "./files.ts";
import { descendants, isRunning, killPid } from "./process_table.ts";
import { failureOf } from "./spawn_failure.ts";

/** Marks listeners of this package, so that several loaded copies of it know each other's. */
const OURS: symbol = Symbol.for("@sluice/agent/signal");

/** What the three runtimes tell alike, because all of them have these modules of Node. */
export const system: Omit<
  Host,
  "name" | "version" | "tuning" | "env" | "spawn"
> = {
  platform: process.platform,
  arch: process.arch,
  execPath: process.execPath,
  files,
  cwd: () => process.cwd(),
  home,
  failureOf,
  killPid,
  isRunning,
  descendants,
  onExit,
  onSignal,
  otherSignalListeners: (signal) =>
    process.listeners(signal).filter((one) => !(OURS in one)).length,
  raise: (signal) => void process.kill(process.pid, signal),
  isAscii,
  // One turn only, so it need not be unref-ed: Deno would then run it when something else happens.
  nextTurn: (callback) => void setImmediate(callback),
};

function home(): string | undefined {
  try {
    // The variable first: Deno asks for another permission to look the user up.
    return process.env[system.platform === "win32" ? "USERPROFILE" : "HOME"] ||
      homedir() || undefined;
  } catch {
    return undefined;
  }
}

function onSignal(
  signal: "SIGINT" | "SIGTERM",
  listener: () => void,
): () => void {
  const marked = Object.assign(() => listener(), { [OURS]: true });
  process.on(signal, marked);
  return () => void process.removeListener(signal, marked);
}
