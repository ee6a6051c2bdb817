import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { ChildHandle } from "../../src/ports/process.ts";
import { Guard, type Guarded } from "../../src/process/guard.ts";
import { host } from "../../src/runtime/host.ts";
import {
  fixture,
  isGoneWithin,
  isRunning,
  Lines,
  needsProc,
  needsShell,
  release,
  textOf,
} from "../_children.ts";
import { test } from "../_harness.ts";

const current = await host();
const skip = needsShell ?? needsProc;

/** Notes the first signal in a file and ends. */
const TIDY = `trap 'echo INT > "$FILE"; exit 0' INT
trap 'echo TERM > "$FILE"; exit 0' TERM
echo up; while :; do sleep 0.02; done`;

/** Ends by SIGKILL alone, and has a tool in a session of its own. */
const STUBBORN = `trap '' TERM INT
setsid sh -c 'echo $$ > "$FILE"; exec sleep 60' &
while ! [ -s "$FILE" ]; do sleep 0.01; done
echo up; while :; do sleep 0.02; done`;

interface Drive {
  readonly driver: ChildHandle;
  readonly lines: Lines;
  /** Id of the child that the driver started. */
  readonly pid: number;
  /** What the child wrote to its file. */
  note(): Promise<string>;
}

/** Runs the driver program up to where it has a child. */
async function drive(
  { how, text = TIDY, forward = "forward" }: {
    readonly how: string;
    readonly text?: string;
    readonly forward?: string;
  },
  use: (drive: Drive) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "guard-"));
  const file = join(folder, "note");
  const module = new URL("../fixtures/host_driver.ts", import.meta.url);
  const whole = `FILE='${file}'; export FILE\n${text}`;
  const driver = await current.spawn(fixture(module, how, whole, forward));
  const lines = new Lines(driver.stdout);
  const line = await lines.next();
  if (!line?.startsWith("child ")) {
    assert.fail(`Driver said ${line}: ${await textOf(driver.stderr)}`);
  }
  const pid = Number(line.slice("child ".length));
  try {
    const note = () => readFile(file, "utf8").catch(() => "");
    await use({ driver, lines, pid, note });
  } finally {
    current.killPid(pid, "SIGKILL");
    await lines.cancel();
    await release(driver);
    await rm(folder, { recursive: true, force: true });
  }
}

/** A guarded child that only notes what is done to it. */
function noting(takesSignals: boolean): Guarded & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    pid: process.pid,
    takesSignals,
    seen,
    forward: (signal) => void seen.push(signal),
    terminate: () => void seen.push("terminate"),
    kill: () => void seen.push("kill"),
  };
}

function listenerCounts(): readonly number[] {
  return ["SIGINT", "SIGTERM", "exit"].map((one) => process.listenerCount(one));
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`Guard passes ${signal} on and lets the host die of it`, async () => {
    await drive({ how: "wait" }, async ({ driver, pid, note }) => {
      driver.kill(signal);
      assert.deepEqual(await driver.exited, { code: null, signal });
      assert.ok(await isGoneWithin(1_000, pid));
      assert.equal(await note(), `${signal.slice(3)}\n`);
    });
  }, { skip, ids: ["P-04", "W-07"] });

  test(
    `Guard passes ${signal} on and leaves a host alone that handles it`,
    async () => {
      await drive({ how: "wait-handled" }, async ({ driver, lines, note }) => {
        driver.kill(signal);
        assert.equal(await lines.next(), "handled");
        assert.deepEqual(await driver.exited, { code: 42, signal: null });
        assert.equal(await note(), `${signal.slice(3)}\n`);
      });
    },
    { skip, ids: ["P-04"] },
  );
}

test("Guard keeps signals from a child that takes none", async () => {
  const forward = "keep";
  await drive({ how: "wait", forward }, async ({ driver, pid, note }) => {
    driver.kill("SIGTERM");
    assert.deepEqual(await driver.exited, { code: null, signal: "SIGTERM" });
    assert.equal(await isGoneWithin(100, pid), false);
    assert.equal(await note(), "");
  });
}, { skip });

