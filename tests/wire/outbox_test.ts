import assert from "node:assert/strict";
import { test } from "../_harness.ts";
import { isSettled, nextTurn } from "../_turn.ts";
import { randomFrom } from "../options/_random.ts";
import { HandSink, OpenSink, outboxRig } from "./_sink.ts";

test(
  "Outbox writes what is added in one turn in one write, in the order of the calls",
  async () => {
    const { outbox, written } = outboxRig();
    const sink = new HandSink();
    outbox.connect(sink);
    const sent = outbox.send("1\n");
    outbox.post("2\n");
    outbox.send("3\n");
    assert.deepEqual(sink.writes, []);
    await nextTurn();
    assert.deepEqual(sink.writes, ["1\n2\n3\n"]);
    assert.equal(await isSettled(sent), false);
    sink.take();
    await sent;
    assert.deepEqual(written, [{ text: "1\n2\n3\n", lines: 3 }]);
  },
  { ids: ["C-03"] },
);

test(
  "Outbox has one write in flight, and sends what came meanwhile as the next",
  async () => {
    const { outbox } = outboxRig();
    const sink = new HandSink();
    outbox.connect(sink);
    const first = outbox.send("1\n");
    await nextTurn();
    const second = outbox.send("2\n");
    await nextTurn();
    const third = outbox.send("3\n");
    await nextTurn();
    assert.deepEqual(sink.writes, ["1\n"]);
    sink.take();
    await first;
    await nextTurn();
    assert.deepEqual(sink.writes, ["1\n", "2\n3\n"]);
    assert.equal(await isSettled(second), false);
    sink.take();
    await Promise.all([second, third]);
  },
  { ids: ["C-03"] },
);

test("Outbox keeps order and wholeness under random traffic", async () => {
  const random = randomFrom(71);
  const { outbox, deadlines } = outboxRig();
  const sink = new HandSink();
  outbox.connect(sink);
  const expected: string[] = [];
  const sent: Promise<void>[] = [];
  for (let i = 0; i < 500; i++) {
    const line = `${i}\n`;
    expected.push(line);
    if (random() < 0.5) outbox.post(line);
    else sent.push(outbox.send(line));
    if (random() < 0.2) outbox.hold();
    if (random() < 0.3) outbox.release();
    if (random() < 0.3) await Promise.resolve();
    if (sink.isBusy && random() < 0.3) sink.take();
  }
  outbox.release();
  const ended = outbox.end();
  while (!await isSettled(ended)) sink.take();
  await Promise.all(sent);
  assert.equal(sink.writes.join(""), expected.join(""));
  assert.ok(sink.writes.length < 500);
  assert.equal(sink.ends, 1);
  deadlines.close();
}, { ids: ["C-03"] });

test("Outbox.hold() gathers lines over turns until release(), which writes without waiting", async () => {
  const { outbox } = outboxRig();
  const sink = new HandSink();
  outbox.connect(sink);
  outbox.hold();
  outbox.post("1\n");
  await nextTurn();
  outbox.post("2\n");
  await nextTurn();
  assert.deepEqual(sink.writes, []);
  outbox.release();
  assert.deepEqual(sink.writes, ["1\n2\n"]);
  outbox.hold();
  outbox.release();
  assert.equal(sink.writes.length, 1);
});

test("Outbox.end() ends after everything that was added, once", async () => {
  const { outbox } = outboxRig();
  const sink = new HandSink();
  outbox.connect(sink);
  outbox.post("1\n");
  const ended = outbox.end();
  assert.deepEqual(sink.writes, ["1\n"]);
  outbox.post("2\n");
  assert.equal(outbox.end(), ended);
  sink.take();
  await nextTurn();
  assert.deepEqual(sink.writes, ["1\n", "2\n"]);
  assert.equal(sink.ends, 0);
  sink.take();
  await ended;
  await outbox.end();
  assert.equal(sink.ends, 1);
});

test("Outbox ends the input once, whatever happens while that is under way", async () => {
  const { outbox } = outboxRig();
  let ends = 0;
  let finish = () => {};
  outbox.connect({
    write: () => Promise.resolve(),
    end: () => {
      ends++;
      return new Promise((resolve) => finish = resolve);
    },
  });
  const ended = outbox.end();
  outbox.hold();
  outbox.release();
  outbox.end();
  await nextTurn();
  assert.equal(ends, 1);
  finish();
  await ended;
});

test("Outbox.end() never rejects, however the input ends", async () => {
  for (
    const end of [
      () => Promise.reject(new Error("gone")),
      () => {
        throw new Error("gone");
      },
    ]
  ) {
    const { outbox } = outboxRig();
    outbox.connect({ write: () => Promise.resolve(), end });
    await outbox.end();
  }
});

