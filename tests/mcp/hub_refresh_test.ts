import assert from "node:assert/strict";
import { FakeClock } from "@sluice/agent/testing";
import type { Catalog } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import {
  hang,
  InstantClock,
  listed,
  MemoryServer,
  turn,
  until,
  withHub,
} from "./_hub.ts";

const CHANGED = "notifications/tools/list_changed";

/** Runs with a hub over two servers, whose clock stands still. */
async function withChanging(
  run: (parts: {
    readonly hub: Parameters<Parameters<typeof withHub>[1]>[0];
    readonly a: MemoryServer;
    readonly b: MemoryServer;
    readonly clock: FakeClock;
    readonly told: readonly Catalog[];
    readonly warnings: readonly string[];
  }) => Promise<void>,
): Promise<void> {
  const [a, b] = [new MemoryServer("x"), new MemoryServer("y")];
  const clock = new FakeClock();
  const told: Catalog[] = [];
  await withHub(
    { a, b },
    (hub, warnings) => run({ hub, a, b, clock, told, warnings }),
    { clock, onListChanged: (catalog) => told.push(catalog) },
  );
}

test("a changed list becomes a new revision", async () => {
  await withChanging(async ({ hub, a, b, clock, told }) => {
    const old = hub.catalog();
    const text = JSON.stringify(old);
    a.tools = [...a.tools, listed("new")];
    a.say(CHANGED);
    await clock.advance(100);
    const now = hub.catalog();
    assert.equal(now.revision, old.revision + 1);
    assert.deepEqual(
      now.tools.map(({ name }) => name),
      ["a__new", "a__x", "b__y"],
    );
    assert.equal(JSON.stringify(old), text);
    assert.deepEqual(told, [now]);
    assert.equal(told[0], now);
    // That server alone was asked.
    assert.deepEqual([a.count("tools/list"), b.count("tools/list")], [2, 1]);
    assert.equal((await hub.call("a__new")).isError, false);
  });
}, { ids: ["DEC-11"] });

test("a change that changes nothing is a new revision too", async () => {
  await withChanging(async ({ hub, a, clock, told }) => {
    a.say(CHANGED);
    await clock.advance(100);
    assert.equal(hub.catalog().revision, 2);
    assert.equal(told.length, 1);
  });
}, { ids: ["DEC-11"] });

test("several changes in a row are read once, 50 to 100 ms after the first", async () => {
  await withChanging(async ({ hub, a, clock, told }) => {
    for (let i = 0; i < 5; i++) a.say(CHANGED);
    await clock.advance(49);
    assert.equal(a.count("tools/list"), 1);
    a.say(CHANGED);
    await clock.advance(51);
    assert.equal(a.count("tools/list"), 2);
    await clock.advance(10_000);
    assert.equal(a.count("tools/list"), 2);
    assert.equal(told.length, 1);
    assert.equal(hub.catalog().revision, 2);
    assert.equal(clock.pending, 0);
  });
});

test("a change during a reading is read after it", async () => {
  await withChanging(async ({ hub, a, clock, told }) => {
    let answer = () => {};
    a.answers["tools/list"] = () =>
      new Promise((resolve) => {
        answer = () => resolve({ tools: [listed("second")] });
      });
    a.say(CHANGED);
    await clock.advance(100);
    a.say(CHANGED);
    a.tools = [listed("third")];
    delete a.answers["tools/list"];
    answer();
    await clock.advance(0);
    assert.equal(hub.catalog().byServer.a?.[0]?.tool, "second");
    await clock.advance(100);
    assert.equal(hub.catalog().byServer.a?.[0]?.tool, "third");
    assert.deepEqual(told.map(({ revision }) => revision), [2, 3]);
  });
});

