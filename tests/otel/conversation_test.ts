import assert from "node:assert/strict";
import { context, type Meter, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";
import {
  type AgentOptions,
  Client,
  type Conversation,
  type JsonObject,
  memoryApprovals,
  Pool,
  query,
} from "@sluice/agent";
import { Deferred } from "@sluice/agent/extend";
import { type MeterLike, telemetry, type TracerLike } from "@sluice/agent/otel";
import { fakeCli, type FakeCliScript, FakeClock } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  INIT,
  memoryCli,
  metricsSpy,
  stateLine,
} from "../conversation/_rig.ts";
import { metersInMemory } from "./_meters.ts";
import { spansInMemory } from "./_spans.ts";

const ALLOW: AgentOptions = {
  permissions: { canUseTool: () => ({ behavior: "allow" }) },
};
const ERROR = 2;

// The API's own types fit, without a cast.
((
  tracer: Tracer,
  meter: Meter,
): readonly [TracerLike, MeterLike] => [tracer, meter]);

/** Runs one conversation with telemetry and a fake CLI to its end. */
async function traced(
  script: FakeCliScript,
  options: AgentOptions = {},
  more: Parameters<typeof telemetry>[0] = {},
) {
  const memory = spansInMemory();
  const fake = fakeCli(script);
  const { options: withSpans } = telemetry({
    tracer: memory.tracer,
    agentName: "helper",
    ...more,
  });
  const conversation = query(
    "Do it.",
    withSpans({ cliPath: fake.cliPath, ...options }),
  );
  await collect(conversation);
  await conversation.close();
  await fake.close();
  return memory;
}

/** Reads a conversation to its end. */
async function done(conversation: Conversation): Promise<string> {
  const text = await conversation.text();
  await conversation.close();
  return text;
}

test("A conversation has spans for its start, turn, model requests, tools, hooks and permissions", async () => {
  const { tree, one, spans } = await traced(
    [[
      { tool: "Bash", input: { command: "ls" }, toolUseId: "t1" },
      // About a call that is over, and an unknown one.
      { hook: "PostToolUse", tool: "Bash", toolUseId: "t1" },
      { hook: "PostToolUse", tool: "Bash", toolUseId: "t0" },
      "Done.",
    ]],
    {
      ...ALLOW,
      hooks: {
        PreToolUse: [{ hooks: [() => ({})] }],
        PostToolUse: [{ hooks: [() => ({})] }],
      },
    },
  );
  assert.deepEqual(tree(), [
    "invoke_agent helper",
    "  startup",
    "  turn",
    "    chat claude-opus-5-5",
    "    chat claude-opus-5-5",
    "    execute_tool Bash",
    "      hook PostToolUse",
    "      hook PostToolUse",
    "      hook PreToolUse",
    "      permission Bash",
    "    hook PostToolUse",
  ]);
  const { attributes } = one("invoke_agent helper");
  const { "gen_ai.conversation.id": id, ...others } = attributes;
  assert.match(String(id), /^[\da-f-]{36}$/);
  assert.deepEqual(others, {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.agent.name": "helper",
    "gen_ai.request.model": "claude-opus-5-5",
    "gen_ai.usage.input_tokens": 200,
    "gen_ai.usage.output_tokens": 40,
    "gen_ai.usage.cache_read.input_tokens": 0,
    "gen_ai.usage.cache_creation.input_tokens": 0,
    "sluice.cost.usd": 0.0016,
    "sluice.end.reason": "finished",
    "sluice.start": "cold",
  });
  assert.deepEqual(one("execute_tool Bash").attributes, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "Bash",
    "gen_ai.tool.call.id": "t1",
    "gen_ai.tool.type": "function",
  });
  assert.equal(
    one("permission Bash").attributes["sluice.permission.decision"],
    "allow",
  );
  assert.equal(one("turn").attributes["sluice.turn.result"], "success");
  for (const span of spans()) {
    assert.equal(span.status.code, 0, span.name);
    assert.ok(span.ended);
  }
});

