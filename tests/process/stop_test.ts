import { safeLogger, systemClock } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Timer } from "../../src/ports/clock.ts";
import type { Host } from "../../src/ports/host.ts";
import type { ProcessEntry } from "../../src/ports/process.ts";
import type { StopPlan } from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import {
  type Child,
  type ChildOptions,
  startChild,
} from "../../src/process/child.ts";
import {
  closesDownTo,
  host,
  isGoneWithin,
  isRunning,
  Lines,
  needsProc,
  needsShell,
  openDescriptors,
  script,
} from "../_children.ts";
import { test } from "../_harness.ts";

const current = await host();
const skip = needsShell;
const DEFAULTS: StopPlan = {
  reason: "finished",
  graceMs: 10_000,
  killMs: 15_000,
};

/** Notes end of input and SIGTERM, and continues. */
const IGNORES_ALL = `trap 'echo TERM' TERM; echo up
cat; echo EOF; while :; do sleep 0.01; done`;

/** A running script whose signals are noted with the milliseconds since its start. */
interface Run {
  readonly child: Child;
  readonly lines: Lines;
  readonly sent: (readonly [ms: number, signal: string])[];
}

async function start(
  text: string,
  clock: Timer,
  change: Partial<Host> = {},
  options: Partial<ChildOptions> = {},
): Promise<Run> {
  const sent: [number, string][] = [];
  const began = clock.monotonic();
  const watching: Host = {
    ...current,
    ...change,
    async spawn(request) {
      const handle = await current.spawn(request);
      return {
        ...handle,
        kill(signal) {
          sent.push([clock.monotonic() - began, signal]);
          return handle.kill(signal);
        },
      };
    },
  };
  const child = await startChild(watching, script(text), {
    stderr: { tailBytes: 1_000, linesPerSecond: 100, warnBytes: 1_000_000 },
    forwardSignals: false,
    clock,
    log: safeLogger(),
    ...options,
  });
  const lines = new Lines(child.stdout);
  assert.equal(await lines.next(), "up");
  return { child, lines, sent };
}

test(
  "stop() sends SIGKILL at the set time to a child that ignores everything",
  async () => {
    const clock = new FakeClock();
    const { child, lines, sent } = await start(IGNORES_ALL, clock);
    const stopping = child.stop(DEFAULTS);
    assert.equal(await lines.next(), "EOF");
    await clock.advance(10_000);
    assert.equal(await lines.next(), "TERM");
    await clock.advance(4_999);
    assert.equal(sent.length, 1);
    await clock.advance(1);
    assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
    await lines.next();
    await stopping;
    assert.deepEqual(sent, [[10_000, "SIGTERM"], [15_000, "SIGKILL"]]);
  },
  { skip, ids: ["P-15", "P-17"] },
);

test("stop() sends SIGTERM first after an abort", async () => {
  const clock = new FakeClock();
  const { child, lines, sent } = await start(IGNORES_ALL, clock);
  const stopping = child.stop({ ...DEFAULTS, reason: "aborted" });
  assert.deepEqual(sent, [[0, "SIGTERM"]]);
  const seen = [await lines.next(), await lines.next()];
  assert.deepEqual(seen.toSorted(), ["EOF", "TERM"]);
  await clock.advance(5_000);
  await stopping;
  assert.equal(child.reason, "aborted");
  assert.deepEqual(sent, [[0, "SIGTERM"], [5_000, "SIGKILL"]]);
  await lines.cancel();
}, { skip, ids: ["P-14"] });

test("stop() sends SIGTERM at once without a grace", async () => {
  const { child, lines, sent } = await start(
    "echo up; exec sleep 60",
    new FakeClock(),
  );
  await Promise.all([
    child.stop({ reason: "closed", graceMs: 0, killMs: 5_000 }),
    lines.next(),
  ]);
  assert.deepEqual(sent, [[0, "SIGTERM"]]);
  assert.deepEqual(await child.exited, { code: null, signal: "SIGTERM" });
}, { skip });

