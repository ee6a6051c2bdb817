import { TESTED_VERSION } from "../../options/versions.ts";
import type { FakeCliPlan } from "../fake_cli_script.ts";
import type { CliProcess } from "./context.ts";
import type { LogEntry } from "./record.ts";
import { runSession } from "./session.ts";
import type { StepKinds } from "./steps.ts";
import { FakeWire } from "./wire.ts";

interface Script extends FakeCliPlan {
  readonly runs?: readonly FakeCliPlan[];
}

/** Plays the script in a folder with steps of these kinds; the folder is the first argument, those of the CLI follow. */
export async function playScript(
  self: CliProcess,
  kinds: StepKinds,
): Promise<void> {
  const [folder = ".", ...args] = self.args;
  const script: Script = JSON.parse(self.readText(`${folder}/script.json`));
  if (args.includes("--version")) {
    const { version = TESTED_VERSION } = script;
    await self.write(new TextEncoder().encode(`${version} (Claude Code)\n`));
    return self.exit(0);
  }
  const plan = { ...script, ...ownRun(self, folder, script) };
  const note = (entry: LogEntry) => {
    if (plan.record === false) return;
    const line = JSON.stringify({ pid: self.pid, ...entry });
    self.appendText(`${folder}/log.jsonl`, `${line}\n`);
  };
  note({ start: { args, cwd: self.cwd, env: Object.keys(self.env) } });
  const wire = new FakeWire({ ...self, args }, note);
  try {
    await runSession(wire, plan, kinds);
  } catch (error) {
    if (!wire.gone.aborted) throw error;
  }
}

/** The script of this process; processes that start at once agree by the order of their entries in a file. */
function ownRun(
  self: CliProcess,
  folder: string,
  { runs }: Script,
): FakeCliPlan | undefined {
  if (runs === undefined) return undefined;
  const starts = `${folder}/starts`;
  self.appendText(starts, `${self.pid}\n`);
  const index = self.readText(starts).split("\n").lastIndexOf(`${self.pid}`);
  const missing = `Fake CLI has no script for process ${
    index + 1
  }: "runs" has ${runs.length}\n`;
  return runs[index] ?? { start: [{ stderr: missing }, { exit: 1 }] };
}
