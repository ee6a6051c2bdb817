import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@sluice/agent/extend";
import { ByteReader } from "../../src/stream/byte_reader.ts";
import { host, needsShell, release, script } from "../_children.ts";
import { FakeClock } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import { isSettled, nextTurn } from "../_turn.ts";
import { bytesOf } from "./_bytes.ts";

/** A stream that is fed by hand. */
function fed(type?: "bytes"): {
  readonly stream: ReadableStream<Uint8Array>;
  readonly controller: {
    enqueue(chunk: Uint8Array): void;
    close(): void;
    error(error: unknown): void;
  };
  readonly isCancelled: () => boolean;
} {
  let controller: ReturnType<typeof fed>["controller"] | undefined;
  let cancelled = false;
  const source = {
    start(given: ReturnType<typeof fed>["controller"]) {
      controller = given;
    },
    cancel() {
      cancelled = true;
    },
  };
  const stream = type === undefined
    ? new ReadableStream<Uint8Array>(source)
    : new ReadableStream({ ...source, type });
  assert.ok(controller !== undefined);
  return { stream, controller, isCancelled: () => cancelled };
}

async function readText(reader: ByteReader): Promise<string> {
  const parts: string[] = [];
  for (;;) {
    const chunk = await reader.read();
    if (chunk === undefined) return parts.join("|");
    // Valid only until the next read.
    parts.push(new TextDecoder().decode(chunk));
  }
}

test("ByteReader reads a plain stream to its end, chunk by chunk", async () => {
  for (const reuse of [false, true]) {
    const { stream, controller } = fed();
    const reader = new ByteReader(stream, reuse);
    assert.equal(reader.isReused, false);
    controller.enqueue(bytesOf("one"));
    controller.enqueue(bytesOf("two"));
    controller.close();
    assert.equal(await readText(reader), "one|two");
    assert.equal(await reader.read(), undefined);
  }
});

test("ByteReader reads a byte stream into memory that is used again, if asked to", async () => {
  for (const reuse of [false, true]) {
    let sent = 0;
    const stream = new ReadableStream({
      type: "bytes",
      pull(controller) {
        // A pending read into the reader's memory has to be answered before the end is one.
        if (sent === 3) {
          controller.close();
          controller.byobRequest?.respond(0);
        } else controller.enqueue(bytesOf(`chunk ${sent++}`));
      },
    });
    const reader = new ByteReader(stream, reuse);
    assert.equal(reader.isReused, reuse);
    assert.equal(await readText(reader), "chunk 0|chunk 1|chunk 2");
  }
});

test("ByteReader.read() gives a long chunk in parts that fit its memory", async () => {
  const long = new Uint8Array(200_000).map((_, i) => i % 251);
  let sent = false;
  const stream = new ReadableStream({
    type: "bytes",
    pull(controller) {
      if (sent) {
        controller.close();
        controller.byobRequest?.respond(0);
      } else controller.enqueue(long.slice());
      sent = true;
    },
  });
  const reader = new ByteReader(stream, true);
  const seen: number[] = [];
  for (;;) {
    const chunk = await reader.read();
    if (chunk === undefined) break;
    assert.ok(chunk.length > 0 && chunk.length <= 65_536);
    seen.push(...chunk);
  }
  assert.equal(seen.length, long.length);
  assert.ok(seen.every((byte, i) => byte === long[i]));
});

test("ByteReader.cancel() ends a pending read and the stream", async () => {
  for (const type of [undefined, "bytes"] as const) {
    const { stream, isCancelled } = fed(type);
    const reader = new ByteReader(stream, true);
    const pending = reader.read();
    await reader.cancel();
    assert.equal(await pending, undefined);
    assert.equal(isCancelled(), true);
  }
});

test("ByteReader.endAfterSilence() ends a read that gets nothing for that time, and only that", async () => {
  const clock = new FakeClock();
  const { stream, controller, isCancelled } = fed();
  const reader = new ByteReader(stream, false);
  const first = reader.read();
  await clock.advance(10_000);
  // The silence counts from here for the read that is pending.
  reader.endAfterSilence(200, clock);
  await clock.advance(199);
  controller.enqueue(bytesOf("late"));
  assert.deepEqual(await first, bytesOf("late"));
  await clock.advance(10_000);
  assert.equal(isCancelled(), false);
  const second = reader.read();
  await clock.advance(199);
  assert.equal(await isSettled(second), false);
  await clock.advance(1);
  assert.equal(await second, undefined);
  assert.equal(isCancelled(), true);
  assert.equal(clock.pending, 0);
});