test("a list that cannot be read again keeps the old one, and is reported", async () => {
  const a = new MemoryServer("x");
  const told: Catalog[] = [];
  await withHub({ a }, async (hub, warnings) => {
    const old = hub.catalog();
    for (const text of ["list is broken", "list is broken", "worse"]) {
      a.answers["tools/list"] = () => Promise.reject(new Error(text));
      const before = a.count("tools/list");
      a.say(CHANGED);
      await until(() => a.count("tools/list") === before + 5);
      await turn();
    }
    assert.equal(hub.catalog(), old);
    assert.deepEqual(told, []);
    const start =
      'Tools of MCP server "a" could not be read again, the old ones stay: MCP server "a" is not available for tools/list after 5 attempts: ';
    // The same text twice says no more.
    assert.deepEqual(warnings, [`${start}list is broken`, `${start}worse`]);
    delete a.answers["tools/list"];
    a.say(CHANGED);
    await until(() => hub.catalog().revision === 2);
    await hub.call("a__x");
  }, {
    clock: new InstantClock(),
    onListChanged: (catalog) => told.push(catalog),
  });
});

test("a slow reading never replaces a newer one", async () => {
  const a = new MemoryServer("x");
  await withHub({ a }, async (hub) => {
    let answerSlow = () => {};
    a.answers["tools/list"] = () =>
      new Promise((resolve) => {
        answerSlow = () => resolve({ tools: [listed("stale")] });
      });
    const slow = hub.tools("a");
    await until(() => a.count("tools/list") === 2);
    a.answers["tools/list"] = () => ({ tools: [listed("fresh")] });
    await hub.tools("a");
    answerSlow();
    assert.deepEqual((await slow).map(({ tool }) => tool), ["fresh"]);
    assert.equal(hub.catalog().tools[0]?.tool, "fresh");
  });
});

test("close() ends a reading that waits, and one that runs", async () => {
  const a = new MemoryServer("x");
  const clock = new FakeClock();
  await withHub({ a }, async (hub) => {
    a.say(CHANGED);
    await clock.untilPending();
    await hub.close();
    assert.equal(clock.pending, 0);
  }, { clock });
  const b = new MemoryServer("x");
  await withHub({ b }, async (hub, warnings) => {
    b.answers["tools/list"] = hang;
    b.say(CHANGED);
    await until(() => b.count("tools/list") === 2);
    await hub.close();
    assert.deepEqual(warnings, []);
  }, { clock: new InstantClock() });
});

test("a server that came back has its tools read again; the same ones are no change", async () => {
  const a = new MemoryServer("x");
  await withHub({ a }, async (hub) => {
    a.die();
    await turn();
    await hub.call("a__x");
    await until(() => a.count("tools/list") === 2);
    await turn();
    assert.equal(hub.catalog().revision, 1);
    a.die();
    a.tools = [listed("x"), listed("z")];
    await turn();
    await hub.call("a__x");
    await until(() => hub.catalog().revision === 2);
    assert.equal(hub.catalog().tools.length, 2);
  });
});

test("refresher() reads a list that never rests ever more rarely", async () => {
  await withChanging(async ({ hub, a, clock }) => {
    const times: number[] = [];
    a.answers["tools/list"] = () => {
      times.push(clock.now());
      a.say(CHANGED);
      return { tools: a.tools };
    };
    a.say(CHANGED);
    await clock.advance(60_000);
    const pauses = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    assert.deepEqual(pauses.slice(0, 8), [75, 75, 75, 75, 75, 75, 75, 75]);
    assert.deepEqual(pauses.slice(8, 12), [150, 300, 600, 1_200]);
    assert.ok(pauses.slice(15).every((pause) => pause === 5_000));
    assert.ok(times.length < 35, `${times.length} readings`);
    await hub.close();
    await clock.advance(0);
    assert.equal(clock.pending, 0);
  });
});

test("refresher() reads at once again after a rest", async () => {
  await withChanging(async ({ a, clock }) => {
    const times: number[] = [];
    a.answers["tools/list"] = () => {
      times.push(clock.now());
      return { tools: a.tools };
    };
    for (let i = 0; i < 30; i++) {
      const askedAt = clock.now();
      a.say(CHANGED);
      await clock.advance(3_000);
      assert.equal((times.at(-1) ?? 0) - askedAt, 75);
    }
  });
});
