import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { TranscriptKey, TranscriptStore } from "@sluice/agent/transcripts";

/** The server; set by the test runner, which brings one along where there is none. */
const PROGRAM = process.env["SLUICE_TEST_REDIS"];

/** Why tests with Redis are left out. */
export const reasonWithoutRedis: string | undefined = PROGRAM === undefined
  ? "No Redis: run `npm test`, or set SLUICE_TEST_REDIS to the path of redis-server"
  : undefined;

/** Runs a test body with a server of its own, given its socket, and ends it. */
export async function withRedis(
  use: (socket: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "redis-"));
  const socket = join(folder, "redis.sock");
  const args = [
    ...["--port", "0", "--unixsocket", socket, "--dir", folder],
    ...["--save", "", "--appendonly", "no"],
  ];
  const server = spawn(PROGRAM ?? "redis-server", args, { stdio: "ignore" });
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

/** Closes a connection; resolves when nothing of it is left. */
export async function closed(redis: Redis): Promise<void> {
  const end = once(redis, "end");
  redis.disconnect();
  await end;
}

/** A store as users write it for Redis: a list for each key. */
export function redisTranscripts(redis: Redis): TranscriptStore {
  const nameOf = ({ projectKey, sessionId, subpath }: TranscriptKey) =>
    `lines:${JSON.stringify([projectKey, sessionId, subpath ?? ""])}`;
  const sessionsOf = (projectKey: string) => `sessions:${projectKey}`;
  const partsOf = (
    { projectKey, sessionId }: {
      readonly projectKey: string;
      readonly sessionId: string;
    },
  ) => `parts:${JSON.stringify([projectKey, sessionId])}`;
  let lastMs = 0;
  return {
    async append(key, entries) {
      if (entries.length === 0) return;
      lastMs = Math.max(Date.now(), lastMs + 1);
      const work = redis.multi()
        .rpush(nameOf(key), ...entries.map((one) => JSON.stringify(one)));
      if (key.subpath) work.sadd(partsOf(key), key.subpath);
      else work.zadd(sessionsOf(key.projectKey), lastMs, key.sessionId);
      const replies = await work.exec();
      const failure = replies?.find(([error]) => error)?.[0];
      if (failure) throw failure;
    },
    async load(key) {
      const lines = await redis.lrange(nameOf(key), 0, -1);
      return lines.length === 0 ? null : lines.map((line) => JSON.parse(line));
    },
    async listSessions(projectKey) {
      const flat = await redis.zrange(
        sessionsOf(projectKey),
        0,
        -1,
        "WITHSCORES",
      );
      return flat.flatMap((sessionId, at) =>
        at % 2 === 0 ? [{ sessionId, mtime: Number(flat[at + 1]) }] : []
      );
    },
    listSubkeys: (key) => redis.smembers(partsOf(key)),
    async delete(key) {
      if (key.subpath) {
        await redis.del(nameOf(key));
        await redis.srem(partsOf(key), key.subpath);
        return;
      }
      for (const subpath of await redis.smembers(partsOf(key))) {
        await redis.del(nameOf({ ...key, subpath }));
      }
      await redis.del(nameOf(key), partsOf(key));
      await redis.zrem(sessionsOf(key.projectKey), key.sessionId);
    },
  };
}
