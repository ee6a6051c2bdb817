import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChildHandle, HostSignal } from "../../src/ports/process.ts";
import {
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
import { test } from "../_harness.ts";
import { ROUNDS, ROUNDS_TIMEOUT_MS } from "../_rounds.ts";

const current = await host();
const skip = needsShell ?? needsProc;

/** From SIGTERM to SIGKILL when the host is gone, in milliseconds. */
const WATCHDOG_MS = 400;
/** No process is left after it: the machine of a test is busy. */
const BOUND_MS = WATCHDOG_MS + 30_000;

/** A tool in a session of its own, whose id is the first line of the file. */
const TOOL = `setsid sh -c 'echo $$ > "$FILE"; exec sleep 60' &
while ! [ -s "$FILE" ]; do sleep 0.01; done`;

/** In the middle of a tool, which it does not end. */
const BUSY = `${TOOL}; echo up; wait`;

/** Ends by SIGKILL alone. */
const STUBBORN =
  `trap '' TERM INT HUP QUIT; ${TOOL}; echo up; while :; do sleep 0.02; done`;

/** Answers nothing, like one that was stopped by Ctrl-Z. */
const STOPPED = `${TOOL}; echo up; kill -STOP $$`;

/** Has left a daemon, which no list of descendants names, and is idle: it ends with its input. */
const DAEMON =
  `(setsid sh -c 'echo $$ > "$FILE"; exec sleep 60' >/dev/null 2>&1 &)
while ! [ -s "$FILE" ]; do sleep 0.01; done; echo up; cat; exit 0`;

/** Runs a host up to where its child is busy; `end` ends the host, and then child and tool have to go. */
async function leavesNothing(
  { how = "wait", text, forward = "forward", watchdogMs = WATCHDOG_MS }: {
    readonly how?: string;
    readonly text: string;
    readonly forward?: "forward" | "keep";
    readonly watchdogMs?: number | undefined;
  },
  end: (driver: ChildHandle) => void = () => {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "host-end-"));
  const file = join(folder, "tool");
  const module = new URL("../fixtures/host_driver.ts", import.meta.url);
  const driver = await current.spawn({
    ...fixture(
      module,
      how,
      `FILE='${file}'; export FILE\n${text}`,
      forward,
      `${watchdogMs ?? ""}`,
    ),
    isDetached: true,
  });
  const lines = new Lines(driver.stdout);
  const line = await lines.next();
  if (!line?.startsWith("child ")) {
    assert.fail(`Driver said ${line}: ${await textOf(driver.stderr)}`);
  }
  const pid = Number(line.slice("child ".length));
  const tool = Number(await readFile(file, "utf8"));
  try {
    // The watchdog is started after the child, without waiting for it.
    if (watchdogMs !== undefined) await watchdogOf(driver.pid);
    end(driver);
    await driver.exited;
    assert.ok(await isGoneWithin(BOUND_MS, pid), "the child is gone");
    assert.ok(await isGoneWithin(BOUND_MS, tool), "the tool is gone");
  } finally {
    for (const one of [pid, tool]) current.killPid(one, "SIGKILL");
    await lines.cancel();
    await release(driver);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits for the watchdog of a host; it may have ended before, with the host. */
async function watchdogOf(pid: number): Promise<number | undefined> {
  while (isRunning(pid)) {
    const watchdog = current.processes().find((one) => {
      if (one.parent !== pid) return false;
      return commandOf(one.pid).includes("sluice-watchdog");
    });
    if (watchdog !== undefined) return watchdog.pid;
    await sleep(5);
  }
  return undefined;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

const SIGNALS: readonly HostSignal[] = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
];

for (const how of ["exit", "throw", "reject"]) {
  test(`A host that ends by ${how} leaves no tool behind`, async () => {
    for (let n = 0; n < ROUNDS; n++) await leavesNothing({ how, text: BUSY });
  }, { skip, ids: ["P-06"], timeoutMs: ROUNDS_TIMEOUT_MS });
}

for (const signal of [...SIGNALS, "SIGKILL"] as const) {
  test(`A host that dies of ${signal} leaves no tool behind`, async () => {
    for (let n = 0; n < ROUNDS; n++) {
      await leavesNothing({ text: BUSY }, (driver) => driver.kill(signal));
    }
  }, { skip, ids: ["P-06"], timeoutMs: ROUNDS_TIMEOUT_MS });
}

for (
  const [what, text] of [["ignores signals", STUBBORN], ["is stopped", STOPPED]]
) {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    test(
      `A host that dies of ${signal} leaves nothing of a child that ${what}`,
      async () => {
        await leavesNothing(
          { text: `${text}` },
          (driver) => driver.kill(signal),
        );
      },
      { skip, ids: ["P-06"] },
    );
  }

  test(
    `A host that dies of SIGTERM leaves nothing of a child that ${what}, without a watchdog too`,
    async () => {
      await leavesNothing(
        { text: `${text}`, watchdogMs: undefined },
        (driver) => driver.kill("SIGTERM"),
      );
    },
    { skip, ids: ["P-06"] },
  );
}

for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
  test(
    `A host whose whole process group gets ${signal} leaves no tool behind`,
    async () => {
      await leavesNothing(
        { text: BUSY },
        ({ pid }) => process.kill(-pid, signal),
      );
    },
    { skip },
  );
}

test(
  "A host that is killed as soon as it has a child leaves nothing behind",
  async () => {
    const module = new URL("../fixtures/host_driver.ts", import.meta.url);
    const text = "while :; do sleep 0.02; done";
    const driver = await current.spawn(
      fixture(module, "die", text, "forward", `${WATCHDOG_MS}`),
    );
    const said = await textOf(driver.stdout);
    const pid = Number(/^child (\d+)\n$/.exec(said)?.[1]);
    assert.ok(await isGoneWithin(BOUND_MS, pid), `process ${pid} is gone`);
    await release(driver);
  },
  { skip },
);

test("A host that is killed leaves no daemon of its child behind", async () => {
  await leavesNothing({ text: DAEMON }, (driver) => driver.kill("SIGKILL"));
}, { skip });

test(
  "A host that is killed leaves no daemon of a child that was over before it",
  async () => {
    const text = DAEMON.replace("cat; exit 0", "exit 0");
    await leavesNothing(
      { how: "left", text },
      (driver) => driver.kill("SIGKILL"),
    );
  },
  { skip },
);

test(
  "A host that dies of a signal which it keeps from its child leaves nothing behind",
  async () => {
    await leavesNothing(
      { text: BUSY, forward: "keep" },
      (driver) => driver.kill("SIGINT"),
    );
  },
  { skip },
);