test("ByteReader.endAfterSilence() may be called again: the later silence counts", async () => {
  const clock = new FakeClock();
  const { stream } = fed();
  const reader = new ByteReader(stream, false);
  const pending = reader.read();
  reader.endAfterSilence(100, clock);
  reader.endAfterSilence(500, clock);
  await clock.advance(499);
  assert.equal(await isSettled(pending), false);
  await clock.advance(1);
  assert.equal(await pending, undefined);
  assert.equal(clock.pending, 0);
});

test(
  "ByteReader.endAfterSilence() takes no blocked event loop for silence: what came meanwhile is read",
  async () => {
    const { spawn, tuning } = await host();
    const folder = await mkdtemp(join(tmpdir(), "late-"));
    const said = join(folder, "said");
    const child = await spawn(
      script('sleep 0.15; echo late; : > "$1"; exec sleep 60', said),
    );
    const reader = new ByteReader(child.stdout, tuning.reusesBuffer);
    reader.endAfterSilence(100, systemClock);
    const pending = reader.read();
    for (const end = Date.now() + 400; Date.now() < end || !existsSync(said););
    assert.equal(new TextDecoder().decode(await pending), "late\n");
    assert.equal(await reader.read(), undefined);
    await release(child);
    await rm(folder, { recursive: true });
  },
  { skip: needsShell },
);

test("ByteReader.endAfterSilence() counts no wait that ends far too late: a busy machine reads what came meanwhile", async () => {
  for (const [reads, expected] of [[10, "late"], [1_000, undefined]] as const) {
    const { stream, controller } = fed();
    const reader = new ByteReader(stream, false);
    let now = 0;
    let sleeps = 0;
    reader.endAfterSilence(100, {
      monotonic: () => now,
      async sleep(ms) {
        now += 10 * ms;
        await nextTurn();
        if (++sleeps === reads) controller.enqueue(bytesOf("late"));
      },
    });
    const read = await reader.read();
    assert.equal(read && new TextDecoder().decode(read), expected);
    await reader.cancel();
  }
});

test("ByteReader.endAfterSilence() ends a stream into which another process writes for ever", async () => {
  const clock = new FakeClock();
  const { stream, controller, isCancelled } = fed();
  const reader = new ByteReader(stream, false);
  reader.endAfterSilence(200, clock, 2_000);
  let reads = 0;
  for (; reads < 1_000; reads++) {
    const pending = reader.read();
    await clock.advance(10);
    if (!isCancelled()) controller.enqueue(bytesOf("noise"));
    if (await pending === undefined) break;
    // A reader may rest for any time.
    reader.rest();
    await clock.advance(5_000);
  }
  assert.equal(reads, 200);
  assert.equal(isCancelled(), true);
  assert.equal(clock.pending, 0);
});

test("ByteReader.endAfterSilence() ends a stream that always has more to read, whatever the steps of its waits", async () => {
  for (const waitMs of [0, 100, 150]) {
    const clock = new FakeClock();
    const { stream, controller, isCancelled } = fed();
    const reader = new ByteReader(stream, false);
    reader.endAfterSilence(200, clock, 2_000);
    const began = clock.now();
    for (let reads = 0; reads < 1_000; reads++) {
      if (waitMs === 0) controller.enqueue(bytesOf("noise"));
      const pending = reader.read();
      await clock.advance(waitMs);
      if (waitMs > 0 && !isCancelled()) controller.enqueue(bytesOf("noise"));
      if (await pending === undefined) break;
      // Its processing takes time as well.
      await clock.advance(10);
    }
    assert.equal(isCancelled(), true);
    const tookMs = clock.now() - began;
    assert.ok(tookMs >= 2_000 && tookMs <= 2_300, `${tookMs} ms`);
    assert.equal(clock.pending, 0);
  }
});

test("ByteReader.endAfterSilence() gives a slow reader all that is there, chunk by chunk", async () => {
  const clock = new FakeClock();
  const { stream, controller } = fed();
  for (let n = 0; n < 500; n++) controller.enqueue(bytesOf(`${n}`));
  const reader = new ByteReader(stream, false);
  reader.endAfterSilence(200, clock, 2_000);
  for (let n = 0; n < 500; n++) {
    const chunk = await reader.read();
    assert.equal(new TextDecoder().decode(chunk), `${n}`);
    reader.rest();
    await clock.advance(60_000);
  }
});
