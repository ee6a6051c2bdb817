import assert from "node:assert/strict";
import type { Engine, Lease, Row } from "../src/engine.ts";
import { ClosedError } from "@sluice/agent";

/** Engine of a case, with functions that kill and restart its server. */
export interface EngineRig {
  /** Another connection to the same fleet. */
  connect(): Promise<Engine>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Behaviour required of every engine; each case gets a server without data. */
export const ENGINE_CASES: readonly {
  readonly name: string;
  readonly run: (engine: Engine, rig: EngineRig) => Promise<void>;
}[] = [
  {
    name: "a row changes only with its revision",
    async run(engine) {
      assert.equal(await engine.get(["a", "b"]), undefined);
      const first = await engine.put(["a", "b"], bytes("1"), 0) ?? 0;
      assert.ok(first > 0);
      assert.equal(await engine.put(["a", "b"], bytes("2"), 0), undefined);
      const second = await engine.put(["a", "b"], bytes("2"), first) ?? 0;
      assert.ok(second !== first && second > 0);
      assert.equal(await engine.put(["a", "b"], bytes("3"), first), undefined);
      const row = await engine.get(["a", "b"]);
      assert.equal(row && text(row), "2");
      assert.equal(row?.revision, second);
    },
  },
  {
    name: "of twenty that write a row at the same time one succeeds",
    async run(engine, rig) {
      const other = await rig.connect();
      const all = await Promise.all(
        Array.from(
          { length: 20 },
          (_, at) =>
            (at % 2 === 0 ? engine : other).put(["x"], bytes(`${at}`), 0),
        ),
      );
      assert.equal(all.filter((one) => one !== undefined).length, 1);
      assert.equal((await engine.get(["x"]))?.revision, all.find(Boolean));
    },
  },
  {
    name: "rows are listed by their path, whatever characters it has",
    async run(engine) {
      const names = ["plain", "a.b", "a b", "*", ">", "ä/ö", "", "=", "A=20b"];
      for (const name of names) await engine.put(["job", name], bytes(name), 0);
      await engine.put(["jobs", "other"], bytes("other"), 0);
      const found = await rowsOf(engine, ["job"]);
      assert.deepEqual(
        found.map(({ path }) => path[1]).toSorted(),
        names.toSorted(),
      );
      for (const row of found) assert.equal(text(row), row.path[1]);
      assert.deepEqual(
        (await engine.paths(["job"])).map(([, name]) => name).toSorted(),
        names.toSorted(),
      );
      await engine.remove("row", ["job", "plain"]);
      assert.equal((await engine.paths(["job"])).length, names.length - 1);
      assert.deepEqual(await engine.paths(["none"]), []);
      assert.deepEqual(await rowsOf(engine, ["none"]), []);
    },
  },
  {
    name: "what is removed is gone with all below it, and may be made anew",
    async run(engine) {
      await engine.put(["a"], bytes("1"), 0);
      await engine.put(["a", "b"], bytes("2"), 0);
      await engine.put(["ab"], bytes("3"), 0);
      await engine.append(["a", "log"], bytes("1"), 0);
      await engine.remove("row", ["a"]);
      await engine.remove("log", ["a"]);
      await engine.remove("row", ["nothing"]);
      assert.equal(await engine.get(["a"]), undefined);
      assert.equal(await engine.get(["a", "b"]), undefined);
      assert.equal(await engine.read(["a", "log"], 0), undefined);
      assert.ok(await engine.get(["ab"]));
      assert.ok(await engine.put(["a"], bytes("4"), 0));
      assert.ok(await engine.append(["a", "log"], bytes("1"), 0));
    },
  },
  {
    name:
      "a log keeps its order, and accepts an entry only with the place of the newest",
    async run(engine, rig) {
      const other = await rig.connect();
      const log = ["job", "1", "log"];
      assert.equal(await engine.newest(log), undefined);
      let after = 0;
      for (const word of ["a", "b", "c"]) {
        // Others write to logs of their own meanwhile.
        await engine.append(["job", "2", word], bytes(word), 0);
        after = await engine.append(log, bytes(word), after) ?? -1;
        assert.ok(after > 0);
      }
      assert.equal(await other.append(log, bytes("x"), 0), undefined);
      assert.equal(await other.append(log, bytes("x"), after - 1), undefined);
      const read: string[] = [];
      for (let at = 0;;) {
        const entry = await other.read(log, at);
        if (entry === undefined) break;
        at = entry.place;
        read.push(text(entry));
      }
      assert.deepEqual(read, ["a", "b", "c"]);
      assert.equal((await engine.newest(log))?.place, after);
    },
  },
  {
    name: "a value may have any bytes, none, and as many as the engine says",
    async run(engine) {
      const all = Uint8Array.from({ length: 256 }, (_, at) => at);
      await engine.put(["all"], all, 0);
      assert.deepEqual((await engine.get(["all"]))?.value, all);
      await engine.put(["none"], new Uint8Array(0), 0);
      assert.equal((await engine.get(["none"]))?.value.length, 0);
      const large = new Uint8Array(engine.maxBytes).fill(7);
      await engine.append(["large"], large, 0);
      assert.equal(
        (await engine.read(["large"], 0))?.value.length,
        large.length,
      );
      await assert.rejects(
        async () =>
          await engine.put(["more"], new Uint8Array(engine.maxBytes + 1), 0),
        { name: "FleetError", fault: "settings" },
      );
    },
  },
  {
    name:
      "the queue gives the highest lane first, each once, until it is done with",
    async run(engine) {
      assert.equal(await engine.take(), undefined);
      await engine.push("low", bytes("l"), "1");
      await engine.push("normal", bytes("n"), "2");
      await engine.push("high", bytes("h"), "3");
      await engine.push("high", bytes("h"), "3");
      assert.equal(await engine.depth(), 3);
      const leases = [
        await taken(engine),
        await taken(engine),
        await taken(engine),
      ];
      assert.deepEqual(leases.map(text), ["h", "n", "l"]);
      assert.equal(await engine.take(), undefined);
      for (const lease of leases) await lease.done();
      await untilEmpty(engine);
    },
  },
  {
    name: "what is put off comes back after its time, not before",
    async run(engine) {
      await engine.push("normal", bytes("1"), "1");
      const began = performance.now();
      await (await taken(engine)).later(300);
      assert.equal(await engine.take(), undefined);
      const again = await untilTaken(engine);
      assert.ok(performance.now() - began >= 290);
      await again.done();
    },
  },
  {
    name: "a lease that is not extended ends, one that is extended holds",
    async run(engine, rig) {
      const other = await rig.connect();
      await engine.push("normal", bytes("lost"), "1");
      await engine.push("normal", bytes("held"), "2");
      const lost = await taken(engine);
      const held = await taken(engine);
      assert.deepEqual([text(lost), text(held)], ["lost", "held"]);
      const ended = new AbortController();
      const extend = () => void held.extend(ended.signal);
      const timer = setInterval(extend, engine.leaseMs / 4);
      try {
        const again = await untilTaken(other);
        assert.equal(text(again), "lost");
        await again.done();
        assert.equal(await other.take(), undefined);
      } finally {
        clearInterval(timer);
      }
      await held.done();
      await untilEmpty(engine);
    },
  },
  {
    name:
      "a lease tells how long it surely holds, by the clock of this machine, and longer when it is extended",
    async run(engine) {
      const { signal } = new AbortController();
      const before = performance.now();
      await engine.push("normal", bytes("1"), "1");
      const lease = await taken(engine);
      const since = performance.now() - before;
      const left = lease.leftMs();
      // It counts from before the server was asked.
      assert.ok(left < engine.leaseMs && left >= engine.leaseMs - since - 1);
      // Round trips use some of it up.
      while (lease.leftMs() > left - 20) await engine.get(["x"]);
      const asked = performance.now();
      await lease.extend(signal);
      const most = engine.leaseMs - (performance.now() - asked);
      assert.ok(lease.leftMs() >= most - 1, `${lease.leftMs()} of ${most}`);
      assert.ok(lease.leftMs() < engine.leaseMs);
      await lease.extend(AbortSignal.abort());
      await lease.done();
    },
  },
  {
    name: "a signal wakes its listeners, on any connection, and no others",
    async run(engine, rig) {
      const other = await rig.connect();
      let wrong = 0;
      const leave = other.listen(["job", "2"], () => wrong++);
      const woken = new Promise<void>((resolve) => {
        other.listen(["job", "1.*"], resolve);
      });
      // The server knows of the listener when it has answered what came after.
      await other.get(["x"]);
      engine.signal(["job", "1.*"]);
      await woken;
      assert.equal(wrong, 0);
      leave();
    },
  },
  {
    name: "acknowledged data survives a killed server, and calls continue",
    async run(engine, rig) {
      const log = ["log"];
      let after = 0;
      for (let at = 0; at < 20; at++) {
        after = await engine.append(log, bytes(`${at}`), after) ?? -1;
      }
      const revision = await engine.put(["row"], bytes("1"), 0) ?? 0;
      await engine.push("normal", bytes("1"), "1");
      await (await taken(engine)).done();
      await engine.push("normal", bytes("2"), "2");
      await rig.kill();
      const appended = engine.append(log, bytes("20"), after);
      const put = engine.put(["row"], bytes("2"), revision);
      await rig.start();
      after = await appended ?? -1;
      assert.ok(after > 0 && await put);
      assert.equal(await engine.append(log, bytes("x"), after - 1), undefined);
      assert.equal((await engine.newest(log))?.place, after);
      const lease = await untilTaken(engine);
      assert.equal(text(lease), "2");
      await lease.done();
      await untilEmpty(engine);
    },
  },
  {
    name: "after close() every call rejects, one that waits for the server too",
    async run(_engine, rig) {
      const engine = await rig.connect();
      await rig.kill();
      const waiting = assert.rejects(engine.get(["x"]), ClosedError);
      await engine.close();
      await waiting;
      await assert.rejects(engine.put(["x"], bytes("1"), 0), ClosedError);
      engine.signal(["x"]);
      await engine.close();
    },
  },
];

function bytes(of: string): Uint8Array {
  return new TextEncoder().encode(of);
}

function text({ value }: { readonly value: Uint8Array }): string {
  return new TextDecoder().decode(value);
}

async function rowsOf(engine: Engine, path: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of engine.rows(path)) rows.push(row);
  return rows;
}

async function taken(engine: Engine): Promise<Lease> {
  const lease = await engine.take();
  assert.ok(lease);
  return lease;
}

/** No signal comes when a time on the server passes, so this polls. */
async function untilTaken(engine: Engine): Promise<Lease> {
  for (;;) {
    const lease = await engine.take();
    if (lease !== undefined) return lease;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Several servers take what is done with out one after the other. */
async function untilEmpty(engine: Engine): Promise<void> {
  while (await engine.depth() > 0) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