test("A wait for a decision in a store is an approval, with its decision; hooks of Sluice have no spans", async () => {
  const store = memoryApprovals();
  const stop = new AbortController();
  const deciding = (async () => {
    for await (const { request, decision } of store.watch(stop.signal)) {
      if (decision !== undefined) continue;
      await store.answer(
        request.id,
        request.tool === "Bash"
          ? { behavior: "allow" }
          : { behavior: "deny", message: "No." },
      );
    }
  })();
  const { meter, points } = metersInMemory();
  const { tree, one } = await traced(
    [[{ tool: "Bash" }, { tool: "Write" }, { tool: "Read" }, "Done."]],
    {
      deniedTools: ["Edit"],
      permissions: {
        ...ALLOW.permissions,
        approvals: { store, park: (tool) => tool !== "Read" },
      },
    },
    { meter },
  );
  stop.abort();
  await deciding.catch(() => {});
  const ofTools = tree().map((line) => line.trim())
    .filter((line) => !/^(?:invoke_agent|startup|turn|chat)/.test(line));
  assert.deepEqual(ofTools, [
    "execute_tool Bash",
    "approval Bash",
    "execute_tool Read",
    "approval Read",
    "permission Read",
    "execute_tool Write",
    "approval Write",
  ]);
  const rows: [tool: string, decision: string][] = [
    ["Bash", "allow"],
    ["Write", "deny"],
    ["Read", "none"],
  ];
  for (const [tool, decision] of rows) {
    const { attributes, status } = one(`approval ${tool}`);
    assert.deepEqual(attributes, {
      "sluice.permission.decision": decision,
      "sluice.request.subtype": "hook_callback",
    });
    assert.equal(status.code, 0);
  }
  // The third waited for its callback alone.
  const decisions = ["allow", "deny", "allow"];
  assert.deepEqual(
    await points("sluice.permission.wait"),
    rows.map(([tool], at) => [{
      "sluice.permission.decision": decisions[at],
      "gen_ai.tool.name": tool,
    }, 1]),
  );
});

test("No text of prompts, inputs and results is in a span, unless captureContent is set", async () => {
  const script: FakeCliScript = [[
    { tool: "Bash", input: { command: "TOOL-INPUT" }, result: "TOOL-RESULT" },
    "ANSWER",
  ]];
  const texts = ["Do it.", "TOOL-INPUT", "TOOL-RESULT", "ANSWER"];
  const shown = async (captureContent: boolean) => {
    const { spans } = await traced(script, ALLOW, { captureContent });
    return JSON.stringify(
      spans().map((
        { name, attributes, events, status },
      ) => [name, attributes, events, status]),
    );
  };
  const without = await shown(false);
  const all = await shown(true);
  for (const text of texts) {
    assert.ok(!without.includes(text), text);
    assert.ok(all.includes(text), text);
  }
});

test("Pieces of messages give a model request its tokens and its end", async () => {
  const { one } = await traced(["Hello there."], {
    includePartialMessages: true,
  });
  const { attributes } = one("chat claude-opus-5-5");
  assert.equal(attributes["gen_ai.usage.output_tokens"], 20);
  assert.deepEqual(attributes["gen_ai.response.finish_reasons"], ["end_turn"]);
});

test("Each prompt of a client is a turn", async () => {
  const { tracer, tree } = spansInMemory();
  const fake = fakeCli(["One.", "Two."]);
  const { options } = telemetry({ tracer, agentName: "helper" });
  const client = new Client(options({ cliPath: fake.cliPath }));
  await client.connect();
  await client.text("a");
  await client.text("b");
  assert.deepEqual(tree().filter((line) => line.includes("turn")).length, 2);
  await client.close();
  assert.deepEqual(tree(), [
    "invoke_agent helper",
    "  startup",
    ...["  turn", "    chat claude-opus-5-5"],
    ...["  turn", "    chat claude-opus-5-5"],
  ]);
  await fake.close();
});

for (
  const [how, lines] of [
    ["with init", [INIT]],
    ["without init", [assistantLine("y")]],
  ] as const
) {
  test(`A turn ${how} whose result was lost ends when the CLI is idle`, async () => {
    const { tracer, one, spans } = spansInMemory();
    const { options } = telemetry({ tracer, agentName: "helper" });
    const { transport, peer } = memoryCli();
    const client = new Client(options({ transport, clock: new FakeClock() }));
    await client.connect();
    await client.sendMessage("x");
    // Of the time before the prompt.
    await peer.send(stateLine("idle"), stateLine("running"), ...lines);
    assert.ok(!spans().some(({ name }) => name === "turn"));
    await peer.send(stateLine("idle"), stateLine("idle"));
    await client.close();
    for (const name of ["turn", "invoke_agent helper"]) {
      assert.equal(one(name).attributes["error.type"], "no_result");
    }
  });
}

