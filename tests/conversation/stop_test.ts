import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import {
  type ChildHandle,
  closesDownTo,
  fixture,
  host,
  isGoneWithin,
  isRunning,
  Lines,
  needsProc,
  openDescriptors,
  ownChildren,
  release,
} from "../_children.ts";
import { query } from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { isRequest, memoryCli, resultLine, turns } from "./_rig.ts";

test(
  "close() of an idle conversation closes stdin and needs no signal",
  async () => {
    const fake = fakeCli({});
    const conversation = query(new ReadableStream<string>(), {
      cliPath: fake.cliPath,
    });
    await conversation.ready;
    await conversation.close();
    const [run] = fake.runs;
    assert.equal(run?.hasStdinEnded, true);
    assert.deepEqual(run?.signals, []);
    assert.equal(run?.exitCode, 0);
    assert.equal(run?.received.some(isRequest("interrupt")), false);
    await fake.close();
  },
  { ids: ["P-12", "P-13"] },
);

test(
  "close() while a turn runs interrupts it first, then closes stdin",
  async () => {
    const fake = fakeCli([["a", { wait: "forever" }]]);
    const conversation = query("x", { cliPath: fake.cliPath });
    for await (const message of conversation) {
      if (message.type === "assistant") break;
    }
    const [run] = fake.runs;
    assert.ok(
      run?.received.at(-1) && isRequest("interrupt")(run.received.at(-1)!),
    );
    assert.equal(run?.hasStdinEnded, true);
    assert.deepEqual(run?.signals, []);
    // Interrupted, its last result is an error.
    assert.equal(run?.exitCode, 1);
    await fake.close();
  },
  { ids: ["P-12", "P-13"] },
);

test(
  "close() sends SIGTERM at shutdown.graceMs to a CLI that ignores the end of stdin",
  async () => {
    const fake = fakeCli({ turns: "ok", onStdinEnd: "ignore" });
    const conversation = query("x", {
      cliPath: fake.cliPath,
      shutdown: { graceMs: 300, killMs: 10_000 },
    });
    await conversation.ready;
    const began = performance.now();
    await conversation.close();
    const tookMs = performance.now() - began;
    assert.ok(tookMs >= 295 && tookMs < 9_900, `took ${tookMs} ms`);
    const [run] = fake.runs;
    assert.equal(run?.hasStdinEnded, true);
    assert.deepEqual(run?.signals, ["SIGTERM"]);
    assert.equal(run?.exitCode, 143);
    await fake.close();
  },
  { ids: ["P-14"] },
);

test(
  "close() sends SIGKILL at shutdown.killMs to a CLI that ignores everything, and is bounded by it",
  async () => {
    const fake = fakeCli({
      turns: [["a", { wait: "forever" }]],
      onStdinEnd: "ignore",
      onSigterm: "ignore",
      onInterrupt: "ignore",
    });
    const clock = new FakeClock();
    const conversation = query("x", {
      cliPath: fake.cliPath,
      clock,
      shutdown: { graceMs: 200, killMs: 500 },
    });
    await conversation.ready;
    const { pid = 0 } = conversation;
    const closing = conversation.close();
    await fake.until(([run]) => run?.hasStdinEnded === true);
    await clock.advance(199);
    assert.deepEqual(fake.runs[0]?.signals, []);
    await clock.advance(1);
    await fake.until(([run]) => run?.signals.length === 1);
    await clock.advance(299);
    assert.equal(isRunning(pid), true);
    await clock.advance(1);
    await closing;
    assert.equal(isRunning(pid), false);
    const [run] = fake.runs;
    assert.deepEqual(run?.signals, ["SIGTERM"]);
    assert.equal(run?.exitCode, undefined, "killed");
    await fake.close();
  },
  { skip: needsProc, ids: ["P-15", "P-17", "P-07", "QA-01"] },
);

