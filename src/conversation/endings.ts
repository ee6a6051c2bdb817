import { DRAIN_MS } from "../stream/byte_reader.ts";
import type { Settings } from "../options/resolve.ts";

/** Limits that no option sets, in milliseconds. */
const FIXED = {
  /** Background tasks, after the last answer. */
  tasks: 600_000,
  /** The turn that tells the model of the end of a task. */
  followUp: 5_000,
  /** The next turn of an older CLI, which may have merged the prompts that wait for it into the one before. */
  merged: 5_000,
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