test("A result that is an error marks its turn and the conversation", async () => {
  const { one } = await traced([[{
    result: { subtype: "error_max_turns", is_error: true },
  }]]);
  for (const name of ["turn", "invoke_agent helper"]) {
    const { status, attributes } = one(name);
    assert.equal(status.code, ERROR, name);
    assert.equal(attributes["error.type"], "error_max_turns", name);
  }
  assert.equal(
    one("invoke_agent helper").attributes["sluice.end.reason"],
    "finished",
  );
});

for (
  const [what, how, reason, type] of [
    ["dies", "exit", "failed", "cli_exit"],
    ["is closed", "close", "closed", undefined],
    ["is aborted", "abort", "aborted", "Error"],
  ] as const
) {
  test(`Every span ends when a conversation ${what} in the middle of a tool call`, async () => {
    const { tracer, tree, spans, one } = spansInMemory();
    const { options } = telemetry({ tracer, agentName: "helper" });
    const asked = new Deferred<void>();
    const aborting = new AbortController();
    const fake = fakeCli([[
      ...how === "exit"
        ? [{ message: toolLine("t1") }, { exit: 3 }]
        : [{ tool: "Bash", input: {} }],
    ]]);
    const conversation = query(
      "x",
      options({
        cliPath: fake.cliPath,
        signal: aborting.signal,
        permissions: {
          canUseTool() {
            asked.resolve();
            return new Promise(() => {});
          },
        },
      }),
    );
    const reading = collect(conversation);
    if (how !== "exit") await asked.promise;
    if (how === "close") void conversation.close();
    if (how === "abort") aborting.abort(new Error("Enough"));
    await reading;
    // They are over before the consumer learns of it.
    assert.deepEqual(tree(), [
      "invoke_agent helper",
      "  startup",
      "  turn",
      `    chat ${how === "exit" ? "m" : "claude-opus-5-5"}`,
      "    execute_tool Bash",
      ...how === "exit" ? [] : ["      permission Bash"],
    ]);
    const count = spans().length;
    const { attributes, status } = one("invoke_agent helper");
    assert.equal(attributes["sluice.end.reason"], reason);
    assert.equal(attributes["error.type"], type);
    assert.equal(status.code, type === undefined ? 0 : ERROR);
    assert.equal(
      one("execute_tool Bash").attributes["error.type"],
      "no_result",
    );
    await conversation.close();
    assert.equal(spans().length, count);
    await fake.close();
  });
}

function toolLine(id: string): JsonObject {
  const line = assistantLine("");
  const content = [{ type: "tool_use", id, name: "Bash", input: {} }];
  return { ...line, message: { ...line.message as JsonObject, content } };
}

test("A conversation that cannot start has a failed span", async () => {
  const { tracer, tree, one } = spansInMemory();
  const { options } = telemetry({ tracer });
  await collect(query("x", options({ cliPath: "/nowhere/claude" })));
  assert.deepEqual(
    tree(),
    ["invoke_agent claude-code", "  startup", "  turn"].slice(0, 2),
  );
  const { status, attributes } = one("invoke_agent claude-code");
  assert.equal(status.code, ERROR);
  assert.match(String(status.message), /Claude CLI not found/);
  assert.equal(attributes["error.type"], "cli_not_found");
});

test("The conversation belongs to the active span, and callbacks run in the span of their request", async () => {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  try {
    const { tracer, tree } = spansInMemory();
    const own = tracer as Tracer;
    const { options } = telemetry({ tracer, agentName: "helper" });
    const fake = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
    const outer = own.startSpan("request");
    const conversation = context.with(
      trace.setSpan(context.active(), outer),
      () =>
        query(
          "x",
          options({
            cliPath: fake.cliPath,
            permissions: {
              async canUseTool() {
                await Promise.resolve();
                own.startSpan("database").end();
                return { behavior: "allow" };
              },
            },
          }),
        ),
    );
    await done(conversation);
    outer.end();
    assert.deepEqual(tree(), [
      "request",
      "  invoke_agent helper",
      "    startup",
      "    turn",
      "      chat claude-opus-5-5",
      "      chat claude-opus-5-5",
      "      execute_tool Bash",
      "        permission Bash",
      "          database",
    ]);
    await fake.close();
  } finally {
    context.disable();
    manager.disable();
  }
});

test("telemetry() uses the tracer that is registered when a conversation begins", async () => {
  const { options } = telemetry({ agentName: "late" });
  const { tracer, tree } = spansInMemory();
  trace.setGlobalTracerProvider({ getTracer: () => tracer as Tracer });
  try {
    const fake = fakeCli("Hello.");
    await done(query("x", options({ cliPath: fake.cliPath })));
    await fake.close();
    assert.equal(tree()[0], "invoke_agent late");
  } finally {
    trace.disable();
  }
});

