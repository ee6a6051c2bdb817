import assert from "node:assert/strict";
import { z } from "zod";
import {
  type Channel,
  ClosedError,
  ConfigError,
  isAgentError,
  type JsonObject,
  type JsonValue,
  memoryApprovals,
  Pool,
  PoolBudgetError,
  type PoolOptions,
  type PoolProgress,
  type Transport,
} from "@sluice/agent";
import { Deferred } from "@sluice/agent/extend";
import {
  FakeClock,
  memoryTransport,
  type PeerItem,
} from "@sluice/agent/testing";
import { collect, rejectionOf } from "./_collect.ts";
import {
  answerLine,
  ASK,
  assistantLine,
  INIT,
  isPrompt,
  REPLY,
  requestLine,
  requestOf,
  resultLine,
  turns,
} from "./conversation/_rig.ts";
import { test } from "./_harness.ts";

const CENT = { modelUsage: { m: { costUSD: 0.01 } } };
const TOOL: JsonObject = {
  ...assistantLine(""),
  message: {
    ...(assistantLine("").message as JsonObject),
    content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }],
  },
};
const OVERLOADED = resultLine({
  ...CENT,
  is_error: true,
  api_error_status: 529,
  result: "Overloaded",
});

/** CLIs in this process: each opening is one of its own. */
interface Clis {
  readonly transport: Transport;
  /** How many were opened, and are open. */
  opened: number;
  open: number;
  /** The most that were open at once. */
  most: number;
  /** Every line that was written to one of them. */
  readonly lines: JsonObject[];
  readonly channels: Channel[];
  /** Ends the one that was opened as the n-th. */
  end(n: number): void;
}

/** CLIs that answer each prompt with what is made of its text, and what they asked with that of "answered"; `undefined` = they die. */
function clis(
  answer: (text: string) => readonly PeerItem[] | undefined,
): Clis {
  const fars: { end(exit: { code: number }): void }[] = [];
  const all: Clis = {
    opened: 0,
    open: 0,
    most: 0,
    lines: [],
    channels: [],
    end: (n) => fars[n]?.end({ code: 9 }),
    transport: {
      async open(launch, signal) {
        const { transport, peer } = memoryTransport({
          respond(line) {
            all.lines.push(line);
            if (isPrompt(line)) {
              const { content } = line.message as { content: string };
              const items = answer(content);
              if (items === undefined) {
                peer.end({ code: null, signal: "SIGKILL" });
              }
              return items;
            }
            if (line.type === "control_response") return answer("answered");
            const { subtype } = requestOf(line);
            if (subtype === undefined) return undefined;
            return answerLine(line, subtype === "initialize" ? REPLY : {});
          },
        });
        const channel = await transport.open(launch, signal);
        fars.push(peer);
        all.opened++;
        all.most = Math.max(all.most, ++all.open);
        all.channels.push(channel);
        void channel.exited.then(() => all.open--);
        return channel;
      },
    },
  };
  return all;
}

function says(text: string): readonly PeerItem[] {
  return [INIT, assistantLine(text), resultLine({ ...CENT, result: text })];
}

/** A pool for one test; nothing of it is open afterwards. */
async function withPool(
  answer: (text: string) => readonly PeerItem[] | undefined,
  use: (pool: Pool, all: Clis, clock: FakeClock) => Promise<void>,
  options: PoolOptions = {},
): Promise<void> {
  const all = clis(answer);
  const clock = new FakeClock();
  const pool = new Pool({ ...options, transport: all.transport, clock });
  try {
    await use(pool, all, clock);
  } finally {
    await pool.close();
  }
  assert.equal(all.open, 0, "nothing is left open");
  assert.equal(pool.stats().busy, 0);
}

