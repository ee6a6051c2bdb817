import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "../_harness.ts";

const ONLY = { only: "deno" } as const;

/** Runs `deno task drift`. */
async function drift(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string }> {
  const { DENO, ROOT_PATH, run } = await import("../../scripts/project.ts");
  const script = `${ROOT_PATH}scripts/drift.ts`;
  const flags = ["run", "-A", "--no-check", script, ...args];
  return await run(DENO, flags, { env });
}

/** Uses a folder with one recorded run. */
async function withRun(
  lines: readonly unknown[],
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "drift-"));
  try {
    const text = lines.map((msg) => `${JSON.stringify({ dir: "out", msg })}\n`);
    await writeFile(join(folder, "run.ndjson"), text.join(""));
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test(
  "drift ends with 0 when a release cannot be had and that is allowed, and says so",
  async () => {
    const { code, stdout } = await drift(["--official=0.0.0", "--if-there"], {
      npm_config_registry: "http://127.0.0.1:1/",
      npm_config_fetch_retries: "0",
    });
    assert.match(
      stdout,
      /^Skipped the official types: cannot fetch .*@0\.0\.0\n/,
    );
    assert.match(
      stdout,
      /^recorded runs \(\d+ runs, \d+ lines\): 0 differences$/m,
    );
    assert.equal(code, 0);
  },
  ONLY,
);

test(
  "drift ends with 1 when a run has what is not described, and says where",
  async () => {
    await withRun([
      { type: "keep_alive" },
      { type: "system", subtype: "no_such_kind", uuid: "1", session_id: "2" },
      { type: "keep_alive", more: true },
    ], async (folder) => {
      const { code, stdout } = await drift([
        "--official=none",
        `--runs=${folder}`,
      ]);
      assert.match(
        stdout,
        /! new {6}line system\/no_such_kind: kind {2}\(run\.ndjson:2; lines: 1\)/,
      );
      // A field more is told and no fault.
      assert.match(
        stdout,
        /^ {4}new {6}line keep_alive\.more: field: boolean/m,
      );
      assert.match(stdout, /^Differences to be mended: 1$/m);
      assert.equal(code, 1);
      const json = await drift([
        "--official=none",
        `--runs=${folder}`,
        "--json",
      ]);
      const { open, notes } = JSON.parse(json.stdout);
      assert.deepEqual([open.length, notes.length, json.code], [1, 1, 1]);
    });
  },
  ONLY,
);

test("drift tells its flags, and refuses others", async () => {
  const help = await drift(["--help"]);
  assert.match(help.stdout, /--official=VERSION/);
  assert.equal(help.code, 0);
  assert.equal((await drift(["--offical=1"])).code, 1);
}, ONLY);
