import type { Host } from "../ports/host.ts";
import type { ProcessEntry } from "../ports/process.ts";
import { FAMILY_VARIABLE } from "./stop.ts";

/** What families of programs that are gone left running: nobody outside of such a family has started any of it. */
export function leftOver(
  host: Pick<Host, "environmentOf" | "processes">,
): readonly ProcessEntry[] {
  const entries = host.processes();
  const marks = new Map<number, string>();
  for (const { pid } of entries) {
    const mark = ownMark(host.environmentOf(pid));
    if (mark !== undefined) marks.set(pid, mark);
  }
  const running = new Set(entries.map(({ pid }) => pid));
  const cared = new Set<string>();
  for (const { pid, parent } of entries) {
    const mark = marks.get(pid);
    if (mark === undefined || marks.get(parent) === mark) continue;
    // Orphans go to the first process.
    if (parent > 1 && running.has(parent)) cared.add(mark);
  }
  return entries.filter(({ pid }) => {
    const mark = marks.get(pid);
    return mark !== undefined && !cared.has(mark);
  });
}

/** The program whose family a process is of, the innermost one. */
function ownMark(environment: string | undefined): string | undefined {
  const line = environment?.split("\0")
    .find((one) => one.startsWith(`${FAMILY_VARIABLE}=`));
  const marks = line?.slice(FAMILY_VARIABLE.length + 1).split(" ");
  // Behind the first dot stands which child of it this is.
  return marks?.at(-1)?.split(".")[0];
}
