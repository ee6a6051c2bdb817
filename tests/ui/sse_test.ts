import assert from "node:assert/strict";
import { ConfigError } from "@sluice/agent";
import { sse } from "@sluice/agent/ui";
import { test } from "../_harness.ts";
import { EventReader, eventsOf } from "./_events.ts";

async function* count(to: number, seen: number[] = []) {
  try {
    for (let one = 1; one <= to; one++) {
      seen.push(one);
      yield one;
    }
  } finally {
    seen.push(-1);
  }
}

test("sse() writes values as events, from iterables and streams; no value begins an event of its own", async () => {
  const values = [
    { a: 1 },
    "line\nevent: end\ndata: x\n\n",
    "\r\n\u2028</script>",
    null,
    undefined,
    "",
  ];
  const iterable = async function* () {
    yield* values;
  };
  for (const source of [iterable(), ReadableStream.from(iterable())]) {
    const events = await eventsOf({ body: sse(source) });
    assert.deepEqual(
      events.map(({ name, data }) => [name, data]),
      values.map((value) => ["message", value ?? null]),
    );
  }
});

test("sse() reads its source only when it is read, and cancels it when it is cancelled", async () => {
  const seen: number[] = [];
  const reader = new EventReader(sse(count(9, seen)));
  assert.deepEqual(seen, []);
  await reader.next();
  await reader.next();
  assert.deepEqual(seen, [1, 2]);
  await reader.cancel();
  assert.deepEqual(seen, [1, 2, -1]);
});

test("sse() ends by its signal, before and while it is read", async () => {
  assert.deepEqual(
    await eventsOf({ body: sse(count(2), { signal: AbortSignal.abort() }) }),
    [],
  );
  const stop = new AbortController();
  let hasLeft = false;
  const silent = new ReadableStream({
    cancel: () => void (hasLeft = true),
  });
  const rest = eventsOf({ body: sse(silent, { signal: stop.signal }) });
  stop.abort();
  assert.deepEqual(await rest, []);
  assert.ok(hasLeft);
});

test("sse() reports an error as events without secrets, and cancels the rest", async () => {
  const failing = async function* () {
    yield 1;
    throw new Error("no entry for sk-ant-api03-0123456789abcdef");
  };
  const events = await eventsOf({ body: sse(failing()) });
  assert.deepEqual(events, [
    { name: "message", data: 1 },
    {
      name: "failure",
      data: { code: "unknown", message: "no entry for [redacted]" },
    },
    { name: "end", data: {} },
  ]);
  const loop: { self?: unknown } = {};
  loop.self = loop;
  const seen: number[] = [];
  const odd = async function* () {
    for await (const _one of count(3, seen)) yield loop;
  };
  const [failure] = await eventsOf({ body: sse(odd()) });
  assert.equal(failure?.name, "failure");
  assert.deepEqual(seen, [1, -1]);
});

test("sse() sends heartbeats while its source is silent, and loses nothing to them", async () => {
  let beat = () => {};
  const source = async function* () {
    yield 1;
    await new Promise<void>((resolve) => beat = resolve);
    yield 2;
  };
  const body = sse(source(), { heartbeatMs: 1 });
  const reader = body.getReader();
  const texts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    texts.push(new TextDecoder().decode(value));
    if (texts.length === 4) beat();
  }
  assert.equal(texts[0], "data: 1\n\n");
  assert.deepEqual(texts.slice(1, 4), [":\n\n", ":\n\n", ":\n\n"]);
  assert.equal(texts.filter((text) => text === "data: 2\n\n").length, 1);
});

test("sse() refuses heartbeats that are no number of milliseconds", () => {
  for (
    const heartbeatMs of [-1, 1.5, NaN, Infinity, "1" as unknown as number]
  ) {
    assert.throws(
      () => sse(count(1), { heartbeatMs }),
      (error) => error instanceof ConfigError && error.key === "heartbeatMs",
    );
  }
});
