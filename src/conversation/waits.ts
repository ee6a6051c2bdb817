import {
  type Deadline,
  type Deadlines,
  settleWithin,
} from "../async/deadline.ts";
import type { Settings } from "../options/resolve.ts";
import { DRAIN_MS } from "../stream/byte_reader.ts";
import { type StdinWait, stdinWait } from "./work.ts";
import type { Turns } from "./turns.ts";

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

/** What bounds a wait of the ledger's. */
interface Waits {
  readonly turns: Turns;
  readonly deadlines: Pick<Deadlines, "add">;
  readonly settings: Settings;
}

/** Closes stdin once it waits for nothing, or has waited long enough. */
export function closeStdinWhenOver(
  { turns, deadlines, settings }: Waits,
  close: () => void,
): void {
  let waitsFor: StdinWait = "prompts";
  let wait: Deadline | undefined;
  turns.watch(() => {
    const next = stdinWait(turns.state);
    if (next === waitsFor) return;
    waitsFor = next;
    wait?.cancel();
    wait = undefined;
    if (next === "nothing") close();
    else if (next === "tasks") {
      wait = deadlines.add(limitOf(next, settings), close);
    }
  });
}

/** Bounds a wait for what may never come. */
export function limitWait(
  name: EndingName,
  { turns, deadlines, settings }: Waits,
  isWaiting: () => boolean,
  onLimit: () => void,
): void {
  let wait: Deadline | undefined;
  turns.watch(() => {
    const isDue = isWaiting();
    if (isDue === (wait !== undefined)) return;
    wait?.cancel();
    wait = undefined;
    if (!isDue) return;
    wait = deadlines.add(limitOf(name, settings), () => {
      wait = undefined;
      onLimit();
    });
  });
}
