import { Deferred } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { FakeClock } from "@sluice/agent/testing";
import {
  memoryTranscripts,
  type TranscriptEntry,
  TranscriptError,
  type TranscriptKey,
} from "@sluice/agent/transcripts";
import { checkedStore } from "../../src/transcripts/checked_store.ts";
import {
  keyOfFile,
  type MirrorInit,
  mirrorInto,
  type Refusal,
} from "../../src/transcripts/mirror.ts";
import { test } from "../_harness.ts";

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const PATH = `/home/ada/.claude/projects/-home-ada/${ID}.jsonl`;
const PART =
  `/home/ada/.claude/projects/-home-ada/${ID}/subagents/agent-1.jsonl`;
const MIB = 1024 * 1024;

/** A mirror whose store does what the test says. */
function rig(
  append: (
    key: TranscriptKey,
    entries: readonly TranscriptEntry[],
    call: number,
  ) => Promise<void>,
  init: Partial<MirrorInit> = {},
  ms = 1_000,
) {
  const clock = new FakeClock();
  const refusals: Refusal[] = [];
  const kept: [part: string, at: unknown][] = [];
  let calls = 0;
  const mirror = mirrorInto({
    store: checkedStore({
      async append(key, entries) {
        await append(key, entries, ++calls);
        for (const { at } of entries) kept.push([key.subpath ?? "", at]);
      },
      load: () => Promise.resolve(null),
    }, { clock, ms }),
    clock,
    isEager: false,
    onRefused(refusal) {
      refusals.push(refusal);
      return 100 * 2 ** refusal.tries;
    },
    keyOf: keyOfFile,
    ...init,
  });
  const put = (from: number, to: number, path = PATH, bytes = 10) => {
    for (let at = from; at < to; at++) {
      mirror.put(path, [{ type: "user", at }], bytes);
    }
  };
  const order = (part = "") =>
    kept.filter(([one]) => one === part).map(([, at]) => at);
  return { mirror, clock, refusals, kept, put, order, calls: () => calls };
}

function upTo(count: number, from = 0): number[] {
  return Array.from({ length: count - from }, (_, at) => from + at);
}

const never = () => new Promise<void>(() => {});

test("entries go to the store at once when they are flushed, and not before", async () => {
  const { mirror, put, order, calls } = rig(() => Promise.resolve());
  put(0, 20);
  assert.equal(calls(), 0);
  await mirror.flush();
  assert.equal(calls(), 1);
  assert.deepEqual(order(), upTo(20));
  assert.equal(await mirror.close(100), 0);
});

test("eager entries go as they come, and so do many or large ones", async () => {
  const eager = rig(() => Promise.resolve(), { isEager: true });
  eager.put(0, 1);
  await Promise.resolve();
  assert.equal(eager.calls(), 1);
  for (const [count, bytes] of [[600, 10], [3, MIB]] as const) {
    const many = rig(() => Promise.resolve());
    many.put(0, count, PATH, bytes);
    await Promise.resolve();
    assert.ok(many.calls() > 0, `${count} of ${bytes} bytes`);
    await many.mirror.close(100);
    assert.deepEqual(many.order(), upTo(count));
  }
});

test("entries that are put together go to the store in a call of their own, also while it is slow or refuses them", async () => {
  const sizes: number[] = [];
  const { mirror, clock, put, order } = rig((_key, entries, call) => {
    sizes.push(entries.length);
    return call === 2 ? Promise.reject(new Error("busy")) : Promise.resolve();
  }, { isEager: true, isSeparate: true });
  put(0, 3);
  const many = upTo(600).map((at) => ({ type: "user", at: at + 3 }));
  mirror.put(PATH, many, 10);
  const flushed = mirror.flush();
  await clock.untilPending();
  await clock.advance(100);
  await flushed;
  assert.deepEqual(sizes, [1, 1, 1, 1, 500, 100]);
  assert.deepEqual(order(), upTo(603));
});

test("a store that hangs is asked again after its time, and loses nothing", async () => {
  const { mirror, clock, put, order } = rig((_key, _all, call) =>
    call === 1 ? never() : Promise.resolve()
  );
  put(0, 3);
  const flushed = mirror.flush();
  await clock.advance(1_000);
  await clock.untilPending();
  await clock.advance(100);
  await flushed;
  assert.deepEqual(order(), upTo(3));
});

