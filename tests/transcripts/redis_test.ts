import assert from "node:assert/strict";
import { Redis } from "ioredis";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import {
  storageTranscripts,
  type TranscriptStore,
} from "@sluice/agent/transcripts";
import { transcriptStoreCases } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import {
  closed,
  reasonWithoutRedis,
  redisTranscripts,
  withRedis,
} from "./_redis.ts";

const skip = reasonWithoutRedis;

/** For seconds after a long reply the client has a timer, which Deno's tests take for a leak. */
const TOO_LONG = "Deno" in globalThis ? /megabyte|many lines/ : undefined;

async function holdsAll(store: TranscriptStore): Promise<void> {
  for (const { name, run } of transcriptStoreCases(() => store)) {
    if (!TOO_LONG?.test(name)) await assert.doesNotReject(run, name);
  }
}

test("a store of lists in Redis does all that a store has to", async () => {
  await withRedis(async (path) => {
    const redis = new Redis({ path });
    try {
      await holdsAll(redisTranscripts(redis));
    } finally {
      await closed(redis);
    }
  });
}, { skip });

test(
  "the Redis of unstorage is a store that does all that a store has to",
  async () => {
    await withRedis(async (path) => {
      const open = () =>
        redisDriver(
          { path, base: "sluice" } as Parameters<typeof redisDriver>[0],
        );
      const drivers = [open(), open()];
      const [store, other] = drivers.map((driver) =>
        storageTranscripts(createStorage({ driver }))
      );
      assert.ok(store && other);
      try {
        await holdsAll(store);
        const key = { projectKey: "-home-Ada", sessionId: crypto.randomUUID() };
        await store.append(key, [{ type: "user", uuid: "1" }]);
        // As another program would.
        assert.deepEqual(await other.load(key), [{ type: "user", uuid: "1" }]);
      } finally {
        for (const { getInstance } of drivers) {
          await closed(getInstance?.() as Redis);
        }
      }
    });
  },
  { skip },
);