/** Waits until something holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turns(1);
}

test("a query takes a warm process, and the next one starts soon after it", () =>
  withPool(says, async (pool, all, clock) => {
    await pool.ready();
    assert.deepEqual([all.opened, pool.stats().warm], [1, 1]);
    const conversation = pool.query("one");
    const stats = { warm: 0, starting: 0, busy: 1, hits: 1, misses: 0 };
    assert.deepEqual(pool.stats(), stats, "nothing starts beside the prompt");
    await clock.advance(250);
    assert.equal(pool.stats().starting + pool.stats().warm, 1);
    assert.equal(await conversation.text(), "one");
    assert.equal(conversation.cost().totalUsd, 0.01);
    await pool.ready();
    assert.equal(all.opened, 2);
    assert.equal(await pool.query("two").text(), "two");
    assert.equal(pool.stats().hits, 2);
  }));

test("a query that finds no warm process starts the missing one at once", () =>
  withPool(says, async (pool) => {
    await pool.ready();
    const first = pool.query("one");
    assert.equal(pool.stats().starting, 0);
    const second = pool.query("two");
    assert.equal(pool.stats().starting, 1);
    assert.deepEqual(
      [await first.text(), await second.text()],
      ["one", "two"],
    );
    const { hits, misses } = pool.stats();
    assert.deepEqual([hits, misses], [1, 1]);
  }));

test("a query of a warm process has the messages of a cold one", () =>
  withPool(says, async (pool) => {
    const kinds = async (prompt: string) =>
      (await collect(pool.query(prompt))).items.map(({ type }) => type);
    const cold = await kinds("cold");
    await pool.ready();
    assert.deepEqual(await kinds("warm"), cold);
    assert.deepEqual([pool.stats().hits, pool.stats().misses], [1, 1]);
  }));

test("a warm process gets the model and the mode before the prompt, and callbacks replace those of the pool", () =>
  withPool(says, async (pool, all) => {
    await pool.ready();
    const canUseTool = () => ({ behavior: "deny", message: "no" }) as const;
    const overrides = {
      model: "m2",
      permissions: { mode: "plan", canUseTool },
      includePartialMessages: undefined,
    } as const;
    assert.equal(await pool.query("one", overrides).text(), "one");
    const told = all.lines.slice(1).map((line) =>
      requestOf(line).subtype ?? line.type
    ).filter((what) => what !== "initialize");
    assert.deepEqual(told, ["set_model", "set_permission_mode", "user"]);
    assert.equal(pool.stats().hits, 1);
  }, { permissions: { canUseTool: () => ({ behavior: "allow" }) } }));

test("a query's own callback decides in a warm process, and the pool's in the next one", () => {
  const asks = requestLine("r1", ASK);
  const answers: unknown[] = [];
  return withPool(
    (text) => text === "answered" ? says(text) : [INIT, asks],
    async (pool, all) => {
      const message = "not this one";
      const canUseTool = () => ({ behavior: "deny", message }) as const;
      for (const overrides of [{ permissions: { canUseTool } }, {}]) {
        await pool.ready();
        const before = all.lines.length;
        await pool.query("one", overrides).text();
        const line = all.lines.slice(before).find(({ type }) =>
          type === "control_response"
        );
        answers.push(/"behavior":"(\w+)"/.exec(JSON.stringify(line))?.[1]);
      }
      assert.equal(pool.stats().hits, 2);
      assert.deepEqual(answers, ["deny", "allow"]);
    },
    { permissions: { canUseTool: () => ({ behavior: "allow" }) } },
  );
});

/** A transport whose steps wait for a test. */
function heldBack(
  { transport }: Clis,
  held: { readonly open?: Promise<void>; readonly stop?: Promise<void> },
): Transport {
  return {
    async open(launch, signal) {
      await held.open;
      const channel = await transport.open(launch, signal);
      return {
        ...channel,
        stop: async (plan) => {
          await held.stop;
          await channel.stop(plan);
        },
      };
    },
  };
}

test("a process that comes up when the pool sleeps is closed, not parked", async () => {
  const all = clis(says);
  const clock = new FakeClock();
  const open = new Deferred<void>();
  const transport = heldBack(all, { open: open.promise });
  const pool = new Pool({ transport, clock, idleMs: 1_000 });
  await until(() => pool.stats().starting === 1);
  await clock.advance(1_000);
  open.resolve();
  await until(() => pool.stats().starting === 0);
  await until(() => all.open === 0);
  assert.deepEqual([all.opened, pool.stats().warm], [1, 0]);
  await pool.close();
});

test("a query gets no process that is about to be gone", async () => {
  const all = clis(says);
  const stop = new Deferred<void>();
  const transport = heldBack(all, { stop: stop.promise });
  const pool = new Pool({ transport, clock: new FakeClock() });
  await pool.ready();
  all.end(0);
  await until(() => all.open === 0);
  await turns(5);
  const conversation = pool.query("one");
  stop.resolve();
  assert.equal(await conversation.text(), "one");
  assert.deepEqual([pool.stats().hits, pool.stats().misses], [0, 1]);
  await pool.close();
});

test("options that a warm process cannot change are a cold start, and a miss", () =>
  withPool(says, async (pool) => {
    const canUseTool = () => ({ behavior: "allow" }) as const;
    for (
      const overrides of [
        { cwd: "/tmp" },
        { systemPrompt: "Be brief" },
        { permissions: { canUseTool } },
        { permissions: { approve: ["Read"] } },
        { hooks: {} },
        { onElicitation: () => ({ action: "cancel" }) as const },
        { env: { A: "1" } },
      ]
    ) {
      await pool.ready();
      const { misses } = pool.stats();
      assert.equal(await pool.query("one", overrides).text(), "one");
      assert.equal(pool.stats().misses, misses + 1);
    }
    assert.equal(pool.stats().hits, 0);
    assert.equal(pool.stats().warm, 1);
  }));

