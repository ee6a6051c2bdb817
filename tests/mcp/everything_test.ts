import assert from "node:assert/strict";
import { readAll } from "../../src/mcp/lists.ts";
import { McpFailure } from "@sluice/agent/mcp";
import type { JsonObject, McpConnection, McpServerConfig } from "@sluice/agent";
import { test } from "../_harness.ts";
import { callText, withConnecting } from "./_connecting.ts";
import { EVERYTHING, withEverything } from "./_everything.ts";

/** What a client offers that can answer every question of a server. */
const EVERY_CAPABILITY: JsonObject = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
};

const IDS = {
  stdio: ["MI-09", "MI-14"],
  http: ["MI-10", "MI-14"],
  sse: ["MI-11", "MI-14"],
} as const;

// Each start of the server costs more than all that is asked of it.
for (const transport of EVERYTHING) {
  test(
    `Over ${transport} connectServer() reaches every part of the reference server, progress keeps a call alive past its limit, and serve() answers`,
    () =>
      withEverything(transport, async (config) => {
        await withConnecting(async (connecting) => {
          const connection = await connecting.open(config);
          await reachEveryPart(connection);
          await outlastTheLimit(connection);
        });
        await answerQuestions(config);
      }),
    { ids: IDS[transport] },
  );
}

async function reachEveryPart(connection: McpConnection): Promise<void> {
  assert.match(connection.server.name, /everything/);
  const tools = await readAll(connection, "tools/list", assert.fail);
  assert.equal(tools.length, 13);
  assert.equal(
    (await readAll(connection, "resources/list", assert.fail)).length,
    7,
  );
  assert.equal(
    (await readAll(connection, "resources/templates/list", assert.fail)).length,
    2,
  );
  assert.equal(
    (await readAll(connection, "prompts/list", assert.fail)).length,
    4,
  );
  assert.equal(
    await callText(connection, "get-sum", { a: 1, b: 2 }),
    "The sum of 1 and 2 is 3.",
  );
  const structured = await connection.request("tools/call", {
    name: "get-structured-content",
    arguments: { location: "Chicago" },
  }) as JsonObject;
  assert.ok(structured.structuredContent);
  assert.deepEqual(await connection.request("ping"), {});
}

async function outlastTheLimit(connection: McpConnection): Promise<void> {
  const call = (onProgress?: (one: JsonObject) => void) =>
    connection.request("tools/call", {
      name: "trigger-long-running-operation",
      arguments: { duration: 1, steps: 4 },
    }, { timeoutMs: 700, ...(onProgress && { onProgress }) });
  const heard: JsonObject[] = [];
  await call((one) => heard.push(one));
  assert.deepEqual(heard.map(({ progress }) => progress), [1, 2, 3, 4]);
  await assert.rejects(
    call(),
    (error) => error instanceof McpFailure && error.kind === "timeout",
  );
}

function answerQuestions(config: McpServerConfig): Promise<void> {
  return withConnecting(async (connecting) => {
    const connection = await connecting.open(config, {
      capabilities: EVERY_CAPABILITY,
    });
    const asked: string[] = [];
    connection.serve((method) => {
      asked.push(method);
      if (method === "roots/list") {
        return { roots: [{ uri: "file:///tmp" }] };
      }
      if (method === "elicitation/create") return { action: "decline" };
      return {
        model: "none",
        role: "assistant",
        content: { type: "text", text: "Yes." },
      };
    });
    // Those for able clients are there a moment after the handshake.
    while ((await readAll(connection, "tools/list", assert.fail)).length < 17);
    const text = await callText(connection, "trigger-sampling-request", {
      prompt: "Really?",
    });
    assert.match(text, /Yes\./);
    assert.match(
      await callText(connection, "trigger-elicitation-request"),
      /declined/,
    );
    assert.ok(asked.includes("sampling/createMessage"));
    assert.ok(asked.includes("elicitation/create"));
  });
}
