import assert from "node:assert/strict";
import {
  ConfigError,
  type JsonObject,
  type LocalMcpServer,
  type McpConnection,
} from "@sluice/agent";
import {
  createMcpServer,
  McpFailure,
  tool,
  type ToolContext,
} from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { callText, textIn } from "./_connecting.ts";

/** A tool that hands its context out and waits. */
function waiting(seen: (context: ToolContext) => void) {
  return tool({
    name: "wait",
    description: "Waits until it is ended",
    input: { type: "object" },
    run: (_args, context) => {
      seen(context);
      return new Promise<string>(() => {});
    },
  });
}

const echo = tool({
  name: "echo",
  title: "Echo",
  description: "Says it again",
  input: { type: "object", properties: { text: { type: "string" } } },
  output: { type: "object" },
  annotations: { readOnlyHint: true },
  meta: { "anthropic/alwaysLoad": true },
  run: (args) => args,
});

function serverOf(
  ...tools: Parameters<typeof createMcpServer>[0]["tools"]
): LocalMcpServer {
  return createMcpServer({
    name: "here",
    version: "2.0",
    instructions: "Ask",
    tools,
  });
}

/** Runs with a session. */
async function withSession(
  server: LocalMcpServer,
  run: (session: McpConnection) => Promise<void>,
): Promise<void> {
  const session = await server.open("configured");
  try {
    await run(session);
  } finally {
    await session.close();
  }
}

test("createMcpServer() opens sessions that say what the server is", async () => {
  const server = serverOf(echo);
  assert.deepEqual([server.name, server.version], ["here", "2.0"]);
  await withSession(server, async (session) => {
    assert.equal(session.name, "configured");
    assert.deepEqual(session.server, {
      name: "here",
      version: "2.0",
      capabilities: { tools: {} },
      protocolVersion: "2025-11-25",
      instructions: "Ask",
    });
    assert.deepEqual(await session.request("tools/list"), {
      tools: [{
        name: "echo",
        title: "Echo",
        description: "Says it again",
        inputSchema: {
          type: "object",
          properties: { text: { type: "string" } },
        },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
        _meta: { "anthropic/alwaysLoad": true },
      }],
    });
    assert.deepEqual(await session.request("ping"), {});
    assert.equal(
      await callText(session, "echo", { text: "hi" }),
      '{"text":"hi"}',
    );
  });
});

test("createMcpServer() refuses two tools of one name, and no name", () => {
  assert.throws(
    () => serverOf(echo, echo),
    (error) =>
      error instanceof ConfigError &&
      /names two tools: "echo"$/.test(error.message),
  );
  assert.throws(() => createMcpServer({ name: "", tools: [] }), ConfigError);
  for (const tools of [echo, undefined, { echo }]) {
    assert.throws(
      () => createMcpServer({ name: "x", tools: tools as never }),
      (error) =>
        error instanceof ConfigError &&
        /"tools" must be a list of tools/.test(error.message),
    );
  }
});

test("createMcpServer() refuses keys that it does not know, and fields of a wrong type", () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [
      { instuctions: "Be quick" },
      /"server\.instuctions".*nearest one is "instructions"/,
    ],
    [{ handler: echo }, /Unknown option "server\.handler"/],
    [{ version: 1 }, /"server\.version" must be/],
    [{ instructions: ["a"] }, /"server\.instructions" must be/],
  ];
  for (const [more, expected] of cases) {
    const definition = { name: "x", tools: [echo], ...more as object };
    assert.throws(() => createMcpServer(definition), {
      name: "ConfigError",
      message: expected,
    });
  }
  assert.throws(() => createMcpServer(undefined as never), ConfigError);
  const unset = { version: undefined, instructions: undefined };
  assert.equal(
    createMcpServer({ name: "x", tools: [], ...unset }).version,
    "1.0.0",
  );
});

test("A session serves a call without arguments and without a promise", async () => {
  await withSession(serverOf(echo), async (session) => {
    const call = { signal: new AbortController().signal, onProgress: () => {} };
    const answer = session.answer?.("tools/call", { name: "echo" }, call);
    assert.deepEqual(answer, {
      content: [{ type: "text", text: "{}" }],
      structuredContent: {},
    });
    await Promise.resolve();
  });
});

