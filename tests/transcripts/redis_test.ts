import assert from "node:assert/strict";
import { Redis } from "ioredis";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import { storageTranscripts } from "../../src/transcripts/storage.ts";
import { transcriptStoreCases } from "../../src/testing/transcript_cases.ts";
import { test } from "../_harness.ts";
import {
  closed,
  reasonWithoutRedis,
  redisTranscripts,
  withRedis,
} from "./_redis.ts";

const skip = reasonWithoutRedis;

test("a store of lists in Redis does all that a store has to", async () => {
  await withRedis(async (path) => {
    const redis = new Redis({ path });
    try {
      for (
        const { name, run } of transcriptStoreCases(() =>
          redisTranscripts(redis)
        )
      ) await assert.doesNotReject(run, name);
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
        for (const { name, run } of transcriptStoreCases(() => store)) {
          await assert.doesNotReject(run, name);
        }
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
