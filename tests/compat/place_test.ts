import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Options, query, startup } from "@sluice/agent/compat";
import { test } from "../_harness.ts";
import { messagesOf, openPrompts } from "./_compat.ts";
import { playedCli } from "./_process.ts";

const CLI: Options = {
  pathToClaudeCodeExecutable: fileURLToPath(
    new URL("./place_cli.mjs", import.meta.url),
  ),
  executable: "node",
};

/** The CLI's report of its place. */
async function placeOf(run: AsyncIterable<unknown>): Promise<unknown> {
  const [result] = await messagesOf(run);
  return result?.["result"];
}

/** Does something synchronously in another directory, with another key of this program. */
function at<T>(directory: string, key: string, action: () => T): T {
  const { env: { TENANT_KEY }, cwd } = process;
  const before = cwd();
  process.chdir(directory);
  process.env["TENANT_KEY"] = key;
  try {
    return action();
  } finally {
    process.chdir(before);
    if (TENANT_KEY === undefined) delete process.env["TENANT_KEY"];
    else process.env["TENANT_KEY"] = TENANT_KEY;
  }
}

test("queries with one object of variables run each with the key of their call", async () => {
  const env: Record<string, string | undefined> = { ...process.env };
  const runs = ["A", "B"].map((key) => {
    env["TENANT_KEY"] = key;
    return query({ prompt: "Hi", options: { ...CLI, env } });
  });
  const starting = startup({ options: { ...CLI, env } });
  delete env["TENANT_KEY"];
  const here = process.cwd();
  assert.deepEqual(await Promise.all(runs.map(placeOf)), [
    `A in ${here}`,
    `B in ${here}`,
  ]);
  assert.equal(await placeOf((await starting).query("Hi")), `B in ${here}`);
});

test("queries run with the environment and in the directory that the program had at their call", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "sluice-place-")));
  try {
    for (const name of ["a", "b"]) {
      mkdirSync(join(base, name, "below"), { recursive: true });
    }
    const runs = ["a", "b"].flatMap((name) =>
      at(join(base, name), name, () => [
        query({ prompt: "Hi", options: CLI }),
        query({ prompt: "Hi", options: { ...CLI, cwd: "below" } }),
      ])
    );
    assert.deepEqual(await Promise.all(runs.map(placeOf)), [
      `a in ${join(base, "a")}`,
      `a in ${join(base, "a", "below")}`,
      `b in ${join(base, "b")}`,
      `b in ${join(base, "b", "below")}`,
    ]);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

test("servers are set as they were at the call", async () => {
  const cli = playedCli();
  const run = query({ prompt: openPrompts().stream, options: cli.options });
  const server = { type: "stdio" as const, command: "first" };
  const setting = run.setMcpServers({ own: server });
  server.command = "second";
  const { request } = await cli.until(({ request }) =>
    Object(request).subtype === "mcp_set_servers"
  );
  assert.deepEqual(Object(request).servers, {
    own: { type: "stdio", command: "first" },
  });
  await run.return();
  await assert.rejects(setting);
});
