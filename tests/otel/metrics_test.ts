import assert from "node:assert/strict";
import { query } from "@sluice/agent";
import { telemetry } from "@sluice/agent/otel";
import { fakeCli } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { begin } from "../conversation/_rig.ts";
import { metersInMemory } from "./_meters.ts";

const MODEL = { "gen_ai.request.model": "claude-opus-5-5" };
const CHAT = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "anthropic",
  ...MODEL,
};
const AGENT = {
  "gen_ai.operation.name": "invoke_agent",
  "gen_ai.provider.name": "anthropic",
};

test("Metrics count tokens, cost, durations, tools and permission waits", async () => {
  const { meter, points } = metersInMemory();
  const { options } = telemetry({ meter, agentName: "helper" });
  const fake = fakeCli([[
    { tool: "Bash", input: {} },
    { tool: "Read", input: {}, isError: true },
    "Done.",
  ]]);
  const conversation = query(
    "x",
    options({
      cliPath: fake.cliPath,
      permissions: {
        canUseTool: (tool) =>
          tool === "Bash"
            ? { behavior: "allow" }
            : { behavior: "deny", message: "No" },
      },
    }),
  );
  await conversation.ready;
  assert.deepEqual(await points("sluice.conversations"), [[{}, 1]]);
  await collect(conversation);
  await conversation.close();
  await fake.close();
  const { usage, totalUsd } = conversation.cost();
  assert.deepEqual(await points("gen_ai.client.token.usage"), [
    [{ ...CHAT, "gen_ai.token.type": "input" }, usage.inputTokens],
    [{ ...CHAT, "gen_ai.token.type": "output" }, usage.outputTokens],
  ]);
  assert.deepEqual(await points("sluice.cost"), [[MODEL, totalUsd]]);
  const failed = { "error.type": "tool_error" };
  assert.deepEqual(await points("sluice.tool.calls"), [
    [{ "gen_ai.tool.name": "Bash" }, 1],
    [{ "gen_ai.tool.name": "Read", ...failed }, 1],
  ]);
  assert.deepEqual(await points("sluice.permission.wait"), [
    [{
      "sluice.permission.decision": "allow",
      "gen_ai.tool.name": "Bash",
    }, 1],
    [{ "sluice.permission.decision": "deny", "gen_ai.tool.name": "Read" }, 1],
  ]);
  const durations = await points("gen_ai.client.operation.duration");
  const count = (found: object) =>
    durations.filter(([attributes]) =>
      Object.entries(found).every(([name, value]) =>
        Reflect.get(attributes as object, name) === value
      )
    ).reduce((sum, [, value]) => sum + Number(value), 0);
  assert.equal(count(AGENT), 1);
  assert.equal(count({ "gen_ai.operation.name": "execute_tool" }), 2);
  assert.equal(count(CHAT), 3);
  assert.deepEqual(await points("sluice.conversations"), [[{}, 0]]);
  assert.deepEqual(await points("sluice.process.exits"), [
    [{ "sluice.exit.code": "0" }, 1],
  ]);
  const requests = await points("sluice.protocol.request.duration");
  assert.deepEqual(requests, [
    [{ "sluice.request.subtype": "initialize" }, 1],
    [{ "sluice.request.subtype": "can_use_tool" }, 2],
  ]);
});

for (const onIdle of ["warn", "fail"] as const) {
  test(`Metrics count a stall of a CLI with onIdle "${onIdle}"`, async () => {
    const { meter, points } = metersInMemory();
    const { options } = telemetry({ meter });
    const { clock, conversation, reading } = await begin(options({
      health: { idleMs: 10_000, checkMs: 1_000, onIdle },
    }));
    await clock.advance(12_000);
    const closing = conversation.close();
    await clock.advance(60_000);
    await closing;
    await reading;
    assert.deepEqual(await points("sluice.stalls"), [[{}, 1]]);
  });
}

test("Metrics count errors of a turn by their type", async () => {
  const { meter, points } = metersInMemory();
  const { options } = telemetry({ meter, agentName: "helper" });
  const fake = fakeCli([[{
    result: { is_error: true, api_error_status: 529 },
  }]]);
  const conversation = query("x", options({ cliPath: fake.cliPath }));
  await collect(conversation);
  await conversation.close();
  await fake.close();
  assert.deepEqual(await points("gen_ai.client.operation.duration"), [
    [{ ...AGENT, "error.type": "529" }, 1],
  ]);
});
