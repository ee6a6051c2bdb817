import { TESTED_VERSION } from "../../options/versions.ts";
import type { Program } from "../../runtime/program.ts";
import type { SavedPlan } from "../fake_cli_script.ts";
import { readContext } from "./context.ts";
import { runSession } from "./session.ts";
import { type StepKinds, stepRunner } from "./steps.ts";
import { FakeWire } from "./wire.ts";

/** Does what the script in a folder says, with steps of these kinds; the folder is the first argument, those of the CLI follow. */
export async function playScript(
  self: Program,
  kinds: StepKinds,
): Promise<void> {
  const [folder = ".", ...args] = self.args;
  const script = JSON.parse(
    self.readText(`${folder}/script.json`),
  ) as SavedPlan & { readonly runs?: readonly SavedPlan[] };
  if (args.includes("--version")) {
    const { version = TESTED_VERSION } = script;
    await self.write(
      new TextEncoder().encode(`${version} (Claude Code)\n`),
    );
    self.exit(0);
  }

  const { runs, ...common } = script;
  const plan = { ...common, ...await ownRun(self, folder, runs) };
  const log = `${folder}/log.jsonl`;
  const note = plan.record === false
    ? () => {}
    : (entry: object) =>
      self.appendText(log, `${JSON.stringify({ pid: self.pid, ...entry })}\n`);
  note({ event: "start", args, cwd: self.cwd, env: Object.keys(self.env) });
  const context = readContext({ ...self, args }, plan);
  const wire = new FakeWire(self, context, note);
  await runSession(wire, plan, stepRunner(kinds));
}

/** What this process alone does; processes that start at once agree by the order in which they note themselves. */
async function ownRun(
  self: Program,
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
