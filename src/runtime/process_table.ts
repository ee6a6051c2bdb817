import type { ProcessEntry } from "../ports/process.ts";

/** How the processes of this machine are asked about, at once; each method throws where it cannot, or may not. */
export interface ProcessSource {
  /** Operating system: `linux`, `darwin`, `win32`, ... */
  readonly platform: string;
  /** Where Windows is; `undefined` elsewhere. */
  readonly systemRoot: string | undefined;
  /** Names in a directory. */
  list(path: string): readonly string[];
  /** The text of a file. */
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

/** By its path: a bare name would also be looked for in the working directory, or in a PATH of somebody else's. */
const PS = "/bin/ps";
/** It prints local time, and two programs that compare what it says may live in two zones. */
const PS_ENVIRONMENT = { TZ: "UTC", LC_ALL: "C" };
const PS_COLUMNS = "pid=,ppid=,stat=,lstart=";

/** The processes of this machine: from /proc where there is one, else from `ps`; Windows tells nothing. */
export class ProcessTable {
  readonly #source: ProcessSource;

  constructor(source: ProcessSource) {
    this.#source = source;
  }

  /** Whether a process runs; one that is over and waits to be reaped does not, where the system tells the difference. */
  isRunning(pid: number): boolean {
    const told = this.#look([pid]);
    if (told !== undefined) return told.length > 0;
    try {
      this.#source.probe(pid);
      return true;
    } catch (error) {
      // It may run, as long as nobody says that it does not: one of another user is there, too.
      return (error as { readonly code?: unknown }).code !== "ESRCH";
    }
  }

  /** When a process began, in the system's own words; `undefined` when there is none, or nobody tells. */
  beginningOf(pid: number): string | undefined {
    // Two programs on one Linux compare them, and one of them may not be allowed to read /proc.
    return this.#source.platform === "linux"
      ? this.#stat(pid)?.[0]?.began
      : this.processes([pid])[0]?.began;
  }

  /** What runs, or of that the given ones; `[]` where the system does not tell. */
  processes(pids?: readonly number[]): readonly ProcessEntry[] {
    return this.#look(pids) ?? [];
  }

  /** Ids of what runs, where {@link environmentOf} can tell of them. */
  processIds(): readonly number[] {
    try {
      return this.#source.list("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number);
    } catch {
      return [];
    }
  }

  /** The environment that a process began with, as one text; empty while it becomes another program, `undefined` where nobody tells. */
  environmentOf(pid: number): string | undefined {
    try {
      return this.#source.read(`/proc/${pid}/environ`);
    } catch {
      return undefined;
    }
  }

  /** Kills a process and all below it on Windows, where no list tells what that is; does nothing elsewhere. */
  killTree(pid: number): void {
    if (this.#source.platform !== "win32") return;
    try {
      const { systemRoot = "C:\\Windows" } = this.#source;
      const command = `${systemRoot}\\System32\\taskkill.exe`;
      const args = ["/PID", `${pid}`, "/T", "/F"];
      this.#source.run(command, args, { SystemRoot: systemRoot });
    } catch {
      // It may not be started: whoever asked ends the process itself.
    }
  }

  /** `undefined` where the system does not tell. */
  #look(pids?: readonly number[]): readonly ProcessEntry[] | undefined {
    if (this.#source.platform === "win32") return undefined;
    if (this.#stat("self") === undefined) return this.#fromPs(pids);
    return (pids ?? this.processIds()).flatMap((pid) => this.#stat(pid) ?? []);
  }

  #stat(pid: number | "self"): readonly ProcessEntry[] | undefined {
    try {
      const text = this.#source.read(`/proc/${pid}/stat`);
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

  #fromPs(pids?: readonly number[]): readonly ProcessEntry[] | undefined {
    const which = pids === undefined ? ["-A"] : ["-p", pids.join(",")];
    try {
      const args = [...which, "-o", PS_COLUMNS];
      return this.#source.run(PS, args, PS_ENVIRONMENT).split("\n")
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
}

/** It waits for its parent to notice. */
function isOver(state: string): boolean {
  return state.startsWith("Z") || state.startsWith("X");
}
