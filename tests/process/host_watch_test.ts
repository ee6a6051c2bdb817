import { safeLogger } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Host } from "../../src/ports/host.ts";
import {
  type ChildHandle,
  fixture,
  host,
  isGoneWithin,
  isRunning,
  Lines,
  needsProc,
  needsShell,
  release,
  textOf,
} from "../_children.ts";
import { hostWatch } from "../../src/process/host_watch.ts";
import { test } from "../_harness.ts";

const current = await host();
const skip = needsShell ?? needsProc;
const log = safeLogger();

/** Notes the first signal in a file and ends; it waits for no program before it does, since its host does not wait long for it. */
const TIDY = `trap 'echo INT > "$FILE"; kill $!; exit 0' INT
trap 'echo TERM > "$FILE"; kill $!; exit 0' TERM
sleep 60 & echo up; while :; do wait; done`;

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
  /** Text that the child wrote to its file. */
  note(): Promise<string>;
}

/** Runs the driver program up to where it has a child. */
async function drive(
  { how, text = TIDY, forward = "forward", group = "same", watchdogMs }: {
    readonly how: string;
    /** From SIGTERM to SIGKILL by the watchdog; unset = no watchdog, and the host itself kills after 250 ms. */
    readonly watchdogMs?: number;
    readonly text?: string;
    readonly forward?: string;
    /** Whether the child has a process group of its own; the driver always has. */
    readonly group?: "own" | "same";
  },
  use: (drive: Drive) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "host-watch-"));
  const file = join(folder, "note");
  const module = new URL("../fixtures/host_driver.ts", import.meta.url);
  const whole = `FILE='${file}'; export FILE\n${text}`;
  const driver = await current.spawn({
    ...fixture(module, how, whole, forward, `${watchdogMs ?? ""}`, group),
    isDetached: true,
  });
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

type Child = Parameters<ReturnType<typeof hostWatch>["add"]>[0];

/** A child that only notes what is done to it. */
function noting(takesSignals: boolean): Child & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    pid: process.pid,
    takesSignals,
    watchdogMs: undefined,
    seen,
    shutdown: {
      forward: (signal) => void seen.push(signal),
      terminate: () => void seen.push("terminate"),
      kill: () => void seen.push("kill"),
    },
  };
}

/** The host, with its listeners counted. */
class Watched {
  signals = 0;
  exits = 0;
  readonly raised: string[] = [];
  readonly host: Host = {
    ...current,
    onSignal: (signal, listener) => {
      this.signals++;
      const stop = current.onSignal(signal, listener);
      return () => {
        this.signals--;
        stop();
      };
    },
    onExit: (listener) => {
      this.exits++;
      const stop = current.onExit(listener);
      return () => {
        this.exits--;
        stop();
      };
    },
    raise: (signal) => void this.raised.push(signal),
  };