test("permissions of a query are laid over the pool's: what it does not set stays, warm or cold", () => {
  const asked: (string | undefined)[] = [];
  const store = {
    ...memoryApprovals(),
    park: () => Promise.reject(new Error("a stop for this test")),
  };
  const call = {
    type: "control_request",
    request_id: "r1",
    request: {
      subtype: "hook_callback",
      callback_id: "approval_0",
      tool_use_id: "t",
      input: {
        session_id: "s1",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "ls" },
        tool_use_id: "t",
      },
    },
  };
  return withPool(
    (text) => text === "one" ? [INIT, call] : says(text).slice(1),
    async (pool, all) => {
      const canUseTool = () => ({ behavior: "allow" }) as const;
      for (
        const overrides of [
          { permissions: { canUseTool } },
          { permissions: { mode: "plan" } },
          { permissions: { canUseTool, approvals: undefined } },
          { permissions: { canUseTool }, maxTurns: 3 },
          { permissions: { approve: ["Read"] } },
          { permissions: {} },
        ] as const
      ) {
        await pool.ready();
        const before = all.lines.length;
        await pool.query("one", overrides).text();
        const answer = all.lines.slice(before).find(({ type }) =>
          type === "control_response"
        );
        const verdict = /"permissionDecision":"(\w+)"/;
        asked.push(verdict.exec(JSON.stringify(answer))?.[1]);
      }
      assert.deepEqual(asked, Array(6).fill("deny"));
      assert.equal(pool.stats().hits, 4);
    },
    {
      permissions: {
        canUseTool: () => ({ behavior: "deny", message: "no" }),
        approvals: { store },
      },
    },
  );
});

test("a change that the CLI refuses ends the query before its prompt", () => {
  const all = clis(says);
  const refusing: Transport = {
    async open(launch, signal) {
      const channel = await all.transport.open(launch, signal);
      return { ...channel, readable: refused(channel.readable) };
    },
  };
  const pool = new Pool({ transport: refusing });
  return (async () => {
    await pool.ready();
    const error = await rejectionOf(pool.query("one", { model: "x" }).text());
    assert.equal((error as { code?: string }).code, "control");
    assert.equal(all.lines.some(isPrompt), false);
    await pool.close();
  })();
});

/** Every success after the first answer becomes a refusal. */
function refused(
  readable: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  let count = 0;
  return readable.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        const text = new TextDecoder().decode(chunk);
        controller.enqueue(
          count++ === 0 ? chunk : new TextEncoder().encode(
            text.replaceAll(
              '"subtype":"success"',
              '"subtype":"error","error":"no"',
            ),
          ),
        );
      },
    }),
  );
}

test("a signal of one query ends that query alone", () =>
  withPool(() => [INIT], async (pool) => {
    await pool.ready();
    const controller = new AbortController();
    const conversation = pool.query("one", { signal: controller.signal });
    const other = pool.query("two");
    const reading = collect(conversation);
    await until(() => conversation.activity().state === "running");
    const reason = new Error("enough");
    controller.abort(reason);
    assert.equal((await reading).error, reason);
    assert.equal(pool.stats().hits, 1);
    assert.notEqual(other.activity().state, "gone");
    await pool.ready();
    const aborted = AbortSignal.abort(reason);
    assert.equal(
      await rejectionOf(pool.query("three", { signal: aborted }).text()),
      reason,
    );
  }));

test("client() gives a client that is connected, warm or not, and its turns are its own", () =>
  withPool(says, async (pool) => {
    await pool.ready();
    const warm = await pool.client();
    const cold = await pool.client({ cwd: "/tmp" });
    assert.deepEqual([pool.stats().hits, pool.stats().misses], [1, 1]);
    for (const client of [warm, cold]) {
      assert.equal(client.state, "connected");
      assert.equal(await client.text("one"), "one");
      await client.sendMessage("two");
      const { items } = await collect(client.receiveResponse());
      assert.deepEqual(items.map(({ type }) => type), [
        "system",
        "assistant",
        "result",
      ]);
      assert.equal(client.cost().turns, 2);
    }
    await warm.close();
    await until(() => pool.stats().busy === 1);
    await pool.close();
    assert.equal(cold.state, "disconnected");
  }));

test("a process that dies while it is parked is replaced, and never handed out", () =>
  withPool(says, async (pool, all, clock) => {
    await pool.ready();
    await clock.advance(2_000);
    all.end(0);
    await until(() => all.opened === 2);
    await pool.ready();
    assert.equal(await pool.query("one").text(), "one");
    assert.equal(pool.stats().hits, 1);
  }));

test("one that dies as soon as it is parked is replaced on demand, not before", () =>
  withPool(says, async (pool, all) => {
    await pool.ready();
    all.end(0);
    await until(() => all.open === 0);
    await turns(5);
    assert.deepEqual([all.opened, pool.stats().warm], [1, 0]);
    assert.equal(await pool.query("one").text(), "one");
    assert.equal(pool.stats().misses, 1);
    await pool.ready();
  }));

test("an old process is replaced, an unused one is closed until the next demand", () =>
  withPool(says, async (pool, all, clock) => {
    await pool.ready();
    await clock.advance(60_000);
    await until(() => all.opened === 2 && all.open === 1);
    await pool.ready();
    await clock.advance(40_000);
    await until(() => all.open === 0);
    await clock.advance(1_000_000);
    assert.equal(all.opened, 2);
    assert.equal(await pool.query("one").text(), "one");
    await pool.ready();
    assert.equal(all.opened, 4);
  }, { maxAgeMs: 60_000, idleMs: 100_000 }));

