import type { Host } from "../ports/host.ts";
import type { ProcessEntry } from "../ports/process.ts";

/** What runs at one moment; one is enough for all children of a program. */
export class Snapshot {
  /** What runs; empty where the system does not tell. */
  readonly entries: readonly ProcessEntry[];
  readonly #host: Pick<Host, "environmentOf">;
  readonly #environments = new Map<number, string>();

  constructor(host: Pick<Host, "environmentOf" | "processes">) {
    this.entries = host.processes();
    this.#host = host;
  }

  /** Whether a text stands in the environment that a process began with. */
  carries(pid: number, text: string): boolean {
    let environment = this.#environments.get(pid);
    if (environment === undefined) {
      environment = this.#host.environmentOf(pid) ?? "";
      this.#environments.set(pid, environment);
    }
    return environment.includes(text);
  }
}