test("a store that fails for ever loses what was put, all of it is counted, and closing ends", async () => {
  const { mirror, clock, put, kept } = rig(() =>
    Promise.reject(new Error("gone"))
  );
  put(0, 1_200);
  put(0, 5, PART);
  const closing = mirror.close(100);
  await clock.advance(100);
  assert.equal(await closing, 1_205);
  assert.deepEqual(kept, []);
});

test("a store that hangs is asked once at closing, for no longer than there is time, whatever waits", async () => {
  for (const isSending of [false, true]) {
    const { mirror, clock, put, calls } = rig(never);
    put(0, 3);
    put(0, 3, PART);
    if (isSending) void mirror.flush();
    let lost: number | undefined;
    void mirror.close(50).then((count) => lost = count);
    await clock.untilPending();
    await clock.advance(50);
    assert.equal(lost, 6);
    assert.equal(calls(), 1);
  }
});

test("entries stored before a failure are not counted as lost", async () => {
  const { mirror, put, order } = rig((_key, _all, call) =>
    call > 2 ? Promise.reject(new Error("full")) : Promise.resolve()
  );
  put(0, 1_200);
  const lost = await mirror.close(100);
  assert.equal(lost, 200);
  assert.deepEqual(order(), upTo(1_000));
});

test("one part that the store refuses does not hold up the others", async () => {
  const { mirror, clock, put, order, refusals } = rig((key) =>
    key.subpath === undefined
      ? Promise.reject(new Error("not this one"))
      : Promise.resolve()
  );
  put(0, 3);
  put(0, 3, PART);
  void mirror.flush();
  await clock.advance(0);
  assert.deepEqual(order("subagents/agent-1"), upTo(3));
  put(3, 6, PART);
  void mirror.flush();
  await clock.advance(0);
  assert.deepEqual(order("subagents/agent-1"), upTo(6));
  assert.equal(refusals.length, 1);
  await clock.advance(100);
  assert.equal(refusals.length, 2);
  assert.equal(await mirror.close(100), 3);
});

test("abandoned entries are counted, and later ones continue", async () => {
  const { mirror, put, order } = rig(
    (_key, _all, call) =>
      call === 1 ? Promise.reject(new Error("x")) : Promise.resolve(),
    { onRefused: () => undefined },
  );
  put(0, 3);
  await mirror.flush();
  put(3, 6);
  assert.equal(await mirror.close(100), 3);
  assert.deepEqual(order(), upTo(6, 3));
});

test("each call has tries of its own, also behind a call that was given up", async () => {
  const tried: unknown[] = [];
  const { mirror, clock, put, order, refusals } = rig(
    (_key, [entry], call) => {
      tried.push(entry?.at);
      return call < 5 ? Promise.reject(new Error("down")) : Promise.resolve();
    },
    {
      isEager: true,
      isSeparate: true,
      onRefused: (refusal) => {
        refusals.push(refusal);
        return refusal.tries < 2 ? 100 : undefined;
      },
    },
  );
  put(0, 3);
  const flushed = mirror.flush();
  await clock.advance(300);
  await flushed;
  assert.deepEqual(tried, [0, 0, 0, 1, 1, 2]);
  assert.deepEqual(order(), [1, 2]);
  assert.deepEqual(
    refusals.map(({ tries, givenUp }) => [tries, givenUp]),
    [[0, 0], [1, 0], [2, 0], [0, 1]],
  );
  assert.equal(await mirror.close(100), 1);
});

test("a refused call is repeated as it was, and later entries have tries of their own", async () => {
  const tried: unknown[][] = [];
  const { mirror, clock, put, order } = rig(
    (_key, entries) => {
      tried.push(entries.map(({ at }) => at));
      return tried.length < 5
        ? Promise.reject(new Error("down"))
        : Promise.resolve();
    },
    { onRefused: ({ tries }) => tries < 2 ? 100 : undefined },
  );
  put(0, 2);
  void mirror.flush();
  await clock.advance(0);
  put(2, 4);
  const flushed = mirror.flush();
  await clock.advance(400);
  await flushed;
  assert.deepEqual(tried, [[0, 1], [0, 1], [0, 1], [2, 3], [2, 3]]);
  assert.deepEqual(order(), [2, 3]);
});

