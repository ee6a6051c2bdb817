// The program that faultyCli() starts: that of fakeCli(), with more steps.
import { closeSync, openSync, readdirSync, readlinkSync } from "node:fs";
import { devNull } from "node:os";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Program, program } from "../src/runtime/program.ts";
import { assistantLine } from "../src/testing/fake_cli/lines.ts";
import { playScript } from "../src/testing/fake_cli/play.ts";
import {
  runSteps,
  type StepKinds,
  STEPS,
} from "../src/testing/fake_cli/steps.ts";
import type { Turn } from "../src/testing/fake_cli/turn.ts";
import type { FakeWire } from "../src/testing/fake_cli/wire.ts";
import type { FakeStep } from "@sluice/agent/testing";
import {
  type FaultStep,
  type FaultSteps,
  RELAY_VARIABLE,
} from "./_faulty_cli.ts";

type Run<Name extends keyof FaultSteps> = (
  step: FaultSteps[Name],
  turn: Turn,
) => unknown;

const relay = process.env[RELAY_VARIABLE];
delete process.env[RELAY_VARIABLE];
const pipes = relay === undefined ? ownPipes() : relayedPipes(relay);

const TEXT = "@TEXT@";
const UUID = "@UUID@";
/** Bytes that go out in one write. */
const WRITE_BYTES = 65_536;

/** In front of the usual ones, with which some of them share a member. */
const FAULTS: { readonly [Name in keyof FaultSteps]: Run<Name> } = {
  async pieces({ line, pieces, delayMs = 1 }, turn) {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    const bytes = new TextEncoder().encode(`${text}\n`);
    const size = Math.ceil(bytes.length / pieces);
    for (let at = 0; at < bytes.length; at += size) {
      if (at > 0) await sleep(delayMs, undefined, { signal: turn.signal });
      await turn.wire.write(bytes.subarray(at, at + size));
    }
  },
  times: ({ stderr, times }, { wire }) => wire.writeError(stderr.repeat(times)),
  flood,
  async close({ close }, { wire }) {
    await allWritten(wire);
    // Its end is nobody's business then: the program would exit.
    if (close === "stdin") process.stdin.destroy();
    pipes.close(close);
  },
  async kill({ kill }, { wire }) {
    await allWritten(wire);
    process.kill(process.pid, kill);
  },
  async repeat({ repeat, steps }, turn) {
    for (let round = 0; round < repeat; round++) {
      await runFaults(steps, turn);
    }
  },
  parallel: ({ parallel }, turn) =>
    Promise.all(parallel.map((steps) => runFaults(steps, turn))),
};
const kinds: StepKinds = { ...FAULTS, ...STEPS };

setInterval(() => {}, 60_000);
await playScript({ ...program(), ...pipes.program }, kinds);

function runFaults(
  steps: readonly FaultStep[],
  turn: Turn,
): Promise<void> {
  return runSteps(steps as readonly FakeStep[], turn, kinds);
}

/** Writes go out one after the other. */
function allWritten(wire: FakeWire): Promise<void> {
  return wire.write("");
}

/** Sends lines made from one, so that the fake CLI is not what is slow. */
async function flood(
  { flood: { messages, bytes = 250, kind } }: FaultSteps["flood"],
  turn: Turn,
): Promise<void> {
  const [head = "", middle = "", tail = ""] = frame(kind, turn);
  // A uuid has 36 characters, the number in the text up to 8.
  const padding = ".".repeat(
    Math.max(0, bytes - head.length - middle.length - tail.length - 46),
  );
  let batch = "";
  for (let number = 0; number < messages; number++) {
    turn.signal.throwIfAborted();
    const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    batch += `${head}${number} ${padding}${middle}${uuid}${tail}\n`;
    if (batch.length < WRITE_BYTES && number < messages - 1) continue;
    await turn.wire.write(batch);
    batch = "";
  }
}

/** A line cut where the text and the uuid go. */
function frame(
  kind: "stream_event" | "assistant" | undefined,
  turn: Turn,
): readonly string[] {
  const id = turn.messageId();
  const { model, sessionId } = turn.wire.context;
  const delta = { type: "text_delta", text: TEXT };
  const line = kind === "assistant"
    ? assistantLine(model, id, { type: "text", text: TEXT }, turn.prompts)
    : {
      type: "stream_event",
      event: { type: "content_block_delta", index: 0, delta },
      parent_tool_use_id: null,
    };
  return JSON.stringify({ ...line, session_id: sessionId, uuid: UUID })
    .split(new RegExp(`${TEXT}|${UUID}`));
}

/** How this program closes a pipe of its own, and what else is other then. */
interface Pipes {
  readonly program: Partial<Program>;
  close(pipe: "stdin" | "stdout"): void;
}

function ownPipes(): Pipes {
  return {
    program: {},
    close(pipe) {
      if (globalThis.Deno !== undefined) {
        throw new Error(
          "Deno on Windows cannot close its pipes: use Bun or Node",
        );
      }
      duplicatesOf(pipe === "stdin" ? 0 : 1).forEach(replaceByNothing);
    },
  };
}

/** Deno's own `close()` leaves the pipes that it was started with open; between two `cat` they are none of its own. */
function relayedPipes(relay: string): Pipes {
  const [reader, path = ""] = relay.split(" ");
  const stdout = Deno.openSync(path, { write: true });
  return {
    program: {
      async write(bytes) {
        try {
          for (let rest = bytes; rest.length > 0;) {
            rest = rest.subarray(await stdout.write(rest));
          }
        } catch {
          // As with the other runtimes it is no error.
        }
      },
    },
    close(pipe) {
      if (pipe === "stdout") stdout.close();
      else process.kill(Number(reader), "SIGKILL");
    },
  };
}

/** Closes a file and keeps its number taken: what is still written must not land in the next file. */
function replaceByNothing(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // Closed already.
  }
  while (openSync(devNull, "r+") < fd);
}

/** A pipe and the duplicates that Bun has of it: who reads it sees its end when all are closed. */
function duplicatesOf(fd: number): readonly number[] {
  const folder = "/proc/self/fd";
  const pipe = targetOf(`${folder}/${fd}`);
  if (pipe === undefined) return [fd];
  return readdirSync(folder)
    .filter((name) => targetOf(`${folder}/${name}`) === pipe)
    .map(Number);
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    // There is no /proc, or the file is closed again.
    return undefined;
  }
}