test("A session refuses unknown methods and tools by the numbers of JSON-RPC", async () => {
  await withSession(serverOf(echo), async (session) => {
    const cases:
      readonly (readonly [string, JsonObject | undefined, number, RegExp])[] = [
        [
          "resources/list",
          undefined,
          -32601,
          /^Method not found: resources\/list$/,
        ],
        ["tools/call", { name: "none" }, -32602, /^Unknown tool: none$/],
        ["tools/call", undefined, -32602, /^Unknown tool: undefined$/],
      ];
    for (const [method, params, code, text] of cases) {
      await assert.rejects(session.request(method, params), {
        name: "JsonRpcError",
        code,
        message: text,
      });
    }
  });
});

test("A tool hears its id and reports progress, also with members taken out of its context", async () => {
  const stepper = tool({
    name: "step",
    description: "Steps",
    input: { type: "object" },
    run: async (_args, { toolUseId, progress, signal }) => {
      progress(1);
      await Promise.resolve();
      progress(2, 3, "nearly");
      return `${toolUseId} ${signal.aborted}`;
    },
  });
  await withSession(serverOf(stepper), async (session) => {
    const heard: JsonObject[] = [];
    const params = {
      name: "step",
      _meta: { "claudecode/toolUseId": "toolu_1" },
    };
    const onProgress = (one: JsonObject) => heard.push(one);
    assert.equal(
      textIn(await session.request("tools/call", params, { onProgress })),
      "toolu_1 false",
    );
    assert.deepEqual(heard, [
      { progress: 1 },
      { progress: 2, total: 3, message: "nearly" },
    ]);
    // A listener is optional.
    assert.equal(await callText(session, "step"), "undefined false");
  });
});

test("An abort ends a call at once and reaches the tool", async () => {
  let context: ToolContext | undefined;
  await withSession(
    serverOf(waiting((one) => context = one)),
    async (session) => {
      const controller = new AbortController();
      const { signal } = controller;
      const call = session.request("tools/call", { name: "wait" }, { signal });
      const seen = context?.signal;
      const reason = new Error("enough");
      controller.abort(reason);
      await assert.rejects(call, (error) => error === reason);
      assert.equal(seen?.reason, reason);
      // A tool that looks later finds it ended.
      const late = session.request("tools/call", { name: "wait" }, { signal });
      await assert.rejects(late, (error) => error === reason);
    },
  );
});

test("A limit ends a call and reaches the tool; progress starts it anew", async () => {
  let context: ToolContext | undefined;
  await withSession(
    serverOf(waiting((one) => context = one)),
    async (session) => {
      const began = performance.now();
      const call = session.request("tools/call", { name: "wait" }, {
        timeoutMs: 300,
      });
      const signal = context?.signal;
      setTimeout(() => context?.progress(1), 100);
      await assert.rejects(call, {
        name: "McpFailure",
        message:
          'MCP server "configured" did not answer tools/call within 300 ms',
      });
      assert.ok(performance.now() - began >= 398);
      assert.equal(signal?.aborted, true);
    },
  );
});

test("close() ends what is open, for this session alone", async () => {
  const contexts: ToolContext[] = [];
  const server = serverOf(waiting((one) => contexts.push(one)), echo);
  await withSession(server, async (other) => {
    const session = await server.open();
    const call = session.request("tools/call", { name: "wait" });
    const failed = assert.rejects(
      call,
      /^McpFailure: MCP server "here" is gone$/,
    );
    const signal = contexts[0]?.signal;
    await Promise.all([session.close(), session.close()]);
    await failed;
    assert.equal(signal?.aborted, true);
    assert.equal(await session.closed, undefined);
    await assert.rejects(session.request("ping"), McpFailure);
    assert.equal(await callText(other, "echo", { a: 1 }), '{"a":1}');
  });
}, { ids: ["MA-14"] });
