import type { Host } from "../ports/host.ts";
import type { ProcessEntry } from "../ports/process.ts";

/** Synchronous access to the process table of this machine; each method throws if it cannot or may not read. */
export interface ProcessSource {
  /** Operating system: `linux`, `darwin`, `win32`, ... */
  readonly platform: string;
  /** Folder of Windows; `undefined` elsewhere. */
  readonly systemRoot: string | undefined;
  list(path: string): readonly string[];
  read(path: string): string;
  /** The output of a program, whatever its exit code. */
  run(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): string;
  /** Sends no signal, but looks whether a process would take one: throws an error with the code ESRCH or EPERM when it would not. */
  probe(pid: number): void;
}

/** By its path: a bare name would also be looked up in the working directory and in an inherited PATH. */
const PS = "/bin/ps";

/** It prints local time, and two programs that compare what it says may live in two zones. */
const PS_ENVIRONMENT = { TZ: "UTC", LC_ALL: "C" };

const PS_COLUMNS = "pid=,ppid=,stat=,lstart=";

export type ProcessTable = Pick<
  Host,
  | "isRunning"
  | "beginningOf"
  | "processes"
  | "processIds"
  | "environmentOf"
  | "killTree"
>;

/** The processes of this machine: from /proc where there is one, else from `ps`; Windows tells nothing. */
export function processTable(source: ProcessSource): ProcessTable {
  /** `undefined` where the system does not tell. */
  function look(pids?: readonly number[]): readonly ProcessEntry[] | undefined {
    if (source.platform === "win32") return undefined;
    if (fromProc(source, "self") === undefined) return fromPs(source, pids);
    return (pids ?? processIds()).flatMap((pid) => fromProc(source, pid) ?? []);
  }

  function processIds(): readonly number[] {
    try {
      return source.list("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number);
    } catch {
      return [];
    }
  }

  return {
    isRunning(pid) {
      const found = look([pid]);
      if (found !== undefined) return found.length > 0;
      try {
        source.probe(pid);
        return true;
      } catch (error) {
        // Only ESRCH proves that it is gone: one of another user gives EPERM.
        return (error as { readonly code?: unknown }).code !== "ESRCH";
      }
    },
    // Two programs on one Linux compare them, and one of them may not be allowed to read /proc.
    beginningOf: (pid) =>
      source.platform === "linux"
        ? fromProc(source, pid)?.[0]?.began
        : look([pid])?.[0]?.began,
    processes: (pids) => look(pids) ?? [],
    processIds,
    environmentOf(pid) {
      const read = (name: string) => source.read(`/proc/${pid}/${name}`);
      try {
        const text = read("environ");
        // Without either of them it is just becoming another program.
        if (text !== "" || read("cmdline") === "") return text;
        // It was given none, or has become that program since.
        return read("environ") || undefined;
      } catch {
        return undefined;
      }
    },
    killTree(pid) {
      if (source.platform !== "win32") return;
      try {
        const { systemRoot = "C:\\Windows" } = source;
        const command = `${systemRoot}\\System32\\taskkill.exe`;
        const args = ["/PID", `${pid}`, "/T", "/F"];
        source.run(command, args, { SystemRoot: systemRoot });
      } catch {
        // It may not be started: the caller kills the process itself.
      }
    },
  };
}

function fromProc(
  source: ProcessSource,
  pid: number | "self",
): readonly ProcessEntry[] | undefined {
  try {
    const text = source.read(`/proc/${pid}/stat`);
    // The name stands in parentheses and may hold blanks and parentheses itself.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent] = fields;
    // In clock ticks since the start of the system.
    const began = fields[19];
    if (isOver(state) || !parent || !began) return [];
    return [{ pid: Number(pid), parent: Number(parent), began }];
  } catch {
    return undefined;
  }
}

function fromPs(
  source: ProcessSource,
  pids?: readonly number[],
): readonly ProcessEntry[] | undefined {
  const which = pids === undefined ? ["-A"] : ["-p", pids.join(",")];
  try {
    const args = [...which, "-o", PS_COLUMNS];
    return source.run(PS, args, PS_ENVIRONMENT).split("\n")
      .flatMap((line): readonly ProcessEntry[] => {
        const [pid, parent, state = "", ...began] = line.trim().split(/\s+/);
        if (began.length === 0 || isOver(state)) return [];
        return [{
          pid: Number(pid),
          parent: Number(parent),
          began: began.join("-"),
        }];
      });
  } catch {
    return undefined;
  }
}

/** It waits for its parent to notice. */
function isOver(state: string): boolean {
  return state.startsWith("Z") || state.startsWith("X");
}
