import assert from "node:assert/strict";
import {
  type JsonObject,
  type McpServerConfig,
  ProtocolError,
  ServerUnavailableError,
  UnknownServerError,
} from "@sluice/agent";
import { createMcpServer, tool, type ToolContext } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { textOfAnswer, withAttached } from "./_attached.ts";
import { stdioFixture } from "./_connecting.ts";

const tools = stdioFixture("tools");

/** Acknowledgement of a notification. */
const ACKNOWLEDGED = { mcp_response: { jsonrpc: "2.0", result: {}, id: 0 } };

/** A server of this program with one tool that waits, and the contexts it was called with. */
function waitingServer(): { config: McpServerConfig; contexts: ToolContext[] } {
  const contexts: ToolContext[] = [];
  const instance = createMcpServer({
    name: "here",
    tools: [
      tool({
        name: "wait",
        description: "Waits",
        input: { type: "object" },
        run: (_args, context) => {
          contexts.push(context);
          return new Promise<string>(() => {});
        },
      }),
      tool({
        name: "now",
        description: "Tells",
        input: { type: "object" },
        run: () => "now",
      }),
    ],
  });
  return { config: { type: "sdk", instance }, contexts };
}

const SIX: readonly (readonly [string, JsonObject, JsonObject, string])[] = [
  ["tools/list", {}, {}, "MA-03"],
  ["tools/call", { name: "echo", arguments: { a: 1 } }, {
    content: [{ type: "text", text: '{"a":1}' }],
  }, "MA-04"],
  [
    "resources/list",
    {},
    { resources: [{ uri: "mem://a", name: "a" }] },
    "MA-05",
  ],
  ["resources/read", { uri: "mem://a" }, {
    contents: [{ uri: "mem://a", text: "content" }],
  }, "MA-06"],
  ["prompts/list", {}, { prompts: [{ name: "greet" }] }, "MA-07"],
  ["prompts/get", { name: "greet" }, {
    messages: [{ role: "user", content: { type: "text", text: "greet" } }],
  }, "MA-08"],
];

test("handle() forwards the six methods under their own ids", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    const answers = await Promise.all(
      SIX.map(([method, params], index) =>
        conversation.ask("srv", method, {
          params,
          id: index % 2 === 0 ? index : `s${index}`,
        })
      ),
    );
    for (const [index, [method, , result]] of SIX.entries()) {
      const answer = answers[index];
      assert.equal(answer?.jsonrpc, "2.0");
      assert.equal(answer?.id, index % 2 === 0 ? index : `s${index}`);
      if (method !== "tools/list") {
        assert.deepEqual(answer?.result, result);
      } else assert.ok(Array.isArray((answer?.result as JsonObject).tools));
    }
    assert.deepEqual(conversation.reported, []);
  });
}, { ids: ["MA-02", "MA-03", "MA-04", "MA-05", "MA-06", "MA-07", "MA-08"] });

test("handle() forwards whatever else a server understands", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    assert.deepEqual(await conversation.ask("srv", "ping"), {
      jsonrpc: "2.0",
      id: 1,
      result: {},
    });
    const { result } = await conversation.ask(
      "srv",
      "resources/templates/list",
    );
    assert.deepEqual(result, {
      resourceTemplates: [{ uriTemplate: "mem://{x}", name: "x" }],
    });
  });
}, { ids: ["MA-19"] });

test("handle() answers unknown methods with -32603", async () => {
  await withAttached(
    { srv: tools, bare: stdioFixture("noisy") },
    async (conversation) => {
      const unknown = await conversation.ask("srv", "no/such", { id: 9 });
      assert.deepEqual(unknown, {
        jsonrpc: "2.0",
        id: 9,
        error: { code: -32603, message: "Method not found" },
      });
      const known = await conversation.ask("bare", "prompts/list");
      assert.equal((known.error as JsonObject).code, -32601);
    },
  );
}, { ids: ["MA-10"] });

test("handle() answers a refusal as the server does", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    const answer = await conversation.call("srv", "refused", { id: 4 });
    assert.deepEqual(answer, {
      jsonrpc: "2.0",
      id: 4,
      error: {
        code: -32007,
        message: "Not today",
        data: { until: "tomorrow" },
      },
    });
    assert.deepEqual(conversation.reported, []);
  });
}, { ids: ["MA-11"] });

