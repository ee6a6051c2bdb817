import assert from "node:assert/strict";
import { ConfigError, query } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { sseResponse, type SseResponseOptions } from "@sluice/agent/ui";
import { test } from "../_harness.ts";
import { type Event, EventReader, eventsOf } from "./_events.ts";
import { flood, several, type Source, sourceOf } from "./_source.ts";

function read(source: Source, options: SseResponseOptions = {}): EventReader {
  return new EventReader(sseResponse(source, options).body);
}

/** Numbers of the messages of events, and the names of all others. */
function namesOf(events: readonly Event[]): readonly string[] {
  return events.map(({ name, data }) =>
    name === "message" ? textIn(data) : name
  );
}

function textIn(data: unknown): string {
  return String((data as { content: string }).content).replaceAll(".", "");
}

async function take(
  reader: EventReader,
  count: number,
): Promise<readonly Event[]> {
  const events: Event[] = [];
  while (events.length < count) {
    const event = await reader.next();
    if (event === undefined) break;
    events.push(event);
  }
  return events;
}

test("sseResponse() sends each message as an event with an id, then the end", async () => {
  const source = sourceOf(several(3));
  const response = sseResponse(source);
  assert.equal(response.status, 200);
  assert.deepEqual(Object.fromEntries(response.headers), {
    "content-type": "text/event-stream",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  });
  const events = await eventsOf(response);
  assert.deepEqual(namesOf(events), ["0", "1", "2", "end"]);
  const ids = events.map(({ id }) => Number(id));
  const [first = 0] = ids;
  assert.deepEqual(ids, [first, first + 1, first + 2, first + 3]);
});

test("sseResponse() reads its source only as far as it is read", async () => {
  const source = sourceOf(flood());
  const reader = read(source);
  assert.equal(source.reads, 0);
  await take(reader, 2);
  assert.equal(source.reads, 2);
  await reader.cancel();
  await source.left;
});

test("a stream cut at every event continues behind it, and each event comes once", async () => {
  const source = sourceOf(several(5));
  const events: Event[] = [];
  for (let isOver = false; !isOver;) {
    const lastEventId = events.at(-1)?.id;
    const response = sseResponse(source, { lastEventId, onLeave: "park" });
    if (response.status === 204) break;
    const reader = new EventReader(response.body);
    const event = await reader.next();
    if (event !== undefined) events.push(event);
    else isOver = true;
    await reader.cancel();
  }
  assert.deepEqual(namesOf(events), ["0", "1", "2", "3", "4", "end"]);
  // The browser must not connect again and again.
  const again = sseResponse(source, { lastEventId: events.at(-1)?.id });
  assert.equal(again.status, 204);
  const fresh = await eventsOf(sseResponse(source));
  assert.deepEqual(fresh, events);
});

test("an id that is not in the buffer gives a reset, then the oldest event that is there", async () => {
  const source = sourceOf(several(4));
  const events = await eventsOf(sseResponse(source));
  const [first = 0, , , , last = 0] = events.map(({ id }) => Number(id));
  const strange = [
    ...["garbage", "-1", "0", "1e3", "99999999999999999999", " ", "１"],
    ...[first - 1, last + 1].map(String),
  ];
  for (const lastEventId of strange) {
    const [reset, ...rest] = await eventsOf(
      sseResponse(source, { lastEventId }),
    );
    assert.deepEqual(reset, { name: "reset", data: {} }, lastEventId);
    assert.deepEqual(rest, events, lastEventId);
  }
  for (const lastEventId of [null, undefined, ""]) {
    assert.deepEqual(
      await eventsOf(sseResponse(source, { lastEventId })),
      events,
    );
  }
});

test("the buffer is bounded: a reader that comes back late gets a reset and the newest events", async () => {
  const bytes = 1_000;
  const source = sourceOf(flood(bytes));
  const options = { bufferBytes: 5 * bytes, onLeave: "park" } as const;
  const reader = read(source, options);
  const [first] = await take(reader, 20);
  await reader.cancel();
  for (const lastEventId of [first?.id, undefined]) {
    const again = read(source, { ...options, lastEventId });
    const [reset, ...rest] = await take(again, 4);
    assert.equal(reset?.name, "reset");
    const numbers = namesOf(rest).map(Number);
    assert.ok(numbers.every((one) => one >= 15 && one < 20), `${numbers}`);
    await again.cancel();
  }
});

