import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  type AgentOptions,
  CliExitError,
  ClosedError,
  ConfigError,
  type Conversation,
  isResult,
  isRetryable,
  memoryApprovals,
  type Message,
  query,
  ResultError,
  StructuredOutputError,
  type UserInput,
} from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { flood, repeated } from "./_steps.ts";
import { fixture, host, needsShell, release, textOf } from "./_children.ts";
import { collect, rejectionOf } from "./_collect.ts";
import { test } from "./_harness.ts";
import { assistantLine, memoryCli, unhandledIn } from "./conversation/_rig.ts";

test(
  "query() delivers the messages in order and ends when the CLI does",
  async () => {
    const { cliPath } = fakeCli("Hello, Ada!");
    const conversation = query("Say hello", { cliPath });
    const { items, error } = await collect(conversation);
    assert.equal(error, undefined);
    assert.deepEqual(items.map(({ type }) => type), [
      "system",
      "assistant",
      "result",
    ]);
    await conversation.close();
    assert.equal(conversation.health().state, "gone");
  },
  { ids: ["Q-11", "PA-07"] },
);

test(
  "query() takes a key that is undefined for one that is absent",
  async () => {
    const fake = fakeCli("ok");
    const env = { CLAUDE_CLI_PATH: undefined };
    for (const options of [{}, { model: undefined, hooks: undefined }]) {
      const all = { ...options, cliPath: fake.cliPath, env } as object;
      await query("x", all).text();
    }
    const [first, second] = fake.runs;
    assert.deepEqual(first?.args, second?.args);
    const withoutId = (run: typeof first) =>
      run?.received.map(({ request_id: _id, ...line }) => line);
    assert.deepEqual(withoutId(first), withoutId(second));
    await fake.close();
  },
  { ids: ["O-08"] },
);

