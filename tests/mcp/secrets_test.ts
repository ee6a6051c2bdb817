import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { McpHub } from "@sluice/agent/mcp";
import {
  type McpRemoteConfig,
  type McpStdioConfig,
  query,
} from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { rejectionOf } from "../_collect.ts";
import { leakIn, packed, Plants } from "../_planted.ts";
import { logSpy, metricsSpy, textIn } from "../conversation/_rig.ts";
import { randomFrom } from "../options/_random.ts";
import { test } from "../_harness.ts";
import { stdioFixture, withConnecting } from "./_connecting.ts";

/** Runs with a server in another process that echoes what it is sent. */
async function withEcho(run: (port: string) => Promise<void>): Promise<void> {
  const path = fileURLToPath(
    new URL("../fixtures/mcp/echoes.mjs", import.meta.url),
  );
  const child: ChildProcess = spawn("node", [path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [chunk] = await once(child.stdout as NodeJS.ReadableStream, "data");
    await run(String(chunk).trim());
  } finally {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}

/** A server that echoes, with secrets wherever one may be. */
function remote(
  port: string,
  path: string,
  plants: Plants,
): McpRemoteConfig {
  const user = `u${plants.plain()}`;
  const pass = plants.odd();
  return {
    type: "http",
    url: `http://127.0.0.1:${port}${path}?api_key=${
      encodeURIComponent(plants.odd())
    }&page=2`,
    headers: {
      Authorization: `Bearer ${plants.plain()}`,
      "Proxy-Authorization": `Basic ${packed(`${user}:${pass}`)}`,
      "X-Own": plants.plain(),
      Accept: "application/json, text/event-stream",
    },
  };
}

function program(
  mode: string,
  plants: Plants,
): McpStdioConfig {
  return {
    ...stdioFixture(
      "tells",
      mode,
      "--api-key",
      plants.odd(),
      `postgres://me:${encodeURIComponent(plants.odd())}@db/x`,
      "--header",
      `X-Own: ${plants.plain()}`,
    ),
    env: {
      API_KEY: plants.odd(),
      PGPASSWORD: plants.odd(),
      INPUT_GITHUB_TOKEN: plants.plain(),
      DATABASE_URL: `postgres://me:${encodeURIComponent(plants.odd())}@db/x`,
    },
  };
}

function assertClean(told: unknown, { secrets }: Plants, what: string): void {
  const text = textIn(told);
  assert.ok(text.length > 20, `${what}: there is something to look through`);
  for (const secret of secrets) {
    const leak = leakIn(text, secret);
    if (leak === undefined) continue;
    const at = text.indexOf(leak);
    assert.fail(
      `${what}: ${leak} in ${text.slice(Math.max(0, at - 200), at + 60)}`,
    );
  }
}

const nothingThere = "9";

test("no error of a server holds a secret", async () => {
  await withEcho(async (port) => {
    for (let seed = 1; seed <= 6; seed++) {
      const plants = new Plants(randomFrom(seed));
      await withConnecting(async (connecting) => {
        const refusals = await Promise.all([
          remote(port, "/refuse", plants),
          remote(nothingThere, "/", plants),
          {
            ...remote(nothingThere, "/", plants),
            url: `http://me:${encodeURIComponent(plants.odd())}@127.0.0.1:9/`,
          },
          { ...remote(port, "/refuse", plants), type: "sse" as const },
          program("dies", plants),
        ].map((config) => rejectionOf(connecting.open(config))));
        assertClean(refusals, plants, `connecting, seed ${seed}`);

        const calls = await Promise.all([
          remote(port, "/mcp", plants),
          program("serves", plants),
        ].map(async (config) => {
          const connection = await connecting.open(config);
          const told = [];
          for (const name of ["rpc", "cut", "http"]) {
            if (name === "cut" && "command" in config) continue;
            told.push(
              await rejectionOf(connection.request("tools/call", { name })),
            );
          }
          if ("command" in config) told.push(await connection.closed);
          return told;
        }));
        assertClean(calls, plants, `calling, seed ${seed}`);
      });
    }
  });
}, { ids: ["E-07"] });

test("no error, warning or state of a hub holds a secret", async () => {
  await withEcho(async (port) => {
    for (let seed = 11; seed <= 12; seed++) {
      const plants = new Plants(randomFrom(seed));
      const told: unknown[] = [];
      const hub = new McpHub({
        good: remote(port, "/mcp", plants),
        program: program("serves", plants),
        refuses: remote(port, "/refuse", plants),
        dies: program("dies", plants),
      }, {
        onFailure: "partial",
        retry: { attempts: 1 },
        onWarning: (text) => void told.push(text),
      });
      await hub.connect();
      for (
        const tool of [
          "good__rpc",
          "good__http",
          "program__rpc",
          "program__http",
        ]
      ) {
        told.push(await rejectionOf(hub.call(tool, {})));
      }
      told.push(hub.status());
      await hub.close();
      assertClean(told, plants, `hub, seed ${seed}`);
      const strict = new McpHub({ dies: program("dies", plants) });
      assertClean(
        [await rejectionOf(strict.connect())],
        plants,
        "strict hub",
      );
      await strict.close();
    }
  });
}, { ids: ["E-07"] });

test("no error of a user's dialer holds a secret", async () => {
  const plants = new Plants(randomFrom(21));
  const config = remote("9", "/", plants);
  const hub = new McpHub({ mine: config }, {
    connect: (given) => Promise.reject(new Error(JSON.stringify(given))),
  });
  assertClean([await rejectionOf(hub.connect())], plants, "dialer");
  await hub.close();
}, { ids: ["E-07"] });

test("no error, log or metric of a conversation holds one", async () => {
  await withEcho(async (port) => {
    for (let seed = 31; seed <= 32; seed++) {
      const plants = new Plants(randomFrom(seed));
      for (
        const server of [
          remote(port, "/refuse", plants),
          program("dies", plants),
        ]
      ) {
        const fake = fakeCli("ok");
        const log = logSpy();
        const metrics = metricsSpy();
        const conversation = query("x", {
          cliPath: fake.cliPath,
          logger: log.logger,
          metrics: metrics.metrics,
          mcpServers: { server },
        });
        const error = await rejectionOf(conversation.ready);
        await conversation.close();
        await fake.close();
        assertClean(
          [error, log.lines, metrics.calls],
          plants,
          `start, seed ${seed}`,
        );
      }
      const fake = fakeCli([["a", { wait: "forever" }]]);
      const log = logSpy();
      const conversation = query("x", {
        cliPath: fake.cliPath,
        logger: log.logger,
      });
      await conversation.ready;
      const error = await rejectionOf(
        conversation.setMcpServers({ later: program("dies", plants) }),
      );
      await conversation.close();
      await fake.close();
      assertClean([error, log.lines], plants, `later, seed ${seed}`);
    }
  });
}, { ids: ["E-07"] });