test("ready() reports a failed start, which is repeated on demand only", async () => {
  let tries = 0;
  const boom = new Error("boom");
  const pool = new Pool({
    transport: {
      open: () => {
        tries++;
        return Promise.reject(boom);
      },
    },
  });
  const error = await rejectionOf(pool.ready()) as Error;
  assert.equal(error.cause, boom);
  await turns(5);
  assert.equal(tries, 1);
  assert.equal(
    ((await rejectionOf(pool.query("x").text())) as Error).cause,
    boom,
  );
  await pool.close();
  assert.ok(await rejectionOf(pool.ready()) instanceof ClosedError);
});

test("close() ends queries that are open, drain() waits for them, and neither takes another", async () => {
  const all = clis((text) => text === "hang" ? [INIT] : says(text));
  const { transport } = all;
  const closed = new Pool({ transport });
  await closed.ready();
  const reading = collect(closed.query("hang"));
  await closed.close();
  assert.equal((await reading).error, undefined);
  assert.equal(all.open, 0);
  assert.throws(() => closed.query("one"), ClosedError);
  assert.ok(await rejectionOf(closed.client()) instanceof ClosedError);
  assert.throws(() => closed.run(["x"], String), ClosedError);

  const drained = new Pool({ transport });
  await drained.ready();
  const warm = all.opened - 1;
  const open = collect(drained.query("hang"));
  let isDrained = false;
  const draining = drained.drain().then(() => isDrained = true);
  assert.throws(() => drained.query("two"), ClosedError);
  await turns(50);
  assert.equal(isDrained, false);
  all.end(warm);
  await draining;
  assert.match(String((await open).error), /code 9/);
  assert.equal(all.open, 0);

  const before = all.opened;
  await new Pool({ transport }).close();
  await turns(5);
  assert.equal(all.open, 0);
  assert.equal(all.opened, before);
});

test("a signal of the pool ends all of it, and nothing is started again", async () => {
  const all = clis(says);
  const controller = new AbortController();
  const { signal } = controller;
  const pool = new Pool({ transport: all.transport, signal });
  await pool.ready();
  const reason = new Error("enough");
  controller.abort(reason);
  await until(() => all.open === 0);
  await turns(5);
  assert.equal(all.opened, 1);
  assert.equal(await rejectionOf(pool.ready()), reason);
  await pool.close();
});

test("wrong options are refused by name, at once", () => {
  const wrong: readonly [PoolOptions, string][] = [
    [{ size: -1 }, "size"],
    [{ idleMs: 0 }, "idleMs"],
    [{ maxAgeMs: 1.5 }, "maxAgeMs"],
    [{ warmUp: "yes" } as unknown as PoolOptions, "warmUp"],
    [{ modle: "x" } as PoolOptions, "modle"],
    [{ resume: crypto.randomUUID() }, "resume"],
    [{ sessionId: crypto.randomUUID() }, "sessionId"],
    [{ continue: true }, "continue"],
  ];
  for (const [options, key] of wrong) {
    assert.throws(
      () => new Pool(options),
      (error) => error instanceof ConfigError && error.key === key,
    );
  }
});

test("run() gives a result for each of 80 items, runs no more at once than it may, and leaves nothing", () =>
  withPool((text) => says(`answer ${text}`), async (pool, all) => {
    await pool.ready();
    const seen = new Map<number, string | undefined>();
    const progress: PoolProgress[] = [];
    const items = Array.from({ length: 80 }, (_, n) => n);
    const running = pool.run(items, String, {
      concurrency: 8,
      onProgress: (one) => void progress.push(one),
    });
    for await (const { item, index, text, attempts, costUsd } of running) {
      assert.deepEqual([index, attempts, costUsd], [item, 1, 0.01]);
      seen.set(item, text);
    }
    assert.equal(seen.size, 80);
    assert.equal(seen.get(7), "answer 7");
    const { spentUsd = 0, ...last } = progress.at(-1) ?? {};
    assert.deepEqual(last, { done: 80, failed: 0, running: 0, retried: 0 });
    assert.ok(Math.abs(spentUsd - 0.8) < 1e-9);
    assert.ok(progress.every(({ running }) => running <= 8));
    // One is warm beside those that run, one may be on its way out.
    assert.ok(all.most <= 10, `${all.most} at once`);
  }));

