import {
  type Deadline,
  type Deadlines,
  settleWithin,
} from "../async/deadline.ts";
import type { Settings } from "../options/settings.ts";
import { DRAIN_MS } from "../stream/byte_reader.ts";

/** Timeouts that no option sets, in milliseconds. */
const FIXED = {
  /** Background tasks, after the last answer. */
  tasks: 600_000,
  /** The turn that tells the model of the end of a task. */
  followUp: 5_000,
  /** The exit of a CLI that a prompt could not be written to. */
  lastWords: 1_000,
  /** The exit of a CLI that closed its output. */
  linger: 1_000,
  /** More output after the exit, while none comes. */
  quietOutput: DRAIN_MS as number,
  /** The end of an output that others continue to write to after the exit. */
  lateOutput: 5_000,
  /** A CLI that is closed to take the interrupt of its turn. */
  interrupt: 100,
  /** Calls that wait for an approval to be deferred, when a conversation is closed. */
  putOff: 2_000,
  /** A transport to report that the CLI is gone, after SIGKILL. */
  reap: 1_000,
  /** Each call of the store that gets the last of a transcript. */
  transcripts: 10_000,
  /** MCP servers to close; above the timeout of each connection, which ends its program within 4 s. */
  servers: 7_000,
} as const;

/** A wait of this room; those of other rooms end by the options of their names. `docs/reliability.md` lists all of them. */
export type TimeoutName = keyof typeof FIXED | "silence" | "tool" | "exit";

/** All waits of a conversation, on its one monotonic clock. */
export class Timeouts {
  readonly #settings: Pick<Settings, "clock" | "health">;
  readonly #deadlines: Pick<Deadlines, "add">;

  constructor(
    settings: Pick<Settings, "clock" | "health">,
    deadlines: Pick<Deadlines, "add">,
  ) {
    this.#settings = settings;
    this.#deadlines = deadlines;
  }

  /** The timeout of a wait, in milliseconds. */
  ms(name: TimeoutName): number {
    const { idleMs } = this.#settings.health;
    switch (name) {
      case "silence":
      case "exit":
        return idleMs;
      case "tool":
        return 10 * idleMs;
      default:
        return FIXED[name];
    }
  }

  /** The value of a promise; `undefined` if it takes longer. */
  withTimeout<T>(
    name: TimeoutName,
    promise: Promise<T>,
    moreMs = 0,
  ): Promise<T | undefined> {
    const ms = this.ms(name) + moreMs;
    return settleWithin(promise, ms, this.#settings.clock);
  }

  /** Returns a function to call when a state may have changed: what lasts longer than its timeout is acted on. */
  timeoutWhile({ name, isDue, onTimeout }: {
    readonly name: TimeoutName;
    readonly isDue: () => boolean;
    readonly onTimeout: () => void;
  }): () => void {
    let timer: Deadline | undefined;
    return () => {
      const isOn = isDue();
      if (isOn === (timer !== undefined)) return;
      timer?.cancel();
      timer = isOn
        ? this.#deadlines.add(this.ms(name), () => {
          timer = undefined;
          onTimeout();
        })
        : undefined;
    };
  }
}
