// The program that faultyCli() starts: that of fakeCli(), with more steps.
import { closeSync, openSync, readdirSync, readlinkSync } from "node:fs";
import { devNull } from "node:os";
import process from "node:process";
import { type Program, program } from "../src/runtime/program.ts";
import { playScript } from "../src/testing/fake_cli/play.ts";
import { STEPS } from "../src/testing/fake_cli/steps.ts";
import type { Turn } from "../src/testing/fake_cli/turn.ts";
import type { FakeWire } from "../src/testing/fake_cli/wire.ts";
import { type FaultSteps, RELAY_VARIABLE } from "./_faulty_cli.ts";

type Run<Name extends keyof FaultSteps> = (
  step: FaultSteps[Name],
  turn: Turn,
) => unknown;

const relay = process.env[RELAY_VARIABLE];
delete process.env[RELAY_VARIABLE];
const pipes = relay === undefined ? ownPipes() : relayedPipes(relay);

const FAULTS: { readonly [Name in keyof FaultSteps]: Run<Name> } = {
  async close({ close }, { wire }) {
    await allWritten(wire);
    // Otherwise its end would be read, and the program would exit.
    if (close === "stdin") process.stdin.destroy();
    pipes.close(close);
  },
  async kill({ kill }, { wire }) {
    await allWritten(wire);
    process.kill(process.pid, kill);
  },
};

setInterval(() => {}, 60_000);
await playScript({ ...program(), ...pipes.program }, { ...FAULTS, ...STEPS });

/** Writes go out one after the other. */
function allWritten(wire: FakeWire): Promise<void> {
  return wire.write("");
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