test("run() tries again what was overloaded or lost its process, unless a tool has run", () => {
  const tries = new Map<string, number>();
  return withPool((text) => {
    const count = (tries.get(text) ?? 0) + 1;
    tries.set(text, count);
    switch (text) {
      case "busy":
        return count < 3 ? [INIT, OVERLOADED] : says("at last");
      case "busy for ever":
        return [INIT, OVERLOADED];
      case "busy after a tool":
        return [INIT, TOOL, OVERLOADED];
      case "dies once":
        return count === 1 ? undefined : says("alive");
      case "wrong":
        return [INIT, resultLine({ is_error: true, result: "wrong" })];
      default:
        return says(text);
    }
  }, async (pool, _all, clock) => {
    const items = [
      "busy",
      "busy for ever",
      "busy after a tool",
      "dies once",
      "wrong",
      "fine",
    ];
    const ticking = { isOver: false };
    const ticks = (async () => {
      while (!ticking.isOver) {
        await turns(1);
        await clock.advance(1_000);
      }
    })();
    const results = await collect(pool.run(items, (item) => item));
    ticking.isOver = true;
    await ticks;
    assert.equal(results.error, undefined);
    const told = Object.fromEntries(
      results.items.map(({ item, text, error, attempts, costUsd }) => [item, [
        text ?? (isAgentError(error) ? error.code : error),
        attempts,
        Math.round(costUsd * 100),
      ]]),
    );
    assert.deepEqual(told, {
      "busy": ["at last", 3, 3],
      "busy for ever": ["result", 3, 3],
      "busy after a tool": ["result", 1, 1],
      "dies once": ["alive", 2, 1],
      "wrong": ["result", 1, 0],
      "fine": ["fine", 1, 1],
    });
  });
});

test("run(): what a job throws is an Error, whatever it throws", () =>
  withPool(() => [INIT, resultLine()], async (pool) => {
    const boom = new Error("boom");
    const results = await collect(
      pool.run([boom, "text", undefined], (item) => {
        throw item;
      }, { concurrency: 1 }),
    );
    const errors = results.items.map(({ error }) => {
      // No cast: one that failed has an Error, one that did not has none.
      return [error?.message, error?.cause];
    });
    assert.equal(results.items[0]?.error, boom);
    assert.deepEqual(errors, [
      ["boom", undefined],
      ["text", "text"],
      ["undefined", undefined],
    ]);
  }));

test("run() tries nothing again once anything showed that a tool was called", () => {
  const of = (type: string, more: JsonObject = {}): JsonObject => ({
    ...assistantLine(""),
    message: {
      ...(assistantLine("").message as JsonObject),
      content: [{ type, id: "t", name: "Bash", input: {}, ...more }],
    },
  });
  const asks = (request: JsonObject) => ({
    type: "control_request",
    request_id: "r1",
    request,
  });
  const { uuid, session_id } = assistantLine("");
  const tag = { uuid, session_id, parent_tool_use_id: null };
  const signs: Readonly<Record<string, PeerItem>> = {
    "a tool of the API": of("server_tool_use"),
    "a tool of a connector": of("mcp_tool_use", { server_name: "m" }),
    "a block of a newer CLI": of("other_tool_use"),
    "a block that begins": {
      ...tag,
      type: "stream_event",
      event: {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "t", name: "Bash", input: {} },
      },
    },
    "a result": {
      ...tag,
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }],
      },
    },
    "progress": {
      ...tag,
      type: "tool_progress",
      tool_use_id: "t",
      tool_name: "Bash",
      elapsed_time_seconds: 1,
    },
    "a task": {
      ...tag,
      type: "system",
      subtype: "task_started",
      task_id: "t",
      description: "d",
    },
    "a permission": asks({
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: {},
      tool_use_id: "t",
    }),
    "a hook": asks({
      subtype: "hook_callback",
      callback_id: "hook_0",
      input: { hook_event_name: "PreToolUse", tool_name: "Bash" },
    }),
    "a tool of the program": asks({
      subtype: "mcp_message",
      server_name: "m",
      message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} },
    }),
    "a line that is cut off": '{"type":"assistant","message":\n',
    "a call that cannot be read": of("tool_use", { id: 5 }),
  };
  return withPool(
    (text) =>
      text in signs
        ? [INIT, signs[text] as PeerItem, OVERLOADED]
        : says(text).slice(1),
    async (pool, _all, clock) => {
      const running = collect(
        pool.run(Object.keys(signs), (item) => item, { concurrency: 1 }),
      );
      let isOver = false;
      running.then(() => isOver = true);
      while (!isOver) {
        await turns(1);
        await clock.advance(1_000);
      }
      const { items, error } = await running;
      assert.equal(error, undefined);
      assert.deepEqual(
        items.map(({ item, attempts }) => [item, attempts]),
        Object.keys(signs).map((sign) => [sign, 1]),
      );
    },
  );
});

test("run() begins nothing once all have cost maxUsd, and says so after the rest", () =>
  withPool(says, async (pool, all) => {
    const running = pool.run(["a", "b", "c", "d", "e", "f"], (item) => item, {
      concurrency: 1,
      maxUsd: 0.025,
    });
    const { items, error } = await collect(running);
    assert.deepEqual(items.map(({ text }) => text), ["a", "b", "c"]);
    assert.ok(error instanceof PoolBudgetError);
    assert.equal(error.maxUsd, 0.025);
    assert.ok(Math.abs(error.spentUsd - 0.03) < 1e-9);
    assert.equal(all.lines.filter(isPrompt).length, 3);
    for (
      const [prompts, spentUsd] of [["ab", undefined], ["abc", 0.02]] as const
    ) {
      const exactly = { concurrency: 1, maxUsd: 0.02 };
      const { items, error } = await collect(
        pool.run([...prompts], (item) => item, exactly),
      );
      assert.equal(items.length, 2);
      assert.equal((error as PoolBudgetError | undefined)?.spentUsd, spentUsd);
    }
  }));