test("entries that wait for a slow store are bounded, and read again from the file, in order", async () => {
  let isOpen = false;
  let release = () => {};
  const caughtUp: string[] = [];
  const { mirror, put, order } = rig(async () => {
    if (!isOpen) await new Promise<void>((resolve) => release = resolve);
  }, {
    catchUp: (path) => {
      caughtUp.push(path);
      return Promise.resolve();
    },
  }, 2 ** 30);
  put(0, 200, PATH, MIB);
  // It never waits for more than 64 MiB and one line.
  isOpen = true;
  release();
  await mirror.flush();
  const taken = order();
  assert.deepEqual(taken, upTo(taken.length));
  assert.ok(taken.length > 60 && taken.length < 70, String(taken.length));
  assert.deepEqual(caughtUp, [PATH]);
  put(200, 210);
  assert.equal(await mirror.close(100), 0);
  assert.deepEqual(order().slice(taken.length), upTo(210, 200));
});

test("everything waits for a slow store where no file can be read again", async () => {
  const gate = new Deferred<void>();
  const { mirror, put, order } = rig(() => gate.promise);
  put(0, 200, PATH, MIB);
  gate.resolve();
  assert.equal(await mirror.close(1_000), 0);
  assert.deepEqual(order(), upTo(200));
});

test("entries that arrive while a file is read again are read as well", async () => {
  let release = () => {};
  const slow = new Promise<void>((resolve) => release = resolve);
  const began = new Deferred<void>();
  const going = new Deferred<void>();
  let reads = 0;
  const { mirror, put } = rig(() => slow, {
    async catchUp() {
      if (++reads > 1) return;
      began.resolve();
      await going.promise;
    },
  }, 2 ** 30);
  put(0, 100, PATH, MIB);
  const flushed = mirror.flush();
  release();
  await began.promise;
  put(100, 101);
  going.resolve();
  await flushed;
  assert.equal(reads, 2);
  assert.equal(await mirror.close(100), 0);
});

test("a file of no session is counted as lost", async () => {
  const { mirror } = rig(() => Promise.resolve());
  mirror.put("/elsewhere/x.jsonl", [{ type: "user" }, { type: "user" }], 10);
  assert.equal(await mirror.close(100), 2);
});

test("keyOfFile() reads the key off any path of the CLI", () => {
  const key = { projectKey: "-home-ada", sessionId: ID };
  assert.deepEqual(keyOfFile(PATH), key);
  assert.deepEqual(keyOfFile(PART), { ...key, subpath: "subagents/agent-1" });
  assert.deepEqual(
    keyOfFile(`C:\\Users\\a\\.claude\\projects\\C--p\\${ID}.jsonl`),
    { projectKey: "C--p", sessionId: ID },
  );
  assert.deepEqual(
    keyOfFile(`/home/projects/x/y/.claude/projects/-p/${ID}/a/b/c.jsonl`),
    { projectKey: "-p", sessionId: ID, subpath: "a/b/c" },
  );
  // The folder of the configuration is the working directory.
  assert.deepEqual(keyOfFile(`projects/-p/${ID}.jsonl`), {
    projectKey: "-p",
    sessionId: ID,
  });
  for (
    const path of [
      "",
      `myprojects/-p/${ID}.jsonl`,
      "/home/ada/.claude/projects/-p/notes.jsonl",
      `/home/ada/.claude/-p/${ID}.jsonl`,
      `/home/ada/.claude/projects/${ID}.jsonl`,
    ]
  ) assert.equal(keyOfFile(path), undefined);
});

test("a store has a minute for an answer unless told otherwise, and its own errors come as they are", async () => {
  const clock = new FakeClock();
  const never = () => new Promise<never>(() => {});
  const key = { projectKey: "p", sessionId: ID };
  const store = memoryTranscripts();
  const hanging = checkedStore({ ...store, load: never }, { clock });
  let failure: unknown;
  void hanging.load(key).catch((error) => failure = error);
  await clock.advance(59_999);
  assert.equal(failure, undefined);
  await clock.advance(1);
  assert.match(String(failure), /load\(\): no answer within 60000 ms/);
  const own = new TranscriptError({ message: "Gone", sessionId: "s2" });
  const load = () => Promise.reject(own);
  const failing = checkedStore({ ...store, load }, { clock });
  await assert.rejects(failing.load(key), (error) => error === own);
});
