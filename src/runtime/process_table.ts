import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import type { StopSignal } from "../ports/process.ts";

/** Sends a signal by process id; false when there is no such process, or it may not be killed. */
export function killPid(pid: number, signal: StopSignal): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // Deno sends signals by id only with an unlimited --allow-run.
    return false;
  }
}

/** Whether a process runs; one that is over and waits to be reaped does not, as far as the system tells. */
export function isRunning(pid: number): boolean {
  const state = readStat(pid)?.state;
  if (state !== undefined) return state !== "Z" && state !== "X";
  if (readStat("self") !== undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { readonly code?: unknown }).code !== "ESRCH";
  }
}

/** Process ids of everything below a process, nearest first; `[]` where the system does not tell. */
export function descendants(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of readProc() ?? readPs()) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  const found = [...children.get(root) ?? []];
  // Grows while it is walked: children of children.
  for (const pid of found) found.push(...children.get(pid) ?? []);
  return found;
}

type Pair = readonly [pid: number, parent: number];

function readProc(): readonly Pair[] | undefined {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const parent = readStat(name)?.parent;
        return parent === undefined ? [] : [[Number(name), parent] as const];
      });
  } catch {
    return undefined;
  }
}

function readPs(): readonly Pair[] {
  return runNow("ps", ["-A", "-o", "pid=,ppid="]).split("\n").flatMap(
    (line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      return pid && parent ? [[pid, parent] as const] : [];
    },
  );
}

/** The output of a program; empty when it cannot be run. */
function runNow(command: string, args: readonly string[]): string {
  try {
    // Loaded only where it is needed, and at once: the last moments of a program know no promise.
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    return spawnSync(command, args, { encoding: "utf8" }).stdout ?? "";
  } catch {
    return "";
  }
}

function readStat(
  pid: number | string,
): { readonly state: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in parentheses and may hold blanks and parentheses itself.
    const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return state && parent ? { state, parent: Number(parent) } : undefined;
  } catch {
    return undefined;
  }
}
