import assert from "node:assert/strict";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  Client,
  type ConversationEnd,
  type ConversationObserver,
  type ConversationStart,
  type JsonObject,
  type Metrics,
  Pool,
  query,
} from "@sluice/agent";
import { type FakeCli, fakeCli, FakeClock } from "@sluice/agent/testing";
import { Deferred } from "@sluice/agent/extend";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  ASK,
  assistantLine,
  memoryCli,
  requestLine,
  resultLine,
} from "./_rig.ts";

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** Notes the calls of an observer, one word each. */
function notes(more: ConversationObserver = {}): {
  readonly metrics: Metrics;
  readonly calls: string[];
  readonly starts: ConversationStart[];
  readonly ends: ConversationEnd[];
} {
  const calls: string[] = [];
  const starts: ConversationStart[] = [];
  const ends: ConversationEnd[] = [];
  const begin = (start: ConversationStart): ConversationObserver => {
    starts.push(start);
    calls.push("begin");
    return {
      ready: () => void calls.push("ready"),
      prompt: ({ message }) => void calls.push(`prompt ${message.content}`),
      messages: (messages) =>
        void calls.push(...messages.map(({ type }) => type)),
      request: (_id, { subtype }) => void calls.push(`request ${subtype}`),
      answer: (_id, { outcome }) => void calls.push(outcome),
      error: ({ name }) => void calls.push(`error ${name}`),
      end(end) {
        ends.push(end);
        calls.push(`end ${end.reason}`);
      },
      ...more,
    };
  };
  return { metrics: { conversation: { begin } }, calls, starts, ends };
}

/** Without messages between the program and its CLI. */
function without(
  calls: readonly string[],
  ...left: string[]
): readonly string[] {
  return calls.filter((one) => !left.includes(one));
}

/** Variables of a trace that a CLI got. */
function traceNames({ runs }: FakeCli): readonly string[] {
  return runs.flatMap(({ env }) => env)
    .filter((name) => name.startsWith("TRACE")).sort();
}

test("An observer follows a conversation from its call to its end, even without a reader", async () => {
  const fake = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
  const { metrics, calls, starts } = notes();
  const conversation = query("Work", {
    cliPath: fake.cliPath,
    model: "opus",
    metrics,
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
  });
  assert.deepEqual(calls, ["begin"]);
  assert.deepEqual(starts, [{ isWarm: false, model: "opus" }]);
  await conversation.settled();
  await conversation.close();
  // It may come in one piece with the first messages.
  assert.ok(calls.includes("ready"));
  assert.deepEqual(without(calls, "ready", "system", "command_lifecycle"), [
    ...["begin", "prompt Work", "assistant"],
    ...["request can_use_tool", "success", "user", "assistant", "result"],
    "end closed",
  ]);
  await fake.close();
});

test("An observer gets messages as they arrive, also those that stay unread", async () => {
  const { transport, peer } = memoryCli();
  const { metrics, calls } = notes();
  const clock = new FakeClock();
  const conversation = query("x", { transport, metrics, clock });
  await conversation.ready;
  for (const text of ["a", "b", "c"]) {
    await peer.send(assistantLine(text));
    assert.equal(calls.at(-1), "assistant", text);
    calls.pop();
  }
  await conversation.close();
});

test("An observer gets its end before the consumer does, with the error", async () => {
  const fake = fakeCli({ turns: [[{ exit: 3 }]] });
  const { metrics, calls, ends } = notes();
  const { error } = await collect(
    query("x", { cliPath: fake.cliPath, metrics }),
  );
  assert.equal(calls.at(-1), "end failed");
  assert.equal((ends[0]?.error as Error).message, (error as Error).message);
  const finished = fakeCli("Hello.");
  const other = notes();
  await query("x", { cliPath: finished.cliPath, metrics: other.metrics })
    .text();
  assert.equal(other.calls.at(-1), "end finished");
  assert.deepEqual(other.ends, [{ reason: "finished", error: undefined }]);
  await fake.close();
  await finished.close();
});

test("An observer gets the end of a conversation that never starts", async () => {
  const reason = new Error("Not now");
  const aborted = notes();
  const { metrics } = aborted;
  const signal = AbortSignal.abort(reason);
  await query("x", { cliPath: "/nowhere/claude", metrics, signal }).close();
  assert.deepEqual(aborted.calls, ["begin", "end aborted"]);
  assert.equal(aborted.ends[0]?.error, reason);
  const missing = notes();
  const options = { cliPath: "/nowhere/claude", metrics: missing.metrics };
  await query("x", options).result().catch(() => {});
  assert.deepEqual(missing.calls, ["begin", "end failed"]);
});

test("Each connection of a client is observed, and each of its prompts", async () => {
  const fake = fakeCli(["One.", "Two."]);
  const { metrics, calls } = notes();
  const client = new Client({ cliPath: fake.cliPath, metrics });
  assert.deepEqual(calls, []);
  await client.connect();
  await client.text("a");
  await client.text("b");
  await client.close();
  assert.deepEqual(without(calls, "system", "command_lifecycle"), [
    ...["begin", "ready", "prompt a", "assistant", "result"],
    ...["prompt b", "assistant", "result", "end closed"],
  ]);
  await fake.close();
});

