import assert from "node:assert/strict";
import type { OpenFile } from "../../src/ports/files.ts";
import type { SyncPolicy } from "@sluice/agent/session";
import { recordWriter } from "../../src/session/record_writer.ts";
import { rejectionOf } from "../_collect.ts";
import { toPath } from "../../src/session/files.ts";
import { test } from "../_harness.ts";

const decoder = new TextDecoder();

/** A file in memory that notes what is done to it. */
function fileOf(
  { most = Infinity, failAt = Infinity, removedAt = Infinity }: {
    readonly most?: number;
    readonly failAt?: number;
    readonly removedAt?: number;
  } = {},
): OpenFile & { readonly calls: string[] } {
  const calls: string[] = [];
  let writes = 0;
  let looks = 0;
  return {
    calls,
    read: () => Promise.resolve(0),
    write(bytes) {
      if (writes++ === failAt) return Promise.reject(new Error("Disk is full"));
      const taken = bytes.slice(0, most);
      calls.push(decoder.decode(taken));
      return Promise.resolve(taken.length);
    },
    isRemoved: () => Promise.resolve(looks++ === removedAt),
    syncData() {
      calls.push("sync");
      return Promise.resolve();
    },
    close() {
      calls.push("close");
      return Promise.resolve();
    },
  };
}

function batch(endsTurn: boolean, ...texts: readonly string[]) {
  return { records: texts, endsTurn };
}

test("RecordWriter writes in the order of the calls, and at once what came during a write", async () => {
  const file = fileOf();
  const writer = recordWriter("Session", file, "none");
  writer.post(batch(true, "a\n", "b\n"));
  writer.post(batch(false, "c\n"));
  await Promise.resolve();
  writer.post(batch(false, "d\n"));
  writer.post(batch(false, "e\n"));
  await writer.flush();
  assert.deepEqual(file.calls, ["a\nb\nc\n", "d\ne\n"]);
  await writer.close();
  assert.deepEqual(file.calls.slice(2), ["close"]);
});

test("RecordWriter continues after a partial write", async () => {
  const file = fileOf({ most: 3 });
  const writer = recordWriter("Session", file, "none");
  writer.post(batch(false, "abcdefgh\n", "i\n"));
  await writer.close();
  assert.deepEqual(file.calls, ["abc", "def", "gh\n", "i\n", "close"]);
});

test("RecordWriter rejects where the system takes nothing, instead of trying for ever", async () => {
  const writer = recordWriter("Session", fileOf({ most: 0 }), "none");
  writer.post(batch(false, "a\n"));
  await assert.rejects(writer.flush(), /takes no more bytes/);
  await assert.rejects(writer.close());
});

test("RecordWriter syncs after a turn, after each record, or never", async () => {
  const calls: Record<SyncPolicy, readonly string[]> = {
    none: ["abc", "close"],
    turn: ["abc", "sync", "sync", "close"],
    record: ["a", "sync", "b", "sync", "c", "sync", "sync", "close"],
  };
  for (const [policy, expected] of Object.entries(calls)) {
    const file = fileOf();
    const writer = recordWriter("Session", file, policy as SyncPolicy);
    writer.post(batch(true, "a", "b"));
    writer.post(batch(false, "c"));
    await writer.close();
    assert.deepEqual(file.calls, expected, policy);
  }
});

test("RecordWriter writes nothing after a failure, and tells of it each time", async () => {
  const file = fileOf({ failAt: 1 });
  const writer = recordWriter("Session", file, "none");
  writer.post(batch(false, "a"));
  await Promise.resolve();
  writer.post(batch(false, "b", "c"));
  await Promise.resolve();
  writer.post(batch(false, "d"));
  const error = await rejectionOf(writer.flush());
  assert.match(String(error), /Disk is full/);
  assert.equal(await rejectionOf(writer.flush()), error);
  assert.throws(() => writer.post(batch(false, "e")), /Disk is full/);
  assert.equal(await rejectionOf(writer.close()), error);
  assert.deepEqual(file.calls, ["a", "close"]);
});

test("RecordWriter notices a removed file at the end of a turn, whatever the policy", async () => {
  for (const policy of ["none", "turn", "record"] as const) {
    const file = fileOf({ removedAt: 0 });
    const writer = recordWriter('Session "a"', file, policy);
    writer.post(batch(true, "a"));
    writer.post(batch(false, "b"));
    // Looks once more, and would find it there: only the first look can tell.
    const error = await rejectionOf(writer.flush());
    assert.equal((error as { readonly code?: unknown }).code, "ENOENT");
    assert.match(String(error), /Session "a" was removed/);
    await assert.rejects(writer.close());
  }
});

test("RecordWriter writes nothing of what waited for a write that failed", async () => {
  const file = fileOf({ failAt: 0 });
  const writer = recordWriter("Session", file, "none");
  writer.post(batch(false, "torn\n"));
  await Promise.resolve();
  writer.post(batch(false, "late\n"));
  await assert.rejects(writer.flush(), /Disk is full/);
  assert.deepEqual(file.calls, []);
});

test("toPath() keeps the host of a file URL on Windows, and refuses one elsewhere", () => {
  const pathOf = (url: string, platform: string) =>
    toPath(new URL(url), { platform });
  assert.equal(pathOf("file:///C:/a%20b/c", "win32"), "C:\\a b\\c");
  assert.equal(
    pathOf("file://server/share/c", "win32"),
    "\\\\server\\share\\c",
  );
  assert.equal(pathOf("file:///a%20b", "linux"), "/a b");
  for (
    const [url, platform, message] of [
      ["file://server/share/c", "linux", /names the host "server"/],
      ["file:///a%2Fb", "linux", /an encoded slash/],
      ["file:///C:/a%5Cb", "win32", /an encoded slash/],
    ] as const
  ) {
    const error = { name: "ConfigError", key: "path", message };
    assert.throws(() => pathOf(url, platform), error);
  }
});