test(
  "stop() once more waits as well, and can only bring a step forward",
  async () => {
    const clock = new FakeClock();
    const { child, lines, sent } = await start(IGNORES_ALL, clock);
    const first = child.stop(DEFAULTS);
    await clock.advance(1_000);
    const later = child.stop({ ...DEFAULTS, graceMs: 20_000, killMs: 30_000 });
    const sooner = child.stop({ ...DEFAULTS, reason: "aborted" });
    assert.deepEqual(sent, [[1_000, "SIGTERM"]]);
    await clock.advance(5_000);
    await Promise.all([first, later, sooner, lines.cancel()]);
    assert.equal(child.reason, "finished");
    assert.deepEqual(sent, [[1_000, "SIGTERM"], [6_000, "SIGKILL"]]);
    assert.equal(clock.pending, 0);
  },
  { skip },
);

test(
  "stop() kills tools in sessions of their own with a child that must be killed",
  async () => {
    const { child, lines } = await start(
      "trap '' TERM; echo up; setsid sh -c 'echo $$; exec sleep 60' & while :; do sleep 0.01; done",
      systemClock,
    );
    const tool = Number(await lines.next());
    assert.equal(isRunning(tool), true);
    await child.stop({ reason: "closed", graceMs: 10, killMs: 40 });
    assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
    assert.ok(await isGoneWithin(10_000, tool));
    await lines.cancel();
  },
  { skip: skip ?? needsProc },
);

test(
  "stop() kills what lost its parent to SIGTERM, and what that started since, with a child that must be killed",
  async () => {
    const { child, lines } = await start(
      `trap 'kill $!' TERM; echo up
setsid sh -c 'setsid sh -c "
  trap : TERM; echo \\$\\$
  while kill -0 \\$PPID 2>&-; do sleep 0.01; done
  sleep 60 & echo \\$!; wait
" & wait' &
while :; do sleep 0.01; done`,
      systemClock,
    );
    const tool = Number(await lines.next());
    assert.equal(isRunning(tool), true);
    const stopping = child.stop({
      reason: "closed",
      graceMs: 10,
      killMs: 2_000,
    });
    const later = Number(await lines.next());
    assert.equal(isRunning(later), true);
    await stopping;
    assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
    for (const pid of [tool, later]) {
      assert.ok(await isGoneWithin(10_000, pid), `process ${pid} is gone`);
    }
    await lines.cancel();
  },
  { skip: skip ?? needsProc },
);

test(
  "stop() takes no longer than its last step, whatever the child does",
  async () => {
    const { child, lines } = await start(IGNORES_ALL, systemClock);
    const began = performance.now();
    await child.stop({ reason: "closed", graceMs: 40, killMs: 80 });
    const took = performance.now() - began;
    assert.ok(took >= 79 && took < 80 + 5_000, `took ${took} ms`);
    assert.equal(isRunning(child.pid), false);
    await lines.cancel();
  },
  { skip, ids: ["P-17", "P-07"] },
);

test(
  "stop() closes every pipe, also when a grandchild holds them",
  async () => {
    const plan: StopPlan = { reason: "closed", graceMs: 5_000, killMs: 9_000 };
    const once = async () => {
      const { child, lines } = await start(
        "echo up; sleep 60 & echo $!; cat; exit 0",
        systemClock,
      );
      const grandchild = Number(await lines.next());
      const [line] = await Promise.all([
        lines.next(),
        child.stop(plan).then(() => lines.cancel()),
      ]);
      assert.equal(line, undefined);
      current.killPid(grandchild, "SIGKILL");
    };
    await once();
    const before = openDescriptors();
    await once();
    await once();
    assert.ok(await closesDownTo(before));
  },
  { skip: skip ?? needsProc, ids: ["P-16"] },
);

test(
  "stop() ends a daemon of a child that ended by itself",
  async () => {
    const { child, lines, sent } = await start(
      "echo up; (setsid nohup sh -c 'echo $$; exec sleep 60' 2>&- &); cat; exit 0",
      systemClock,
    );
    const daemon = Number((await lines.next()) ?? "");
    assert.equal(isRunning(daemon), true);
    await child.stop(DEFAULTS);
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    assert.equal(isRunning(daemon), false);
    assert.deepEqual(sent, []);
    await lines.cancel();
  },
  { skip: skip ?? needsProc },
);

