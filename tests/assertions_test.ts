import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { mustAssert } from "./_assertions.ts";
import { test } from "./_harness.ts";

test("a test without an assertion proves nothing", async () => {
  const nothing = mustAssert("t", () => Promise.resolve());
  // Rejections are looked at without an assertion, which would count.
  const error = await nothing.then(() => undefined, (error) => error);
  assert.match(error.message, /asserts nothing .*: t$/);
  const kinds: readonly (() => unknown)[] = [
    () => assert.ok(true),
    () => assert.equal(1, 1),
    () => assert.deepEqual([], []),
    () => assert.rejects(Promise.reject(new Error("no"))),
    () => assert.match("a", /a/),
  ];
  for (const kind of kinds) {
    await mustAssert("t", async () => {
      await kind();
    });
  }
});

test("the failure of a test counts more than its lack of assertions", async () => {
  const failure = new Error("failed");
  const failing = mustAssert("t", () => Promise.reject(failure));
  await assert.rejects(failing, failure);
});

test(
  "the harness fails a test that cites a requirement and asserts nothing",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "assertions-"));
    const harness = new URL("./_harness.ts", import.meta.url).href;
    const file = join(folder, "x_test.ts");
    await writeFile(
      file,
      `import assert from "node:assert/strict";
import { test } from ${JSON.stringify(harness)};
const cited = { ["ids"]: ["X-1"] };
test("empty", () => {}, cited);
test("full", () => assert.ok(true), cited);
test("cites nothing", () => {});
`,
    );
    try {
      const flags = ["test", "-A", "--no-check", "--no-config"];
      const run = promisify(execFile)(process.execPath, [...flags, file]);
      const { stdout } = await run.then(
        () => ({ stdout: "" }),
        (error) => error,
      );
      assert.match(stdout, /\b2 passed .*\b1 failed/);
      assert.match(stdout, /asserts nothing with node:assert\/strict: empty/);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  { only: "deno" },
);