test("A warm process of a pool is observed from the moment it is taken", async () => {
  const fake = fakeCli("Hello.");
  const { metrics, calls, starts } = notes();
  const pool = new Pool({ cliPath: fake.cliPath, metrics, size: 1 });
  await pool.ready();
  assert.deepEqual(calls, []);
  const conversation = pool.query("Hi");
  assert.deepEqual(calls, ["begin", "ready"]);
  assert.deepEqual(starts, [{ isWarm: true }]);
  await conversation.text();
  assert.equal(calls.at(-1), "end finished");
  await pool.close();
  assert.equal(starts.length, 1);
  await fake.close();
});

test("Code that answers a request runs within the observer, once", async () => {
  let depth = 0;
  const seen: number[] = [];
  const variants: Record<string, ConversationObserver["within"]> = {
    "once": (_id, work) => {
      depth++;
      work();
      depth--;
    },
    "twice": (_id, work) => {
      depth++;
      work();
      work();
      depth--;
    },
    "never": () => {},
    "with an error": () => {
      throw new Error("broken");
    },
    "with an error behind it": (_id, work) => {
      depth++;
      work();
      depth--;
      throw new Error("broken");
    },
  };
  for (const [how, within] of Object.entries(variants)) {
    const fake = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
    const { metrics, calls } = notes({ within });
    const text = await query("x", {
      cliPath: fake.cliPath,
      metrics,
      permissions: {
        canUseTool() {
          seen.push(depth);
          return { behavior: "allow" };
        },
      },
    }).text();
    assert.equal(text, "Done.", how);
    assert.equal(calls.filter((one) => one === "success").length, 1, how);
    await fake.close();
  }
  assert.deepEqual(seen, [1, 1, 0, 0, 1]);
});

test("A callback that throws within an observer is answered as without", async () => {
  const { transport, peer } = memoryCli();
  const { metrics, calls } = notes({ within: (_id, work) => work() });
  const conversation = query("x", {
    transport,
    metrics,
    clock: new FakeClock(),
    permissions: {
      canUseTool() {
        throw new Error("No idea");
      },
    },
  });
  await conversation.ready;
  await peer.send(requestLine("r1", ASK));
  await peer.send(requestLine("r2", { subtype: "unheard_of" }));
  await peer.send(resultLine());
  peer.end();
  await collect(conversation);
  assert.deepEqual(
    calls.filter((one) => /success|^error$|request/.test(one)),
    ["request can_use_tool", "success", "request unheard_of", "error"],
  );
  await conversation.close();
});

test("A request that is open at the end is cancelled before the end", async () => {
  const fake = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
  const { metrics, calls } = notes();
  const asked = new Deferred<void>();
  const conversation = query("x", {
    cliPath: fake.cliPath,
    metrics,
    permissions: {
      canUseTool() {
        asked.resolve();
        return new Promise(() => {});
      },
    },
  });
  const reading = collect(conversation);
  await asked.promise;
  await conversation.close();
  await reading;
  assert.equal(calls.at(-1), "end closed");
  assert.equal(calls.filter((one) => one.startsWith("end")).length, 1);
  await fake.close();
});

test("An observer's trace reaches the CLI and, in _meta, its MCP servers", async () => {
  const metas: unknown[] = [];
  const server = new McpServer({ name: "own", version: "1.0.0" });
  server.registerTool("look", {}, (extra: { _meta?: JsonObject }) => {
    metas.push([extra._meta?.traceparent, extra._meta?.tracestate]);
    return { content: [] };
  });
  const fake = fakeCli([[{ tool: "mcp__own__look", input: {} }, "Done."]]);
  const { metrics } = notes({
    trace: () => ({ traceparent: TRACE, tracestate: "a=1" }),
  });
  await query("x", {
    cliPath: fake.cliPath,
    metrics,
    mcpServers: { own: server },
  }).text();
  assert.deepEqual(traceNames(fake), ["TRACEPARENT", "TRACESTATE"]);
  assert.deepEqual(metas, [[TRACE, "a=1"]]);
  await fake.close();
});

test("A trace of another form than W3C's is no trace", async () => {
  for (const traceparent of ["", "00", "x\0y", 7, `${TRACE}\n`, null]) {
    const fake = fakeCli("Hello.");
    const { metrics } = notes({ trace: () => ({ traceparent } as never) });
    await query("x", { cliPath: fake.cliPath, metrics }).text();
    assert.deepEqual(traceNames(fake), []);
    await fake.close();
  }
});

test("An observer that throws everywhere disturbs nothing", async () => {
  const fail = () => {
    throw new Error("broken");
  };
  const broken = new Proxy({}, { get: () => fail }) as ConversationObserver;
  const begins: unknown[] = [
    () => broken,
    fail,
    () => 7,
    () => null,
    () => Promise.reject(new Error("late")),
    () => new Proxy({}, { get: fail }),
  ];
  for (const begin of begins) {
    const fake = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
    const metrics = { conversation: { begin } } as Metrics;
    const conversation = query("x", {
      cliPath: fake.cliPath,
      metrics,
      permissions: { canUseTool: () => ({ behavior: "allow" }) },
    });
    assert.equal(await conversation.text(), "Done.");
    await fake.close();
  }
});

test("Errors reach an observer redacted", async () => {
  const secret = "sk-secret-of-the-test";
  const fake = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
  const errors: string[] = [];
  const { metrics } = notes({
    error: (error) => void errors.push(error.message),
  });
  await query("x", {
    cliPath: fake.cliPath,
    metrics,
    env: { MY_TOKEN: secret },
    permissions: {
      canUseTool() {
        throw new Error(`No access with ${secret}`);
      },
    },
  }).text();
  assert.equal(errors.length, 1);
  assert.doesNotMatch(errors.join(), new RegExp(secret));
  await fake.close();
});
