import assert from "node:assert/strict";
import {
  type AgentOptions,
  Client,
  ConfigError,
  type ParseError,
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
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { loadStrictCheck, Parser } from "../../src/parse/parser.ts";
import { CliDriver } from "./_cli_driver.ts";

const UUID = "00000000-0000-4000-8000-000000000001";

test("fakeCli(): the cost of its results counts on from turn to turn, the usage is of the turn", async () => {
  const { cliPath } = fakeCli([
    "One.",
    [{ tool: "Read", input: {} }, "Two."],
    "Three.",
  ]);
  const client = new Client({ cliPath });
  await client.connect();
  const results = [];
  for (const word of ["1", "2", "3"]) results.push(await client.ask(word));
  const costs = results.map((one) => Math.round(one.total_cost_usd * 1e4));
  assert.deepEqual(costs, [8, 24, 32]);
  assert.deepEqual(
    results.map(({ usage }) => usage.input_tokens),
    [100, 200, 100],
  );
  assert.deepEqual(
    results.map(({ modelUsage }) =>
      Object.values(modelUsage).map(({ inputTokens }) => inputTokens)
    ),
    [[100], [300], [400]],
  );
  await client.close();
});

test("fakeCli(): each process plays its own script, the rest of the plan holds for all", async () => {
  const fake = fakeCli({
    exitCode: 0,
    runs: ["first", ["second", "third"], { turns: "fourth", exitCode: 0 }],
  });
  const { cliPath } = fake;
  const texts = [];
  for (let run = 0; run < 3; run++) {
    texts.push(await query("x", { cliPath }).text());
  }
  assert.deepEqual(texts, ["first", "second", "fourth"]);
  await assert.rejects(
    query("x", { cliPath }).text(),
    (error: { readonly stderrTail?: string }) =>
      /no script for process 4: "runs" has 3/.test(error.stderrTail ?? ""),
  );
  await fake.close();
});

test("fakeCli(): processes that start at once share no script", async () => {
  const { cliPath } = fakeCli({ runs: ["a", "b", "c"] });
  const texts = await Promise.all(
    [1, 2, 3].map(() => query("x", { cliPath }).text()),
  );
  assert.deepEqual(texts.sort(), ["a", "b", "c"]);
});

test("fakeCli(): a prompt gets the first turn that its words fit, the others go on in order", async () => {
  const { cliPath } = fakeCli({
    match: [
      { prompt: /^tea/i, turn: "A cup." },
      { prompt: "tea", turn: ["Some", "tea."] },
    ],
    turns: ["one", "two"],
  });
  const client = new Client({ cliPath });
  await client.connect();
  const texts = [];
  for (const prompt of ["x", "Tea?", "no tea", "y", "tea"]) {
    const result = await client.ask(prompt);
    texts.push("result" in result && result.result);
  }
  assert.deepEqual(texts, ["one", "A cup.", "tea.", "two", "A cup."]);
  await client.close();
  const { result } = await query("nothing fits", {
    cliPath: fakeCli({ match: [{ prompt: "tea", turn: "A cup." }] }).cliPath,
  }).result() as { readonly result?: string };
  assert.match(
    String(result),
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
  await query("x", {
    cliPath: fake.cliPath,
    hooks: {
      Stop: [{ hooks: [() => ({ systemMessage: "Bye" })] }],
    },
    permissions: {
      canUseTool: (tool) =>
        tool === "Bash"
          ? { behavior: "allow", updatedInput: { command: "pwd" } }
          : { behavior: "deny", message: "No" },
    },
  }).result();
  const [bash, write, stop] = fake.decisions;
  assert.ok(bash?.kind === "permission" && write?.kind === "permission");
  assert.deepEqual([bash.tool, bash.input], ["Bash", { command: "ls" }]);
  assert.deepEqual(bash.decision, {
    behavior: "allow",
    updatedInput: { command: "pwd" },
  });
  assert.deepEqual(write.decision, { behavior: "deny", message: "No" });
  assert.equal(write.request.tool_name, "Write");
  assert.ok(stop?.kind === "hook");
  assert.equal(stop.event, "Stop");
  assert.deepEqual(stop.output, { systemMessage: "Bye" });
  assert.deepEqual(fake.runs[0]?.decisions, fake.decisions);
  await fake.close();
});

test("fakeCli() refuses matches and runs that are none, and names the place", () => {
  const wrong: readonly [unknown, string][] = [
    [{ match: {} }, "match"],
    [{ match: [{ prompt: () => true, turn: "x" }] }, "match[0].prompt"],
    [{ match: [{ prompt: "x" }] }, "match[0].turn"],
    [{ match: [{ prompt: "x", turn: "x", odd: 1 }] }, "match[0].odd"],
    [{ match: [{ prompt: "x", turn: { odd: 1 } }] }, "match[0].turn"],
    [{ runs: "x" }, "runs"],
    [{ runs: [{ runs: ["x"] }] }, "runs"],
    [{ runs: [{ turn: "x" }] }, "turn"],
  ];
  for (const [script, key] of wrong) {
    assert.throws(
      () => fakeCli(script as FakeCliScript),
      (error) => error instanceof ConfigError && error.key === key,
    );
  }
});

test("fakeCli() sends messages that the strict check finds nothing to say against", async () => {
  const fake = fakeCli([
    [
      { think: "Hm" },
      "Hello",
      { tool: "Bash", input: { command: "ls" } },
      { ask: { tool: "Bash" } },
    ],
    [{ wait: "forever" }],
  ]);
  const cli = new CliDriver(fake.cliPath, {
    args: ["--include-partial-messages", "--replay-user-messages"],
    env: { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" },
  });
  await cli.initialize();
  cli.prompt("go", UUID);
  const ask = await cli.next(({ request }) => request !== undefined);
  cli.answer(ask.request_id, { behavior: "deny", message: "No" });
  await cli.next(({ state }) => state === "idle");
  cli.prompt("and");
  await cli.until(() => cli.ofType("system", "init").length === 2);
  await cli.control({ subtype: "interrupt" }, "stop");
  await cli.next(({ subtype }) => subtype === "error_during_execution");
  cli.end();
  await cli.exited;

  const messages = cli.lines.filter(({ type }) => !type.startsWith("control_"));
  const errors: ParseError[] = [];
  const parser = new Parser({
    report: (error) => errors.push(error),
    strict: await loadStrictCheck(),
  });
  const parsed = parser.push(messages);
  assert.deepEqual(errors.map(({ message }) => message), []);
  assert.deepEqual(parsed.filter(({ type }) => type === "unknown"), []);
  assert.deepEqual(
    new Set(parsed.map(({ type }) => type)),
    new Set([
      "system",
      "command_lifecycle",
      "user",
      "stream_event",
      "assistant",
      "result",
    ]),
  );
  await fake.close();
});

test("fakeCli(): a total_cost_usd of the script is what cost(), costUsd and maxUsd count", async () => {
  const { cliPath } = fakeCli([
    "One.",
    ["Two.", { result: { total_cost_usd: 1.5 } }],
    "Three.",
    ["Four.", { result: { total_cost_usd: 0.25 } }],
  ]);
  const client = new Client({ cliPath });
  await client.connect();
  const costs = [];
  for (const word of ["1", "2", "3", "4"]) {
    const { total_cost_usd } = await client.ask(word);
    const cost = client.cost();
    costs.push(
      [total_cost_usd, cost.sessionUsd, cost.lastTurnUsd, cost.totalUsd]
        .map((usd) => Math.round(usd * 1e4) / 1e4),
    );
  }
  assert.deepEqual(costs, [
    [0.0008, 0.0008, 0.0008, 0.0008],
    [1.5, 1.5, 1.4992, 1.5],
    [1.5008, 1.5008, 0.0008, 1.5008],
    // A total that shrinks began anew.
    [0.25, 0.25, 0.25, 1.7508],
  ]);
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
  for (let round = 0; round < 10; round++) {
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
  const fake = fakeCli([[
    { tool: "Bash", input: { command: "ls" } },
    { hook: "Stop" },
    "Done.",
  ]]);
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
  await assert.rejects(
    fake.untilAsked(undefined, { timeoutMs: 50 }),
    /Condition of the fake CLI was not met within 50 ms/,
  );
  release();
  await running;
  await assert.rejects(
    fake.untilAsked(() => true, { timeoutMs: 50 }),
    /within 50 ms/,
  );
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
  assert.deepEqual(fake.runs.map(({ signals }) => signals), [["SIGTERM"]]);
  await fake.close();
});

function isPrompt(message: unknown, text: string): boolean {
  return (message as { content?: unknown } | undefined)?.content === text;
}
