import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "../_harness.ts";
import { type RealCli, reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { run } from "./_program.ts";
import { atTerminal, needsTmux, type Screen } from "./_tmux.ts";

type Answers = Parameters<typeof withRealCli>[0];

/** Declares a test of `sluice run` at a terminal, with the real CLI and the answers of its model. */
function testRun(
  name: string,
  answers: Answers,
  use: (real: RealCli, at: At) => Promise<void>,
): void {
  test(name, async ({ signal }) => {
    await withRealCli(answers, async (real) => {
      const { cliPath, cwd, env } = real;
      await use(real, (look, ...flags) =>
        atTerminal(
          ["run", "--cli", cliPath, ...flags, "Go"],
          { cwd, env, signal },
          look,
        ));
    });
  }, { skip: reasonWithoutCli ?? needsTmux });
}

/** Runs the program, with flags, in a terminal. */
type At = (
  look: (screen: Screen) => Promise<void>,
  ...flags: readonly string[]
) => Promise<void>;

/** A call of Bash. */
function bash(command: string) {
  return { tool: "Bash", input: { command, description: "run it" } };
}

testRun(
  "With the real CLI always grants the rule that was listed, for this session, and nothing else",
  [bash("touch a.txt"), bash("touch a.txt"), bash("rm a.txt"), "Done."],
  async ({ cwd }, at) => {
    await at(async ({ press, shows }) => {
      await shows(/command: touch a\.txt\n[^]*why not: $/m);
      press("a", "Enter");
      const listed = await shows(/back: $/m);
      assert.match(
        listed,
        /allow [^]*touch a\.txt[^]*settings\.local\.json[^]*mode acceptEdits/,
      );
      press("1", "Enter");
      // Granted calls are not asked again; the mode is unchanged.
      const asked = await shows(/command: rm a\.txt\n[^]*why not: $/m);
      assert.equal(asked.match(/May the agent/g)?.length, 2);
      press("n", "Enter");
      await shows(/Done\.[^]*EXIT 0/);
    });
    assert.equal(existsSync(join(cwd, "a.txt")), true);
    assert.equal(existsSync(join(cwd, ".claude")), false);
  },
);

testRun(
  "With the real CLI what was typed between two questions of sluice run answers none",
  [
    bash("touch begun; until test -e go; do sleep 0.02; done; rm -f begun"),
    bash("touch made"),
    "Done.",
  ],
  async ({ cwd }, at) => {
    await at(async ({ press, shows }) => {
      await shows(/command: touch begun[^]*why not: $/m);
      press("y", "Enter");
      await shows(/why not: y$/m);
      while (!existsSync(join(cwd, "begun"))) await sleep(20);
      press("y", "Enter", "ye");
      await shows(/^ye$/m);
      await writeFile(join(cwd, "go"), "");
      await shows(/command: touch made\n[^]*why not: $/m);
      press("s, but not now", "Enter");
      await shows(/Done\.[^]*EXIT 0/);
    });
    assert.equal(existsSync(join(cwd, "made")), false);
  },
);

let reply = "";
let folder = "";
testRun(
  "With the real CLI a person sees the plan, compares a file, and answers the model's question",
  [
    {
      tool: "AskUserQuestion",
      input: {
        questions: [{
          question: "Tea or coffee?",
          header: "Drink",
          multiSelect: false,
          options: [
            { label: "Tea", description: "green" },
            { label: "Coffee", description: "black" },
          ],
        }],
      },
    },
    (request) => {
      reply = JSON.stringify(request.body);
      return { tool: "Read", input: { file_path: join(folder, "f.txt") } };
    },
    () => ({
      tool: "Write",
      input: { file_path: join(folder, "f.txt"), content: "one\nthree\n" },
    }),
    "Done.",
    (request) => {
      // The CLI names the file, and takes the plan from there.
      const [path = ""] = /[^\s"\\]+\/plans\/[\w-]+\.md/
        .exec(JSON.stringify(request.body)) ?? [];
      const content = "1. Look.\n2. Leap.";
      return { tool: "Write", input: { file_path: path, content } };
    },
    { tool: "ExitPlanMode", input: {} },
    "Begun.",
  ],
  async ({ cwd }, at) => {
    folder = cwd;
    await writeFile(join(cwd, "f.txt"), "one\ntwo\n");
    await at(async ({ press, shows }) => {
      await shows(/\| Tea or coffee\?\n {2}1 {2}Tea\n[^]*no answer: $/m);
      press("2", "Enter");
      await shows(/\| {2}one\n {2}\| -two\n {2}\| \+three\n[^]*why not: $/m);
      press("y", "Enter");
      await shows(/Done\.[^]*EXIT 0/);
    });
    assert.match(reply, /Tea or coffee\?[^]*Coffee/);
    assert.doesNotMatch(reply, /did not answer/);
    await at(
      async ({ press, shows }) => {
        await shows(
          /ExitPlanMode\?[^]*\| 1\. Look\.\n {2}\| 2\. Leap\.\n[^]*why not: $/m,
        );
        press("y", "Enter");
        await shows(/Begun\.[^]*EXIT 0/);
      },
      "--mode",
      "plan",
    );
  },
);

test(
  "With the real CLI a prompt that a hook blocks fails with its reason",
  async () => {
    await withRealCli(["Never."], async ({ cliPath, cwd, env }) => {
      await mkdir(join(cwd, ".claude"));
      const command = "echo no such words here >&2; exit 2";
      await writeFile(
        join(cwd, ".claude", "settings.json"),
        JSON.stringify({
          hooks: {
            UserPromptSubmit: [{ hooks: [{ type: "command", command }] }],
          },
        }),
      );
      const { code, stderr, stdout } = await run(
        ["run", "--cli", cliPath, "Go"],
        { cwd, env },
      );
      assert.match(stderr, /^stopped by a hook: no such words here$/m);
      assert.deepEqual([code, stdout], [1, ""], stderr);
      const json = await run(["run", "--json", "--cli", cliPath, "Go"], {
        cwd,
        env,
      });
      assert.equal(json.code, 1);
    });
  },
  { skip: reasonWithoutCli },
);
