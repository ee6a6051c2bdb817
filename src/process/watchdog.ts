import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { Host } from "../ports/host.ts";
import type { Helper } from "../ports/process.ts";
import { WATCHDOG_SCRIPT } from "./watchdog_script.ts";

const SHELL = "/bin/sh";
/** Only the system's own directories: variables of the user may be secret. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin" };

/** Whether a watchdog can end the children of a host that was killed. */
export function canGuard(host: Pick<Host, "mayStart" | "platform">): boolean {
  return host.platform !== "win32" && host.mayStart(SHELL);
}

/** A child that the watchdog ends. */
export interface Watched {
  readonly pid: number;
  /** Milliseconds from SIGTERM to SIGKILL after the host was killed; unset = no watchdog. */
  readonly watchdogMs: number | undefined;
}

/** A shell that ends remaining children after this program was killed; it runs while a watched child does. */
export class Watchdog {
  readonly #host: Host;
  readonly #mark: string;
  readonly #watched = new Set<Watched>();
  #process: Helper | undefined;
  /** Lines to be written in the next turn: many children are often started at once. */
  #news = "";
  #hasWarned = false;

  /** @param mark What the environment of the children holds */
  constructor(host: Host, mark: string) {
    this.#host = host;
    this.#mark = mark;
  }

  /** Whether it ends a child when the host is gone. */
  covers(child: Watched): boolean {
    return child.watchdogMs !== undefined && this.#process !== undefined;
  }

  /** The shell starts beside the first child, while that starts up itself. */
  add(child: Watched, log: Log): void {
    // On Windows the system itself ends children: they are part of a job.
    if (child.watchdogMs === undefined || this.#host.platform === "win32") {
      return;
    }
    this.#watched.add(child);
    if (this.#process !== undefined) {
      return this.#tell(`+ ${child.pid} ${child.watchdogMs}\n`);
    }
    try {
      this.#start();
    } catch (error) {
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      log.warn(
        "Watchdog could not be started: if this program is killed, tools of the CLI may survive; allow it, or set shutdown.guardProcess to false",
        { command: SHELL, reason: textOfError(error) },
      );
    }
  }

  #tell(line: string): void {
    if (this.#news === "") {
      this.#host.nextTurn(() => {
        this.#process?.write(this.#news);
        this.#news = "";
      });
    }
    this.#news += line;
  }

  #start(): void {
    const watched = [...this.#watched].flatMap(({ pid, watchdogMs }) =>
      [pid, watchdogMs].map(String)
    );
    const helper = this.#process = this.#host.startHelper({
      command: SHELL,
      // Not by its input: this program may be killed before that is written.
      args: ["-c", WATCHDOG_SCRIPT, "sluice-watchdog", this.#mark, ...watched],
      // Keeps no folder busy that the user may want to remove.
      cwd: "/",
      env: ENVIRONMENT,
    });
    helper.exited.then(() => {
      // It was killed; the next child starts another one.
      if (this.#process === helper) this.#process = undefined;
    });
  }

  /** Resolves at once, or with the end of the shell when no watched child is left. */
  async remove(child: Watched): Promise<void> {
    if (!this.#watched.delete(child)) return;
    if (this.#watched.size > 0) return this.#tell(`- ${child.pid}\n`);
    const helper = this.#process;
    this.#process = undefined;
    helper?.kill();
    await helper?.exited;
  }
}