test("the sum of a PoolBudgetError counts what still ran when the budget was over, as its results do", () =>
  withPool(says, async (pool) => {
    const progress: PoolProgress[] = [];
    let drawn = 0;
    function* source() {
      for (;;) yield `${drawn++}`;
    }
    const { items, error } = await collect(
      pool.run(source(), (item) => item, {
        concurrency: 3,
        maxUsd: 0.005,
        onProgress: (one) => void progress.push(one),
      }),
    );
    assert.equal(items.length, 3);
    assert.ok(error instanceof PoolBudgetError);
    const sum = items.reduce((all, { costUsd }) => all + costUsd, 0);
    assert.equal(error.spentUsd, sum);
    assert.equal(progress.at(-1)?.spentUsd, sum);
    assert.equal(drawn, 4, "one says that there is more");
  }));

test("run() tries nothing again once all have cost maxUsd", () =>
  withPool(() => [INIT, OVERLOADED], async (pool, all) => {
    const running = pool.run(["a"], (item) => item, {
      concurrency: 1,
      maxUsd: 0.01,
    });
    const { items: [one], error } = await collect(running);
    assert.equal(error, undefined);
    assert.equal(one?.attempts, 1);
    assert.equal(all.lines.filter(isPrompt).length, 1);
  }));

/** Answers with a structured output, `undefined` for none. */
function gives(output: JsonValue | undefined): readonly PeerItem[] {
  return [
    INIT,
    resultLine({
      ...CENT,
      result: "Done.",
      ...output !== undefined && { structured_output: output },
    }),
  ];
}

const AGE = {
  type: "object",
  properties: { age: { type: "number" } },
  required: ["age"],
} as const;

test("run() with outputSchema gives the output of each item, and takes none or a wrong one for a failure", () =>
  withPool((text) => {
    switch (text) {
      case "none":
        return gives(undefined);
      case "wrong":
        return gives({ age: "three" });
      case "given up":
        return [
          INIT,
          resultLine({
            ...CENT,
            is_error: true,
            subtype: "error_max_structured_output_retries",
            errors: ["5 tries"],
          }),
        ];
      case "limit":
        return [
          INIT,
          resultLine({ ...CENT, is_error: true, subtype: "error_max_turns" }),
        ];
      default:
        return gives({ age: text.length });
    }
  }, async (pool) => {
    await pool.ready();
    const progress: PoolProgress[] = [];
    const prompts = ["three", "none", "wrong", "given up", "limit"];
    const { items, error } = await collect(
      pool.run(prompts, (item) => item, {
        concurrency: 1,
        onProgress: (one) => void progress.push(one),
      }),
    );
    assert.equal(error, undefined);
    assert.deepEqual(
      items.map((one) => [
        one.item,
        one.error === undefined ? one.output : one.error.name,
        one.text,
        one.result?.type,
        one.attempts,
        one.costUsd,
      ]),
      [
        ["three", { age: 5 }, "Done.", "result", 1, 0.01],
        ["none", "StructuredOutputError", undefined, "result", 1, 0.01],
        ["wrong", "StructuredOutputError", undefined, "result", 1, 0.01],
        ["given up", "StructuredOutputError", undefined, "result", 1, 0.01],
        ["limit", "ResultError", undefined, "result", 1, 0.01],
      ],
    );
    const { done, failed } = progress.at(-1) ?? {};
    assert.deepEqual([done, failed], [1, 4]);
    assert.equal(pool.stats().hits > 0, true, "a warm process has the schema");
  }, { outputSchema: AGE }));

test("run() gives the output as the library of the schema makes it", () =>
  withPool(() => gives({ age: "3" }), async (pool) => {
    const { items: [one] } = await collect(pool.run(["x"], String));
    assert.deepEqual(one?.output, { age: 3 });
  }, { outputSchema: z.object({ age: z.coerce.number() }) }));

test("run() without a schema has no output", () =>
  withPool(() => gives({ age: 3 }), async (pool) => {
    const { items: [one] } = await collect(pool.run(["x"], String));
    assert.deepEqual([one?.text, one?.output], ["Done.", undefined]);
  }));

test("a prompt of run() may have options of its own, which a warm process takes if it can", () =>
  withPool(says, async (pool, all) => {
    await pool.ready();
    const options = [{ model: "m2" }, { maxTurns: 3 }, undefined];
    const { items } = await collect(
      pool.run(options, (one) => ({ prompt: "hi", options: one }), {
        concurrency: 1,
      }),
    );
    assert.deepEqual(items.map(({ text }) => text), ["hi", "hi", "hi"]);
    const models = all.lines.map(requestOf)
      .filter(({ subtype }) => subtype === "set_model")
      .map(({ model }) => model);
    assert.deepEqual(models, ["m2"]);
    assert.equal(pool.stats().misses > 0, true, "maxTurns is of the start");
  }));

