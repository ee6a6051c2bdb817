import type { Log } from "../observe/log.ts";
import { textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import type { Helper } from "../ports/process.ts";
import { GUARD_SCRIPT } from "./guard_script.ts";

const SHELL = "/bin/sh";
/** Where the system's own programs are; nothing of the user's, which may be secret. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin" };

/** A shell beside this program that ends what is left of its children when it is gone without a word; it runs while one of them does. */
export class GuardProcess {
  /** By what the children of this program are known. */
  readonly mark: string = crypto.randomUUID();
  readonly #host: Pick<Host, "platform" | "startHelper">;
  /** Milliseconds from SIGTERM to SIGKILL, by process id. */
  readonly #living = new Map<number, number>();
  #helper: Helper | undefined;
  #hasWarned = false;

  constructor(host: Pick<Host, "platform" | "startHelper">) {
    this.#host = host;
  }

  get isWatching(): boolean {
    return this.#helper !== undefined;
  }

  /** Takes a process in. The shell starts beside it, while it starts up itself. */
  add(pid: number, killMs: number, log: Log): void {
    // The system itself does it there: what runs is part of a job.
    if (this.#host.platform === "win32") return;
    this.#living.set(pid, killMs);
    if (this.#helper !== undefined) this.#helper.write(`+ ${pid} ${killMs}\n`);
    else this.#start(log);
  }

  /** Lets a process go; resolves at once, or with the end of the shell when nothing else is left. */
  async remove(pid: number): Promise<void> {
    if (!this.#living.delete(pid)) return;
    const helper = this.#helper;
    if (this.#living.size > 0) return helper?.write(`- ${pid}\n`);
    this.#helper = undefined;
    helper?.kill();
    await helper?.exited;
  }

  #start(log: Log): void {
    let helper: Helper;
    try {
      helper = this.#host.startHelper({
        command: SHELL,
        // Not by its input: this program may be killed before that is written.
        args: [
          "-c",
          GUARD_SCRIPT,
          "sluice-guard",
          this.mark,
          ...[...this.#living].flat().map(String),
        ],
        // It stands in nobody's way: no folder that somebody may want to remove.
        cwd: "/",
        env: ENVIRONMENT,
      });
    } catch (error) {
      return this.#warn(log, error);
    }
    this.#helper = helper;
    helper.exited.then(() => {
      // Somebody ended it; the next process starts another one.
      if (this.#helper === helper) this.#helper = undefined;
    });
  }

  #warn(log: Log, error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    log.warn(
      "Guard process could not be started: if this program is killed, tools of the CLI may live on; allow it, or set shutdown.guardProcess to false",
      { command: SHELL, reason: textOfError(error) },
    );
  }
}
