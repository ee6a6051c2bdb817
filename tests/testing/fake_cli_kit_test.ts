import assert from "node:assert/strict";
import {
  type AgentOptions,
  Client,
  Pool,
  PoolBudgetError,
  query,
} from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
  FakeClock,
} from "@sluice/agent/testing";
import { resultText } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";

test("fakeCli(): each process plays its own script, the rest of the plan holds for all", async () => {
  const fake = fakeCli({
    exitCode: 0,
    runs: ["first", ["second", "third"], { turns: "fourth", exitCode: 0 }],
  });
  const { transport } = fake;
  for (const expected of ["first", "second", "fourth"]) {
    assert.equal(await query("x", { transport }).text(), expected);
  }
  const failure = await rejectionOf(query("x", { transport }).text());
  assert.match(
    (failure as { readonly stderrTail: string }).stderrTail,
    /no script for process 4: "runs" has 3/,
  );
  await fake.close();
  // Processes that start at once share no script.
  const { cliPath } = fakeCli({ runs: ["a", "b", "c"] });
  const texts = await Promise.all(
    [1, 2, 3].map(() => query("x", { cliPath }).text()),
  );
  assert.deepEqual(texts.sort(), ["a", "b", "c"]);
});

test("fakeCli(): a prompt gets the first turn that its words fit, the others go in order", async () => {
  const match = [
    { prompt: /^tea/i, turn: "A cup." },
    { prompt: "tea", turn: ["Some", "tea."] },
  ];
  const { transport } = fakeCli({ match, turns: ["one", "two"] });
  const client = new Client({ transport });
  await client.connect();
  const texts = [];
  for (const prompt of ["x", "Tea?", "no tea", "y", "tea"]) {
    texts.push(resultText(await client.ask(prompt)));
  }
  assert.deepEqual(texts, ["one", "A cup.", "tea.", "two", "A cup."]);
  await client.close();
  const { transport: strict } = fakeCli({ match });
  const result = await query("nothing fits", { transport: strict }).result();
  assert.match(
    String(resultText(result)),
    /no turn for prompt 1, ".+": no "match" fits, and its script has 0/,
  );
});

test("fakeCli(): decisions are what the host said to which question", async () => {
  const fake = fakeCli([[
    { tool: "Bash", input: { command: "ls" } },
    { tool: "Write", input: { file_path: "a" } },
    { hook: "Stop" },
    "Done.",
  ]]);
  const allow = {
    behavior: "allow",
    updatedInput: { command: "pwd" },
  } as const;
  const deny = { behavior: "deny", message: "No" } as const;
  await query("x", {
    transport: fake.transport,
    hooks: { Stop: [{ hooks: [() => ({ systemMessage: "Bye" })] }] },
    permissions: { canUseTool: (tool) => tool === "Bash" ? allow : deny },
  }).result();
  const seen = fake.decisions.map((one) =>
    one.kind === "hook"
      ? [one.event, one.output]
      : [one.tool, one.request.tool_name, one.input, one.decision]
  );
  assert.deepEqual(seen, [
    ["Bash", "Bash", { command: "ls" }, allow],
    ["Write", "Write", { file_path: "a" }, deny],
    ["Stop", { systemMessage: "Bye" }],
  ]);
  assert.deepEqual(fake.runs[0]?.decisions, fake.decisions);
  await fake.close();
});

test("fakeCli() sends messages that the strict check accepts", async () => {
  const fake = fakeCli([
    [
      { think: "Hm" },
      "Hello",
      { thinking: "So", text: "Both.", tools: [{ name: "A" }, { name: "B" }] },
    ],
    [{ wait: "forever" }],
  ]);
  async function* prompts() {
    yield* ["go", "and"];
  }
  const conversation = query(prompts(), {
    transport: fake.transport,
    includePartialMessages: true,
    extraArgs: { "replay-user-messages": null },
    validation: "strict",
    permissions: { canUseTool: () => ({ behavior: "deny", message: "No" }) },
  });
  const types = new Set<string>();
  let turns = 0;
  for await (const message of conversation) {
    types.add(message.type);
    const isInit = message.type === "system" && message.subtype === "init";
    if (isInit && ++turns === 2) await conversation.interrupt();
  }
  const { items } = await collect(conversation.errors);
  assert.deepEqual(items.map(({ message }) => message), []);
  assert.deepEqual(
    [...types].sort(),
    [
      "assistant",
      "command_lifecycle",
      "result",
      "stream_event",
      "system",
      "user",
    ],
  );
  await fake.close();
});