test(
  "stop() ends a daemon that is just becoming another program and shows no environment yet",
  async () => {
    const hidden = new Map<number, number>();
    let daemon = 0;
    const { child, lines } = await start(
      "echo up; (setsid nohup sh -c 'echo $$; exec sleep 60' 2>&- &); cat; exit 0",
      systemClock,
      {
        environmentOf(pid) {
          const looks = hidden.get(pid) ?? 0;
          hidden.set(pid, looks + 1);
          // Longer than it takes where twenty programs share a core.
          return pid === daemon && looks < 60 ? "" : current.environmentOf(pid);
        },
      },
    );
    daemon = Number(await lines.next());
    assert.equal(isRunning(daemon), true);
    await child.stop(DEFAULTS);
    assert.equal(isRunning(daemon), false);
    await lines.cancel();
  },
  { skip: skip ?? needsProc },
);

test(
  "stop() does not wait for ever for programs that show no environment",
  async () => {
    const { child, lines } = await start(
      "echo up; (setsid nohup sh -c 'echo $$; exec sleep 60' 2>&- &); cat; exit 0",
      systemClock,
      { environmentOf: () => "" },
    );
    const other = Number(await lines.next());
    const began = performance.now();
    await child.stop(DEFAULTS);
    assert.ok(performance.now() - began < DEFAULTS.graceMs);
    assert.equal(isRunning(other), true);
    current.killPid(other, "SIGKILL");
    await lines.cancel();
  },
  { skip: skip ?? needsProc },
);

test(
  "stop() kills a daemon that ignores SIGTERM when the child would have been killed after it",
  async () => {
    const { child, lines } = await start(
      `echo up; (setsid sh -c 'trap "" TERM; echo $$; exec sleep 60' &); cat; exit 0`,
      systemClock,
    );
    const daemon = Number(await lines.next());
    const began = performance.now();
    await child.stop({ reason: "closed", graceMs: 5_000, killMs: 5_300 });
    const tookMs = performance.now() - began;
    assert.ok(tookMs >= 295 && tookMs < 4_900, `took ${tookMs} ms`);
    assert.equal(isRunning(daemon), false);
    await lines.cancel();
  },
  { skip: skip ?? needsProc },
);

test(
  "stop() on Windows ends the input where it would send SIGTERM, and kills the whole tree",
  async () => {
    const killed: number[] = [];
    const clock = new FakeClock();
    const { child, lines, sent } = await start(
      "echo up; cat; echo EOF; while :; do sleep 0.01; done",
      clock,
      {
        platform: "win32",
        killTree(pid) {
          killed.push(pid);
          current.killPid(pid, "SIGKILL");
        },
      },
    );
    const stopping = child.stop({ ...DEFAULTS, reason: "aborted" });
    assert.equal(await lines.next(), "EOF");
    await clock.advance(4_999);
    assert.deepEqual(killed, []);
    await clock.advance(1);
    await stopping;
    assert.deepEqual(killed, [child.pid]);
    assert.deepEqual(sent, [[5_000, "SIGKILL"]]);
    await lines.cancel();
  },
  { skip },
);

test(
  "stop() on Windows kills at least the process itself when the tree cannot be killed",
  async () => {
    const clock = new FakeClock();
    const { child, lines, sent } = await start(
      "echo up; cat; echo EOF; while :; do sleep 0.01; done",
      clock,
      { platform: "win32", killTree: () => {} },
    );
    const stopping = child.stop({ ...DEFAULTS, reason: "aborted" });
    assert.equal(await lines.next(), "EOF");
    await clock.advance(5_000);
    assert.deepEqual(sent, [[5_000, "SIGKILL"]]);
    await stopping;
    await lines.cancel();
  },
  { skip },
);

