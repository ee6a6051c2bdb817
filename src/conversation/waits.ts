import {
  type Deadline,
  type Deadlines,
  settleWithin,
} from "../async/deadline.ts";
import type { Settings } from "../options/settings.ts";
import { DRAIN_MS } from "../stream/byte_reader.ts";
import type { LedgerState } from "./ledger.ts";
import type { Turns } from "./turns.ts";
import { stdinWait, work } from "./work.ts";

/** Limits that no option sets, in milliseconds. */
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
  /** The end of an output that others go on writing to after the exit. */
  lateOutput: 5_000,
  /** A CLI that is closed to take the interrupt of its turn. */
  interrupt: 100,
  /** Calls that wait for an approval to be put off, when a conversation is closed. */
  putOff: 2_000,
  /** A transport to say that the CLI is gone, after SIGKILL. */
  reap: 1_000,
  /** Each call of the store that gets the last of a transcript. */
  transcripts: 10_000,
  /** MCP servers to close; above the limit of each connection, which ends its program within 4 s. */
  servers: 7_000,
} as const;

/** A wait of this room; those of other rooms end by the options of their names. `docs/reliability.md` lists all of them. */
export type EndingName = keyof typeof FIXED | "silence" | "tool" | "exit";

/** The limit of a wait, in milliseconds. */
export function limitOf(name: EndingName, { health }: Settings): number {
  switch (name) {
    case "silence":
    case "exit":
      return health.idleMs;
    case "tool":
      return 10 * health.idleMs;
    default:
      return FIXED[name];
  }
}

/** What a promise gives within a limit; `undefined` once that has passed. */
export function within<T>(
  name: EndingName,
  promise: Promise<T>,
  settings: Settings,
): Promise<T | undefined> {
  return settleWithin(promise, limitOf(name, settings), settings.clock);
}

/** A state of the ledger that may last no longer than its timeout. */
export interface LedgerWait {
  readonly name: EndingName;
  readonly while: (state: LedgerState) => boolean;
  readonly then: () => void;
}

/** The waits on the CLI while stdin is open; `docs/reliability.md` names them. */
export function ledgerWaits(
  closeStdin: () => void,
  skipFollowUp: () => void,
): readonly LedgerWait[] {
  return [
    {
      name: "tasks",
      while: (state) => !state.isStdinClosed && stdinWait(state) === "tasks",
      then: closeStdin,
    },
    {
      name: "followUp",
      while: (state) => work(state) === "followUp",
      then: skipFollowUp,
    },
  ];
}

/** Starts the timer of each wait when its state begins, and cancels it when that ends. */
export function watchWaits(
  waits: readonly LedgerWait[],
  { turns, deadlines, settings }: {
    readonly turns: Turns;
    readonly deadlines: Pick<Deadlines, "add">;
    readonly settings: Settings;
  },
): void {
  for (const wait of waits) {
    let timer: Deadline | undefined;
    turns.watch(() => {
      const isDue = wait.while(turns.state);
      if (isDue === (timer !== undefined)) return;
      timer?.cancel();
      timer = undefined;
      if (!isDue) return;
      timer = deadlines.add(limitOf(wait.name, settings), () => {
        timer = undefined;
        wait.then();
      });
    });
  }
}