test("A warm process of a pool is a conversation from the query on", async () => {
  const { tracer, tree, one } = spansInMemory();
  const { meter, points } = metersInMemory();
  const { options } = telemetry({ tracer, meter, agentName: "helper" });
  const fake = fakeCli("Hello.");
  const clock = new FakeClock();
  const pool = new Pool(options({ cliPath: fake.cliPath, size: 1, clock }));
  await pool.ready();
  const states = (warm: number, starting: number, busy: number) => [
    [{ "sluice.state": "warm" }, warm],
    [{ "sluice.state": "starting" }, starting],
    [{ "sluice.state": "busy" }, busy],
  ];
  assert.deepEqual(await points("sluice.pool.processes"), states(1, 0, 0));
  const conversation = pool.query("x");
  await clock.advance(250);
  assert.deepEqual(await points("sluice.pool.processes"), states(0, 1, 1));
  await done(conversation);
  await pool.close();
  assert.deepEqual(await points("sluice.pool.processes"), states(0, 0, 0));
  assert.deepEqual(await points("sluice.pool.queries"), [
    [{ "sluice.start": "warm" }, 1],
  ]);
  assert.deepEqual(tree(), [
    "invoke_agent helper",
    "  turn",
    "    chat claude-opus-5-5",
  ]);
  assert.equal(one("invoke_agent helper").attributes["sluice.start"], "warm");
  await fake.close();
});

test("Metrics of the user get what they got without telemetry", async () => {
  const calls = async (telemetryOn: boolean) => {
    const spy = metricsSpy();
    const { options } = telemetry({ tracer: spansInMemory().tracer });
    const fake = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
    const own = { cliPath: fake.cliPath, metrics: spy.metrics, ...ALLOW };
    await done(query("x", telemetryOn ? options(own) : own));
    await fake.close();
    return spy.calls.map(([name]) => name).sort();
  };
  assert.deepEqual(await calls(true), await calls(false));
});

test("A tracer that throws disturbs nothing, wherever it throws", async () => {
  const fail = () => {
    throw new Error("broken");
  };
  const tracers: unknown[] = [
    { startSpan: fail },
    { startSpan: () => undefined },
    { startSpan: () => new Proxy({}, { get: fail }) },
    { startSpan: () => new Proxy({}, { get: () => fail }) },
    {
      startSpan: () =>
        new Proxy({}, {
          get: (_target, name) =>
            name === "then"
              ? undefined
              : () => Promise.reject(new Error("late")),
        }),
    },
  ];
  const meter = { createHistogram: fail, createCounter: fail } as never;
  for (const tracer of tracers) {
    const { options } = telemetry({ tracer: tracer as TracerLike, meter });
    const fake = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
    const text = await done(
      query("x", options({ cliPath: fake.cliPath, ...ALLOW })),
    );
    assert.equal(text, "Done.");
    await fake.close();
  }
});

test("An exporter that never answers or is slow holds up nothing", async () => {
  for (const answer of [() => {}, (done: () => void) => setTimeout(done, 30)]) {
    let exported = 0;
    const exporter: SpanExporter = {
      export(spans, done) {
        exported += spans.length;
        answer(() => done({ code: 0 }));
      },
      shutdown: () => Promise.resolve(),
    };
    const processor = new BatchSpanProcessor(exporter, {
      exportTimeoutMillis: 50,
      maxExportBatchSize: 1,
      maxQueueSize: 4,
      scheduledDelayMillis: 1,
    });
    const provider = new BasicTracerProvider({ spanProcessors: [processor] });
    const { options } = telemetry({ tracer: provider.getTracer("test") });
    const fake = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
    const own = options({ cliPath: fake.cliPath, ...ALLOW });
    assert.equal(await done(query("x", own)), "Done.");
    await provider.shutdown().catch(() => {});
    assert.ok(exported > 0);
    await fake.close();
  }
});

test("telemetry() refuses invalid options", () => {
  for (
    const [options, key] of [
      [{ tracer: {} }, "tracer.startSpan"],
      [{ meter: 7 }, "meter"],
      [{ agentName: "" }, "agentName"],
      [{ captureContent: "yes" }, "captureContent"],
      [{ tracers: 1 }, "tracers"],
    ] as const
  ) {
    assert.throws(() => telemetry(options as never), {
      name: "ConfigError",
      key,
    });
  }
  assert.throws(() => telemetry().options(7 as never), { name: "ConfigError" });
});