test("stop() sends SIGTERM once, however many ask for it", async () => {
  const clock = new FakeClock();
  const { child, lines, sent } = await start(IGNORES_ALL, clock);
  const first = child.stop(DEFAULTS);
  const second = child.stop({ ...DEFAULTS, reason: "aborted", killMs: 60_000 });
  await clock.advance(DEFAULTS.graceMs);
  assert.deepEqual(sent, [[0, "SIGTERM"]]);
  await clock.advance(DEFAULTS.killMs - DEFAULTS.graceMs);
  await Promise.all([first, second, lines.cancel()]);
  assert.deepEqual(sent, [[0, "SIGTERM"], [15_000, "SIGKILL"]]);
}, { skip });

test(
  "stop() sends no SIGTERM to a child to which that of the host was passed on",
  async () => {
    const listeners = new Map<string, () => void>();
    const clock = new FakeClock();
    const { child, lines, sent } = await start(IGNORES_ALL, clock, {
      onSignal: (signal, listener) => {
        listeners.set(signal, listener);
        return () => {};
      },
      otherSignalListeners: () => 1,
    }, { forwardSignals: true });
    listeners.get("SIGTERM")?.();
    const stopping = child.stop({ ...DEFAULTS, graceMs: 0, killMs: 5_000 });
    await clock.advance(4_999);
    assert.deepEqual(sent, [[0, "SIGTERM"]]);
    await clock.advance(1);
    await Promise.all([stopping, lines.cancel()]);
  },
  { skip },
);

test(
  "stop() sends SIGTERM to what the child left behind, before anything is killed",
  async () => {
    // Its time never comes: no SIGKILL.
    const clock = new FakeClock();
    const { child, lines } = await start(
      "echo up; (setsid nohup sh -c 'echo $$; exec sleep 60' 2>&- &); cat; exit 0",
      clock,
    );
    const daemon = Number(await lines.next());
    await child.stop(DEFAULTS);
    assert.equal(isRunning(daemon), false);
    await lines.cancel();
  },
  { skip: skip ?? needsProc, timeoutMs: 20_000 },
);

/** An id that no process has. */
const UNUSED_PID = 2 ** 23;

for (
  const [what, moved, killed] of [
    ["a tool below the child", undefined, [UNUSED_PID]],
    ["a tool that has lost its parent", "100", [UNUSED_PID]],
    ["no process that has the id of an ended tool", "200", []],
  ] as const
) {
  test(`stop() with SIGKILL reaches ${what}`, async () => {
    const reached: number[] = [];
    let table: readonly ProcessEntry[] = [];
    const clock = new FakeClock();
    const { child, lines } = await start(IGNORES_ALL, clock, {
      processes: (pids) => pids === undefined ? table : [],
      // It has no mark, as on a system that shows no environments.
      environmentOf: () => undefined,
      killPid: (pid, signal) => {
        if (signal === "SIGKILL") reached.push(pid);
        return true;
      },
    });
    table = [{ pid: UNUSED_PID, parent: child.pid, began: "100" }];
    const graceMs = moved === undefined ? 9_000 : 0;
    const stopping = child.stop({ ...DEFAULTS, graceMs, killMs: 5_000 });
    if (moved !== undefined) {
      table = [{ pid: UNUSED_PID, parent: 1, began: moved }];
    }
    await clock.advance(5_000);
    table = [];
    await Promise.all([stopping, lines.cancel()]);
    assert.deepEqual(reached.slice(0, 1), killed);
  }, { skip });
}

test(
  "stop() sends no signal to a child that is gone, whatever it left behind",
  async () => {
    const clock = new FakeClock();
    const { child, lines, sent } = await start(
      `echo up; (setsid sh -c 'trap "" TERM; echo $$; exec sleep 60' &); cat; exit 0`,
      clock,
    );
    const daemon = Number(await lines.next());
    const plan = { ...DEFAULTS, graceMs: 1_000, killMs: 15_000 };
    const stopping = child.stop(plan);
    await child.exited;
    await clock.advance(plan.graceMs);
    assert.deepEqual(sent, []);
    assert.equal(isRunning(daemon), true);
    await clock.advance(plan.killMs);
    await stopping;
    assert.equal(isRunning(daemon), false);
    assert.deepEqual(sent, []);
    await lines.cancel();
  },
  { skip: skip ?? needsProc },
);

/** Name of the program that a process runs. */
async function nameOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, "utf8")).trim();
}

