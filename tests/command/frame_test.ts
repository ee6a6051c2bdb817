import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning, needsProc, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { run, testStandIn, told } from "./_program.ts";

test("sluice --help shows every command, examples and exit codes, each command its own help, --version the version", async () => {
  const { code, stderr, stdout } = await run(["--help"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /Examples:\n {2}\$ sluice doctor\n/);
  assert.match(stdout, /Exit codes:[^]* 129 [^]* 130 [^]* 143 /);
  for (
    const name of ["doctor", "run", "chat", "record", "inspect", "demo"]
  ) {
    assert.match(stdout, new RegExp(`^  ${name} `, "m"));
    const help = await told([name, "--help"]);
    assert.equal(help.code, 0);
    assert.match(help.stdout, new RegExp(`^Usage: sluice ${name} `));
    assert.match(help.stdout, /Examples:\n {2}\$ \S/);
  }
  const path = new URL("../../deno.json", import.meta.url);
  const { version } = JSON.parse(await readFile(path, "utf8"));
  const ran = await told(["--version"]);
  assert.deepEqual([ran.code, ran.stdout], [0, `sluice ${version}\n`]);
});

test("A wrong command line starts nothing, ends with 2 and names what was meant", async () => {
  const cases: readonly [words: string[], said: RegExp][] = [
    [[], /^Usage: sluice/],
    [["docter"], /Did you mean doctor\?/],
    [["run", "--modle", "x", "hi"], /Did you mean .*--model/],
    [["run", "--mode", "plann", "hi"], /Allowed choices are .*plan/],
    [["run", "--max-turns", "0", "hi"], /--max-turns must be a whole number/],
    [["run", "--max-turns", "x", "hi"], /--max-turns.* Expected a number/],
    [["run", "--max-usd", "0", "hi"], /^error: --max-usd must be/],
    [["inspect"], /missing required argument 'file'/],
    [["run", "a", "b"], /too many arguments.* Quote the prompt\.\n/],
    [["run", "--allow", "Bash(", "hi"], /^error: --allow must be/],
    [
      ["run", "--resume", "x", "--continue", "hi"],
      /^error: --continue must be left out when --resume is set/,
    ],
    [["run", "--model", "", "hi"], /^error: --model must be/],
    [["record", "/no/such/folder/x.jsonl", "--", "--modle", "x"], /--model/],
  ];
  for (const [at, [words, said]] of cases.entries()) {
    const ran = at === 0 ? await run(words) : await told(words);
    assert.deepEqual([ran.code, ran.stdout], [2, ""], `${words}`);
    assert.match(ran.stderr, said);
  }
  const { code, stdout } = await told(["docter", "--json"]);
  assert.equal(code, 2);
  const { type, code: kind, message } = JSON.parse(stdout);
  assert.deepEqual([type, kind], ["error", "usage"]);
  assert.match(message, /docter.*doctor/s);
});

test(
  "A CLI that is not found is reported in one line that names the command listing the places",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-command-"));
    try {
      const env = { PATH: folder, HOME: folder };
      const { code, stderr } = await run(["run", "hi"], { env, cwd: folder });
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^error: Claude CLI not found: npm install .*--cli.*; sluice doctor lists [^/]*\n$/,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  { skip: needsShell },
);

test("There are colours where they are wanted, and none in a pipe or with NO_COLOR", async () => {
  const hasColours = async (env: Record<string, string>) =>
    (await told(["--help"], env)).stdout.includes("\x1b[");
  assert.equal(await hasColours({}), false);
  assert.equal(await hasColours({ FORCE_COLOR: "1" }), true);
  assert.equal(await hasColours({ FORCE_COLOR: "1", NO_COLOR: "1" }), false);
});

testStandIn(
  "A reader that leaves is no error, and the CLI goes with the program",
  [Array.from({ length: 5_000 }, () => ({ say: "x".repeat(1_000) }))],
  async ({ fake, start }) => {
    const running = start(["run", "--json", "hi"]);
    await running.said("x".repeat(100));
    running.child.stdout?.destroy();
    const { code, stderr } = await running.ended;
    assert.deepEqual([code, stderr], [0, ""]);
    const [only] = await fake.until(([one]) => one !== undefined);
    assert.equal(isRunning(only?.pid ?? 0), false);
  },
  { skip: needsShell ?? needsProc },
);