test("a signal of one prompt of run() ends that prompt, and the signal of the run all of them", () =>
  withPool((text) => text === "hang" ? [INIT] : says(text), async (pool) => {
    const [one, whole] = [new AbortController(), new AbortController()];
    const reason = new Error("enough");
    const running = pool.run(
      ["hang", "fine", "hang"],
      (prompt) => ({ prompt, options: { signal: one.signal } }),
      { concurrency: 1, signal: whole.signal },
    );
    const first = running.next();
    await until(() => pool.stats().busy === 1);
    one.abort(reason);
    assert.equal((await first).value?.error, reason);
    await running.return?.();

    const other = new AbortController();
    const reading = collect(pool.run(
      ["hang"],
      (prompt) => ({ prompt, options: { signal: other.signal } }),
      { signal: whole.signal },
    ));
    await until(() => pool.stats().busy === 1);
    const end = new Error("all of it");
    whole.abort(end);
    assert.equal((await reading).error, end);
    await until(() => pool.stats().busy === 0);
  }));

test("options of a prompt of run() that are none are its failure, named", () =>
  withPool(says, async (pool) => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ prompt: "x", model: "m2" }, "model"],
      [{ prompt: "x", options: "m2" }, "options"],
      [{ prompt: "x", options: { modle: "m2" } }, "modle"],
    ];
    const { items } = await collect(
      pool.run(wrong, ([made]) => made as { prompt: string }),
    );
    for (const { item: [, key], error } of items) {
      assert.ok(error instanceof ConfigError);
      assert.equal(error.key, key);
    }
    assert.equal(items.length, 3);
  }));

test("the signal of a pool ends a cold query that has one of its own", async () => {
  const all = clis(() => [INIT]);
  const [own, whole] = [new AbortController(), new AbortController()];
  const pool = new Pool({
    transport: all.transport,
    signal: whole.signal,
    size: 0,
  });
  const reading = collect(pool.query("x", { signal: own.signal }));
  await until(() => all.lines.some(isPrompt));
  const reason = new Error("enough");
  whole.abort(reason);
  assert.equal((await reading).error, reason);
  await pool.close();
});

test("run() that is left early or aborted ends what runs, and lets go of its items", () =>
  withPool(
    (text) => text === "hang" ? [INIT] : says(text),
    async (pool, all) => {
      let isReleased = false;
      function* items() {
        try {
          yield "one";
          for (;;) yield "hang";
        } finally {
          isReleased = true;
        }
      }
      for await (const { text } of pool.run(items(), (item) => item)) {
        assert.equal(text, "one");
        break;
      }
      await until(() => pool.stats().busy === 0);
      assert.equal(isReleased, true);

      const controller = new AbortController();
      const { signal } = controller;
      const reading = collect(pool.run(items(), (item) => item, { signal }));
      await until(() => pool.stats().busy === 4);
      const reason = new Error("enough");
      controller.abort(reason);
      assert.equal((await reading).error, reason);
      await until(() => pool.stats().busy === 0);
      assert.equal(all.open, pool.stats().warm + pool.stats().starting);
    },
  ));

test("run() that is left early has ended its processes when return() resolves", async () => {
  const all = clis((text) => text === "hang" ? [INIT] : says(text));
  let isReleased = false;
  const slow: Transport = {
    async open(launch, signal) {
      const channel = await all.transport.open(launch, signal);
      return {
        ...channel,
        stop: async (plan) => {
          await turns(20);
          await channel.stop(plan);
          isReleased = true;
        },
      };
    },
  };
  const pool = new Pool({ transport: slow, size: 0 });
  const running = pool.run(["one", "hang", "hang"], (item) => item, {
    concurrency: 3,
  });
  assert.equal((await running.next()).value?.text, "one");
  await running.return?.();
  assert.equal(isReleased, true);
  assert.equal(all.open, 0);
  await pool.close();
});

test("a callback with another time limit than the pool's is a cold start", () => {
  const canUseTool = (timeoutMs: number) =>
    Object.assign(() => ({ behavior: "allow" }) as const, { timeoutMs });
  return withPool(says, async (pool) => {
    for (
      const [timeoutMs, hits] of [[1_000, 1], [2_000, 1], [1_000, 2]] as const
    ) {
      await pool.ready();
      const permissions = { canUseTool: canUseTool(timeoutMs) };
      assert.equal(await pool.query("one", { permissions }).text(), "one");
      assert.equal(pool.stats().hits, hits);
    }
  }, { permissions: { canUseTool: canUseTool(1_000) } });
});

test("run() is held up by a slow reader, and draws no more items than it needs", () =>
  withPool(says, async (pool) => {
    let drawn = 0;
    function* items() {
      for (;;) yield `${drawn++}`;
    }
    const running = pool.run(items(), (item) => item, { concurrency: 2 });
    await running.next();
    await until(() => pool.stats().busy === 0);
    await turns(20);
    assert.ok(drawn <= 6, `${drawn} drawn`);
    await running.return?.();
  }));

