import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { run, start, withStandIn } from "./_program.ts";

test(
  "sluice chat takes a prompt from each line of a pipe, in one session",
  async () => {
    await withStandIn(["One.", "Two."], async ({ env, fake, folder }) => {
      const { code, stderr, stdout } = await run(["chat"], {
        env,
        cwd: folder,
        input: "first\n\n  \nsecond\n",
      });
      assert.deepEqual([code, stdout], [0, "One.\nTwo.\n"], stderr);
      assert.equal(fake.runs.length, 1);
      // Of each turn, as its tokens are: the results of the CLI count on.
      assert.deepEqual(stderr.match(/\$[\d.]+/g), [
        "$0.0008",
        "$0.0008",
        "$0.0016",
      ]);
    });
  },
  { skip: needsShell },
);

test(
  "sluice chat --json answers each line with messages up to a result, while the pipe is open",
  async () => {
    await withStandIn(["One.", "Two."], async ({ env, folder }) => {
      const running = start(["chat", "--json"], {
        env,
        cwd: folder,
        input: null,
      });
      running.child.stdin?.write("first\n");
      await running.said('"result":"One."');
      running.child.stdin?.write("second\n");
      await running.said('"result":"Two."');
      running.child.stdin?.write("/exit\n");
      const { code, stdout } = await running.ended;
      assert.equal(code, 0);
      const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
      assert.equal(lines.filter(({ type }) => type === "result").length, 2);
    });
  },
  { skip: needsShell },
);

test(
  "sluice chat that cannot start says why, and one that loses its CLI ends",
  async () => {
    const { code, stderr } = await run(["chat", "--cli", "/no/such/claude"]);
    assert.equal(code, 1);
    assert.match(stderr, /error: Claude CLI not found/);
    await withStandIn([["Bye.", { exit: 7 }]], async ({ env, folder }) => {
      const lost = await run(["chat"], {
        env,
        cwd: folder,
        input: "hi\nmore\n",
      });
      assert.equal(lost.code, 1);
      assert.match(lost.stderr, /exit code 7/);
    });
  },
  { skip: needsShell },
);

test("sluice demo shows text, a permission, a hook and a tool without any CLI, and leaves nothing behind", async () => {
  const before = (await readdir(tmpdir())).filter((one) =>
    one.startsWith("sluice-demo-")
  );
  const { code, stderr, stdout } = await run([
    "demo",
    "--cli",
    "/no/such/claude",
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /I will write the weather down\.[^]*Done: weather\.txt/);
  assert.match(stderr, /stand-in[^]*You: Look up the weather/);
  assert.match(stderr, /hook +Bash is about to run/);
  assert.match(stderr, /asked +may it use Bash\? Yes/);
  const after = (await readdir(tmpdir())).filter((one) =>
    one.startsWith("sluice-demo-")
  );
  assert.ok(after.length <= before.length);
});
