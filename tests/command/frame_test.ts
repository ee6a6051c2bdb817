import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning, needsProc, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { run, start, told, withStandIn } from "./_program.ts";

const COMMANDS = [
  "doctor",
  "run",
  "chat",
  "record",
  "inspect",
  "demo",
];

test("sluice --help shows every command, examples and exit codes, and each command has a help of its own", async () => {
  const { code, stderr, stdout } = await run(["--help"]);
  assert.deepEqual([code, stderr], [0, ""]);
  for (const name of COMMANDS) {
    assert.match(stdout, new RegExp(`^  ${name} `, "m"));
  }
  assert.match(stdout, /Examples:\n {2}\$ sluice doctor\n/);
  assert.match(stdout, /Exit codes:[^]* 129 [^]* 130 [^]* 143 /);
  const helps = await Promise.all(
    COMMANDS.map((name) => told([name, "--help"])),
  );
  for (const [at, help] of helps.entries()) {
    assert.equal(help.code, 0);
    assert.match(help.stdout, new RegExp(`^Usage: sluice ${COMMANDS[at]} `));
    assert.match(help.stdout, /Examples:\n {2}\$ \S/);
  }
});

test("sluice --version says the version of the package", async () => {
  const path = new URL("../../deno.json", import.meta.url);
  const { version } = JSON.parse(await readFile(path, "utf8"));
  const { code, stdout } = await run(["--version"]);
  assert.deepEqual([code, stdout], [0, `sluice ${version}\n`]);
});

test("A wrong command line starts nothing, ends with 2 and names what was meant", async () => {
  const cases: readonly [words: string[], said: RegExp][] = [
    [[], /^Usage: sluice/],
    [["docter"], /Did you mean doctor\?/],
    [["run", "--modle", "x", "hi"], /Did you mean .*--model/],
    [["run", "--mode", "plann", "hi"], /Allowed choices are .*plan/],
    [["run", "--max-turns", "0", "hi"], /--max-turns must be a whole number/],
    [["run", "--max-turns", "x", "hi"], /--max-turns.* Expected a number/],
    [["inspect"], /missing required argument 'file'/],
    [["run", "a", "b"], /too many arguments.* Quote the prompt\.\n/],
    [["run", "--max-usd", "0", "hi"], /^error: --max-usd must be/],
    [["run", "--allow", "Bash(", "hi"], /^error: --allow must be/],
    [
      ["run", "--resume", "x", "--continue", "hi"],
      /^error: --continue must be left out when --resume is set/,
    ],
    [["run", "--model", "", "hi"], /^error: --model must be/],
    [["record", "/no/such/folder/x.jsonl", "--", "--modle", "x"], /--model/],
  ];
  const ends = await Promise.all(
    cases.map(([words], at) => at === 0 ? run(words) : told(words)),
  );
  for (const [at, { code, stderr, stdout }] of ends.entries()) {
    const [words, said] = cases[at] ?? [];
    assert.deepEqual([code, stdout], [2, ""], `${words}: ${stderr}`);
    assert.match(stderr, said ?? /^$/);
  }
});

test(
  "A CLI that is not found is told in one line, with who lists the places",
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

test("With --json a wrong command line is told as JSON as well", async () => {
  const { code, stdout } = await told(["docter", "--json"]);
  assert.equal(code, 2);
  const { type, code: kind, message } = JSON.parse(stdout);
  assert.deepEqual([type, kind], ["error", "usage"]);
  assert.match(message, /docter.*doctor/s);
});

test("There are colours where they are wanted, and none in a pipe or with NO_COLOR", async () => {
  const colour = new RegExp("\x1b\\[");
  const [pipe, forced, refused] = await Promise.all([
    run(["--help"]),
    told(["--help"], { FORCE_COLOR: "1" }),
    told(["--help"], { FORCE_COLOR: "1", NO_COLOR: "1" }),
  ]);
  assert.doesNotMatch(pipe.stdout, colour);
  assert.match(forced.stdout, colour);
  assert.doesNotMatch(refused.stdout, colour);
});

test(
  "A reader that leaves is no error, and the CLI goes with the program",
  async () => {
    await withStandIn(
      [Array.from({ length: 5_000 }, () => ({ say: "x".repeat(1_000) }))],
      async ({ env, fake, folder }) => {
        const running = start(["run", "--json", "hi"], { env, cwd: folder });
        await running.said("x".repeat(100));
        running.child.stdout?.destroy();
        const { code, stderr } = await running.ended;
        assert.deepEqual([code, stderr], [0, ""]);
        const [only] = await fake.until(([one]) => one !== undefined);
        assert.equal(isRunning(only?.pid ?? 0), false);
      },
    );
  },
  { skip: needsShell ?? needsProc },
);