test(
  "close() is bounded when a custom transport never stops",
  async () => {
    const { transport } = memoryCli();
    const conversation = query("x", {
      transport: {
        open: async (launch, signal) => ({
          ...await transport.open(launch, signal),
          stop: () => new Promise<never>(() => {}),
        }),
      },
      shutdown: { graceMs: 10, killMs: 20 },
    });
    await conversation.ready;
    const began = performance.now();
    await conversation.close();
    assert.ok(performance.now() - began < 10_000);
  },
  { ids: ["P-17"] },
);

test("close() rejects with the one failure of a transport that cannot stop", async () => {
  const { transport } = memoryCli();
  const boom = new Error("Container is stuck");
  const conversation = query("x", {
    transport: {
      open: async (launch, signal) => ({
        ...await transport.open(launch, signal),
        stop: () => Promise.reject(boom),
      }),
    },
  });
  await conversation.ready;
  await assert.rejects(
    conversation.close(),
    (error: Error) =>
      error.cause === boom && /CLI process.*stuck/.test(error.message),
  );
});

for (
  const [how, stop] of [
    ["rejects", () => Promise.reject(new Error("Container is stuck"))],
    ["throws", () => {
      throw new Error("Container is stuck");
    }],
  ] as const
) {
  test(`a conversation whose output has ended is over also when stop() of its transport ${how}`, async () => {
    const clock = new FakeClock();
    const { transport, peer } = memoryCli();
    const conversation = query("x", {
      transport: {
        open: async (launch, signal) => ({
          ...await transport.open(launch, signal),
          exited: new Promise<never>(() => {}),
          stop,
        }),
      },
      clock,
    });
    const reading = collect(conversation);
    await conversation.ready;
    await peer.send(resultLine());
    peer.end();
    await turns(3);
    await clock.advance(1_000);
    assert.equal((await reading).error, undefined);
    await assert.rejects(conversation.close(), /CLI process.*stuck/);
  });
}

test("a CLI that does not exit after stdin was closed is given up also when its transport cannot stop it", async () => {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli({}, { staysOpen: true });
  const conversation = query("x", {
    transport: {
      open: async (launch, signal) => ({
        ...await transport.open(launch, signal),
        stop: () => Promise.reject(new Error("Container is stuck")),
      }),
    },
    clock,
  });
  const reading = collect(conversation);
  await conversation.ready;
  await peer.send(resultLine());
  await peer.inputEnded();
  await clock.advance(150_000);
  await turns(3);
  await clock.advance(1_000);
  assert.equal((await reading).error, undefined);
  await assert.rejects(conversation.close(), /CLI process.*stuck/);
});

test("an exit that a transport does not know is not an unhandled rejection", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", {
    transport: {
      open: async (launch, signal) => {
        const channel = await transport.open(launch, signal);
        const exited = channel.exited.then(() => {
          throw new Error("Lost the connection");
        });
        return { ...channel, exited };
      },
    },
  });
  const reading = collect(conversation);
  await conversation.ready;
  await peer.send(resultLine());
  peer.end();
  assert.equal((await reading).error, undefined);
  await conversation.close();
});

test(
  "10 conversations of every kind leave no process and no descriptor behind",
  async () => {
    const fakes = [
      fakeCli("ok"),
      fakeCli([["a", { exit: 3 }]]),
      fakeCli({ initialize: { error: "no" } }),
      fakeCli({ start: [{ exit: 1 }] }),
      fakeCli([["a", { wait: "forever" }]]),
    ];
    const children = ownChildren().length;
    await collect(query("warm up", { cliPath: fakes[0]?.cliPath ?? "" }));
    const descriptors = openDescriptors();
    for (let round = 0; round < 2; round++) {
      await Promise.all(fakes.map(async ({ cliPath }, at) => {
        const conversation = query("x", { cliPath });
        if (at < 4) await collect(conversation);
        else await conversation.ready;
        await conversation.close();
      }));
    }
    assert.equal(ownChildren().length, children);
    assert.ok(
      await closesDownTo(descriptors + 2),
      `${openDescriptors()} open, ${descriptors} before`,
    );
    for (const fake of fakes) await fake.close();
  },
  { skip: needsProc, ids: ["P-02", "P-03", "P-16"] },
);

