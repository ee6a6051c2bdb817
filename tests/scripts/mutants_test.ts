import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "../_harness.ts";

const execute = promisify(execFile);
const SCRIPT = fileURLToPath(
  new URL("../../scripts/mutants.ts", import.meta.url),
);

/** A tree that Git tracks in part, with the source, its tests and the lists given. */
async function withTree(
  files: Readonly<Record<string, string>>,
  use: (root: string) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "mutants-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    await execute("git", ["init", "--quiet"], { cwd: root });
    await use(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

const SOURCE = `import { one } from "../ignored/one.ts";
export const isPositive = (n: number): boolean => n > 0;
export const next = (n: number): number => n + one;
export const wait = (): Promise<void> => Promise.resolve();
`;

const FILES = {
  "deno.json": "{}",
  ".gitignore": "ignored/\n",
  "ignored/one.ts": "export const one = 1;\n",
  "src/a.ts": SOURCE,
  "tests/a_test.ts": `import { isPositive, next, wait } from "../src/a.ts";
Deno.test("next() adds one", async () => {
  await wait();
  if (!isPositive(next(1)) || next(1) !== 2) throw new Error("no");
});`,
  "tests/red_test.ts": `Deno.test("is red", () => { throw new Error("no"); });`,
};

function row(find: string, replace: string, more: object = {}) {
  const what = `${find} becomes ${replace}`;
  const tests = ["tests/a_test.ts"];
  return {
    room: "small",
    file: "src/a.ts",
    find,
    replace,
    what,
    tests,
    ...more,
  };
}

test(
  "a mutant is killed by a failing or hanging test, and by nothing else",
  async () => {
    const { judgeMutants } = await import("../../scripts/mutants/judge.ts");
    await withTree(FILES, async (root) => {
      const verdicts = await judgeMutants({
        root,
        rows: [
          row("n + one", "n + 2 * one"),
          row("n > 0", "n >= 0"),
          row(
            "Promise.resolve()",
            "new Promise(() => setInterval(() => {}, 9e4))",
          ),
          row("export const", "const"),
          row("not there", ""),
          row("n > 0", "n < 0", { tests: ["tests/no_test.ts"] }),
          row("n > 0", "n > > 0"),
          row("n > 0", "false", { tests: ["tests/red_test.ts"] }),
        ],
        jobs: 2,
        env: { ...process.env as Record<string, string>, NO_COLOR: "1" },
        patienceMs: 3_000,
      });
      const told = verdicts.map(({ outcome, why }) => [outcome, why] as const);
      assert.deepEqual(told.map(([outcome]) => outcome), [
        "killed",
        "alive",
        "killed",
        "stale",
        "stale",
        "stale",
        "red",
        "red",
      ]);
      const whys = told.map(([, why]) => why);
      assert.equal(whys[0], "next() adds one");
      assert.match(whys[2] ?? "", /^hung for \d+ ms$/);
      assert.match(whys[3] ?? "", /occurs 3 times/);
      assert.match(whys[4] ?? "", /occurs 0 times/);
      assert.match(whys[5] ?? "", /no file "tests\/no_test.ts"/);
      assert.match(whys[6] ?? "", /does not load/);
      assert.match(whys[7] ?? "", /^tests\/red_test.ts fails without it/);
      assert.equal(await readFile(join(root, "src/a.ts"), "utf8"), SOURCE);
    });
  },
  { only: "deno" },
);

test("a list of mutants names what is wrong with it", async () => {
  const { readRows } = await import("../../scripts/mutants/rows.ts");
  const { room: _room, ...good } = row("n > 0", "n < 0");
  const faults = [
    [{}, /^Error: tests\/mutants\/small.json: is not a list/],
    [[good, { ...good, test: [] }], /small.json\[1\]: expected the keys file/],
    [[{ ...good, find: "" }], /find and what must be/],
    [[{ ...good, replace: good.find }], /replace must be another text/],
    [[{ ...good, tests: [] }], /tests must be a list/],
  ] as const;
  for (const [list, message] of faults) {
    const text = JSON.stringify(list);
    await withTree({ "tests/mutants/small.json": text }, async (root) => {
      await assert.rejects(readRows(root), (error) => {
        assert.match(String(error), message);
        return true;
      });
    });
  }
  const text = JSON.stringify([good]);
  await withTree({ "tests/mutants/small.json": text }, async (root) => {
    assert.deepEqual(await readRows(root), [{ ...good, room: "small" }]);
  });
}, { only: "deno" });

/** Runs the script on this tree; gives its exit code and output. */
async function mutants(...args: readonly string[]) {
  const flags = ["run", "-A", "--no-check", SCRIPT, ...args];
  return await execute(process.execPath, flags)
    .then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      (error) => ({ code: error.code, text: error.stdout + error.stderr }),
    );
}

test(
  "the script of mutants has a help text and refuses what it does not know",
  async () => {
    const help = await mutants("--help");
    assert.equal(help.code, 0);
    assert.match(help.text, /--least=N/);
    const cases = [
      [["--rom=x"], "Unknown argument: --rom"],
      [["x"], "Unknown argument: x"],
      [["--room=x"], "No list tests/mutants/x.json"],
      [["--jobs=0"], "--jobs must be"],
      [["--least=101"], "--least must be"],
      [["--only=nothing has this"], "No mutant is chosen"],
    ] as const;
    for (const [args, message] of cases) {
      const { code, text } = await mutants(...args);
      assert.equal(code, 64, text);
      assert.ok(text.startsWith(message), text);
    }
  },
  { only: "deno" },
);
