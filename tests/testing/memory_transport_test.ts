import assert from "node:assert/strict";
import type { Channel, Launch } from "@sluice/agent";
import {
  type MemoryPair,
  memoryTransport,
  type PeerItem,
} from "@sluice/agent/testing";
import { test } from "../_harness.ts";

const launch: Launch = { args: ["--x"], env: { A: "1" }, cwd: "/" };

const open = ({ transport }: MemoryPair): Promise<Channel> =>
  transport.open(launch, new AbortController().signal);

const text = (bytes: Uint8Array | undefined): string =>
  new TextDecoder().decode(bytes);

test("memoryTransport() hands over objects as lines, text and bytes as they stand", async () => {
  const pair = memoryTransport();
  const channel = await open(pair);
  assert.deepEqual(pair.peer.launch, launch);
  const reader = channel.readable.getReader();
  const sent = pair.peer.send({ a: 1 }, "half a", new Uint8Array([10, 255]));
  assert.equal(text((await reader.read()).value), '{"a":1}\n');
  assert.equal(text((await reader.read()).value), "half a");
  assert.deepEqual((await reader.read()).value, new Uint8Array([10, 255]));
  await sent;
  const replied = pair.peer.reply({ request_id: "r1" }, { ok: true });
  assert.deepEqual(JSON.parse(text((await reader.read()).value)), {
    type: "control_response",
    response: { subtype: "success", request_id: "r1", response: { ok: true } },
  });
  await replied;
  pair.peer.end({ code: 3, stderrTail: "Boom" });
  assert.equal((await reader.read()).done, true);
  assert.deepEqual(await channel.exited, {
    code: 3,
    signal: null,
    stderrTail: "Boom",
  });
});

test("memoryTransport(): what respond() returns is sent as it stands, nothing for undefined", async () => {
  const answers: readonly unknown[] = [
    undefined,
    [],
    null,
    [null, "text\n"],
    { a: 1 },
  ];
  const pair = memoryTransport({
    respond: ({ n }) => answers[Number(n)] as PeerItem | undefined,
  });
  const channel = await open(pair);
  for (const n of answers.keys()) {
    await channel.write(`${JSON.stringify({ n })}\n`);
  }
  pair.peer.end();
  assert.equal(
    await new Response(channel.readable as BodyInit).text(),
    'null\nnull\ntext\n{"a":1}\n',
  );
});

test("MemoryPeer.line() waits for a line that fits and keeps what is no JSON", async () => {
  const pair = memoryTransport();
  const channel = await open(pair);
  const waiting = pair.peer.line(({ n }) => n === 2);
  await channel.write('{"n":1}\nnonsense\n{"n":2}\n');
  assert.deepEqual(await waiting, { n: 2 });
  assert.deepEqual(await pair.peer.line(({ n }) => n === 1), { n: 1 });
  assert.deepEqual(pair.peer.lines, [{ n: 1 }, { raw: "nonsense" }, { n: 2 }]);
  await assert.rejects(
    pair.peer.line(({ n }) => n === 3, { timeoutMs: 5 }),
    /within 5 ms: \[\{"n":1\}/,
  );
});

test("MemoryPeer.send() resolves when it was read, or when nobody will", async () => {
  const pair = memoryTransport();
  const channel = await open(pair);
  let isTaken = false;
  const sent = pair.peer.send("x").then(() => isTaken = true);
  await Promise.resolve();
  assert.equal(isTaken, false);
  await channel.readable.cancel();
  await sent;
  await pair.peer.send("nobody reads this");
});

test("MemoryPeer.pause() keeps writes pending until resume()", async () => {
  const pair = memoryTransport();
  const channel = await open(pair);
  pair.peer.pause();
  const writing = channel.write('{"n":1}\n');
  await Promise.resolve();
  assert.deepEqual(pair.peer.lines, []);
  pair.peer.resume();
  await writing;
  assert.deepEqual(pair.peer.lines, [{ n: 1 }]);
});

test("MemoryPeer.fail() breaks reading with the error", async () => {
  const pair = memoryTransport();
  const channel = await open(pair);
  const error = new Error("Broken pipe");
  pair.peer.fail(error);
  await assert.rejects(
    channel.readable.getReader().read(),
    (thrown) => thrown === error,
  );
});

test("memoryTransport() lives on after its input when it stays open", async () => {
  const pair = memoryTransport({ staysOpen: true });
  const channel = await open(pair);
  const ended = pair.peer.inputEnded();
  await channel.end();
  await ended;
  assert.equal(pair.peer.hasInputEnded, true);
  const sent = pair.peer.send("late");
  const reader = channel.readable.getReader();
  assert.equal(text((await reader.read()).value), "late");
  await sent;
  await channel.stop({ reason: "closed", graceMs: 1, killMs: 2 });
  assert.deepEqual(pair.peer.stops.map(({ reason }) => reason), ["closed"]);
  assert.equal((await channel.exited).reason, "closed");
  assert.equal((await reader.read()).done, true);
});

test("Channel.write() rejects when the peer is gone", async () => {
  const pair = memoryTransport();
  const channel = await open(pair);
  pair.peer.end();
  await assert.rejects(channel.write("{}\n"), /the peer is gone/);
  await assert.rejects(memoryTransport().peer.send("x"), /not open/);
  assert.deepEqual(pair.peer.lines, []);
});