test("conversations leave no listener on the process behind", async () => {
  const events = ["SIGINT", "SIGTERM", "exit", "beforeExit"];
  const count = () => events.map((event) => process.listenerCount(event));
  const { cliPath } = fakeCli("ok");
  const before = count();
  for (let round = 0; round < 5; round++) {
    await query("x", { cliPath }).text();
  }
  const conversation = query("x", { cliPath });
  await conversation.ready;
  await conversation.close();
  assert.deepEqual(count(), before);
}, { ids: ["P-05"] });

test(
  "shutdown.guardProcess and shutdown.ownProcessGroup decide what runs beside and below this program",
  async () => {
    const fake = fakeCli([["a", { wait: "forever" }]]);
    const groupOf = (pid: number) =>
      Number(
        readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "")
          .split(" ")[2],
      );
    const hasGuard = () =>
      ownChildren().some((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("sluice-watchdog")
      );
    // One of a test before may still be about to end.
    const guardIs = async (isThere: boolean) => {
      while (hasGuard() !== isThere) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    for (const isOn of [false, true]) {
      const conversation = query("x", {
        cliPath: fake.cliPath,
        shutdown: { guardProcess: isOn, ownProcessGroup: isOn },
      });
      await conversation.ready;
      const { pid = 0 } = conversation;
      assert.equal(groupOf(pid) === pid, isOn);
      await guardIs(isOn);
      await conversation.close();
      await guardIs(false);
    }
    await fake.close();
  },
  { skip: needsProc },
);

const DRIVER = new URL("../fixtures/conversation_driver.ts", import.meta.url);

/** Runs a program that holds a conversation; `use` gets it, the id of its CLI and the folder of the fake one. */
async function drive(
  args: readonly string[],
  use: (driven: {
    readonly child: ChildHandle;
    readonly lines: Lines;
    readonly pid: number;
    readonly folder: string;
  }) => Promise<void>,
): Promise<void> {
  const child = await (await host()).spawn(fixture(DRIVER, ...args));
  const lines = new Lines(child.stdout);
  const pid = Number(await lines.next());
  const folder = String(await lines.next());
  try {
    await use({ child, lines, pid, folder });
  } finally {
    await lines.cancel();
    await release(child);
    await rm(folder, { recursive: true, force: true });
  }
}

test(
  "SIGTERM to this program reaches the CLI with shutdown.forwardSignals, and not without",
  async () => {
    for (const forwards of [true, false]) {
      await drive(["wait", `${forwards}`], async ({ child, pid, folder }) => {
        assert.ok(isRunning(pid));
        child.kill("SIGTERM");
        const { signal } = await child.exited;
        assert.equal(signal, "SIGTERM", "it dies as it would have");
        // Without the signal it ends with its stdin.
        assert.ok(await isGoneWithin(10_000, pid));
        const record = await readFile(join(folder, "log.jsonl"), "utf8");
        assert.equal(record.includes('"SIGTERM"'), forwards);
      });
    }
  },
  { skip: needsProc, ids: ["P-04"] },
);

test(
  "the end of this program, by exit or by a throw, ends the CLI",
  async () => {
    for (const how of ["exit", "throw"]) {
      await drive([how], async ({ child, pid }) => {
        await child.exited;
        assert.ok(await isGoneWithin(10_000, pid), how);
      });
    }
  },
  { skip: needsProc, ids: ["P-06"] },
);

test(
  "a program ends on its own after a conversation that was not closed",
  async () => {
    await drive(["finish"], async ({ child, lines, pid }) => {
      assert.equal(await lines.next(), "done");
      const began = performance.now();
      assert.equal((await child.exited).code, 0);
      assert.ok(performance.now() - began < 5_000);
      assert.equal(isRunning(pid), false);
    });
  },
  { skip: needsProc, ids: ["P-11"] },
);
