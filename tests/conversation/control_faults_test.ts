import assert from "node:assert/strict";
import {
  type Conversation,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  query,
} from "@sluice/agent";
import { fakeCli, type FakeStep } from "@sluice/agent/testing";
import { resultText, withConnected } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import {
  isAnswerTo,
  isRequest,
  memoryCli,
  metricsSpy,
  responseOf,
} from "./_rig.ts";

type Metrics = ReturnType<typeof metricsSpy>;
type Peer = ReturnType<typeof memoryCli>["peer"];

/** A conversation with a CLI in this process that answers `mcp_status` alone. */
async function withPeer(
  use: (rig: {
    readonly conversation: Conversation;
    readonly peer: Peer;
    readonly metrics: Metrics;
    /** Resolves when everything sent so far was handled; says that the conversation is alive. */
    readonly alive: () => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const { transport, peer } = memoryCli({ mcp_status: { mcpServers: [] } });
  const metrics = metricsSpy();
  const conversation = query(new ReadableStream<string>(), {
    transport,
    metrics: metrics.metrics,
  });
  await conversation.ready;
  const alive = async () => {
    assert.deepEqual(await conversation.mcpStatus(), { mcpServers: [] });
  };
  try {
    await use({ conversation, peer, metrics, alive });
  } finally {
    await conversation.close();
  }
}

/** The request that went out last. */
async function lastRequest(peer: Peer, subtype: string): Promise<JsonObject> {
  await peer.line(isRequest(subtype));
  return peer.lines.findLast(isRequest(subtype)) ?? {};
}

test(
  "an answer that comes too late is counted and changes nothing",
  async () => {
    await withPeer(async ({ conversation, peer, metrics, alive }) => {
      const late = rejectionOf(
        conversation.request("slow", {}, { timeoutMs: 10 }),
      );
      const line = await lastRequest(peer, "slow");
      assert.ok(await late instanceof ProtocolError);
      await peer.reply(line, { much: "too late" });
      await alive();
      assert.deepEqual(metrics.of("protocol.unknownResponse"), [
        [line.request_id],
      ]);
      assert.deepEqual(metrics.of("protocol.timeout"), [["slow"]]);
    });
  },
  { ids: ["CP-05", "T-05", "T-08"] },
);

test(
  "of two answers the first counts, the second is an unexpected one",
  async () => {
    await withPeer(async ({ conversation, peer, metrics, alive }) => {
      const asking = conversation.request("twice");
      const line = await lastRequest(peer, "twice");
      await peer.reply(line, { n: 1 });
      await peer.reply(line, { n: 2 });
      assert.deepEqual(await asking, { n: 1 });
      await alive();
      assert.deepEqual(metrics.of("protocol.unknownResponse"), [
        [line.request_id],
      ]);
    });
  },
  { ids: ["R-02", "CP-05"] },
);

test("answers that come in any order reach their own callers", async () => {
  await withPeer(async ({ conversation, peer }) => {
    const asking = Array.from(
      { length: 1_000 },
      (_, n) => conversation.request("many", { n }),
    );
    await peer.line((line) =>
      isRequest("many")(line) && (line.request as JsonObject).n === 999
    );
    assert.equal(conversation.health().pendingRequests, 1_000);
    const random = randomFrom(7);
    const lines = peer.lines.filter(isRequest("many"))
      .map((line) => ({ line, at: random() }))
      .toSorted((a, b) => a.at - b.at);
    assert.equal(new Set(lines.map(({ line }) => line.request_id)).size, 1_000);
    await peer.send(...lines.map(({ line }) => ({
      type: "control_response",
      response: {
        subtype: "success",
        request_id: line.request_id as string,
        response: { n: (line.request as JsonObject).n as number },
      },
    })));
    const answers = await Promise.all(asking);
    assert.deepEqual(answers.map(({ n }) => n), [...Array(1_000).keys()]);
    assert.equal(conversation.health().pendingRequests, 0);
  });
}, { ids: ["CP-06", "CP-11", "CP-01"] });

test("an answer without a body is an empty answer or a refusal without words, one with an odd body names the field", async () => {
  const bodies: readonly (readonly [JsonObject, JsonObject | RegExp])[] = [
    [{ subtype: "success" }, {}],
    [
      { subtype: "success", response: null },
      /"response\.response" must be an object/,
    ],
    [
      { subtype: "success", response: [1] },
      /"response\.response" must be an object/,
    ],
    [
      { subtype: "success", response: "text" },
      /"response\.response" must be an object/,
    ],
    [{ subtype: "error" }, /no reason was given/],
    [{ subtype: "error", error: { deep: 1 } }, /no reason was given/],
    [{ subtype: "error", error: "No", error_code: "NOT A CODE" }, /: No$/],
    [{}, /no reason was given/],
    [{ subtype: 7 }, /no reason was given/],
  ];
  await withPeer(async ({ conversation, peer, alive }) => {
    for (const [index, [body, expected]] of bodies.entries()) {
      const asking = conversation.request(`odd_${index}`);
      asking.catch(() => {});
      const { request_id } = await lastRequest(peer, `odd_${index}`);
      await peer.send({
        type: "control_response",
        response: { ...body, request_id: request_id as string },
      });
      if (expected instanceof RegExp) {
        const error = await rejectionOf(asking) as { errorCode?: unknown };
        assert.match(String(error), expected);
        assert.equal(error.errorCode, undefined);
      } else assert.deepEqual(await asking, expected);
    }
    await alive();
  });
});

test(
  "an answer that names no request is counted as malformed, and told with the field",
  async () => {
    const lines: readonly JsonObject[] = [
      { type: "control_response" },
      { type: "control_response", response: null },
      { type: "control_response", response: "x" },
      { type: "control_response", response: [] },
      { type: "control_response", response: { subtype: "success" } },
      {
        type: "control_response",
        response: { subtype: "success", request_id: 7 },
      },
    ];
    await withPeer(async ({ conversation, peer, metrics, alive }) => {
      await peer.send(...lines);
      await alive();
      assert.deepEqual(
        metrics.of("protocol.malformedMessage"),
        lines.map(() => ["control_response"]),
      );
      await conversation.close();
      const { items } = await collect(conversation.errors);
      assert.deepEqual(items.map(({ details }) => details.field), [
        "response",
        "response",
        "response",
        "response",
        "response.request_id",
        "response.request_id",
      ]);
    });
  },
  { ids: ["R-03", "R-10"] },
);

test(
  "a malformed request of the CLI is counted, told, and answered if it has an id",
  async () => {
    const requests: readonly (JsonValue | undefined)[] = [
      undefined,
      null,
      "text",
      7,
      [],
      {},
      { subtype: 7 },
      { subtype: null },
    ];
    await withPeer(async ({ conversation, peer, metrics, alive }) => {
      const lines = requests.map((request, index): JsonObject => ({
        type: "control_request",
        request_id: `bad_${index}`,
        ...request !== undefined && { request },
      }));
      const withoutId = [undefined, null, 7, {}].map((id): JsonObject => ({
        type: "control_request",
        request: { subtype: "can_use_tool" },
        ...id !== undefined && { request_id: id },
      }));
      await peer.send(...lines, ...withoutId);
      await alive();
      for (const { request_id } of lines) {
        const answer = responseOf(
          await peer.line(isAnswerTo(String(request_id))),
        );
        assert.equal(answer.subtype, "error");
        assert.equal(answer.error_code, "invalid_request");
      }
      const count = lines.length + withoutId.length;
      const counted = metrics.of("protocol.malformedMessage");
      assert.equal(counted.length, count);
      assert.ok(counted.every(([kind]) => kind === "control_request"));
      await conversation.close();
      const { items } = await collect(conversation.errors);
      assert.equal(items.length, count);
      for (const error of items) {
        assert.ok(error instanceof ProtocolError);
        assert.equal(error.category, "protocol");
        assert.equal(error.fatal, false);
      }
    });
  },
  { ids: ["R-03", "R-06"] },
);

test("an unregistered hook id gets an error and one report, and the turn continues", async () => {
  const ids = ["hook_99", 7, null, undefined];
  const steps = ids.map((callback_id, index): FakeStep => ({
    request: {
      subtype: "hook_callback",
      ...callback_id !== undefined && { callback_id },
      input: { hook_event_name: "PreToolUse", tool_name: "Bash" },
    },
    id: `h${index}`,
  }));
  await withConnected([[...steps, "on"]], async ({ client, fake }) => {
    assert.equal(resultText(await client.ask("go")), "on");
    for (const index of ids.keys()) {
      const answer = fake.received.find(isAnswerTo(`h${index}`)) ?? {};
      assert.equal(responseOf(answer).subtype, "error");
      assert.match(String(responseOf(answer).error), /Hook is unknown/);
    }
    const { errors } = client.receiveMessages();
    await client.close();
    const { items } = await collect(errors);
    assert.equal(items.length, ids.length);
    const [first] = items;
    assert.ok(first instanceof ProtocolError);
    assert.equal(first.subtype, "hook_callback");
    assert.match(first.message, /"hook_99"/);
  });
});

test("a permission question without a tool or an input is denied", async () => {
  const asked: unknown[] = [];
  const canUseTool = (tool: string) => {
    asked.push(tool);
    return { behavior: "allow" } as const;
  };
  const requests: readonly JsonObject[] = [
    { subtype: "can_use_tool" },
    { subtype: "can_use_tool", tool_name: 7, input: {} },
    { subtype: "can_use_tool", tool_name: "", input: {} },
    { subtype: "can_use_tool", tool_name: "Bash", input: [] },
    { subtype: "can_use_tool", tool_name: "Bash", input: null },
  ];
  const steps = requests.map((request, index): FakeStep => ({
    request,
    id: `ask${index}`,
  }));
  await withConnected([[...steps, "on"]], async ({ client, fake }) => {
    assert.equal(resultText(await client.ask("go")), "on");
    for (const index of requests.keys()) {
      const answer = fake.received.find(isAnswerTo(`ask${index}`)) ?? {};
      const { response } = responseOf(answer);
      assert.equal((response as JsonObject).behavior, "deny");
    }
    assert.deepEqual(asked, []);
  }, { permissions: { canUseTool } });
});

test("control lines of any shape end nothing", async () => {
  const random = randomFrom(2024);
  const values: readonly JsonValue[] = [
    null,
    true,
    -1,
    1e300,
    "",
    "success",
    "can_use_tool",
    "hook_callback",
    "mcp_message",
    "hook_0",
    "a\u0000b",
    [],
    [null, {}],
    {},
    { subtype: "elicitation" },
    { request_id: 1 },
    { subtype: "success", request_id: "x", response: {} },
    JSON.parse(`{"__proto__":{"subtype":"hook_callback"},"constructor":null}`),
  ];
  const fields = [
    "request_id",
    "request",
    "response",
    "subtype",
    "callback_id",
    "input",
    "tool_name",
    "server_name",
    "message",
    "error",
    "pending_permission_requests",
  ];
  const object = (depth: number): JsonObject =>
    Object.fromEntries(
      fields.filter(() => random() < 0.5).map((field) => [
        field,
        depth > 0 && random() < 0.5 ? object(depth - 1) : pick(random, values),
      ]),
    );
  const types = [
    "control_request",
    "control_response",
    "control_cancel_request",
    "keep_alive",
  ];
  await withPeer(async ({ conversation, peer, alive }) => {
    for (let round = 0; round < 10; round++) {
      const lines = Array.from({ length: 50 }, () => ({
        ...object(2),
        type: pick(random, types),
      }));
      await peer.send(...lines);
      await alive();
    }
    assert.equal(conversation.health().pendingRequests, 0);
  });
}, { ids: ["R-03", "R-06"] });

test("a control request to a CLI that has ended by itself is a ProtocolError of category transport", async () => {
  const fake = fakeCli("Bye.");
  const conversation = query("x", { cliPath: fake.cliPath });
  await collect(conversation);
  const error = await rejectionOf(conversation.mcpStatus());
  assert.ok(error instanceof ProtocolError);
  assert.equal(error.category, "transport");
  await conversation.close();
  await fake.close();
});