test("several responses read one journal; the slowest open one holds the source back", async () => {
  const bytes = 1_000;
  const source = sourceOf(flood(bytes));
  const options = { bufferBytes: 5 * bytes, onLeave: "park" } as const;
  const [fast, slow] = [read(source, options), read(source, options)];
  const firsts = await Promise.all([fast.next(), slow.next()]);
  assert.deepEqual(namesOf(firsts.flatMap((one) => one ?? [])), ["0", "0"]);
  const rest = take(fast, 30);
  let isDone = false;
  void rest.then(() => isDone = true);
  // The fast one gets as far as the buffer goes.
  for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
  assert.equal(isDone, false);
  assert.ok(source.reads <= 8, `${source.reads} messages were read`);
  const slowly = await take(slow, 30);
  assert.deepEqual(namesOf(slowly), namesOf(await rest));
  assert.equal(namesOf(slowly).at(-1), "30");
  // One that leaves holds nothing back.
  const more = take(fast, 50);
  for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
  await slow.cancel();
  assert.equal((await more).length, 50);
  await fast.cancel();
});

test("the last response that leaves closes the source, or parks it", async () => {
  const source = sourceOf(flood());
  let hasLeft = false;
  void source.left.then(() => hasLeft = true);
  const [one, other] = [read(source), read(source)];
  await Promise.all([one.next(), other.next()]);
  await one.cancel();
  assert.equal((await other.next())?.name, "message");
  const parked = read(source, { onLeave: "park" });
  await parked.next();
  await other.cancel();
  await parked.next();
  await parked.cancel();
  assert.equal(hasLeft, false);
  const stop = new AbortController();
  const last = read(source, { signal: stop.signal });
  await last.next();
  stop.abort();
  await source.left;
});

test("a conversation is closed when its page leaves, and its process is gone", async () => {
  const { cliPath } = fakeCli([["a", { wait: "forever" }]]);
  const conversation = query("x", { cliPath });
  const reader = new EventReader(sseResponse(conversation).body);
  await reader.find(({ data }) => JSON.stringify(data).includes('"a"'));
  await reader.cancel();
  await conversation.close();
  assert.equal(conversation.health().state, "gone");
});

test("an error that ends a conversation is an event, then the end", async () => {
  const { cliPath } = fakeCli([["a", { exit: 5 }]]);
  const events = await eventsOf(sseResponse(query("x", { cliPath })));
  const [failure, end] = events.slice(-2);
  assert.equal(failure?.name, "failure");
  const { code, message } = failure.data as Record<string, string>;
  assert.equal(code, "cli_exit");
  assert.match(String(message), /exit code 5/);
  assert.deepEqual(end, { id: end?.id, name: "end", data: {} });
});

test("a conversation that cannot start ends its stream with the error", async () => {
  const conversation = query("x", { cliPath: "/nowhere/claude" });
  const events = await eventsOf(sseResponse(conversation));
  assert.deepEqual(events.map(({ name }) => name), ["failure", "end"]);
});

test("the format text gives the pieces of the answer", async () => {
  const { cliPath } = fakeCli([["Hello, ", { think: "hm" }, "you."]]);
  const events = await eventsOf(
    sseResponse(query("x", { cliPath, includePartialMessages: true }), {
      format: "text",
    }),
  );
  assert.deepEqual(events.at(-1)?.name, "end");
  const pieces = events.slice(0, -1).map(({ data }) => data);
  assert.equal(pieces.join(""), "Hello, you.");
  assert.ok(pieces.length >= 2);
});

test("a response that is never read holds nothing back, and one that leaves unread counts as a reader", async () => {
  const source = sourceOf(flood(1_000));
  const options = { bufferBytes: 5_000 };
  const unread = sseResponse(source, options);
  const reader = read(source, { ...options, onLeave: "park" });
  await take(reader, 50);
  await reader.cancel();
  await unread.body?.cancel();
  await source.left;
});

test("sseResponse() names what it needs", () => {
  for (const source of [undefined, null, "x", 7, {}, () => {}]) {
    assert.throws(
      () => sseResponse(source as never),
      (error) => error instanceof ConfigError && error.key === "source",
    );
  }
});

test("wrong options are refused before anything is read", async () => {
  const wrong: readonly (readonly [string, object])[] = [
    ["format", { format: "xml" }],
    ["onLeave", { onLeave: "stay" }],
    ["heartbeatMs", { heartbeatMs: -1 }],
    ["bufferBytes", { bufferBytes: 0 }],
  ];
  const source = sourceOf(several(1));
  for (const [key, options] of wrong) {
    assert.throws(
      () => sseResponse(source, options),
      (error) => error instanceof ConfigError && error.key === key,
      key,
    );
  }
  const reader = read(source);
  assert.throws(
    () => sseResponse(source, { format: "text" }),
    /must be "messages", as in the first response/,
  );
  assert.deepEqual(namesOf(await reader.rest()), ["0", "end"]);
});
