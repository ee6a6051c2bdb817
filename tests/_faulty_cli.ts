import process from "node:process";
import { deno } from "../src/runtime/host.ts";
import { fakeCliOf } from "../src/testing/fake_cli/handle.ts";
import type {
  FakeCli,
  FakeCliPlan,
  FakeCliScript,
  FakeStep,
} from "@sluice/agent/testing";
import { moduleCommand } from "./_children.ts";

/** Steps for faults of a process. */
export interface FaultSteps {
  /** A pipe is closed while the process lives on, which Deno on Windows cannot do; a read that is under way may still take a line. */
  readonly close: { readonly close: "stdin" | "stdout" };
  /** The process gets a signal. */
  readonly kill: { readonly kill: "SIGKILL" | "SIGTERM" | "SIGINT" };
}

/** One step, of either kind. */
export type FaultStep = FakeStep | FaultSteps[keyof FaultSteps];

type FaultTurns = readonly (FaultStep | readonly FaultStep[])[];

type WithSteps = "turns" | "runs" | "start" | "ready";

interface FaultPlan extends Omit<FakeCliPlan, WithSteps> {
  readonly turns?: FaultStep | FaultTurns | undefined;
  readonly runs?: readonly FaultScript[] | undefined;
  readonly start?: readonly FaultStep[] | undefined;
  readonly ready?: readonly FaultStep[] | undefined;
}

/** As a script of `fakeCli()`, with faults. */
export type FaultScript = FakeCliScript | FaultTurns | FaultPlan;

/** The process that reads for a program behind {@link RELAY}, and where it writes. */
export const RELAY_VARIABLE = "SLUICE_FAULTY_CLI_RELAY";

/** Starts a program between two `cat`, whose pipes end when it wants them to; `$0` is a folder for what lies between. */
const RELAY = `
mkfifo "$0/$$.in" "$0/$$.out"
exec 3<&0
cat <&3 >"$0/$$.in" 2>/dev/null &
export ${RELAY_VARIABLE}="$! $0/$$.out"
cat <"$0/$$.out" 2>/dev/null 3<&- &
exec "$@" <"$0/$$.in" >/dev/null 3<&-
`;

/** A fake CLI that can lose a pipe or be killed: `fakeCli()` in all else, but for its `transport`, which has no process to harm. */
export function faultyCli(script: FaultScript): FakeCli {
  const plan = toPlan(script);
  const main = new URL("./_faulty_cli_main.ts", import.meta.url);
  // Deno cannot close the pipes that it was started with.
  const needsRelay = deno !== undefined && process.platform !== "win32" &&
    JSON.stringify(plan).includes('"close":');
  return fakeCliOf(plan, (folder) => {
    const command = [...moduleCommand(main), folder];
    return needsRelay ? ["/bin/sh", "-c", RELAY, folder, ...command] : command;
  });
}

function toPlan(script: FaultScript): FakeCliPlan {
  const plan: FaultPlan | FakeCliPlan =
    typeof script === "string" || "length" in script
      ? { turns: script }
      : script;
  // The program knows the other steps as well.
  return (plan.runs === undefined
    ? plan
    : { ...plan, runs: plan.runs.map(toPlan) }) as FakeCliPlan;
}
