/** How the processes of this machine are asked about, at once; each member throws where it cannot. */
export interface ProcessSource {
  /** Names in a directory. */
  list(path: string): readonly string[];
  /** The text of a file. */
  read(path: string): string;
  /** The output of a program. */
  run(command: string, args: readonly string[]): string;
  /** Whether a process takes signals. */
  takesSignals(pid: number): boolean;
}

/** The processes of this machine: from /proc where there is one, else from `ps`. */
export class ProcessTable {
  readonly #source: ProcessSource;

  constructor(source: ProcessSource) {
    this.#source = source;
  }

  /** Whether a process runs; one that is over and waits to be reaped does not, where the system tells the difference. */
  isRunning(pid: number): boolean {
    const stat = this.#stat(pid);
    if (stat !== undefined) return stat.state !== "Z" && stat.state !== "X";
    if (this.#stat("self") !== undefined) return false;
    try {
      return this.#source.takesSignals(pid);
    } catch {
      // It may, as long as nobody says that it does not.
      return true;
    }
  }

  /** Process ids of everything below a process, nearest first; `[]` where the system does not tell. */
  descendants(root: number): readonly number[] {
    const children = new Map<number, number[]>();
    for (const [pid, parent] of this.#fromProc() ?? this.#fromPs()) {
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [pid]);
      else siblings.push(pid);
    }
    const found = [...children.get(root) ?? []];
    // Grows while it is walked: children of children.
    for (const pid of found) found.push(...children.get(pid) ?? []);
    return found;
  }

  /** When a process began, in the system's own words; `undefined` when there is none, or nobody tells. */
  beginningOf(pid: number): string | undefined {
    const stat = this.#stat(pid);
    if (stat !== undefined) return stat.began;
    if (this.#stat("self") !== undefined) return undefined;
    try {
      const args = ["-o", "lstart=", "-p", String(pid)];
      return this.#source.run("ps", args).trim() || undefined;
    } catch {
      return undefined;
    }
  }

  #fromProc(): readonly Pair[] | undefined {
    try {
      return this.#source.list("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap((name): Pair[] => {
          const parent = this.#stat(name)?.parent;
          return parent === undefined ? [] : [[Number(name), parent]];
        });
    } catch {
      return undefined;
    }
  }

  #fromPs(): readonly Pair[] {
    try {
      const table = this.#source.run("ps", ["-A", "-o", "pid=,ppid="]);
      return table.split("\n").flatMap((line): Pair[] => {
        const [pid, parent] = line.trim().split(/\s+/).map(Number);
        return pid && parent ? [[pid, parent]] : [];
      });
    } catch {
      return [];
    }
  }

  #stat(pid: number | string): Stat | undefined {
    try {
      const text = this.#source.read(`/proc/${pid}/stat`);
      // The name stands in parentheses and may hold blanks and parentheses itself.
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      const [state, parent] = fields;
      const began = fields[19];
      return state && parent && began
        ? { state, parent: Number(parent), began }
        : undefined;
    } catch {
      return undefined;
    }
  }
}

type Pair = readonly [pid: number, parent: number];

/** What /proc tells of a process. */
interface Stat {
  readonly state: string;
  readonly parent: number;
  /** In clock ticks since the start of the system. */
  readonly began: string;
}
