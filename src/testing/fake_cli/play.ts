import { TESTED_VERSION } from "../../options/versions.ts";
import type { JsonObject } from "../../types/json.ts";
import type { SavedPlan } from "../fake_cli_script.ts";
import type { CliProcess } from "./context.ts";
import { runSession } from "./session.ts";
import type { StepKinds } from "./steps.ts";
import { FakeWire } from "./wire.ts";

/** Plays the script in a folder with steps of these kinds; the folder is the first argument, those of the CLI follow. */
export async function playScript(
  self: CliProcess,
  kinds: StepKinds,
): Promise<void> {
  const [folder = ".", ...args] = self.args;
  const script = JSON.parse(
    self.readText(`${folder}/script.json`),
  ) as SavedPlan & { readonly runs?: readonly SavedPlan[] };
  if (args.includes("--version")) {
    const { version = TESTED_VERSION } = script;
    await self.write(new TextEncoder().encode(`${version} (Claude Code)\n`));
    return self.exit(0);
  }
  const { runs, ...common } = script;
  const plan = { ...common, ...await ownRun(self, folder, runs) };
  const note = plan.record === false
    ? () => {}
    : (entry: JsonObject) =>
      self.appendText(
        `${folder}/log.jsonl`,
        `${JSON.stringify({ pid: self.pid, ...entry })}\n`,
      );
  note({ event: "start", args, cwd: self.cwd, env: Object.keys(self.env) });
  const wire = new FakeWire({ ...self, args }, note);
  try {
    await runSession(wire, plan, kinds);
  } catch (error) {
    if (!wire.gone.aborted) throw error;
  }
}

/** The script of this process; processes that start at once agree by the order of their entries in a file. */
async function ownRun(
  self: CliProcess,
  folder: string,
  runs: readonly SavedPlan[] | undefined,
): Promise<SavedPlan> {
  if (runs === undefined) return {};
  const starts = `${folder}/starts`;
  self.appendText(starts, `${self.pid}\n`);
  const index = self.readText(starts).split("\n").lastIndexOf(`${self.pid}`);
  const run = runs[index];
  if (run !== undefined) return run;
  await self.writeError(
    `Fake CLI has no script for process ${
      index + 1
    }: "runs" has ${runs.length}\n`,
  );
  return self.exit(1);
}
