import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { denoCache } from "../_children.ts";
import { run, type RunSettings } from "../command/_program.ts";
import { atTerminal, needsTmux } from "../command/_tmux.ts";
import { type RealCli, reasonWithoutCli } from "../_real_cli.ts";
import { after, bash, realTest } from "./_real.ts";

/** The program beside the real CLI: what that needs, and nothing of the developer's own. */
function beside({ cliPath, cwd, env }: RealCli): RunSettings & {
  readonly cwd: string;
} {
  return { cwd, env: { ...env, ...denoCache(), CLAUDE_CLI_PATH: cliPath } };
}

realTest("sluice record and sluice inspect show what the real CLI did", [
  { text: "I look.", ...bash("echo there it is") },
  "Done.",
], async (real) => {
  const settings = beside(real);
  const recorded = await run(
    ["record", "run.jsonl", "--", "--allow", "Bash", "Look"],
    settings,
  );
  assert.equal(recorded.code, 0, recorded.stderr);
  assert.match(recorded.stdout, /^I look\.\n+Done\.\n$/);
  assert.match(recorded.stderr, /→ Bash echo there it is\n✔ Bash/);
  const shown = await run(["inspect", "run.jsonl", "--json"], settings);
  const { head, steps, turns } = JSON.parse(shown.stdout);
  assert.equal(turns.length, 1);
  assert.equal(head.form, "cassette");
  const tool = steps.find(({ kind }: { kind: string }) => kind === "tool");
  assert.equal(tool.title, "Bash: echo there it is");
  assert.match(tool.answer, /there it is/);
  assert.equal((await run(["inspect", "run.jsonl"], settings)).code, 0);
  const page = await readFile(join(settings.cwd, "run.jsonl.html"), "utf8");
  assert.match(page, /there it is/);
  assert.doesNotMatch(page, /sk-ant-scripted/);

  const id = head.sessionId as string;
  const projects = join(settings.env?.["HOME"] ?? "", ".claude/projects");
  const [project = ""] = await readdir(projects);
  const session = await run(
    ["inspect", join(projects, project, `${id}.jsonl`), "--json"],
    settings,
  );
  const story = JSON.parse(session.stdout);
  assert.deepEqual([story.head.form, story.turns.length], ["session", 1]);
  assert.ok(
    story.steps.some(({ title }: { title: string }) =>
      title === "Bash: echo there it is"
    ),
  );
});

realTest(
  "sluice run gives what fits a schema, and sluice chat keeps what was said, with the real CLI",
  [
    { tool: "StructuredOutput", input: { count: 3 } },
    { text: "structured", repeat: true },
  ],
  async (real) => {
    const settings = beside(real);
    const schema = JSON.stringify({
      type: "object",
      properties: { count: { type: "number" } },
      required: ["count"],
    });
    const { code, stderr, stdout } = await run(
      ["run", "--schema", schema, "How many?"],
      settings,
    );
    assert.deepEqual([code, stdout], [0, '{"count":3}\n'], stderr);
    const chat = await run(["chat"], {
      ...settings,
      input: "one\n/cost\ntwo\n",
    });
    assert.equal(chat.code, 0, chat.stderr);
    assert.match(chat.stdout, /structured\n[^]*structured\n$/);
    const { requests } = real.model;
    const last = requests.filter(({ isSide }) => !isSide).at(-1);
    assert.match(JSON.stringify(last?.body["messages"]), /one[^]*two/);
  },
);

realTest(
  "sluice chat asks for an agent in the background between two turns, shows what the CLI then does by itself, and takes the next prompt, with the real CLI",
  [
    {
      match: "work apart",
      tool: "Bash",
      input: { command: after("go", "touch made"), description: "wait" },
    },
    {
      match: "start it",
      tool: "Agent",
      input: {
        description: "wait",
        prompt: "work apart",
        subagent_type: "general-purpose",
        run_in_background: true,
      },
    },
    { match: "working in the background", text: "Started." },
    { text: "Heard of it.", repeat: 3 },
  ],
  async (real) => {
    const { cwd, env = {} } = beside(real);
    const signal = AbortSignal.timeout(150_000);
    await atTerminal(["chat"], { cwd, env, signal }, async (screen) => {
      const { press, shows } = screen;
      await shows(/›/);
      press("start it", "Enter");
      await shows(/Started\.\n[^]*touch made[^]*why not: $/m);
      press("y", "Enter");
      await shows(/why not: y[^]*\n› $/m);
      await writeFile(join(cwd, "go"), "");
      await shows(/completed: [^]*Heard of it\.\n[^]*\n› $/m);
      assert.equal(existsSync(join(cwd, "made")), true);
      press("and now", "Enter");
      await shows(/› and now\nHeard of it\.\n[^]*\n› $/m);
      press("C-d");
      await shows(/EXIT 0/);
    });
  },
  { skip: reasonWithoutCli ?? needsTmux },
);

realTest(
  "sluice demo shows the whole story with the real CLI",
  [],
  async (real) => {
    const { code, stderr, stdout } = await run(["demo"], beside(real));
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Oslo has 4 degrees and snow\.\n$/);
    assert.match(stderr, /tool +weather of Oslo was looked up/);
    assert.match(stderr, /hook +Bash is about to run/);
  },
);