test(
  "stop() does not wait for a stranger that holds stderr",
  async () => {
    const { child, lines } = await start(
      "echo up; env -i setsid sleep 60 & echo $!; cat; exit 0",
      systemClock,
    );
    const stranger = Number(await lines.next());
    // Without its mark it leaves the family once it has no parent: the last of three programs has none.
    while (await nameOf(stranger) !== "sleep") {
      await new Promise<void>((resolve) => current.nextTurn(resolve));
    }
    await child.stop(DEFAULTS);
    assert.equal(isRunning(stranger), true);
    current.killPid(stranger, "SIGKILL");
    await lines.cancel();
  },
  { skip: skip ?? needsProc, timeoutMs: 20_000 },
);

test(
  "A child has the mark of the program that started this one, and its own",
  async () => {
    const request = script("echo up; printenv SLUICE_FAMILY");
    const child = await startChild(current, {
      ...request,
      env: { ...request.env, SLUICE_FAMILY: "outer.1.2." },
    }, {
      stderr: { tailBytes: 1_000, linesPerSecond: 100, warnBytes: 1_000_000 },
      forwardSignals: false,
      watchdogMs: 700,
      clock: systemClock,
      log: safeLogger(),
    });
    const lines = new Lines(child.stdout);
    await lines.next();
    const marks = (await lines.next())?.split(" ") ?? [];
    assert.equal(marks.length, 2);
    assert.equal(marks[0], "outer.1.2.");
    // The watchdog looks for it by its milliseconds.
    assert.match(`${marks[1]}`, /^[\w-]{36}\.700\.\d+\.$/);
    await child.stop(DEFAULTS);
    await lines.cancel();
  },
  { skip },
);

test(
  "The end of a child looks at no process that ran before it",
  async () => {
    const looked = new Set<number>();
    const { child, lines } = await start("echo up; exit 0", systemClock, {
      environmentOf(pid) {
        looked.add(pid);
        return current.environmentOf(pid);
      },
    });
    await child.stop(DEFAULTS);
    assert.equal(looked.has(current.pid), false);
    await lines.cancel();
  },
  { skip: skip ?? needsProc },
);

test(
  "Processes that a child left behind are stopped and waited for until they are gone",
  async () => {
    const { child, lines } = await start(
      `echo up; (setsid sh -c 'trap "sleep 0.2; exit" TERM; echo $$; while :; do sleep 0.02; done' &); cat; exit 0`,
      new FakeClock(),
    );
    const daemon = Number(await lines.next());
    await child.stop(DEFAULTS);
    assert.equal(isRunning(daemon), false);
    await lines.cancel();
  },
  { skip: skip ?? needsProc },
);

test(
  "Children that start together are one look at what runs, and the end of one looks at no other",
  async () => {
    let looks = 0;
    const looked = new Set<number>();
    const shared: Host = {
      ...current,
      processIds() {
        looks++;
        return current.processIds();
      },
      environmentOf(pid) {
        looked.add(pid);
        return current.environmentOf(pid);
      },
    };
    const one = () =>
      startChild(shared, script("cat"), {
        stderr: { tailBytes: 1_000, linesPerSecond: 100, warnBytes: 1_000_000 },
        forwardSignals: false,
        clock: systemClock,
        log: safeLogger(),
      });
    const children = await Promise.all([one(), one(), one()]);
    assert.equal(looks, 1);
    await new Promise<void>((resolve) => current.nextTurn(resolve));
    const later = await one();
    assert.equal(looks, 2);
    for (const child of [...children, later]) {
      looked.clear();
      await child.stop(DEFAULTS);
      for (const { pid } of [...children, later]) {
        assert.equal(looked.has(pid), false);
      }
    }
  },
  { skip: skip ?? needsProc },
);

test(
  "stop() of a child that is gone sends nothing and gives no reason",
  async () => {
    const { child, lines, sent } = await start(
      "echo up; exit 0",
      new FakeClock(),
    );
    await child.exited;
    await lines.next();
    await child.stop({ ...DEFAULTS, reason: "aborted" });
    assert.equal(child.reason, undefined);
    assert.deepEqual(sent, []);
  },
  { skip },
);