  get counts(): readonly number[] {
    return [this.signals, this.exits];
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(
    `hostWatch() passes ${signal} on and lets the host die of it`,
    async () => {
      // A busy machine may not let it run within the time that a dying host has.
      const drives = { how: "wait", watchdogMs: 60_000 };
      await drive(drives, async ({ driver, pid, note }) => {
        driver.kill(signal);
        assert.deepEqual(await driver.exited, { code: null, signal });
        assert.ok(await isGoneWithin(50_000, pid));
        assert.equal(await note(), `${signal.slice(3)}\n`);
      });
    },
    { skip, ids: ["P-04", "W-07"] },
  );

  test(
    `hostWatch() passes ${signal} on and leaves a host alone that handles it`,
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

test(
  "hostWatch() leaves a host alone that handles the signal once, and did so before there was a child",
  async () => {
    await drive({ how: "early" }, async ({ driver, lines, note }) => {
      driver.kill("SIGTERM");
      assert.equal(await lines.next(), "handled early");
      assert.equal(await lines.next(), "lived on");
      assert.deepEqual(await driver.exited, { code: 0, signal: null });
      assert.equal(await note(), "TERM\n");
    });
  },
  { skip, ids: ["P-04"] },
);

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  test(
    `${signal} that comes as the last child goes ends the host`,
    async () => {
      const module = new URL("../fixtures/release_driver.ts", import.meta.url);
      const driver = await current.spawn(fixture(module, signal));
      assert.equal(await textOf(driver.stdout), "");
      assert.deepEqual(await driver.exited, { code: null, signal });
      await release(driver);
    },
    {
      skip: needsShell ??
        ("Deno" in globalThis
          ? "Deno may drop it: docs/runtimes.md, Limits"
          : undefined),
      ids: ["P-04", "P-05"],
    },
  );
}

test(
  "A signal that comes as the last child goes leaves a host alone that handles it",
  async () => {
    const module = new URL("../fixtures/release_driver.ts", import.meta.url);
    const driver = await current.spawn(fixture(module, "SIGTERM", "handled"));
    assert.equal(await textOf(driver.stdout), "handled\nlived on\n");
    assert.deepEqual(await driver.exited, { code: 0, signal: null });
    await release(driver);
  },
  {
    skip: needsShell ??
      ("Deno" in globalThis
        ? "Deno may drop it: docs/runtimes.md, Limits"
        : undefined),
    ids: ["P-04"],
  },
);

test("hostWatch() keeps signals from a child that takes none", async () => {
  const forward = "keep";
  await drive({ how: "wait", forward }, async ({ driver, pid, note }) => {
    driver.kill("SIGTERM");
    assert.deepEqual(await driver.exited, { code: null, signal: "SIGTERM" });
    assert.equal(await isGoneWithin(100, pid), false);
    assert.equal(await note(), "");
  });
}, { skip });

for (
  const [group, noted] of [["same", "INT\n"], ["own", "TERM\n"]] as const
) {
  const whom = group === "own" ? "the host alone" : "the child as well";
  test(
    `Ctrl-C reaches ${whom} when the child is in the ${group} process group`,
    async () => {
      const how = "wait-handled";
      const drives = { how, group, forward: "keep" };
      await drive(drives, async ({ driver, lines, note }) => {
        // As a terminal does it: to all of the group.
        process.kill(-driver.pid, "SIGINT");
        assert.equal(await lines.next(), "handled");
        assert.deepEqual(await driver.exited, { code: 42, signal: null });
        // It was the host that ended it.
        assert.equal(await note(), noted);
      });
    },
    { skip },
  );
}

for (const how of ["exit", "throw", "reject"]) {
  test(`hostWatch() ends the child when the host ends by ${how}`, async () => {
    await drive({ how }, async ({ driver, pid }) => {
      const { code } = await driver.exited;
      assert.ok(code !== null && code > 0);
      assert.ok(await isGoneWithin(10_000, pid));
    });
  }, { skip, ids: ["P-06"] });
}

test(
  "hostWatch() ends the child when the host ends by Deno.exit()",
  async () => {
    await drive({ how: "deno-exit" }, async ({ driver, pid, note }) => {
      assert.deepEqual(await driver.exited, { code: 3, signal: null });
      assert.ok(await isGoneWithin(10_000, pid));
      assert.equal(await note(), "TERM\n");
    });
  },
  {
    skip,
    only: "deno",
    ids: ["P-06"],
  },
);

test(
  "hostWatch() gives a child the chance to end tidily when the host exits",
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
  "hostWatch() kills a child that ignores SIGTERM, and its tools, when the host exits",
  async () => {
    await drive(
      { how: "exit", text: STUBBORN },
      async ({ driver, pid, note }) => {
        const tool = Number(await note());
        await driver.exited;
        assert.ok(await isGoneWithin(10_000, pid));
        assert.ok(await isGoneWithin(10_000, tool));
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
      assert.ok(await isGoneWithin(10_000, tool));
    },
  );
}, { skip, ids: ["P-17"] });

test(
  "hostWatch().add() listens while something lives, with one set for all",
  async () => {
    const inProcess = () =>
      ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "exit"].map((one) =>
        process.listenerCount(one)
      );
    const before = inProcess();
    const watched = new Watched();
    const watch = hostWatch(watched.host);
    const releases = Array.from(
      { length: 100 },
      () => watch.add(noting(true), log),
    );
    for (const release of releases) {
      assert.deepEqual(watched.counts, [4, 1]);
      await release();
    }
    assert.deepEqual(watched.counts, [0, 0]);
    assert.deepEqual(inProcess(), before);
  },
  { ids: ["P-05"] },
);

test(
  "hostWatch().add() listens to no signal for children that take none",
  async () => {
    const watched = new Watched();
    const watch = hostWatch(watched.host);
    const release = watch.add(noting(false), log);
    assert.deepEqual(watched.counts, [0, 1]);
    const releaseOther = watch.add(noting(true), log);
    assert.deepEqual(watched.counts, [4, 1]);
    await releaseOther();
    assert.deepEqual(watched.counts, [0, 1]);
    await release();
    assert.deepEqual(watched.counts, [0, 0]);
  },
  { ids: ["P-05"] },
);

test(
  "hostWatch() raises a signal again only without other listeners, another copy of it aside",
  async () => {
    const watched = new Watched();
    // Two copies of the package in one program have a watch each.
    const children = [noting(true), noting(true)];
    const releases = children.map((one) =>
      hostWatch({ ...watched.host }).add(one, log)
    );
    const seen = () => children.flatMap((child) => child.seen);
    let onOther = () => {};
    const heard = new Promise<void>((resolve) => {
      onOther = resolve;
    });
    process.once("SIGTERM", onOther);
    process.kill(process.pid, "SIGTERM");
    await heard;
    while (seen().length < 2) await turn();
    assert.deepEqual(seen(), ["SIGTERM", "SIGTERM"]);
    assert.deepEqual(watched.raised, []);
    process.kill(process.pid, "SIGTERM");
    while (watched.raised.length < 2) await turn();
    // No other handler would end them.
    assert.deepEqual(children.map((child) => child.seen), [
      ["SIGTERM", "SIGTERM", "kill"],
      ["SIGTERM", "SIGTERM", "kill"],
    ]);
    assert.deepEqual(watched.raised, ["SIGTERM", "SIGTERM"]);
    await Promise.all(releases.map((release) => release()));
    assert.deepEqual(watched.counts, [0, 0]);
  },
  { ids: ["P-04"], skip: needsShell },
);

test(
  "hostWatch() listens until every signal was reported that came as the last child went",
  async () => {
    let tell = () => {};
    const told = new Promise<void>((resolve) => tell = resolve);
    const watched = new Watched();
    const watch = hostWatch({ ...watched.host, signalsTold: () => told });
    const release = watch.add(noting(true), log);
    const released = release();
    for (let n = 0; n < 5; n++) await turn();
    assert.equal(watched.signals, 4);
    tell();
    await released;
    assert.deepEqual(watched.counts, [0, 0]);
  },
  { ids: ["P-04"] },
);

/** A watch whose signals and exit a test makes; its children run for this many looks. */
function staged(looks: number) {
  const child = noting(false);
  const deaf = noting(true);
  const listeners = new Map<string, () => void>();
  const events: string[] = [];
  const noteListener = (name: string, listener: () => void) => {
    listeners.set(name, listener);
    return () => void listeners.delete(name);
  };
  const note = (one: Child, name: string): Child => ({
    ...one,
    shutdown: {
      forward: (signal) => void events.push(`${name} ${signal}`),
      terminate: () => void events.push(`${name} SIGTERM`),
      kill: () => void events.push(`${name} SIGKILL`),
    },
  });
  const watch = hostWatch({
    ...current,
    platform: "linux",
    onSignal: noteListener,
    onExit: (listener) => noteListener("exit", listener),
    otherSignalListeners: () => 0,
    raise: (signal) => void events.push(`host ${signal}`),
    startHelper: () => ({
      pid: 0,
      write() {},
      kill() {},
      exited: Promise.resolve(),
    }),
    processes(pids) {
      const entry = { pid: process.pid, parent: 1, began: "1" };
      if (pids === undefined) return [entry];
      events.push("look");
      return looks-- > 0 ? [entry] : [];
    },
  });
  return {
    watch,
    events,
    quiet: note(child, "quiet"),
    taker: note(deaf, "taker"),
    raise: (name: string) => listeners.get(name)?.(),
  };
}

test("hostWatch() waits for children that got a stop at the exit of the host, and then kills the rest", async () => {
  const { watch, events, quiet, taker, raise } = staged(1);
  const releases = [quiet, taker].map((one) => watch.add(one, log));
  raise("exit");
  assert.deepEqual(events, [
    "quiet SIGTERM",
    "taker SIGTERM",
    "look",
    "look",
    "quiet SIGKILL",
    "taker SIGKILL",
  ]);
  for (const release of releases) await release();
});

test("hostWatch() kills at the exit of the host what does not end", async () => {
  const { watch, events, quiet, raise } = staged(Infinity);
  const release = watch.add(quiet, log);
  raise("exit");
  assert.equal(events[0], "quiet SIGTERM");
  assert.equal(events.at(-1), "quiet SIGKILL");
  await release();
});

test("hostWatch() tells children that take no signals to end before a signal ends the host, which dies last", async () => {
  const { watch, events, quiet, taker, raise } = staged(0);
  const releases = [quiet, taker].map((one) => watch.add(one, log));
  raise("SIGINT");
  assert.deepEqual(events, [
    "taker SIGINT",
    "quiet SIGTERM",
    "look",
    "quiet SIGKILL",
    "taker SIGKILL",
    "host SIGINT",
  ]);
  for (const release of releases) await release();
});

test("hostWatch() leaves children to the watchdog when a signal ends the host: it has more time", async () => {
  const { watch, events, taker, raise } = staged(0);
  const release = watch.add({ ...taker, watchdogMs: 500 }, log);
  raise("SIGTERM");
  assert.deepEqual(events, ["taker SIGTERM", "host SIGTERM"]);
  await release();
});

function turn(): Promise<void> {
  return new Promise((resolve) => current.nextTurn(resolve));
}