test("handle() answers and reports a timeout", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    const answer = await conversation.call("srv", "silent", { id: 5 });
    const message = 'MCP server "srv" did not answer tools/call within 60 ms';
    assert.deepEqual(answer, {
      jsonrpc: "2.0",
      id: 5,
      error: { code: -32603, message },
    });
    const [error] = conversation.reported;
    assert.ok(error instanceof ProtocolError);
    assert.deepEqual([error.category, error.subtype, error.details], [
      "timeout",
      "mcp_message",
      { server: "srv", method: "tools/call" },
    ]);
    assert.deepEqual(conversation.metrics, ["timeout mcp_message"]);
  }, { mcpMs: 60 });
}, { ids: ["T-04", "MA-11"] });

test("callTimeoutMs wins over the conversation's timeout", async () => {
  await withAttached(
    { srv: { ...tools, callTimeoutMs: 60 } },
    async (conversation) => {
      const { error } = await conversation.call("srv", "silent");
      assert.match(String((error as JsonObject).message), /within 60 ms$/);
    },
  );
}, { ids: ["T-04"] });

test("handle() aborts a tool of this program at its timeout", async () => {
  const { config, contexts } = waitingServer();
  await withAttached({ here: config }, async (conversation) => {
    const calling = conversation.call("here", "wait", { id: 6 });
    const signal = contexts[0]?.signal;
    const { id, error } = await calling;
    assert.equal(id, 6);
    assert.match(String((error as JsonObject).message), /within 60 ms$/);
    assert.equal(signal?.aborted, true);
    assert.equal(conversation.reported.length, 1);
  }, { mcpMs: 60 });
}, { ids: ["T-04"] });

test("handle() rejects what is no JSON-RPC message", async () => {
  await withAttached({ srv: waitingServer().config }, async (conversation) => {
    const bad = [
      "{",
      "[]",
      null,
      42,
      [],
      {},
      { jsonrpc: "2.0", method: 7, id: 1 },
      { jsonrpc: "2.0", method: "ping", id: {} },
      { jsonrpc: "2.0", method: "ping", id: 1, params: [] },
    ];
    for (const message of bad) {
      await assert.rejects(conversation.send("srv", message));
    }
    // The text of a message is decoded.
    const answer = await conversation.send(
      "srv",
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    );
    assert.deepEqual(answer, {
      mcp_response: { jsonrpc: "2.0", id: 1, result: {} },
    });
  });
}, { ids: ["MA-09"] });

test("handle() rejects a message for a server that is not known", async () => {
  await withAttached({ srv: waitingServer().config }, async (conversation) => {
    const sending = conversation.ask("other", "ping");
    await assert.rejects(
      sending,
      (error) =>
        error instanceof UnknownServerError &&
        error.message === 'MCP server is not known: "other"',
    );
  });
});

test("handle() acknowledges notifications", async () => {
  await withAttached({ srv: { ...tools } }, async (conversation) => {
    const notify = (method: string) =>
      conversation.send("srv", { jsonrpc: "2.0", method });
    assert.deepEqual(await notify("notifications/initialized"), ACKNOWLEDGED);
    assert.deepEqual(await notify("notifications/unheard/of"), ACKNOWLEDGED);
    // The handshake was ours, and it was one.
    const heard = await conversation.call("srv", "heard");
    assert.equal(textOfAnswer(heard), '["notifications/initialized"]');
  });
}, { ids: ["MA-12"] });

test("handle() answers initialize at once, from what the handshake said", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    const initialize = (protocolVersion: string) =>
      conversation.ask("srv", "initialize", {
        params: { protocolVersion },
        id: 0,
      });
    const { result, id } = await initialize("2025-06-18");
    assert.equal(id, 0);
    assert.deepEqual(result, {
      protocolVersion: "2025-06-18",
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
        logging: {},
      },
      serverInfo: { name: "fixture", version: "1.2.3" },
      instructions: "Be gentle",
    });
    const newer = await initialize("2030-01-01");
    assert.equal((newer.result as JsonObject).protocolVersion, "2025-11-25");
  });
});

test("handle() keeps the ids of two servers apart, and refuses one that is in use", async () => {
  const first = waitingServer();
  const second = waitingServer();
  await withAttached(
    { a: first.config, b: second.config },
    async (conversation) => {
      const waiting = conversation.call("a", "wait", { id: 0 });
      assert.equal(
        textOfAnswer(await conversation.call("b", "now", { id: 0 })),
        "now",
      );
      const { error, id } = await conversation.call("a", "now", { id: 0 });
      assert.equal(id, 0);
      assert.deepEqual(error, {
        code: -32600,
        message: "Id is in use by a request that is open: 0",
      });
      await conversation.close();
      await waiting;
    },
  );
});