test("Outbox writes nothing after the end: a line is refused, an answer is lost", async () => {
  const { outbox, lost, clock } = outboxRig();
  const sink = new OpenSink();
  outbox.connect(sink);
  await outbox.end();
  await assert.rejects(outbox.send("1\n"), /Cannot write to the CLI/);
  assert.equal(lost.length, 0);
  outbox.post("2\n");
  await nextTurn();
  assert.equal(lost.length, 1);
  assert.deepEqual(sink.writes, []);
  await clock.advance(60_000);
  assert.equal(lost.length, 1);
});

test(
  "Outbox rejects what was in a failed write, and tells of lost answers once",
  async () => {
    const { outbox, lost, written } = outboxRig();
    const sink = new HandSink();
    outbox.connect(sink);
    const sent = outbox.send("1\n");
    outbox.post("2\n");
    outbox.post("3\n");
    const caught = assert.rejects(sent, (error: Error) => {
      assert.equal(error.message, "Cannot write to the CLI");
      assert.equal((error.cause as Error).message, "EPIPE");
      return true;
    });
    await nextTurn();
    const behind = outbox.send("4\n");
    sink.fail(new Error("EPIPE"));
    await caught;
    assert.equal(lost.length, 1);
    await nextTurn();
    sink.take();
    await behind;
    assert.deepEqual(written, [{ text: "4\n", lines: 1 }]);
    assert.equal(lost.length, 1);
  },
  { ids: ["IO-18"] },
);

test(
  "Outbox rejects what is not taken within the limit, and not sooner",
  async () => {
    const { outbox, clock, lost, deadlines } = outboxRig();
    const sink = new HandSink();
    outbox.connect(sink);
    const stuck = outbox.send("1\n");
    await nextTurn();
    const behind = outbox.send("2\n");
    outbox.post("3\n");
    await clock.advance(4_999);
    assert.equal(await isSettled(stuck), false);
    const late = assert.rejects(stuck, /did not take its input within 5000 ms/);
    const behindLate = assert.rejects(behind, /within 5000 ms/);
    await clock.advance(1);
    await Promise.all([late, behindLate]);
    assert.equal(lost.length, 1);
    // The stuck write stands in the way of the next ones, which have a limit of their own.
    const next = outbox.send("4\n");
    const nextLate = assert.rejects(next, /within 5000 ms/);
    await clock.advance(5_000);
    await nextLate;
    assert.deepEqual(sink.writes, ["1\n"]);
    // A write that is taken after all clears the way.
    const last = outbox.send("5\n");
    sink.take();
    await nextTurn();
    assert.deepEqual(sink.writes, ["1\n", "5\n"]);
    sink.take();
    await last;
    assert.equal(lost.length, 1);
    deadlines.close();
    assert.equal(clock.pending, 0);
  },
  { ids: ["IO-08", "E-02"] },
);

test(
  "Outbox tells once of answers that were late and then lost for good",
  async () => {
    const { outbox, clock, lost, written } = outboxRig();
    for (const isTakenAfterAll of [false, true]) {
      const sink = new HandSink();
      outbox.connect(sink);
      outbox.post("1\n");
      await nextTurn();
      await clock.advance(5_000);
      assert.equal(lost.length, 1);
      if (isTakenAfterAll) sink.take();
      else sink.fail(new Error("EPIPE"));
      await nextTurn();
      assert.equal(lost.splice(0).length, 1);
    }
    assert.deepEqual(written, [{ text: "1\n", lines: 0 }]);
  },
  { ids: ["IO-08"] },
);

test("Outbox.close() rejects what waits and what comes, and tells of no lost answer", async () => {
  const { outbox, lost, clock } = outboxRig();
  const sink = new HandSink();
  outbox.connect(sink);
  const refusal = new RangeError("closed");
  const inFlight = outbox.send("1\n");
  await nextTurn();
  const waiting = outbox.send("2\n");
  outbox.post("3\n");
  const caught = [inFlight, waiting].map((one) =>
    assert.rejects(one, (error) => error === refusal)
  );
  outbox.close(refusal);
  outbox.close(new TypeError("another"));
  await Promise.all(caught);
  await assert.rejects(outbox.send("4\n"), (error) => error === refusal);
  outbox.post("5\n");
  sink.fail(new Error("EPIPE"));
  await clock.advance(60_000);
  assert.deepEqual(sink.writes, ["1\n"]);
  assert.deepEqual(lost, []);
});
