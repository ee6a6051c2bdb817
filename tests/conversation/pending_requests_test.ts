import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import {
  type AgentOptions,
  ConfigError,
  ControlError,
  type JsonObject,
  ProtocolError,
  query,
} from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import type { MemoryPair } from "@sluice/agent/testing";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  ASK,
  isAnswerTo,
  isRequest,
  memoryCli,
  REPLY,
  requestLine,
  requestOf,
  responseOf,
  turns,
} from "./_rig.ts";

const PERMISSION = requestLine("p1", ASK);
const DIALOG = requestLine("d1", {
  subtype: "request_user_dialog",
  dialog_kind: "refusal_fallback_prompt",
  payload: {},
});
const ELICITATION = requestLine("e1", {
  subtype: "elicitation",
  mcp_server_name: "docs",
  message: "Your name?",
});

/** The three lists, each with one question. */
const PENDING: JsonObject = {
  pending_permission_requests: [PERMISSION],
  pending_user_dialog_requests: [DIALOG],
  pending_elicitation_requests: [ELICITATION],
};

/** Callbacks of all three kinds that note what they are asked. */
function noting(): {
  readonly asked: string[];
  readonly options: AgentOptions;
} {
  const asked: string[] = [];
  return {
    asked,
    options: {
      permissions: {
        canUseTool: (name) => {
          asked.push(name);
          return { behavior: "allow" };
        },
      },
      onUserDialog: ({ kind }) => {
        asked.push(kind);
        return { behavior: "cancelled" };
      },
      onElicitation: ({ serverName }) => {
        asked.push(serverName);
        return { action: "decline" };
      },
    },
  };
}

/** Answers a request, with what is still open beside the answer. */
async function answer(
  { peer }: Pick<MemoryPair, "peer">,
  { request_id }: JsonObject,
  more: JsonObject,
): Promise<void> {
  await peer.send({
    type: "control_response",
    response: { subtype: "success", request_id, response: REPLY, ...more },
  });
}

/** The `initialize` requests that arrived. */
function initializes(
  { peer }: Pick<MemoryPair, "peer">,
): readonly JsonObject[] {
  return peer.lines.filter(isRequest("initialize"));
}

async function answers(
  { peer }: Pick<MemoryPair, "peer">,
): Promise<readonly unknown[]> {
  for (const id of ["p1", "d1", "e1"]) await peer.line(isAnswerTo(id));
  return peer.lines.map(responseOf).map(({ request_id }) => request_id)
    .filter((id) => ["p1", "d1", "e1"].includes(id as string));
}

test("questions of all three lists beside the answer to initialize are asked, once each though they come as lines too", async () => {
  const { transport, peer } = memoryCli({ initialize: () => undefined });
  const { asked, options } = noting();
  const conversation = query("x", { transport, ...options });
  await peer.line(isRequest("initialize"));
  await peer.send(ELICITATION);
  await answer({ peer }, initializes({ peer })[0] ?? {}, {
    ...PENDING,
    pending_permission_requests: [PERMISSION, PERMISSION],
  });
  await peer.send(PERMISSION, DIALOG);
  assert.deepEqual((await answers({ peer })).toSorted(), ["d1", "e1", "p1"]);
  await turns(5);
  assert.deepEqual(
    asked.toSorted(),
    ["Bash", "docs", "refusal_fallback_prompt"],
  );
  await conversation.close();
});

test("reinitialize() sends what the first initialize said, less what the CLI knows, and gives the new answer", async () => {
  const replies = [REPLY, { ...REPLY, session_state: "requires_action" }];
  const { transport, peer } = memoryCli({ initialize: () => replies.shift() });
  const shop = createMcpServer({
    name: "shop",
    tools: [
      tool({
        name: "stock",
        description: "Tells the stock",
        input: { type: "object" },
        run: () => "7",
      }),
    ],
  });
  const conversation = query("x", {
    transport,
    systemPrompt: "Be brief.",
    hooks: { Stop: [{ hooks: [() => ({})] }] },
    mcpServers: { shop },
  });
  const first = await conversation.ready;
  const info = await conversation.reinitialize();
  assert.equal(info.session_state, "requires_action");
  assert.equal(await conversation.ready, first);
  const [before, again] = initializes({ peer }).map(requestOf);
  const { sdkMcpServerManifests, ...rest } = before ?? {};
  assert.ok(sdkMcpServerManifests);
  assert.deepEqual(again, rest);
  await conversation.close();
});