test("notifications/cancelled ends a call without an answer", async () => {
  const { config, contexts } = waitingServer();
  await withAttached({ here: config }, async (conversation) => {
    const call = {
      jsonrpc: "2.0",
      id: 0,
      method: "tools/call",
      params: { name: "wait" },
    };
    const calling = conversation.send("here", call);
    const signal = contexts[0]?.signal;
    const params = { requestId: 0, reason: "AbortError: remote-cancel" };
    const cancel = {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params,
    };
    assert.deepEqual(await conversation.send("here", cancel), ACKNOWLEDGED);
    assert.equal(await calling, undefined);
    assert.equal(signal?.aborted, true);
    assert.equal(signal?.reason.message, "AbortError: remote-cancel");
    // A second one, or one for nothing, does nothing.
    assert.deepEqual(await conversation.send("here", cancel), ACKNOWLEDGED);
    assert.deepEqual(conversation.reported, []);
    // The id is free again.
    assert.equal(
      textOfAnswer(await conversation.call("here", "now", { id: 0 })),
      "now",
    );
  });
}, { ids: ["MA-13"] });

test("notifications/cancelled reaches a program", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    const call = {
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: { name: "silent" },
    };
    const calling = conversation.send("srv", call);
    await conversation.send("srv", {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 3, reason: "enough" },
    });
    assert.equal(await calling, undefined);
    const cancelled = JSON.parse(
      textOfAnswer(await conversation.call("srv", "cancelled")),
    );
    assert.equal(cancelled.length, 1);
    assert.match(cancelled[0].reason, /enough/);
  });
}, { ids: ["MA-13"] });

test("The signal of the control request reaches the call", async () => {
  const { config, contexts } = waitingServer();
  await withAttached({ here: config, srv: tools }, async (conversation) => {
    const reason = new Error("taken back");
    for (
      const [server, name] of [["here", "wait"], ["srv", "silent"]] as const
    ) {
      const controller = new AbortController();
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name },
      };
      const calling = conversation.send(server, call, controller.signal);
      const signal = contexts[0]?.signal;
      controller.abort(reason);
      await calling;
      assert.equal(signal?.reason, reason);
    }
    const cancelled = JSON.parse(
      textOfAnswer(await conversation.call("srv", "cancelled")),
    );
    assert.match(cancelled[0].reason, /taken back/);
  });
}, { ids: ["MA-13", "DEC-05"] });

test("The end of the conversation's signal ends every call", async () => {
  const { config, contexts } = waitingServer();
  await withAttached({ here: config, srv: tools }, async (conversation) => {
    const calls = [
      conversation.call("here", "wait"),
      conversation.call("srv", "silent"),
    ];
    const signal = contexts[0]?.signal;
    conversation.controller.abort(new Error("the end"));
    for (const { error } of await Promise.all(calls)) {
      assert.deepEqual(error, { code: -32603, message: "the end" });
    }
    assert.equal(signal?.aborted, true);
    assert.deepEqual(conversation.reported, []);
  });
}, { ids: ["DEC-05"] });

test("Progress of a program goes out under the token of the CLI", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    conversation.attached.begin();
    const call = (id: number) =>
      conversation.call("srv", "steps", {
        id,
        args: { steps: 2 },
        meta: { progressToken: id },
      });
    await Promise.all([call(7), call(8)]);
    const progress = (progressToken: number, step: number) => ["srv", {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progress: step, total: 2, progressToken },
    }];
    const byToken = (token: number) =>
      conversation.said.filter(([, { params }]) =>
        (params as JsonObject).progressToken === token
      );
    assert.deepEqual(byToken(7), [progress(7, 1), progress(7, 2)]);
    assert.deepEqual(byToken(8), [progress(8, 1), progress(8, 2)]);
    // Its token stays here, the other facts are passed on.
    const meta = { progressToken: 9, "claudecode/toolUseId": "toolu_1" };
    const seen = JSON.parse(
      textOfAnswer(await conversation.call("srv", "params", { meta })),
    );
    assert.equal(seen._meta["claudecode/toolUseId"], "toolu_1");
    assert.notEqual(seen._meta.progressToken, 9);
  });
});

