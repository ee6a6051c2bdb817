import assert from "node:assert/strict";
import type { JsonObject } from "@sluice/agent";
import { memoryTransport } from "@sluice/agent/testing";
import { Deadlines } from "../../src/async/deadline.ts";
import { Deferred, safeLogger } from "@sluice/agent/extend";
import { systemClock } from "@sluice/agent/extend";
import { type Engine, makeEngine } from "../../src/engine/engine.ts";
import type { Messages } from "../../src/engine/profile.ts";
import { Meter } from "../../src/observe/metrics.ts";
import { Queue } from "../../src/stream/queue.ts";
import { host } from "../_children.ts";
import { test } from "../_harness.ts";

/** An engine without manners: raw messages, no limits. */
async function raw(
  messages: Partial<Messages<JsonObject>> = {},
  handlers: Readonly<Record<string, () => Promise<JsonObject>>> = {},
) {
  const { transport, peer } = memoryTransport();
  const channel = await transport.open(
    { args: [], env: {}, cwd: "/" },
    new AbortController().signal,
  );
  const queue = new Queue<JsonObject>();
  queue.open();
  const faults: unknown[] = [];
  const ended = new Deferred<unknown>();
  const deadlines = new Deadlines(systemClock);
  const engine: Engine = makeEngine<JsonObject>({
    host: await host(),
    time: { clock: systemClock, deadlines },
    queue,
    limits: {
      lineBytes: Infinity,
      readAheadBytes: 1024,
      unreadBytes: Infinity,
      joinMs: Infinity,
      writeMs: Infinity,
      quietMs: 50,
      lateMs: 500,
    },
    messages: { read: (objects) => objects, ...messages },
    control: {
      handlers: new Map(Object.entries(handlers)),
      denials: new Map(),
      controlMs: Infinity,
      abandonedMs: Infinity,
    },
    observed: {
      meter: new Meter(),
      telling: {
        clock: systemClock,
        log: safeLogger(),
        metrics: undefined,
        report: (error) => void faults.push(error),
      },
    },
    faults: {
      unwritten: (message, cause) => new Error(message, { cause }),
      internal: (cause) => void faults.push(cause),
    },
  });
  return {
    engine,
    peer,
    queue,
    faults,
    ended: ended.promise,
    start() {
      engine.start(channel, (error) => ended.resolve(error));
      engine.connect(channel);
    },
    close: async () => {
      engine.outbox.close(new Error("over"));
      engine.requests.rejectAll(() => new Error("over"));
      engine.incoming.close(new Error("over"));
      engine.drain();
      deadlines.close();
      await channel.stop({ reason: "closed", graceMs: 0, killMs: 10 });
    },
  };
}

test("an engine without limits gives raw messages, and asks and answers beside them", async () => {
  const { engine, peer, queue, ended, start, close } = await raw({}, {
    ping: () => Promise.resolve({ pong: 1 }),
  });
  const asked = engine.requests.send("hello");
  start();
  const { request_id: id } = await peer.line((line) =>
    line.type === "control_request"
  );
  await peer.send(
    { type: "first", n: 1 },
    { type: "control_request", request_id: "r", request: { subtype: "ping" } },
    {
      type: "control_response",
      response: { subtype: "success", request_id: id, response: { a: 1 } },
    } as JsonObject,
    { type: "second" },
  );
  assert.deepEqual(await asked, { a: 1 });
  await peer.line((line) => line.type === "control_response");
  const taken = [await queue.take(), await queue.take()].flat();
  assert.deepEqual(taken.map((one) => one?.type), ["first", "second"]);
  peer.end();
  assert.equal(await ended, undefined);
  await close();
});

test("an engine tells of a message that cannot be read, and continues", async () => {
  const boom = new Error("A bug");
  const { peer, queue, faults, start, close } = await raw({
    read(objects) {
      if (objects.some(({ type }) => type === "bad")) throw boom;
      return objects;
    },
  });
  start();
  await peer.send({ type: "bad" });
  await peer.send({ type: "good" });
  assert.deepEqual(await queue.take(), [{ type: "good" }]);
  assert.deepEqual(faults, [boom]);
  await close();
});

test("an engine that drains hands over copies of what is written to disk, and drops the rest", async () => {
  const copied: JsonObject[] = [];
  const { engine, peer, queue, ended, start, close } = await raw({
    mirror: (line) => void copied.push(line),
  });
  start();
  engine.drain();
  await peer.send({ type: "message" });
  const line = { type: "transcript_mirror", filePath: "/a", entries: [] };
  await peer.send(line);
  const other = { filePath: "/b", entries: [], type: "transcript_mirror" };
  await peer.send(other);
  peer.end();
  await ended;
  assert.deepEqual(copied, [line, other]);
  assert.ok(queue.isEmpty);
  await close();
});
