import assert from "node:assert/strict";
import { Stop } from "../src/machine.ts";
import { messageWriter } from "../src/messages.ts";
import { type JobRecord, PLACES } from "../src/record.ts";
import { leaveSlots, takeSlots } from "../src/slots.ts";
import { sealingWith } from "../src/sealing.ts";
import { Store } from "../src/store.ts";
import type { Message } from "@sluice/agent";
import { outcomes, test, until } from "./_fleet.ts";
import { faultyCli as fakeCli } from "../../tests/_faulty_cli.ts";

const MESSAGE = { type: "system", subtype: "x" } as unknown as Message;
const isFenced = (error: unknown) =>
  error instanceof Stop && error.kind === "fenced";

test("Once a later attempt has begun its log, an earlier one can neither add to it nor take it over", async (rig) => {
  const engine = await rig.engine();
  const store = new Store(engine, await sealingWith(undefined));
  const first = await messageWriter(store, "a", 1);
  await first.add(MESSAGE);
  await first.flush();
  const second = await messageWriter(store, "a", 2);
  await first.add(MESSAGE);
  await assert.rejects(first.flush(), isFenced);
  await assert.rejects(first.add(MESSAGE), isFenced);
  await assert.rejects(messageWriter(store, "a", 1), isFenced);
  await second.add(MESSAGE);
  await second.flush();
  const numbers: unknown[] = [];
  for (let after = 0;;) {
    const entry = await store.read<
      { first: number; attempt: number; messages: readonly unknown[] }
    >(PLACES.messages("a"), after);
    if (entry === undefined) break;
    after = entry.place;
    const { first, attempt, messages } = entry.value;
    if (messages.length > 0) numbers.push([first, attempt]);
  }
  assert.deepEqual(numbers, [[1, 1], [2, 2]]);
});

test("A job that has just taken its slot keeps it before it runs, and one that gets not all of them keeps none", async (rig) => {
  const engine = await rig.engine();
  const store = new Store(engine, await sealingWith(undefined));
  const job = (id: string, more: Partial<JobRecord>) =>
    ({ id, ...more }) as JobRecord;
  const first = job("first", { name: "n" });
  await store.change(PLACES.limit("n"), () => ({ name: "n", most: 1 }));
  // No row says yet that it runs.
  assert.equal((await takeSlots(store, first))?.length, 1);
  const second = job("second", { name: "n", key: "k" });
  assert.equal(await takeSlots(store, second), undefined);
  // Its slot of the key is free again.
  const third = job("third", { key: "k" });
  assert.equal((await takeSlots(store, third))?.length, 1);
  assert.equal(await takeSlots(store, second), undefined);
  // A job takes what it has already.
  assert.equal((await takeSlots(store, first))?.length, 1);
  await leaveSlots(store, first);
  await leaveSlots(store, third);
  assert.equal((await takeSlots(store, second))?.length, 2);
});

test("Attempts that were given back or let go do not count, those that failed do", async (rig) => {
  const fleet = await rig.fleet();
  const hold = [["Begun.", { wait: "forever" }]] as const;
  const fake = fakeCli({
    runs: [
      hold,
      "let go",
      hold,
      [[{ kill: "SIGKILL" }]],
    ],
  });
  const job = await fleet.submit("x", {
    maxAttempts: 1,
    open: true,
    idleMs: 0,
    options: { cliPath: fake.cliPath },
  });
  for (const count of [1, 3]) {
    const worker = await fleet.work({ drainMs: 0 });
    await fake.until((runs) => runs.length === count);
    const before = await job.status();
    if (before.state === "running" && count === 3) {
      await fake.receivedLine((line) => line["type"] === "user");
    }
    await worker.drain();
    if (count === 3) break;
    const next = await fleet.work();
    await until(job, ({ state }) => state === "waiting");
    await next.drain();
    await job.send("more");
  }
  await fleet.work();
  await assert.rejects(job.result(), { state: "dead" });
  assert.deepEqual(outcomes(await job.status()), [
    "released",
    "waiting",
    "released",
    "failed",
  ]);
});