test(
  "query(prompt) writes the arguments and the lines of query(prompt, {})",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "plain-"));
    const fake = fakeCli("ok");
    const words = fake.cliPath.map((word) =>
      `'${word.replaceAll("'", `'\\''`)}'`
    );
    const path = join(folder, "claude");
    await writeFile(path, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, {
      mode: 0o700,
    });
    const { CLAUDE_CLI_PATH } = process.env;
    // Without options only the environment tells which CLI.
    process.env.CLAUDE_CLI_PATH = path;
    try {
      for (const rest of [[], [{}], [undefined]]) {
        assert.equal(await query("x", ...rest).text(), "ok");
      }
    } finally {
      if (CLAUDE_CLI_PATH === undefined) delete process.env.CLAUDE_CLI_PATH;
      else process.env.CLAUDE_CLI_PATH = CLAUDE_CLI_PATH;
      await rm(folder, { recursive: true });
    }
    const [absent, ...others] = fake.runs;
    const lines = (run: typeof absent) =>
      run?.received.map(({ request_id: _id, uuid: _uuid, ...line }) => line);
    assert.equal(others.length, 2);
    for (const run of others) {
      assert.deepEqual(absent?.args, run.args);
      assert.deepEqual(lines(absent), lines(run));
    }
    await fake.close();
  },
  { skip: needsShell, ids: ["Q-05"] },
);

test("text() gives the last result's text and rejects with ResultError when it is an error", async () => {
  const { cliPath } = fakeCli([["a", { result: "the end" }]]);
  assert.equal(await query("x", { cliPath }).text(), "the end");
  const failing = fakeCli([[{
    result: {
      subtype: "error_max_turns",
      is_error: true,
      errors: ["Too many"],
    },
  }]]);
  const error = await rejectionOf(
    query("x", { cliPath: failing.cliPath }).text(),
  );
  assert.ok(error instanceof ResultError);
  assert.equal(error.result?.subtype, "error_max_turns");
  assert.match(error.message, /Too many/);
});

test("result() gives an error result as it is", async () => {
  const { cliPath } = fakeCli([[{
    result: { subtype: "error_during_execution", is_error: true, errors: [] },
  }]]);
  const result = await query("x", { cliPath }).result();
  assert.equal(result.is_error, true);
});

test("result(), text() and output() reject with ResultError without a result when the source was empty", async () => {
  for (const take of ["result", "text", "output"] as const) {
    const { cliPath } = fakeCli("never said");
    const error = await rejectionOf(query(nothing(), { cliPath })[take]());
    assert.ok(error instanceof ResultError, take);
    assert.equal(error.result, undefined);
    assert.match(error.message, /without a result: it got no prompt$/);
  }
});

test("a loop over a conversation without a prompt ends without a message and without an error", async () => {
  const { cliPath } = fakeCli("never said");
  const conversation = query(nothing(), { cliPath });
  const seen: string[] = [];
  for await (const { type } of conversation) seen.push(type);
  for await (const { name } of conversation.errors) seen.push(name);
  assert.deepEqual(seen, []);
  await assert.rejects(conversation.result(), ResultError);
});

test("a resumed conversation without a prompt and a result reports whether approvals are missing, or no deferred call waits", async () => {
  const missing = /without "permissions\.approvals" no deferred call .* runs/;
  const none = /no deferred call of the session waits; resume with a prompt/;
  const approvals = { store: memoryApprovals() };
  const env = { CLAUDE_CODE_DISABLE_DEFERRED_TOOL_RESUME: "0" };
  for (
    const [options, why] of [
      [{ resume: "s" }, missing],
      [{ continue: true }, missing],
      [{ resume: "s", env }, none],
      [{ resume: "s", permissions: { approvals } }, none],
    ] satisfies [AgentOptions, RegExp][]
  ) {
    const { cliPath } = fakeCli("never said");
    const asked = query(nothing(), { ...options, cliPath }).text();
    const error = await rejectionOf(asked);
    assert.ok(error instanceof ResultError);
    assert.match(error.message, why);
  }
});

test("output() gives the structured output, or StructuredOutputError when it is missing or wrong", async () => {
  const outputSchema = {
    type: "object",
    properties: { age: { type: "number" } },
    required: ["age"],
  };
  const good = fakeCli([[{ result: { structured_output: { age: 3 } } }]]);
  const { cliPath } = good;
  assert.deepEqual(await query("x", { cliPath, outputSchema }).output(), {
    age: 3,
  });
  assert.deepEqual(
    good.received[0]?.request &&
      (good.received[0].request as { jsonSchema?: unknown }).jsonSchema,
    outputSchema,
  );
  for (
    const step of [{ result: "none" }, {
      result: { structured_output: { age: "x" } },
    }]
  ) {
    const bad = fakeCli([[step]]);
    const options = { cliPath: bad.cliPath, outputSchema };
    const error = await rejectionOf(query("x", options).output());
    assert.ok(error instanceof StructuredOutputError);
    assert.equal(error.result?.type, "result");
  }
});

test("output() of an error result is a ResultError, retryable as that of text(); only a model that gave up on the schema is not", async () => {
  const overloaded = {
    is_error: true,
    api_error_status: 529,
    result: "API Error: 529",
  };
  const limit = { is_error: true, subtype: "error_max_turns", errors: ["2"] };
  // One may lack the word.
  const budget = { is_error: false, subtype: "error_max_budget_usd" };
  const outputSchema = { type: "object" };
  for (const result of [overloaded, limit, budget]) {
    const { cliPath } = fakeCli({ turns: [[{ result }]] });
    const conversation = query("x", { cliPath, outputSchema });
    const error = await rejectionOf(conversation.output());
    assert.ok(error instanceof ResultError, String(error));
    assert.match(error.message, /^Turn ended with an error result: /);
    assert.equal(isRetryable(error), result === overloaded);
    const said = await rejectionOf(conversation.text());
    assert.equal((said as Error).message, error.message);
  }
  const result = {
    is_error: true,
    subtype: "error_max_structured_output_retries",
    errors: ["five times"],
  };
  const { cliPath } = fakeCli({ turns: [[{ result }]] });
  const error = await rejectionOf(
    query("x", { cliPath, outputSchema }).output(),
  );
  assert.ok(error instanceof StructuredOutputError, String(error));
  assert.match(error.message, /five times/);
});

test("output() that has none says whether it was asked for, and what the model said instead", async () => {
  const outputSchema = { type: "object" };
  const long = `Oslo, I think. ${"x".repeat(5_000)}`;
  const { cliPath } = fakeCli({ turns: [long] });
  const asked = await rejectionOf(
    query("x", { cliPath, outputSchema }).output(),
  );
  assert.ok(asked instanceof StructuredOutputError);
  assert.match(
    asked.message,
    /the model answered in words alone: "Oslo, I think/,
  );
  assert.ok(asked.message.length < 500);
  const unasked = await rejectionOf(query("x", { cliPath }).output());
  assert.ok(unasked instanceof StructuredOutputError);
  assert.match(unasked.message, /set "outputSchema"/);
});

test("query() gives the same messages as batches, as a stream and one by one", async () => {
  const plan = [["one", { line: "noise" }, "two"]] as const;
  const texts: string[][] = [];
  for (const take of ["iterate", "messages", "batches"] as const) {
    const { cliPath } = fakeCli(plan);
    const conversation = query("x", { cliPath });
    const all: Message[] = [];
    if (take === "batches") {
      const { items } = await collect(conversation.batches);
      for (const batch of items) all.push(...batch);
    } else {
      const source = take === "iterate" ? conversation : conversation.messages;
      all.push(...(await collect<Message>(source)).items);
    }
    texts.push(all.map((message) => message.type));
    await conversation.close();
  }
  assert.deepEqual(texts[0], texts[1]);
  assert.deepEqual(texts[0], texts[2]);
});

test("query() throws TypeError naming the first taker when a second takes the messages", async () => {
  const { cliPath } = fakeCli("once");
  const conversation = query("x", { cliPath });
  assert.equal(
    conversation.messages,
    conversation.messages,
    "reading the property takes nothing",
  );
  await conversation.text();
  for (
    const take of [
      () => conversation[Symbol.asyncIterator]().next(),
      () => conversation.messages.getReader().read(),
      () => conversation.batches.getReader().read(),
    ]
  ) {
    const error = await rejectionOf(take());
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /already taken by text\(\)/);
  }
});

test("text(), result() and output() give the one result as often as they are called, with no taker", async () => {
  const ended = { result: { result: "done", structured_output: { a: 1 } } };
  const { cliPath } = fakeCli([[ended]]);
  const conversation = query("x", { cliPath });
  const [text, result, output] = await Promise.all([
    conversation.text(),
    conversation.result(),
    conversation.output(),
  ]);
  assert.deepEqual([text, output], ["done", { a: 1 }]);
  assert.equal(await conversation.result(), result);
});

test("text(), result() and output() beside a taker resolve from the same pass, inside its loop too", async () => {
  for (const shape of ["for await", "messages", "batches"] as const) {
    const { cliPath } = fakeCli(["done"]);
    const conversation = query("x", { cliPath });
    const seen: Message[] = [];
    const texts: string[] = [];
    for await (const one of taken(conversation, shape)) {
      seen.push(...one);
      const isOver = one.some(({ type }) => type === "result");
      if (isOver) texts.push(await conversation.text());
    }
    texts.push(await conversation.text());
    assert.deepEqual(texts, ["done", "done"], shape);
    assert.equal(await conversation.result(), seen.find(isResult), shape);
    await conversation.close();
    assert.ok(await rejectionOf(conversation.text()) instanceof ClosedError);
  }
});

test("text() before the result of a taker's pass waits for it, and rejects with what ends it", async () => {
  const good = query("x", { cliPath: fakeCli(["a"]).cliPath });
  const iterator = good[Symbol.asyncIterator]();
  const first = iterator.next();
  const text = good.text();
  await first;
  assert.equal(await text, "a", "the result has no consumer yet");
  while ((await iterator.next()).done !== true);
  const bad = query("x", { cliPath: fakeCli([["a", { exit: 5 }]]).cliPath });
  const messages = bad[Symbol.asyncIterator]();
  void messages.next();
  assert.ok(await rejectionOf(bad.text()) instanceof CliExitError);
  await bad.close();
});

test("a loop that was left at the result has its text, one that was left before has none", async () => {
  const { cliPath } = fakeCli(["a"]);
  for (const type of ["result", "assistant"]) {
    const conversation = query("x", { cliPath });
    for await (const message of conversation) {
      if (message.type === type) break;
    }
    if (type === "result") assert.equal(await conversation.text(), "a");
    else {
      const late = await rejectionOf(conversation.interrupt());
      assert.ok(late instanceof ClosedError);
    }
  }
});

test("query() ends messages before errors", async () => {
  const { cliPath } = fakeCli([[{ line: "noise" }, "a"]]);
  const conversation = query("x", { cliPath });
  const ends: string[] = [];
  await Promise.all([
    collect(conversation).then(() => ends.push("messages")),
    collect(conversation.errors).then(() => ends.push("errors")),
  ]);
  assert.deepEqual(ends, ["messages", "errors"]);
}, { ids: ["Q-17", "Q-18"] });

test("query() reports each bad line once and continues", async () => {
  const { cliPath } = fakeCli([[
    "one",
    { line: "not json" },
    { line: "{broken}" },
    { line: null },
    { line: [1] },
    { line: 7 },
    { line: { no: "type" } },
    "two",
  ]]);
  const conversation = query("x", { cliPath });
  const [messages, errors] = await Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  assert.equal(
    messages.items.filter(({ type }) => type === "assistant").length,
    2,
  );
  assert.equal(errors.items.length, 6);
  for (const error of errors.items) {
    assert.equal(error.code, "parse");
    assert.equal(error.fatal, false);
  }
}, { ids: ["Q-16", "PA-04", "R-03"] });

test(
  "query() keeps the newest 256 errors without a reader, and ends",
  async () => {
    const { cliPath } = fakeCli([repeated(1_000, { line: "noise" })]);
    const conversation = query("x", { cliPath });
    assert.equal((await conversation.result()).is_error, false);
    const { items } = await collect(conversation.errors);
    assert.equal(items.length, 256);
  },
  { ids: ["Q-15"] },
);

test(
  "a program that ignores 1,000 errors ends by itself, without an unhandled rejection",
  async () => {
    const driver = new URL("./fixtures/deaf_driver.ts", import.meta.url);
    const child = await (await host()).spawn(fixture(driver));
    try {
      const [said, complaints, status] = await Promise.all([
        textOf(child.stdout),
        textOf(child.stderr),
        child.exited,
      ]);
      assert.equal(said, "heard nothing of 1000 errors\n");
      assert.equal(complaints, "");
      assert.deepEqual(status, { code: 0, signal: null });
    } finally {
      await release(child);
    }
  },
  { ids: ["Q-15"] },
);

test("query() hides what is for the host alone and keeps the session id", async () => {
  const { cliPath } = fakeCli("x");
  const conversation = query("x", { cliPath });
  assert.equal(conversation.sessionId, undefined);
  const { items } = await collect(conversation);
  assert.equal(
    items.some((one) =>
      one.type === "system" && one.subtype === "session_state_changed"
    ),
    false,
  );
  assert.equal(
    conversation.sessionId,
    (items.at(-1) as { session_id?: string }).session_id,
  );
});

test("query() answers two prompts of a source in turn and keeps stdin open between them", async () => {
  const fake = fakeCli(["first", "second"]);
  const { cliPath } = fake;
  async function* prompts(): AsyncGenerator<UserInput> {
    yield "one";
    await fake.until((runs) => runs[0]?.received.length === 2);
    yield [{ type: "text", text: "two" }];
  }
  const { items } = await collect(query(prompts(), { cliPath }));
  assert.equal(items.filter(({ type }) => type === "result").length, 2);
  await fake.close();
});

test("query() takes a ReadableStream as its prompt", async () => {
  const { cliPath } = fakeCli(["first", "second"]);
  const prompts = new ReadableStream<UserInput>({
    start(controller) {
      controller.enqueue("one");
      controller.enqueue({
        type: "user",
        message: { role: "user", content: "two" },
      });
      controller.close();
    },
  });
  const { items } = await collect(query(prompts, { cliPath }));
  assert.equal(items.filter(({ type }) => type === "result").length, 2);
});

test("send() adds a prompt while the source is open, and rejects with TypeError for a text prompt", async () => {
  const fake = fakeCli(["first", "second"]);
  let end = () => {};
  const ended = new Promise<void>((resolve) => end = resolve);
  async function* prompts(): AsyncGenerator<UserInput> {
    yield "one";
    await ended;
  }
  const open = query(prompts(), { cliPath: fake.cliPath });
  let results = 0;
  for await (const message of open) {
    if (message.type !== "result") continue;
    if (++results === 1) await open.send("two");
    else end();
  }
  assert.equal(results, 2);
  const single = query("x", { cliPath: fakeCli("x").cliPath });
  await assert.rejects(single.send("more"), TypeError);
  await single.close();
  await fake.close();
});

test("query() throws ConfigError at once for a malformed prompt", () => {
  for (
    const prompt of [7, null, undefined, { type: "x" }, [{}], {
      type: "user",
      message: { role: "assistant", content: "x" },
    }]
  ) {
    assert.throws(
      () => query(prompt as never),
      (error) => error instanceof ConfigError && error.key === "prompt",
    );
  }
});

test("query() says how it is called when it gets one object, as the official SDK takes it", () => {
  assert.throws(
    () => query({ prompt: "hi", options: {} } as never),
    /query\(prompt, options\)/,
  );
});

test("leaving a for await early closes the conversation", async () => {
  const fake = fakeCli([["a", { wait: "forever" }]]);
  const conversation = query("x", { cliPath: fake.cliPath });
  for await (const message of conversation) {
    if (message.type === "assistant") break;
  }
  assert.equal(conversation.health().state, "gone");
  const [run] = fake.runs;
  assert.equal(run?.received.at(-1)?.type, "control_request");
  assert.equal(
    (run?.received.at(-1)?.request as { subtype?: string }).subtype,
    "interrupt",
  );
  await fake.close();
}, { ids: ["P-07", "P-12"] });

test(
  "close() is idempotent, and everything after it rejects with ClosedError",
  async () => {
    const { cliPath } = fakeCli([[{ wait: "forever" }]]);
    const conversation = query("x", { cliPath });
    await conversation.ready;
    assert.equal(conversation.close(), conversation.close());
    await conversation.close();
    for (
      const late of [
        () => conversation.text(),
        () => conversation.interrupt(),
        () => conversation.send("x"),
        () => conversation[Symbol.asyncIterator]().next(),
      ]
    ) assert.ok(await rejectionOf(late()) instanceof ClosedError);
    assert.deepEqual((await collect(conversation.errors)).items, []);
  },
  { ids: ["Q-17"] },
);

test(
  "close() in the middle of a burst leaves no unhandled rejection and nothing running",
  async () => {
    const rejections = await unhandledIn(async () => {
      for (let round = 0; round < 8; round++) {
        const { cliPath } = fakeCli([flood(1_000)]);
        const conversation = query("x", { cliPath });
        let seen = 0;
        for await (const _message of conversation) {
          if (++seen === 1 + round * 100) conversation.close();
        }
        await conversation.close();
        assert.equal(conversation.health().state, "gone");
      }
    });
    assert.deepEqual(rejections, []);
  },
);

test(
  "close() at any place of a burst of 1,000 lines puts nothing on a stream that has ended",
  async () => {
    const rejections = await unhandledIn(async () => {
      for (let round = 0; round < 25; round++) {
        const { transport, peer } = memoryCli();
        const shutdown = { graceMs: 1, killMs: 2 };
        const conversation = query("x", { transport, shutdown });
        await conversation.ready;
        // Both streams are read; bad lines go to the one of errors.
        const errors = collect(conversation.errors);
        const reader = conversation.messages.getReader();
        const lines = Array.from(
          { length: 1_000 },
          (_, n) => n % 10 === 9 ? "noise\n" : assistantLine(`${n}`),
        );
        const sent = peer.send(...lines).catch(() => {});
        let seen = 0;
        while (!(await reader.read()).done && ++seen <= 36 * round);
        const closing = conversation.close();
        while (!(await reader.read()).done) seen++;
        await Promise.all([closing, sent]);
        assert.ok(seen > 36 * round && seen <= 900, `${seen} messages`);
        const { items, error } = await errors;
        assert.equal(error, undefined);
        assert.ok(items.every(({ code }) => code === "parse"), `${items}`);
      }
    });
    assert.deepEqual(rejections, []);
  },
  { ids: ["Q-14"] },
);

test("a consumer that is late gets everything in order", async () => {
  const { cliPath } = fakeCli([flood(500)]);
  const conversation = query("x", { cliPath });
  await conversation.ready;
  const { items } = await collect(conversation.batches);
  const numbers = items.flat().flatMap((message) => {
    if (message.type !== "stream_event") return [];
    const { event } = message;
    return event.type === "content_block_delta" &&
        event.delta.type === "text_delta"
      ? [Number.parseInt(event.delta.text)]
      : [];
  });
  assert.equal(numbers.length, 500);
  assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
}, { ids: ["Q-10"] });

async function* nothing(): AsyncGenerator<UserInput> {}

/** The messages of a conversation in one of their shapes, as batches. */
async function* taken(
  conversation: Conversation,
  shape: "for await" | "messages" | "batches",
): AsyncGenerator<readonly Message[]> {
  if (shape === "for await") {
    for await (const message of conversation) yield [message];
    return;
  }
  const reader = conversation[shape].getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield [value].flat();
  }
}

test(
  "query() with an absolute cwd needs no working directory of this program; a relative cliPath does not mean that of the agent",
  async () => {
    const fake = fakeCli("Here.");
    const cwd = await realpath(await mkdtemp(join(tmpdir(), "sluice-cwd-")));
    await writeFile(join(cwd, "claude"), "#!/bin/sh\n", { mode: 0o755 });
    const driver = new URL("./fixtures/lost_directory.ts", import.meta.url);
    const child = await (await host()).spawn(
      fixture(driver, JSON.stringify(fake.cliPath), cwd),
    );
    try {
      const [said, complaints] = await Promise.all([
        textOf(child.stdout),
        textOf(child.stderr),
      ]);
      assert.deepEqual(
        said.split("\n"),
        ["Here.", "CliNotFoundError", ""],
        complaints,
      );
    } finally {
      await release(child);
      await rm(cwd, { recursive: true });
    }
  },
  { skip: needsShell },
);
