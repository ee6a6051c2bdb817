import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import { storageTranscripts } from "@sluice/agent/transcripts";
import { transcriptStoreCases } from "@sluice/agent/testing";
import { test } from "../_harness.ts";

/** The server; set by the test runner, which installs one if it is missing. */
const PROGRAM = process.env["SLUICE_TEST_REDIS"];

/** For seconds after a long reply the client has a timer, which Deno's tests take for a leak. */
const TOO_LONG = "Deno" in globalThis ? /megabyte|many lines/ : undefined;

/** Runs with a server of its own, given its socket, and ends it. */
async function withRedis(
  use: (socket: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "redis-"));
  const socket = join(folder, "redis.sock");
  const args = [
    ...["--port", "0", "--unixsocket", socket, "--dir", folder],
    ...["--save", "", "--appendonly", "no"],
  ];
  const server = spawn(PROGRAM ?? "", args, { stdio: "ignore" });
  const gone = once(server, "exit");
  try {
    while (!existsSync(socket)) {
      if (server.exitCode !== null) throw new Error("Redis does not start");
      await sleep(10);
    }
    await use(socket);
  } finally {
    server.kill("SIGKILL");
    await gone;
    await rm(folder, { recursive: true, force: true });
  }
}

test(
  "the Redis of unstorage is a store that does all that a store has to",
  () =>
    withRedis(async (path) => {
      const driver = redisDriver(
        { path, base: "sluice" } as Parameters<typeof redisDriver>[0],
      );
      const store = storageTranscripts(createStorage({ driver }));
      try {
        for (const { name, run } of transcriptStoreCases(() => store)) {
          if (!TOO_LONG?.test(name)) await assert.doesNotReject(run, name);
        }
      } finally {
        const redis = driver.getInstance?.() as Redis;
        const end = once(redis, "end");
        redis.disconnect();
        await end;
      }
    }),
  {
    skip: PROGRAM === undefined
      ? "No Redis: run `npm test`, or set SLUICE_TEST_REDIS to the path of redis-server"
      : undefined,
  },
);