test("run(), query() and client() refuse foreign options by name", () =>
  withPool(says, async (pool) => {
    const named = (key: string) => (error: unknown) =>
      error instanceof ConfigError && error.key === key;
    const job = (item: string) => item;
    const wrong: readonly (readonly [unknown, unknown, unknown, string])[] = [
      [null, job, {}, "items"],
      [undefined, job, {}, "items"],
      [{}, job, {}, "items"],
      [3, job, {}, "items"],
      [["x"], undefined, {}, "job"],
      [["x"], "Say it", {}, "job"],
      [["x"], job, null, "options"],
      [["x"], job, ["x"], "options"],
      [["x"], job, { maxUSD: 1 }, "maxUSD"],
      [["x"], job, { maxUsd: "1" }, "maxUsd"],
      [["x"], job, { retries: -1 }, "retries"],
      [["x"], job, { signal: {} }, "signal"],
      [["x"], job, { onProgress: true }, "onProgress"],
    ];
    for (const [items, make, options, key] of wrong) {
      const { error } = await collect(
        pool.run(items as string[], make as typeof job, options as object),
      );
      assert.ok(named(key)(error), `${key}: ${error}`);
    }
    const { items: [bad] } = await collect(
      pool.run([{}], (item) => item as ""),
    );
    assert.ok(bad?.error instanceof ConfigError);
    for (const none of [null, "x", ["x"]]) {
      const overrides = none as unknown as object;
      assert.throws(() => new Pool(overrides), named("options"));
      assert.throws(() => pool.query("x", overrides), named("options"));
      await assert.rejects(pool.client(overrides), named("options"));
    }
    assert.equal(pool.stats().busy, 0);
  }));

test("run() tells what a job, its items or its progress throw, and what is closed under it", () =>
  withPool((text) => text === "hang" ? [INIT] : says(text), async (pool) => {
    const boom = new Error("boom");
    const fail = () => {
      throw boom;
    };
    async function* broken() {
      yield "one";
      throw boom;
    }
    const items = await collect(pool.run(broken(), (item) => item));
    assert.deepEqual([items.items.length, items.error], [1, boom]);
    const told = await collect(
      pool.run(["x"], (item) => item, { onProgress: fail }),
    );
    assert.equal(told.error, boom);
    const wrong = { concurrency: 0 };
    const { error } = await collect(pool.run(["x"], (item) => item, wrong));
    assert.ok(error instanceof ConfigError && error.key === "concurrency");
    const reading = collect(pool.run(["hang", "hang"], (item) => item));
    await until(() => pool.stats().busy === 2);
    await pool.close();
    assert.ok((await reading).error instanceof ClosedError);
  }));

test("ready() wakes an unused pool, repeats a failed start, and reports a process that dies at once", async () => {
  await withPool(says, async (pool, all, clock) => {
    await pool.ready();
    await clock.advance(1_000);
    await until(() => all.open === 0);
    await pool.ready();
    assert.equal(pool.stats().warm, 1);
    all.end(1);
    await until(() => all.open === 0);
    await pool.ready();
    assert.deepEqual([pool.stats().warm, all.opened], [1, 3]);
  }, { idleMs: 1_000 });

  let isDown = true;
  const all = clis(says);
  const pool = new Pool({
    transport: {
      open: (launch, signal) =>
        isDown
          ? Promise.reject(new Error("down"))
          : all.transport.open(launch, signal),
    },
  });
  await rejectionOf(pool.ready());
  isDown = false;
  await pool.ready();
  await pool.close();
});

test("a pool that sleeps leaves no timer, however old its processes may grow", () =>
  withPool(says, async (pool, all, clock) => {
    await pool.ready();
    await clock.advance(1_000);
    await until(() => all.open === 0);
    await turns(2);
    assert.equal(clock.pending, 0);
  }, { idleMs: 1_000, maxAgeMs: 10_000_000 }));

test("close() of a pool tells what could not be closed", async () => {
  const all = clis(() => [INIT]);
  const boom = new Error("boom");
  const pool = new Pool({
    transport: {
      async open(launch, signal) {
        const channel = await all.transport.open(launch, signal);
        return {
          ...channel,
          stop: async (plan) => {
            await channel.stop(plan);
            throw boom;
          },
        };
      },
    },
  });
  await pool.ready();
  pool.query("one");
  const error = await rejectionOf(pool.close()) as Error;
  assert.match(error.message, /Cannot close CLI process: boom/);
  assert.equal(all.open, 0);
});

test("metrics.pool counts queries and follows the counters of stats()", async () => {
  const { transport } = clis(() => [resultLine()]);
  const calls: unknown[] = [];
  const pool: Pool = new Pool({
    transport,
    size: 1,
    metrics: {
      pool: {
        query: (isWarm) => void calls.push(isWarm),
        change(stats) {
          assert.deepEqual(stats, pool.stats());
          calls.push(stats.warm + stats.starting + stats.busy);
          throw new Error("broken");
        },
      },
    },
  });
  await pool.ready();
  await pool.query("x").text();
  await pool.query("x", { model: "other", effort: "low" }).text();
  await pool.close();
  assert.deepEqual(calls.filter((one) => typeof one === "boolean"), [
    true,
    false,
  ]);
  assert.equal(calls.at(-1), 0);
});