test("Progress of a tool of this program goes out while the call is open, and not after", async () => {
  const { config, contexts } = waitingServer();
  await withAttached({ here: config }, async (conversation) => {
    const calling = conversation.call("here", "wait", {
      meta: { progressToken: "t" },
    });
    const [context] = contexts;
    context?.progress(1, 2);
    await conversation.send("here", {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1 },
    });
    await calling.catch(() => {});
    context?.progress(2, 2);
    assert.deepEqual(conversation.said, [["here", {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progress: 1, total: 2, progressToken: "t" },
    }]]);
  });
});

test("Messages of a server before the CLI listens are delivered then", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    const say = (method: string, more: JsonObject = {}) =>
      conversation.call("srv", "say", { args: { method, ...more } });
    await say("notifications/tools/list_changed");
    await say("notifications/message", {
      params: { level: "info", data: "hi" },
    });
    assert.deepEqual(conversation.said, []);
    conversation.attached.begin();
    const changed = ["srv", {
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
    }];
    const message = ["srv", {
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "info", data: "hi" },
    }];
    assert.deepEqual(conversation.said, [changed, message]);
    await say("notifications/tools/list_changed");
    assert.deepEqual(conversation.said, [changed, message, changed]);
  });
});

test("A request that the host does not answer is refused", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    const args = { method: "roots/list" };
    const answer = await conversation.call("srv", "ask", { args });
    assert.equal(textOfAnswer(answer), "-32601 Method not found: roots/list");
    assert.deepEqual(conversation.said, []);
    // An unexpected answer is acknowledged and dropped.
    const foreign = { jsonrpc: "2.0", id: 1, result: { roots: [] } };
    assert.deepEqual(await conversation.send("srv", foreign), ACKNOWLEDGED);
  });
});

test("A question to the user is put to the host, which is offered for it", async () => {
  const asked: unknown[] = [];
  await withAttached({ srv: tools }, async (conversation) => {
    const args = { method: "elicitation/create", params: { message: "Name?" } };
    const answer = await conversation.call("srv", "ask", { args });
    assert.equal(
      textOfAnswer(answer),
      '{"action":"accept","content":{"name":"Ada"}}',
    );
    assert.deepEqual(asked, [{
      subtype: "elicitation",
      mcp_server_name: "srv",
      message: "Name?",
    }]);
  }, {
    elicitation: (request) => {
      asked.push(request);
      return { action: "accept", content: { name: "Ada" } };
    },
  });
});

/** A form with one field that has a default, and one that has none. */
const requestedSchema = {
  type: "object",
  properties: {
    name: { type: "string", default: "John" },
    age: { type: "integer" },
  },
};

/** Result for a server that asks with that form. */
async function elicited(
  answer: JsonObject,
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  let text = "";
  let warnings: readonly string[] = [];
  await withAttached({ srv: tools }, async (conversation) => {
    const params = { message: "Name?", requestedSchema };
    const args = { method: "elicitation/create", params };
    text = textOfAnswer(await conversation.call("srv", "ask", { args }));
    warnings = conversation.warnings;
  }, { elicitation: () => answer });
  return { text, warnings };
}

test("An accepted form has the defaults of its schema", async () => {
  const { text, warnings } = await elicited({
    action: "accept",
    content: { age: 7 },
  });
  assert.deepEqual(JSON.parse(text), {
    action: "accept",
    content: { name: "John", age: 7 },
  });
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    (await elicited({ action: "decline" })).text,
    '{"action":"decline"}',
  );
});

test("The death of a program in a call is reported", async () => {
  await withAttached(
    { srv: tools, other: waitingServer().config },
    async (conversation) => {
      const calling = conversation.call("srv", "dieLoudly");
      await assert.rejects(calling, {
        name: "McpFailure",
        kind: "closed",
        delivery: "unknown",
        message:
          'MCP server "srv" is gone: Process ended: exit code 7 (the reason)',
      });
      const [error] = conversation.reported;
      assert.ok(error instanceof ServerUnavailableError);
      assert.equal(error.server, "srv");
      assert.equal(error.fatal, false);
      assert.match(
        error.message,
        /^MCP server "srv" is gone: Process ended: exit code 7/,
      );
      await assert.rejects(conversation.ask("srv", "ping"), /is gone/);
      await assert.rejects(conversation.call("srv", "pid"), /is gone/);
      assert.equal(conversation.reported.length, 1);
      assert.equal(
        textOfAnswer(await conversation.call("other", "now")),
        "now",
      );
    },
  );
}, { ids: ["MA-17", "DEC-01"] });