test("fakeCli(): a total_cost_usd of the script is what cost(), costUsd and maxUsd count", async () => {
  const { transport } = fakeCli([
    [{ tool: "Read" }, "One."],
    ["Two.", { result: { total_cost_usd: 1.5 } }],
    "Three.",
    ["Four.", { result: { total_cost_usd: 0.25 } }],
  ]);
  const client = new Client({ transport });
  await client.connect();
  const costs = [];
  const tokens = [];
  for (const word of ["1", "2", "3", "4"]) {
    const { total_cost_usd, usage, modelUsage } = await client.ask(word);
    const [all] = Object.values(modelUsage);
    tokens.push([usage.input_tokens, all?.inputTokens]);
    const cost = client.cost();
    costs.push(
      [total_cost_usd, cost.sessionUsd, cost.lastTurnUsd, cost.totalUsd]
        .map((usd) => Math.round(usd * 1e4) / 1e4),
    );
  }
  assert.deepEqual(costs, [
    [0.0016, 0.0016, 0.0016, 0.0016],
    [1.5, 1.5, 1.4984, 1.5],
    [1.5008, 1.5008, 0.0008, 1.5008],
    // A total that shrinks began anew.
    [0.25, 0.25, 0.25, 1.7508],
  ]);
  // "usage" is of the turn, "modelUsage" of the session.
  assert.deepEqual(tokens, [[200, 200], [100, 300], [100, 400], [100, 500]]);
  await client.close();

  const turn = ["Done.", { result: { total_cost_usd: 0.4 } }] as const;
  const paid = fakeCli({ runs: [[turn], [turn], [turn]] });
  const pool = new Pool({ cliPath: paid.cliPath });
  const running = pool.run(["a", "b", "c"], (item) => item, {
    concurrency: 1,
    maxUsd: 0.7,
  });
  const { items, error } = await collect(running);
  assert.deepEqual(
    items.map(({ item, costUsd }) => [item, costUsd]),
    [["a", 0.4], ["b", 0.4]],
  );
  assert.ok(error instanceof PoolBudgetError);
  assert.ok(Math.abs(error.spentUsd - 0.8) < 1e-9);
  await pool.close();
  await paid.close();
});

test("fakeCli(): untilAsked() waits until a question is open, so that a fake clock moves its limit", async () => {
  for (let round = 0; round < 5; round++) {
    const fake = fakeCli([[
      { tool: "Bash", input: { command: "ls" } },
      "Done.",
    ]]);
    const clock = new FakeClock();
    const asking = query("x", {
      cliPath: fake.cliPath,
      clock,
      timeouts: { permissionMs: 60_000 },
      permissions: { canUseTool: () => new Promise(() => {}) },
    }).result();
    const { tool_name, input } = await fake.untilAsked();
    assert.deepEqual([tool_name, input], ["Bash", { command: "ls" }]);
    assert.deepEqual(fake.decisions, []);
    await clock.advance(60_000);
    const { permission_denials } = await asking;
    assert.equal(permission_denials.length, 1);
    await fake.close();
  }
});

test("fakeCli(): untilAsked() sees other requests by their kind, and none that is over", async () => {
  const fake = fakeCli([[{ tool: "Bash" }, { hook: "Stop" }, "Done."]]);
  let release = () => {};
  const open = new Promise<void>((resolve) => release = resolve);
  const running = query("x", {
    cliPath: fake.cliPath,
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
    hooks: { Stop: [{ hooks: [() => open.then(() => ({}))] }] },
  }).result();
  const { input } = await fake.untilAsked(({ subtype }) =>
    subtype === "hook_callback"
  );
  assert.equal((input as { hook_event_name?: string }).hook_event_name, "Stop");
  const missing = /Condition of the fake CLI was not met within 50 ms/;
  const soon = { timeoutMs: 50 };
  await assert.rejects(fake.untilAsked(undefined, soon), missing);
  release();
  await running;
  await assert.rejects(fake.untilAsked(() => true, soon), missing);
  await fake.close();
});

test("FakeCli.transport plays the script in this process, as a process plays it", async () => {
  const add = tool({
    name: "add",
    description: "Adds",
    input: { type: "object", properties: { a: { type: "number" } } },
    run: ({ a }) => `${Number(a) + 1}`,
  });
  const script: FakeCliScript = {
    turns: [
      [{ tool: "Bash", input: { command: "ls" } }, "Denied."],
      [{ tool: "mcp__calc__add", input: { a: 1 } }, "Added."],
      [{ say: "never ends", delayMs: 60_000 }],
      [{ stderr: "Broken\n" }, { exit: 3 }],
    ],
    onSigterm: "ignore",
  };
  const play = async (fake: FakeCli, by: AgentOptions) => {
    const client = new Client({
      ...by,
      permissions: { canUseTool: () => ({ behavior: "deny", message: "No" }) },
      mcpServers: { calc: createMcpServer({ name: "calc", tools: [add] }) },
    });
    await client.connect();
    const seen: unknown[] = [];
    for (const prompt of ["a", "b"]) {
      const result = await client.ask(prompt);
      seen.push(resultText(result), result.permission_denials.length);
    }
    const asking = client.ask("c");
    await fake.receivedLine(({ message }) => isPrompt(message, "c"));
    await client.interrupt();
    seen.push((await asking).subtype);
    const failure = await client.ask("d").catch((error) => error);
    seen.push(failure.exitCode, failure.stderrTail);
    await client.close();
    const [run] = fake.runs;
    seen.push(
      fake.decisions.map((one) => one.kind === "permission" && one.tool),
    );
    seen.push(run?.exitCode, run?.signals, fake.runs.length);
    await fake.close();
    return seen;
  };
  const [first, second] = [fakeCli(script), fakeCli(script)];
  assert.deepEqual(
    await play(first, { transport: first.transport }),
    await play(second, { cliPath: second.cliPath }),
  );
});

test("FakeCli.transport stops a CLI that ignores the end of its input and SIGTERM", async () => {
  const fake = fakeCli({
    turns: [[{ wait: "forever" }]],
    onStdinEnd: "ignore",
    onSigterm: "ignore",
  });
  const conversation = query("x", { transport: fake.transport });
  await conversation.ready;
  await fake.receivedLine(({ type }) => type === "user");
  await conversation.close();
  const [run] = fake.runs;
  assert.deepEqual([run?.signals, run?.exitCode], [["SIGTERM"], undefined]);
  await fake.close();
});

function isPrompt(message: unknown, text: string): boolean {
  return (message as { content?: unknown } | undefined)?.content === text;
}