for (const how of ["exit", "throw", "reject"]) {
  test(`Guard ends the child when the host ends by ${how}`, async () => {
    await drive({ how }, async ({ driver, pid }) => {
      const { code } = await driver.exited;
      assert.ok(code !== null && code > 0);
      assert.ok(await isGoneWithin(1_000, pid));
    });
  }, { skip, ids: ["P-06"] });
}

test("Guard ends the child when the host ends by Deno.exit()", async () => {
  await drive({ how: "deno-exit" }, async ({ driver, pid, note }) => {
    assert.deepEqual(await driver.exited, { code: 3, signal: null });
    assert.ok(await isGoneWithin(1_000, pid));
    assert.equal(await note(), "TERM\n");
  });
}, {
  skip: skip ?? (current.name === "deno" ? undefined : "needs Deno"),
  ids: ["P-06"],
});

test(
  "Guard gives a child the chance to end tidily when the host exits",
  async () => {
    await drive({ how: "exit" }, async ({ driver, pid, note }) => {
      assert.deepEqual(await driver.exited, { code: 3, signal: null });
      assert.equal(isRunning(pid), false);
      assert.equal(await note(), "TERM\n");
    });
  },
  { skip, ids: ["P-06"] },
);

test(
  "Guard kills a child that ignores SIGTERM, and its tools, when the host exits",
  async () => {
    await drive(
      { how: "exit", text: STUBBORN },
      async ({ driver, pid, note }) => {
        const tool = Number(await note());
        await driver.exited;
        assert.ok(await isGoneWithin(100, pid));
        assert.ok(await isGoneWithin(100, tool));
      },
    );
  },
  { skip, ids: ["P-06"] },
);

test("stop() keeps the host alive until the child is gone", async () => {
  await drive(
    { how: "stop", text: STUBBORN },
    async ({ driver, pid, note }) => {
      const tool = Number(await note());
      assert.deepEqual(await driver.exited, { code: 0, signal: null });
      assert.equal(isRunning(pid), false);
      assert.ok(await isGoneWithin(100, tool));
    },
  );
}, { skip, ids: ["P-17"] });

test("Guard.add() listens while something lives, with one set for all", () => {
  const before = listenerCounts();
  const guard = new Guard(current);
  const releases = Array.from({ length: 100 }, () => guard.add(noting(true)));
  const during = listenerCounts();
  assert.deepEqual(during.slice(0, 2), [before[0]! + 1, before[1]! + 1]);
  assert.ok(during[2]! - before[2]! <= 1);
  for (const release of releases) {
    assert.deepEqual(listenerCounts(), during);
    release();
  }
  assert.deepEqual(listenerCounts(), before);
}, { ids: ["P-05"] });

test("Guard.add() listens to no signal for children that take none", () => {
  const before = listenerCounts();
  const guard = new Guard(current);
  const release = guard.add(noting(false));
  assert.deepEqual(listenerCounts().slice(0, 2), before.slice(0, 2));
  const releaseOther = guard.add(noting(true));
  assert.notDeepEqual(listenerCounts().slice(0, 2), before.slice(0, 2));
  releaseOther();
  assert.deepEqual(listenerCounts().slice(0, 2), before.slice(0, 2));
  release();
  assert.deepEqual(listenerCounts(), before);
}, { ids: ["P-05"] });

test(
  "Guard raises a signal again only when nobody else listens, another copy of it aside",
  () => {
    const raised: string[] = [];
    const watched = {
      ...current,
      raise: (signal: string) => void raised.push(signal),
    };
    const before = listenerCounts();
    const [first, second] = [noting(true), noting(true)];
    // Two copies of the package in one program have a guard each.
    const releases = [
      new Guard(watched).add(first),
      new Guard(watched).add(second),
    ];
    const other = () => {};
    process.on("SIGINT", other);
    process.emit("SIGINT");
    assert.deepEqual([...first.seen, ...second.seen], ["SIGINT", "SIGINT"]);
    assert.deepEqual(raised, []);
    process.removeListener("SIGINT", other);
    process.emit("SIGINT");
    assert.equal(first.seen.length + second.seen.length, 4);
    assert.equal(raised.at(-1), "SIGINT");
    assert.equal(process.listenerCount("SIGINT"), before[0]);
    for (const release of releases) release();
    assert.deepEqual(listenerCounts(), before);
  },
  { ids: ["P-04"] },
);
