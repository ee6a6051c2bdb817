import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers";
import { query } from "@sluice/agent/compat";
import type { JsonObject } from "@sluice/agent";
import { Deferred } from "@sluice/agent/extend";
import { test } from "../_harness.ts";
import { messagesOf, openPrompts, userMessage } from "./_compat.ts";
import { playedCli } from "./_process.ts";

const ASK: JsonObject = {
  type: "control_request",
  request_id: "q1",
  request: { subtype: "can_use_tool", tool_name: "Bash", input: {} },
};

const isAnswer = ({ type }: JsonObject) => type === "control_response";

test("a question that comes twice is asked once, and may be asked anew when it is answered", async () => {
  const cli = playedCli();
  const decided = new Deferred<void>();
  let calls = 0;
  const run = query({
    prompt: openPrompts().stream,
    options: {
      ...cli.options,
      async canUseTool() {
        calls++;
        await decided.promise;
        return { behavior: "deny", message: "no" };
      },
    },
  });
  await run.initializationResult();
  cli.say(ASK);
  cli.say(ASK);
  cli.say({ type: "seen" });
  await run.next();
  assert.equal(calls, 1);
  decided.resolve();
  await cli.until(isAnswer);
  cli.say(ASK);
  cli.say({ type: "seen" });
  await run.next();
  assert.equal(calls, 2);
  await run.return();
  assert.equal(cli.received.filter(isAnswer).length, 2);
});

test("callbacks hear of the close, and what they answer then goes nowhere", async () => {
  const cli = playedCli();
  const asked = new Deferred<AbortSignal>();
  const late = new Deferred<null>();
  const run = query({
    prompt: openPrompts().stream,
    options: {
      ...cli.options,
      async canUseTool(_name, _input, { signal }) {
        asked.resolve(signal);
        await late.promise;
        return { behavior: "deny", message: "late" };
      },
    },
  });
  await run.initializationResult();
  cli.say(ASK);
  const signal = await asked.promise;
  assert.equal(signal.aborted, false);
  run.close();
  const heard = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await heard;
  late.resolve(null);
  await run.return();
  assert.deepEqual(cli.received.filter(isAnswer), []);
});

test("a question after the close is not asked", async () => {
  const cli = playedCli({ staysOpen: true });
  let calls = 0;
  const run = query({
    prompt: openPrompts().stream,
    options: {
      ...cli.options,
      canUseTool() {
        calls++;
        return Promise.resolve(null);
      },
    },
  });
  await run.initializationResult();
  run.close();
  cli.say(ASK);
  await run.return();
  assert.equal(calls, 0);
});

test("a cancelled question is still answered; an unknown cancellation is ignored", async () => {
  const cli = playedCli();
  const run = query({
    prompt: openPrompts().stream,
    options: {
      ...cli.options,
      canUseTool: (_name, _input, { signal }) =>
        new Promise((resolve) => {
          const answer = () => resolve({ behavior: "deny", message: "back" });
          signal.addEventListener("abort", answer, { once: true });
        }),
    },
  });
  await run.initializationResult();
  cli.say({ type: "control_cancel_request", request_id: "other" });
  cli.say(ASK);
  cli.say({ type: "control_cancel_request", request_id: "q1" });
  const { response } = await cli.until(isAnswer);
  assert.equal((response as JsonObject)["request_id"], "q1");
  await run.return();
});

for (
  const [name, leave] of [
    ["close()", (run: { close(): void }) => run.close()],
    ["the CLI's end", () => {}],
  ] as const
) {
  test(`after ${name} the process is gone`, async () => {
    let isGone = false;
    const cli = playedCli({
      staysOpen: true,
      onSignal(_signal, exit) {
        isGone = true;
        exit(143);
      },
    });
    const run = query({ prompt: openPrompts().stream, options: cli.options });
    await run.initializationResult();
    leave(run);
    if (name === "the CLI's end") {
      isGone = true;
      cli.exit(0);
    }
    assert.deepEqual(await messagesOf(run), []);
    assert.equal(isGone && cli.isGone(), true);
  });
}