test("a question that is being asked or was answered meanwhile is not asked again after reinitialize(), one whose answer was lost is", async () => {
  const decision = new Deferred<void>();
  let calls = 0;
  const { transport, peer } = memoryCli({
    initialize: () => initializes({ peer }).length === 1 ? REPLY : undefined,
  });
  const conversation = query("x", {
    transport,
    permissions: {
      canUseTool: async () => {
        calls++;
        await decision.promise;
        return { behavior: "allow" };
      },
    },
  });
  await conversation.ready;
  await peer.send(PERMISSION);
  const still = conversation.reinitialize();
  await peer.line(() => initializes({ peer }).length === 2);
  // The answer and the list of what is open cross.
  decision.resolve();
  await peer.line(isAnswerTo("p1"));
  await answer({ peer }, initializes({ peer })[1] ?? {}, PENDING);
  await still;
  await turns(5);
  assert.equal(calls, 1);
  // It was answered long before the CLI was asked, and the CLI still waits.
  const lost = conversation.reinitialize();
  await peer.line(() => initializes({ peer }).length === 3);
  await answer({ peer }, initializes({ peer })[2] ?? {}, PENDING);
  await lost;
  await turns(5);
  assert.equal(calls, 2);
  assert.equal(peer.lines.filter(isAnswerTo("p1")).length, 2);
  await conversation.close();
});

test("questions beside a refused reinitialize() are asked all the same", async () => {
  const { transport, peer } = memoryCli({
    initialize: () => initializes({ peer }).length === 1 ? REPLY : undefined,
  });
  const { asked, options } = noting();
  const conversation = query("x", { transport, ...options });
  await conversation.ready;
  const refused = rejectionOf(conversation.reinitialize());
  await peer.line(() => initializes({ peer }).length === 2);
  const { request_id } = initializes({ peer })[1] ?? {};
  await peer.send({
    type: "control_response",
    response: { subtype: "error", request_id, error: "No", ...PENDING },
  });
  const error = await refused;
  assert.ok(error instanceof ControlError);
  assert.equal(error.subtype, "initialize");
  assert.equal((await answers({ peer })).length, 3);
  assert.equal(asked.length, 3);
  await conversation.close();
});

test("initialize of one's own is refused beside guards, whose hooks it would replace, and passes without them", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport, deniedTools: ["Bash"] });
  await conversation.ready;
  const error = await rejectionOf(
    conversation.request("initialize", { hooks: {} }),
  );
  assert.ok(error instanceof ConfigError);
  assert.match(error.message, /reinitialize\(\) beside "deniedTools"/);
  assert.equal(initializes({ peer }).length, 1);
  await conversation.close();
  const free = memoryCli();
  const unguarded = query("x", { transport: free.transport });
  await unguarded.ready;
  await unguarded.request("initialize", {});
  assert.equal(initializes(free).length, 2);
  await unguarded.close();
});

test("a CLI that guards no more when it is initialized again ends the conversation with one fatal error", async () => {
  const bare = { bareMode: { exitHint: "unset it" } };
  const lost: readonly (readonly [string, JsonObject, string])[] = [
    ["initialize", { ...REPLY, hooks_applied: false }, "initialize"],
    ["get_hooks_listing", bare, "get_hooks_listing"],
  ];
  for (const [asked, second, subtype] of lost) {
    const first = asked === "initialize" ? REPLY : { hooks: [] };
    const replies = [first, second];
    const { transport, peer } = memoryCli({ [asked]: () => replies.shift() });
    const conversation = query("x", {
      transport,
      hooks: { PreToolUse: [{ hooks: [() => ({})] }] },
    });
    await conversation.ready;
    const error = await rejectionOf(conversation.reinitialize());
    assert.ok(error instanceof ProtocolError, asked);
    assert.equal(error.fatal, true);
    assert.equal(error.subtype, subtype);
    assert.equal(await rejectionOf(conversation.result()), error);
    assert.equal(peer.lines.filter(isRequest("apply_flag_settings")).length, 2);
    await conversation.close();
  }
});

test("nonsense in the lists of open questions is reported once each, and the other questions are asked", async () => {
  const { transport, peer } = memoryCli({ initialize: () => undefined });
  const { asked, options } = noting();
  const conversation = query("x", { transport, ...options });
  await peer.line(isRequest("initialize"));
  await answer({ peer }, initializes({ peer })[0] ?? {}, {
    pending_permission_requests: [7, null, PERMISSION],
    pending_user_dialog_requests: "soon",
    pending_elicitation_requests: null,
  });
  await peer.line(isAnswerTo("p1"));
  const errors = collect(conversation.errors);
  await conversation.close();
  const told = (await errors).items.map((error) => error.details?.field);
  assert.deepEqual(told, [
    "response.pending_permission_requests[0]",
    "response.pending_permission_requests[1]",
    "response.pending_user_dialog_requests",
  ]);
  assert.deepEqual(asked, ["Bash"]);
});
