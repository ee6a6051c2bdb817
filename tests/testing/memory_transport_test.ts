import assert from "node:assert/strict";
import type { Launch } from "@sluice/agent";
import {
  memoryTransport,
  type MemoryTransportOptions,
  type PeerItem,
} from "@sluice/agent/testing";
import { test } from "../_harness.ts";

const launch: Launch = { args: ["--x"], env: { A: "1" }, cwd: "/" };

/** An open channel, its peer, and a reader of its text. */
async function opened(options?: MemoryTransportOptions) {
  const { transport, peer } = memoryTransport(options);
  const channel = await transport.open(launch, new AbortController().signal);
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const read = async () => {
    reader ??= channel.readable.getReader();
    const { done, value } = await reader.read();
    return done ? undefined : new TextDecoder("latin1").decode(value);
  };
  return { channel, peer, read };
}

test("memoryTransport() hands over objects as lines, text and bytes as they stand", async () => {
  const { channel, peer, read } = await opened();
  assert.deepEqual(peer.launch, launch);
  const sent = peer.send({ a: 1 }, "half a", new Uint8Array([10, 255]));
  assert.equal(await read(), '{"a":1}\n');
  assert.equal(await read(), "half a");
  assert.equal(await read(), "\n\u00ff");
  await sent;
  const replied = peer.reply({ request_id: "r1" }, { ok: true });
  assert.deepEqual(JSON.parse(await read() ?? ""), {
    type: "control_response",
    response: { subtype: "success", request_id: "r1", response: { ok: true } },
  });
  await replied;
  const exit = { code: 3, stderrTail: "Boom" };
  peer.end(exit);
  assert.equal(await read(), undefined);
  assert.deepEqual(await channel.exited, { ...exit, signal: null });
});

test("memoryTransport(): what respond() returns is sent as it stands, nothing for undefined", async () => {
  const answers: readonly unknown[] = [
    undefined,
    [],
    null,
    [null, "text\n"],
    { a: 1 },
  ];
  const { channel, peer } = await opened({
    respond: ({ n }) => answers[Number(n)] as PeerItem | undefined,
  });
  for (const n of answers.keys()) {
    await channel.write(`${JSON.stringify({ n })}\n`);
  }
  peer.end();
  assert.equal(
    await new Response(channel.readable as BodyInit).text(),
    'null\nnull\ntext\n{"a":1}\n',
  );
});

test("MemoryPeer.line() waits for a line that fits and keeps what is no JSON", async () => {
  const { channel, peer } = await opened();
  const waiting = peer.line(({ n }) => n === 2);
  await channel.write('{"n":1}\nnonsense\n{"n":2}\n');
  assert.deepEqual(await waiting, { n: 2 });
  assert.deepEqual(await peer.line(({ n }) => n === 1), { n: 1 });
  assert.deepEqual(peer.lines, [{ n: 1 }, { raw: "nonsense" }, { n: 2 }]);
  await assert.rejects(
    peer.line(({ n }) => n === 3, { timeoutMs: 5 }),
    /within 5 ms: \[\{"n":1\}/,
  );
});

test("MemoryPeer.send() resolves when it was read, or never will be", async () => {
  const { channel, peer } = await opened();
  let isRead = false;
  const sent = peer.send("x").then(() => isRead = true);
  await Promise.resolve();
  assert.equal(isRead, false);
  await channel.readable.cancel();
  await sent;
  await peer.send("read by none");
});

test("MemoryPeer.pause() keeps writes pending until resume(), fail() breaks reading", async () => {
  const { channel, peer, read } = await opened();
  peer.pause();
  const writing = channel.write('{"n":1}\n');
  await Promise.resolve();
  assert.deepEqual(peer.lines, []);
  peer.resume();
  await writing;
  assert.deepEqual(peer.lines, [{ n: 1 }]);
  const error = new Error("Broken pipe");
  peer.fail(error);
  await assert.rejects(read(), (thrown) => thrown === error);
});

test("memoryTransport() lives on after its input when it stays open", async () => {
  const { channel, peer, read } = await opened({ staysOpen: true });
  const ended = peer.inputEnded();
  await channel.end();
  await ended;
  assert.equal(peer.hasInputEnded, true);
  const sent = peer.send("late");
  assert.equal(await read(), "late");
  await sent;
  await channel.stop({ reason: "closed", graceMs: 1, killMs: 2 });
  assert.deepEqual(peer.stops.map(({ reason }) => reason), ["closed"]);
  assert.equal((await channel.exited).reason, "closed");
  assert.equal(await read(), undefined);
});

test("Channel.write() rejects when the peer is gone", async () => {
  const { channel, peer } = await opened();
  peer.end();
  await assert.rejects(channel.write("{}\n"), /the peer is gone/);
  await assert.rejects(memoryTransport().peer.send("x"), /not open/);
  assert.deepEqual(peer.lines, []);
});