test("a process that reports the abort of its signal and ignores SIGTERM is killed", async () => {
  let child: { emit(event: string, error: Error): void } | undefined;
  const cli = playedCli({
    staysOpen: true,
    onSignal(signal, exit) {
      if (signal === "SIGKILL") return exit(137);
      // As a child of Node's does that was given the signal.
      queueMicrotask(() => child?.emit("error", new Error("Aborted")));
    },
  });
  const spawn = cli.options.spawnClaudeCodeProcess;
  const run = query({
    prompt: openPrompts().stream,
    options: {
      ...cli.options,
      spawnClaudeCodeProcess(launch) {
        const made = spawn?.(launch) as never;
        child = made;
        return made;
      },
    },
  });
  await run.initializationResult();
  await run.return();
  assert.deepEqual(cli.signals, ["SIGTERM", "SIGKILL"]);
});

/** Waits until nothing has changed for a good while of turns. */
async function quiet(state: () => unknown): Promise<void> {
  let last: unknown;
  do {
    last = state();
    for (let turn = 0; turn < 50; turn++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  } while (state() !== last);
}

test("a consumer that waits for a question gets it, however much lies unread before it", async () => {
  const MESSAGE = `${
    JSON.stringify({ type: "strange", text: "x".repeat(4_000_000) })
  }\n`;
  const COUNT = 40;
  const stdout = new PassThrough();
  const cli = playedCli({ stdout });
  const asked = new Deferred<void>();
  const run = query({
    prompt: openPrompts().stream,
    options: {
      ...cli.options,
      canUseTool() {
        asked.resolve();
        return Promise.resolve({ behavior: "deny", message: "no" });
      },
    },
  });
  await run.initializationResult();
  for (let count = 0; count < COUNT; count++) stdout.write(MESSAGE);
  cli.say(ASK);
  assert.equal((await run.next()).done, false);
  await asked.promise;
  for (let count = 1; count < COUNT; count++) await run.next();
  await run.return();
});

test("input stays open after the last prompt while callbacks may be asked, and ends with the run", async () => {
  const cli = playedCli();
  async function* prompts() {
    yield userMessage("Hi");
  }
  const run = query({
    prompt: prompts(),
    options: { ...cli.options, canUseTool: () => Promise.resolve(null) },
  });
  await cli.until(({ type }) => type === "user");
  await quiet(() => cli.hasInputEnded());
  assert.equal(cli.hasInputEnded(), false);
  cli.say({ type: "result", subtype: "success", result: "ok" });
  assert.equal((await messagesOf(run)).length, 1);
  assert.equal(cli.hasInputEnded(), true);
});

test("a prompt that leaves while another source of prompts ends is sent", async () => {
  const cli = playedCli();
  async function* prompts() {
    yield userMessage("a");
    yield userMessage("b");
  }
  async function* more() {
    yield userMessage("c");
  }
  const run = query({ prompt: prompts(), options: cli.options });
  const streamed = run.streamInput(more());
  assert.deepEqual(await messagesOf(run), []);
  await streamed;
  const sent = cli.received.filter(({ type }) => type === "user")
    .map(({ message }) => (message as JsonObject)["content"]);
  // The order of the official SDK.
  assert.deepEqual(sent, ["a", "c", "b"]);
});

test("a file below projects/ is that of a session, whatever its name; entries of others cause one mirror_error each", async () => {
  const cli = playedCli();
  const keys: string[] = [];
  const run = query({
    prompt: "Hi",
    options: {
      ...cli.options,
      sessionStore: {
        append({ projectKey, sessionId, subpath = "-" }) {
          keys.push(`${projectKey} ${sessionId} ${subpath}`);
          return Promise.resolve();
        },
        load: () => Promise.resolve(null),
      },
    },
  });
  await run.initializationResult();
  const folder = "/home/ada/.claude";
  for (
    const path of [
      "projects/-x/session-42.jsonl",
      "projects/-x/agent.1/subagents/agent-a.jsonl",
      "notes/-x/session-42.jsonl",
      "notes/-x/session-42.jsonl",
      "projects/-x/...jsonl",
      "projects/session-42.jsonl",
    ]
  ) {
    cli.say({
      type: "transcript_mirror",
      filePath: `${folder}/${path}`,
      entries: [{ type: "a" }],
    });
  }
  cli.say(RESULT);
  const found = (await messagesOf(run)).filter(({ subtype }) =>
    subtype === "mirror_error"
  );
  assert.deepEqual(keys, [
    "-x session-42 -",
    "-x agent.1 subagents/agent-a",
  ]);
  const errors = found.map(({ error }) => String(error));
  assert.equal(errors.length, 3);
  assert.match(errors[0] ?? "", /notes\/-x\/session-42\.jsonl/);
  assert.match(errors[1] ?? "", /projects\/-x\/\.\.\.jsonl/);
  assert.match(errors[2] ?? "", /projects\/session-42\.jsonl/);
});

test("input stays open until the store has what came before the result", async () => {
  const stdout = new PassThrough();
  const cli = playedCli({ stdout });
  const stored = new Deferred<void>();
  const storing = new Deferred<void>();
  const run = query({
    prompt: "Hi",
    options: {
      ...cli.options,
      sessionStore: {
        append() {
          storing.resolve();
          return stored.promise;
        },
        load: () => Promise.resolve(null),
      },
    },
  });
  await run.initializationResult();
  stdout.write(`${mirrored("before")}${JSON.stringify(RESULT)}\n`);
  const messages = messagesOf(run);
  await storing.promise;
  await quiet(() => cli.hasInputEnded());
  assert.equal(cli.hasInputEnded(), false);
  stored.resolve();
  assert.deepEqual(await messages, [RESULT]);
  assert.equal(cli.hasInputEnded(), true);
});

for (const how of ["return", "throw"] as const) {
  test(`${how}() settles after a next() that waits`, async () => {
    const cli = playedCli();
    const run = query({ prompt: openPrompts().stream, options: cli.options });
    await run.initializationResult();
    const order: string[] = [];
    const next = run.next().then(() => order.push("next"));
    const left = run[how](undefined).then(
      () => order.push(how),
      () => order.push(how),
    );
    await Promise.all([next, left]);
    assert.deepEqual(order, ["next", how]);
  });
}

test("verbatim prompts are marked, those of a stream as well", async () => {
  for (const prompt of ["/help", [userMessage("/help")]]) {
    const cli = playedCli();
    const run = query({
      prompt: prompt as string,
      options: { ...cli.options, verbatimPrompts: true },
    });
    const line = await cli.until(({ type }) => type === "user");
    assert.equal(line["client_composed"], true);
    await run.return();
  }
});

test("a last line without a newline is read before the exit counts", async () => {
  const cli = playedCli();
  const run = query({ prompt: "Hi", options: cli.options });
  await run.initializationResult();
  const result = { type: "result", subtype: "success", result: "ok" };
  cli.say(result, "");
  cli.exit(3);
  const messages: unknown[] = [];
  await assert.rejects(async () => {
    for await (const message of run) messages.push(message);
  }, { message: "Claude Code process exited with code 3", exitCode: 3 });
  assert.deepEqual(messages, [result]);
});

test("unexpected answers, and lines that are no messages, are ignored", async () => {
  const cli = playedCli();
  const run = query({ prompt: openPrompts().stream, options: cli.options });
  await run.initializationResult();
  const response = { subtype: "success", request_id: "none", response: {} };
  cli.say({ type: "control_response", response });
  cli.say({ type: "control_response" });
  cli.say([1]);
  cli.say({ type: "keep_alive" });
  cli.say({ type: "control_request", request_id: 7, request: {} });
  cli.say({ type: "seen" });
  assert.deepEqual((await run.next()).value, { type: "seen" });
  await run.return();
});

test("questions that were open before initialize are asked when it is answered", async () => {
  const cli = playedCli({
    initialize: () => ({ pending_permission_requests: [ASK, 7] }),
  });
  const asked: string[] = [];
  const run = query({
    prompt: openPrompts().stream,
    options: {
      ...cli.options,
      canUseTool(name) {
        asked.push(name);
        return Promise.resolve({ behavior: "deny", message: "no" });
      },
    },
  });
  await cli.until(isAnswer);
  assert.deepEqual(asked, ["Bash"]);
  await run.return();
});

test("requests that other machines of the session answer get no answer here", async () => {
  const cli = playedCli();
  const run = query({ prompt: openPrompts().stream, options: cli.options });
  await run.initializationResult();
  const request = { subtype: "remote_tool_call" };
  cli.say({ type: "control_request", request_id: "r1", request });
  cli.say({ ...ASK, request: { subtype: "juggle" } });
  await cli.until(isAnswer);
  const answers = cli.received.filter(isAnswer)
    .map(({ response }) => (response as JsonObject)["request_id"]);
  assert.deepEqual(answers, ["q1"]);
  await run.return();
});

const RESULT = { type: "result", subtype: "success", is_error: false };

/** A line that tells of an entry, as any program writes JSON. */
function mirrored(uuid: string): string {
  const filePath =
    "/home/.claude/projects/-p/11111111-1111-4111-8111-111111111111.jsonl";
  const entries = [{ type: "user", uuid }];
  const line = { filePath, entries, type: "transcript_mirror" };
  return `${JSON.stringify(line, undefined, 1).replaceAll("\n", " ")}\n`;
}

for (const how of ["break", "close()", "return()", "await using"]) {
  test(`what the CLI writes after the end of its input is in the store after ${how}`, async () => {
    const stdout = new PassThrough();
    const cli = playedCli({ stdout, staysOpen: true });
    const kept: unknown[] = [];
    const run = query({
      prompt: openPrompts().stream,
      options: {
        ...cli.options,
        sessionStore: {
          append(_, entries) {
            kept.push(...entries.map(({ uuid }) => uuid));
            return Promise.resolve();
          },
          load: () => Promise.resolve(null),
        },
      },
    });
    await run.initializationResult();
    stdout.write(mirrored("before"));
    cli.say({ type: "seen" });
    cli.onInputEnd(() => {
      stdout.write(mirrored("after"));
      cli.exit(0);
    });
    for await (const _ of run) {
      if (how === "break") break;
      if (how === "close()") run.close();
      if (how === "return()") await run.return();
      if (how === "await using") await run[Symbol.asyncDispose]();
    }
    assert.deepEqual(kept, ["before", "after"]);
  });
}

test("a next() that waits gets the result that waits for the store, though the query is left", async () => {
  const stdout = new PassThrough();
  const cli = playedCli({ stdout });
  const storing = new Deferred<void>();
  const stored = new Deferred<void>();
  const run = query({
    prompt: openPrompts().stream,
    options: {
      ...cli.options,
      sessionStore: {
        append() {
          storing.resolve();
          return stored.promise;
        },
        load: () => Promise.resolve(null),
      },
    },
  });
  await run.initializationResult();
  stdout.write(`${mirrored("before")}${JSON.stringify(RESULT)}\n`);
  const next = run.next();
  await storing.promise;
  const left = run.return();
  stored.resolve();
  assert.equal((await next).value?.type, "result");
  await left;
});

test("a question behind a result waits until the store has what came before, as the result does", async () => {
  const stdout = new PassThrough();
  const cli = playedCli({ stdout });
  const storing = new Deferred<void>();
  const stored = new Deferred<void>();
  const seen: unknown[] = [];
  const run = query({
    prompt: openPrompts().stream,
    options: {
      ...cli.options,
      sessionStore: {
        append() {
          storing.resolve();
          return stored.promise;
        },
        load: () => Promise.resolve(null),
      },
      canUseTool() {
        seen.push("asked");
        return Promise.resolve({ behavior: "deny", message: "no" });
      },
    },
  });
  await run.initializationResult();
  stdout.write(
    mirrored("before") +
      [RESULT, ASK].map((one) => `${JSON.stringify(one)}\n`).join(""),
  );
  const next = run.next();
  await storing.promise;
  await quiet(() => seen.length);
  assert.equal(seen.length, 0);
  stored.resolve();
  assert.equal((await next).value?.type, "result");
  seen.push("result");
  await cli.until(isAnswer);
  await run.return();
  assert.deepEqual(seen, ["result", "asked"]);
});

for (const how of ["close", "return", Symbol.asyncDispose] as const) {
  test(`a store that ends the query by ${String(how)} gets each entry once`, async () => {
    const stdout = new PassThrough();
    const cli = playedCli({ stdout });
    const kept: unknown[] = [];
    const run = query({
      prompt: openPrompts().stream,
      options: {
        ...cli.options,
        sessionStoreFlush: "eager",
        sessionStore: {
          append(_, entries) {
            kept.push(...entries.map(({ uuid }) => uuid));
            // The first synchronous part, as often as the flush would begin anew.
            if (kept.length < 100) void run[how]();
            return Promise.resolve();
          },
          load: () => Promise.resolve(null),
        },
      },
    });
    await run.initializationResult();
    stdout.write(mirrored("a") + mirrored("b"));
    assert.deepEqual(await messagesOf(run), []);
    assert.deepEqual(kept, ["a", "b"]);
  });
}

test("answers reach a CLI that has closed its output", async () => {
  const stdout = new PassThrough();
  const cli = playedCli({ stdout });
  const asked = new Deferred<void>();
  const decided = new Deferred<void>();
  const run = query({
    prompt: "Hi",
    options: {
      ...cli.options,
      async canUseTool() {
        asked.resolve();
        await decided.promise;
        return { behavior: "deny", message: "no" };
      },
    },
  });
  await run.initializationResult();
  cli.say(ASK);
  const messages = messagesOf(run);
  await asked.promise;
  stdout.end();
  await quiet(() => cli.hasInputEnded());
  assert.equal(cli.hasInputEnded(), false);
  decided.resolve();
  await cli.until(isAnswer);
  assert.deepEqual(await messages, []);
  assert.equal(cli.hasInputEnded(), true);
});

test("an answer reaches a CLI that has closed its output, however late it comes beside an open stream of prompts", async () => {
  const own = globalThis.setTimeout;
  // The wait for a prompt is over at once.
  const waited = new Deferred<void>();
  globalThis.setTimeout = ((run: () => void, ms: number, ...rest: []) => {
    if (ms !== 10_000) return own(run, ms, ...rest);
    return own(() => {
      run();
      waited.resolve();
    }, 0);
  }) as typeof setTimeout;
  try {
    const stdout = new PassThrough();
    const cli = playedCli({ stdout });
    const asked = new Deferred<void>();
    const decided = new Deferred<void>();
    const run = query({
      prompt: openPrompts().stream,
      options: {
        ...cli.options,
        async canUseTool() {
          asked.resolve();
          await decided.promise;
          return { behavior: "deny", message: "no" };
        },
      },
    });
    await run.initializationResult();
    cli.say(ASK);
    const messages = messagesOf(run);
    await asked.promise;
    stdout.end();
    await waited.promise;
    await quiet(() => cli.hasInputEnded());
    assert.equal(cli.hasInputEnded(), false);
    decided.resolve();
    await cli.until(isAnswer);
    assert.deepEqual(await messages, []);
  } finally {
    globalThis.setTimeout = own;
  }
});

test("prompts reach a CLI that has closed its output, to the end of their stream", async () => {
  const stdout = new PassThrough();
  const cli = playedCli({ stdout });
  const prompts = openPrompts();
  const run = query({ prompt: prompts.stream, options: cli.options });
  await run.initializationResult();
  const messages = messagesOf(run);
  stdout.end();
  await quiet(() => cli.hasInputEnded());
  prompts.say("late");
  await cli.until(({ type }) => type === "user");
  prompts.end();
  assert.deepEqual(await messages, []);
  assert.equal(cli.hasInputEnded(), true);
});

for (const how of ["yields", "throws"] as const) {
  test(`streamInput() rejects when its stream ${how} after the end of the query`, async () => {
    const cli = playedCli();
    const over = new Deferred<void>();
    async function* more() {
      yield userMessage("a");
      await over.promise;
      if (how === "throws") throw new RangeError("no database");
      yield userMessage("b");
    }
    const run = query({ prompt: openPrompts().stream, options: cli.options });
    const streamed = assert.rejects(run.streamInput(more()), {
      message: how === "throws"
        ? "no database"
        : "ProcessTransport is not ready for writing",
    });
    await cli.until(({ type }) => type === "user");
    cli.exit(0);
    assert.deepEqual(await messagesOf(run), []);
    over.resolve();
    await streamed;
  });
}

for (const how of ["return", Symbol.asyncDispose] as const) {
  test(`a loop that goes on behind a call of ${String(how)} ends when the process is gone`, async () => {
    const cli = playedCli({ staysOpen: true });
    const run = query({ prompt: openPrompts().stream, options: cli.options });
    await run.initializationResult();
    cli.say({ type: "seen" });
    cli.onInputEnd(() => setImmediate(() => cli.exit(0)));
    for await (const _ of run) void run[how]();
    assert.equal(cli.isGone(), true);
  });
}
