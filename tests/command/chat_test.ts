import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "../_harness.ts";
import { run, testStandIn } from "./_program.ts";

testStandIn(
  "sluice chat takes a prompt from each line of a pipe, in one session",
  ["One.", "Two."],
  async ({ fake, sluice }) => {
    const input = "first\n\n  \nsecond\n";
    const { code, stderr, stdout } = await sluice(["chat"], input);
    assert.deepEqual([code, stdout], [0, "One.\nTwo.\n"], stderr);
    assert.equal(fake.runs.length, 1);
    // The cost of each turn: results of the CLI hold the sum.
    assert.deepEqual(stderr.match(/\$[\d.]+/g), [
      "$0.0008",
      "$0.0008",
      "$0.0016",
    ]);
  },
);

testStandIn(
  "sluice chat --json answers each line with messages up to a result, while the pipe is open",
  ["One.", "Two."],
  async ({ start }) => {
    const running = start(["chat", "--json"], null);
    running.child.stdin?.write("first\n");
    await running.said('"result":"One."');
    running.child.stdin?.write("second\n");
    await running.said('"result":"Two."');
    running.child.stdin?.write("/exit\n");
    const { code, stdout } = await running.ended;
    assert.equal(code, 0);
    const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(lines.filter(({ type }) => type === "result").length, 2);
  },
);

testStandIn(
  "sluice chat that cannot start says why, and one that loses its CLI ends",
  [["Bye.", { exit: 7 }]],
  async ({ sluice }) => {
    const { code, stderr } = await run(["chat", "--cli", "/no/such/claude"]);
    assert.equal(code, 1);
    assert.match(stderr, /error: Claude CLI not found/);
    const lost = await sluice(["chat"], "hi\nmore\n");
    assert.equal(lost.code, 1);
    assert.match(lost.stderr, /exit code 7/);
  },
);

testStandIn(
  "sluice chat that loses its CLI names the prompts of the pipe that were not sent",
  ["One.", [{ exit: 7 }]],
  async ({ start }) => {
    const running = start(["chat"], null);
    running.child.stdin?.write("one\ntwo\n\nthree\n");
    running.child.stdin?.write("four\nfi");
    const { code, stderr, stdout } = await running.ended;
    assert.deepEqual([code, stdout], [1, "One.\n"]);
    assert.match(stderr, /^prompts not sent: 2, from "three" on$/m);
    assert.match(stderr, /^error: .*exit code 7/m);
  },
);

test("sluice demo shows text, a permission, a hook and a tool without any CLI, and leaves nothing behind", async () => {
  const TMPDIR = await mkdtemp(join(tmpdir(), "sluice-demo-test-"));
  try {
    const { code, stderr, stdout } = await run(
      ["demo", "--cli", "/no/such/claude"],
      { env: { TMPDIR } },
    );
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /I will write the weather down\.[^]*Done: weather\.txt/,
    );
    assert.match(stderr, /stand-in[^]*You: Look up the weather/);
    assert.match(stderr, /hook +Bash is about to run/);
    assert.match(stderr, /asked +may it use Bash\? Yes/);
    const left = await readdir(TMPDIR);
    assert.deepEqual(left.filter((one) => one.startsWith("sluice-demo")), []);
  } finally {
    await rm(TMPDIR, { recursive: true });
  }
});
