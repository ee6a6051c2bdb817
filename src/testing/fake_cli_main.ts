// The program that fakeCli() starts: `fake_cli_main FOLDER [flags of the CLI]`, nothing else is loaded.
import { program } from "../runtime/program.ts";
import { readContext } from "./fake_cli_context.ts";
import { CLI_VERSION } from "./fake_cli_lines.ts";
import type { FakeCliPlan } from "./fake_cli_script.ts";
import { FakeSession } from "./fake_cli_session.ts";
import { FakeWire } from "./fake_cli_wire.ts";

const self = program();
const [folder = ".", ...args] = self.args;
const plan = JSON.parse(self.readText(`${folder}/script.json`)) as FakeCliPlan;

if (args.includes("--version")) {
  const { version = CLI_VERSION } = plan;
  await self.write(
    new TextEncoder().encode(`${version} (Claude Code)\n`),
  );
  self.exit(0);
}

const log = `${folder}/log.jsonl`;
const note = plan.record === false
  ? () => {}
  : (entry: object) =>
    self.appendText(log, `${JSON.stringify({ pid: self.pid, ...entry })}\n`);

note({ event: "start", args, cwd: self.cwd, env: Object.keys(self.env) });
const context = readContext({ ...self, args }, plan);
await new FakeSession(new FakeWire(self, context, note), plan).start();
