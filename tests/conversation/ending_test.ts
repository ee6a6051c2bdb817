import assert from "node:assert/strict";
import process from "node:process";
import {
  CliError,
  CliExitError,
  ClosedError,
  ConfigError,
  type Conversation,
  type Message,
  ParseError,
  PromptError,
  query,
  ResultError,
  type UserInput,
} from "@sluice/agent";
import { Deferred } from "@sluice/agent/extend";
import type { FakeCliScript, FakeStep } from "@sluice/agent/testing";
import { faultyCli as fakeCli } from "../_faulty_cli.ts";
import { repeated } from "../_steps.ts";
import { needsShell, script } from "../_children.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { collectGarbage } from "../_garbage.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  begin,
  memoryCli,
  resultLine,
  turns,
  unhandledIn,
} from "./_rig.ts";

/** How a conversation went: what came, what was thrown, what was reported. */
async function outcomeOf(conversation: Conversation): Promise<{
  readonly messages: readonly Message[];
  readonly thrown: unknown;
  readonly errors: readonly unknown[];
}> {
  const [messages, errors] = await Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  await conversation.close();
  assert.equal(conversation.health().state, "gone");
  assert.equal(errors.error, undefined);
  return {
    messages: messages.items,
    thrown: messages.error,
    errors: errors.items,
  };
}

function texts(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.type === "assistant"
      ? message.message.content.flatMap((block) =>
        block.type === "text" ? [block.text] : []
      )
      : []
  );
}

test(
  "an exit in mid-turn throws CliExitError after everything that had come, and it is the last error",
  async () => {
    const { cliPath } = fakeCli([[
      "one",
      { line: "noise" },
      "two",
      "three",
      { stderr: "Out of memory\n" },
      { exit: 1 },
    ]]);
    const { messages, thrown, errors } = await outcomeOf(
      query("x", { cliPath }),
    );
    assert.deepEqual(texts(messages), ["one", "two", "three"]);
    assert.ok(thrown instanceof CliExitError);
    assert.equal(thrown.exitCode, 1);
    assert.equal(thrown.signal, null);
    assert.equal(thrown.reason, "exited without a result");
    assert.equal(thrown.fatal, true);
    assert.equal(thrown.stderrTail, "Out of memory\n");
    assert.equal(errors.length, 2);
    assert.ok(errors[0] instanceof ParseError);
    assert.equal(errors[1], thrown);
  },
  { ids: ["Q-12", "Q-13", "QA-01"] },
);

test(
  "a consumer that starts after the crash gets all messages, then the error; the fatal one is still the last of errors",
  async () => {
    // The second is broken in a way that shows only when it is parsed.
    const fake = fakeCli({
      init: false,
      turns: [[
        "one",
        { line: '{"type":"assistant","oops":}' },
        { line: { type: "assistant", message: {} } },
        "two",
        "three",
        { exit: 1 },
      ]],
    });
    const conversation = query("x", { cliPath: fake.cliPath });
    await conversation.ready;
    await fake.until((runs) => runs[0]?.exitCode === 1);
    while (conversation.health().state !== "gone") await turns(1);
    await turns(5);
    const { messages, thrown, errors } = await outcomeOf(conversation);
    assert.deepEqual(texts(messages), ["one", "two", "three"]);
    assert.ok(thrown instanceof CliExitError);
    assert.equal(errors.length, 3);
    assert.equal(errors.at(-1), thrown);
    await fake.close();
  },
  { ids: ["Q-13"] },
);

test(
  "errors alone reports everything and ends without a reader of the messages",
  async () => {
    const { cliPath } = fakeCli([[
      "one",
      { line: { type: "assistant", message: {} } },
      { line: "noise" },
      "two",
    ]]);
    const conversation = query("x", { cliPath });
    const { items, error } = await collect(conversation.errors);
    assert.equal(error, undefined);
    assert.equal(items.length, 2);
    await conversation.close();
  },
  { ids: ["Q-16", "Q-17"] },
);

test(
  "an exit that the result explains is no error, any other code is",
  async () => {
    const ok = { result: { is_error: false } };
    const failed: FakeStep = {
      result: {
        subtype: "error_during_execution",
        is_error: true,
        errors: ["Bad"],
      },
    };
    const cases: readonly [FakeCliScript, number | undefined][] = [
      [{ turns: [["a", ok]], exitCode: 0 }, undefined],
      [{ turns: [["a", failed]], exitCode: 1 }, undefined],
      [{ turns: [["a", failed]], exitCode: 0 }, undefined],
      [{ turns: [["a", ok]], exitCode: 1 }, 1],
      [{ turns: [["a", ok]], exitCode: 3 }, 3],
      [{ turns: [["a", failed]], exitCode: 3 }, 3],
      [[["a", { exit: 0 }]], 0],
    ];
    for (const [script, code] of cases) {
      const { cliPath } = fakeCli(script);
      const { thrown, errors, messages } = await outcomeOf(
        query("x", { cliPath }),
      );
      assert.deepEqual(texts(messages), ["a"]);
      if (code === undefined) {
        assert.equal(thrown, undefined);
        assert.deepEqual(errors, []);
        assert.equal(messages.at(-1)?.type, "result");
      } else {
        assert.ok(thrown instanceof CliExitError);
        assert.equal(thrown.exitCode, code);
        assert.deepEqual(errors, [thrown]);
      }
    }
  },
  { ids: ["Q-11", "Q-12"] },
);

test("exit code 1 after an error result is explained, whatever came after it", async () => {
  const { cliPath } = fakeCli({
    turns: ["first", "second"],
    result: {},
    exitCode: 1,
  });
  const plain = await outcomeOf(query(two(), { cliPath }));
  assert.ok(plain.thrown instanceof CliExitError, "no error result came");
  const failing = fakeCli({
    turns: [[{ result: { is_error: true, result: "Bad" } }], "second"],
    exitCode: 1,
  });
  const { thrown, messages } = await outcomeOf(
    query(two(), { cliPath: failing.cliPath }),
  );
  assert.equal(thrown, undefined);
  assert.equal(messages.filter(({ type }) => type === "result").length, 2);
});

test("a CLI killed by another program is a CliExitError with the signal", async () => {
  const { cliPath } = fakeCli([["a", { result: "b" }, { kill: "SIGKILL" }]]);
  const { thrown } = await outcomeOf(query("x", { cliPath }));
  assert.ok(thrown instanceof CliExitError);
  assert.equal(thrown.signal, "SIGKILL");
  assert.equal(thrown.exitCode, null);
  assert.match(thrown.message, /killed by SIGKILL/);
});

test("a message without a newline at the end of the output is delivered", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport });
  await conversation.ready;
  await peer.send(
    assistantLine("last words"),
    JSON.stringify(resultLine({ result: "no newline" })),
  );
  peer.end();
  const { messages, thrown } = await outcomeOf(conversation);
  assert.deepEqual(texts(messages), ["last words"]);
  assert.equal(messages.at(-1)?.type, "result");
  assert.equal(thrown, undefined);
});

test(
  "a CLI that closes its output and lives on is stopped, and what it had said counts",
  async () => {
    const fake = fakeCli({
      turns: [[
        "a",
        { message: resultLine({ result: "b" }) },
        { close: "stdout" },
        { result: false },
      ]],
      onStdinEnd: "ignore",
    });
    const conversation = query("x", {
      cliPath: fake.cliPath,
      shutdown: { graceMs: 100, killMs: 5_000 },
    });
    const { thrown, messages } = await outcomeOf(conversation);
    assert.equal(thrown, undefined);
    assert.equal(messages.at(-1)?.type, "result");
    assert.deepEqual(fake.runs[0]?.signals, ["SIGTERM"]);
    await fake.close();
  },
  { ids: ["P-07"] },
);

test("a CLI that closes its output without a result and lives on is CliExitError", async () => {
  const fake = fakeCli({
    turns: [["a", { close: "stdout" }, { wait: "forever" }]],
    onStdinEnd: "ignore",
  });
  const { thrown, messages } = await outcomeOf(
    query("x", {
      cliPath: fake.cliPath,
      shutdown: { graceMs: 100, killMs: 5_000 },
    }),
  );
  assert.deepEqual(texts(messages), ["a"]);
  assert.ok(thrown instanceof CliExitError);
  assert.equal(thrown.reason, "exited without a result");
  await fake.close();
});

test(
  "a grandchild that holds the output does not keep the conversation open",
  async () => {
    // Answers initialize and the prompt, and leaves a child with its pipes behind.
    const { command, args } = script(
      `read -r line
id=$(printf '%s' "$line" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\\n' "$id"
read -r line
printf '%s\\n' "$1"
sleep 30 & echo $! >&2
exit 0`,
      JSON.stringify(resultLine({ result: "orphan" })),
    );
    let grandchild = 0;
    const conversation = query("x", {
      cliPath: [command, ...args],
      onStderr: (line) => void (grandchild = Number(line)),
    });
    assert.equal(await conversation.text(), "orphan");
    await conversation.close();
    // Throws when it has ended.
    process.kill(grandchild, "SIGKILL");
  },
  { skip: needsShell, ids: ["P-03"] },
);

test("a prompt source that throws is a fatal PromptError with the thrown value as its cause", async () => {
  const boom = new Error("No more ideas");
  async function* prompts(): AsyncGenerator<UserInput> {
    yield "one";
    await fake.until((runs) => (runs[0]?.received.length ?? 0) >= 2);
    await turns(10);
    throw boom;
  }
  const fake = fakeCli([["a", { wait: "forever" }]]);
  const conversation = query(prompts(), { cliPath: fake.cliPath });
  const { thrown, errors } = await outcomeOf(conversation);
  assert.ok(thrown instanceof PromptError);
  assert.equal(thrown.cause, boom);
  assert.equal(thrown.fatal, true);
  assert.match(thrown.message, /No more ideas/);
  assert.deepEqual(errors, [thrown]);
  assert.equal(fake.runs[0]?.exitCode, 143);
  await fake.close();
});

test("a prompt source that cannot even begin is a PromptError, not a throw", async () => {
  const boom = new Error("No iterator");
  const { cliPath } = fakeCli("ok");
  const conversation = query({
    [Symbol.asyncIterator]: () => {
      throw boom;
    },
  }, { cliPath });
  const { thrown } = await outcomeOf(conversation);
  assert.ok(thrown instanceof PromptError);
  assert.equal(thrown.cause, boom);
  const locked = new ReadableStream<UserInput>();
  locked.getReader();
  const second = query(locked, { cliPath });
  assert.ok((await outcomeOf(second)).thrown instanceof PromptError);
});

test("a prompt source that yields nonsense is a PromptError that says what it got", async () => {
  for (
    const nonsense of [7, null, {}, [1], { type: "user", message: "x" }, {
      type: "user",
      message: { role: "user", content: 3n },
    }]
  ) {
    const fake = fakeCli("ok");
    const prompts = new ReadableStream<UserInput>({
      start: (controller) => {
        controller.enqueue(nonsense as never);
        controller.close();
      },
    });
    const conversation = query(prompts, { cliPath: fake.cliPath });
    const { thrown } = await outcomeOf(conversation);
    assert.ok(thrown instanceof PromptError);
    assert.ok(thrown.cause instanceof ConfigError);
    assert.equal(
      fake.received.some(({ type }) => type === "user"),
      false,
      "no line of it reached the CLI",
    );
    await fake.close();
  }
});

test("a prompt source that ends without a prompt ends the conversation cleanly", async () => {
  const { cliPath } = fakeCli("never");
  const empty = new ReadableStream<UserInput>({
    start: (controller) => controller.close(),
  });
  const { messages, thrown, errors } = await outcomeOf(
    query(empty, { cliPath }),
  );
  assert.deepEqual([messages, thrown, errors], [[], undefined, []]);
});

test("close() lets go of a prompt source, also of one that never answers", async () => {
  let isReturned = false;
  let isCancelled = false;
  const { transport } = memoryCli();
  const sources = [
    {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        return: () => {
          isReturned = true;
          return Promise.reject(new Error("Not listening"));
        },
      }),
    },
    new ReadableStream<UserInput>({
      cancel: () => {
        isCancelled = true;
      },
    }),
  ];
  const rejections = await unhandledIn(async () => {
    for (const source of sources) {
      const conversation = query(source, { transport });
      await conversation.ready;
      await conversation.close();
    }
  });
  assert.deepEqual([isReturned, isCancelled], [true, true]);
  assert.deepEqual(rejections, []);
});

test("after close() everything rejects with ClosedError, however the conversation had ended", async () => {
  const scripts: readonly FakeCliScript[] = ["ok", [["a", { exit: 5 }]]];
  for (const script of scripts) {
    const { cliPath } = fakeCli(script);
    const conversation = query("x", { cliPath });
    await collect(conversation);
    await conversation.close();
    for (
      const late of [
        () => conversation.text(),
        () => conversation.result(),
        () => conversation.output(),
        () => conversation.interrupt(),
        () => conversation.supportedCommands(),
        () => conversation.send("x"),
        () => conversation[Symbol.asyncIterator]().next(),
        () => conversation.messages.getReader().read(),
        () => conversation.batches.getReader().read(),
      ]
    ) {
      const error = await rejectionOf(late());
      assert.ok(error instanceof ClosedError, `${late}: ${error}`);
    }
  }
});

test("text() that waits when the conversation is closed rejects with ClosedError, a loop just ends", async () => {
  const { cliPath } = fakeCli([["a", { wait: "forever" }]]);
  const waiting = query("x", { cliPath });
  const text = rejectionOf(waiting.text());
  await waiting.ready;
  await waiting.close();
  assert.ok(await text instanceof ClosedError);
  const looping = query("x", { cliPath });
  for await (const message of looping) {
    if (message.type === "assistant") looping.close();
  }
  await looping.close();
});

test("no promise of a conversation becomes an unhandled rejection", async () => {
  const controller = new AbortController();
  const ends: readonly ((conversation: Conversation) => unknown)[] = [
    (conversation) => conversation.close(),
    () => controller.abort(new Error("Enough")),
  ];
  for (const end of [...ends, undefined]) {
    const { cliPath } = fakeCli({
      turns: [["a", end === undefined ? { exit: 3 } : { wait: "forever" }]],
      controls: { interrupt: "silent", rename_session: "silent" },
    });
    const { signal } = controller;
    const conversation = query("x", {
      cliPath,
      ...end !== undefined && { signal },
    });
    const rejections = await unhandledIn(async () => {
      void conversation.text();
      void conversation.result();
      void conversation.output();
      void conversation.interrupt();
      void conversation.renameSession("x");
      void conversation.supportedCommands();
      void conversation.send("x");
      void conversation[Symbol.asyncIterator]().next();
      await conversation.ready;
      await turns(20);
      end?.(conversation);
      await collect(conversation.errors);
      await conversation.close();
      void conversation.text();
      void conversation.interrupt();
    });
    assert.deepEqual(rejections, []);
  }
});

test(
  "output that breaks is a fatal CliError of stage read, after what had come",
  async () => {
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport });
    await conversation.ready;
    const boom = new Error("Tunnel collapsed");
    await peer.send(assistantLine("a"));
    peer.fail(boom);
    peer.end();
    const { messages, thrown, errors } = await outcomeOf(conversation);
    assert.deepEqual(texts(messages), ["a"]);
    assert.ok(thrown instanceof CliError);
    assert.equal(thrown.code, "cli_read");
    assert.equal(thrown.cause, boom);
    assert.deepEqual(errors, [thrown]);
  },
  { ids: ["R-04"] },
);

test("result() without a result because the source was empty is a ResultError without one", async () => {
  const { cliPath } = fakeCli("never");
  async function* nothing(): AsyncGenerator<UserInput> {}
  const error = await rejectionOf(query(nothing(), { cliPath }).result());
  assert.ok(error instanceof ResultError);
  assert.equal(error.fatal, false);
});

/** Two prompts. */
async function* two(): AsyncGenerator<UserInput> {
  yield "one";
  yield "two";
}

test("errors can be read while the conversation runs", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport });
  await conversation.ready;
  const reader = conversation.errors.getReader();
  const first = reader.read();
  await peer.send("noise\n");
  assert.ok((await first).value instanceof ParseError);
  await peer.send("more\n", "and more\n", resultLine());
  await collect(conversation);
  assert.equal((await reader.read()).value?.code, "parse");
  assert.equal((await reader.read()).value?.code, "parse");
  assert.equal((await reader.read()).done, true);
  await conversation.close();
}, { ids: ["Q-16"] });

test(
  "a fatal error is the last of errors, however many came before it",
  async () => {
    const { cliPath } = fakeCli([[
      ...repeated(600, { line: "noise" }),
      { exit: 9 },
    ]]);
    const conversation = query("x", { cliPath });
    const { error } = await collect(conversation);
    assert.ok(error instanceof CliExitError);
    const { items } = await collect(conversation.errors);
    assert.equal(items.length, 256);
    assert.equal(items.at(-1), error);
    await conversation.close();
  },
  { ids: ["Q-12", "Q-15"] },
);

test("cancelling messages or batches closes the conversation", async () => {
  for (const shape of ["messages", "batches"] as const) {
    const fake = fakeCli([["a", { wait: "forever" }]]);
    const conversation = query("x", { cliPath: fake.cliPath });
    await conversation.ready;
    await conversation[shape].cancel();
    assert.equal(conversation.health().state, "gone");
    await fake.close();
  }
}, { ids: ["P-07"] });

/** A source of prompts whose iterator does not know it. */
class Source {
  [Symbol.asyncIterator](): AsyncIterator<UserInput> {
    return { next: () => Promise.resolve({ value: undefined, done: true }) };
  }
}

test(
  "a conversation that has ended keeps nothing of what was said first",
  async () => {
    const { transport } = memoryCli();
    async function begun(): Promise<[Conversation, WeakRef<Source>]> {
      const source = new Source();
      const conversation = query(source, { transport });
      await conversation.ready;
      await conversation.close();
      return [conversation, new WeakRef(source)];
    }
    const [conversation, source] = await begun();
    // The target of a weak reference lives on until then.
    await turns(2);
    collectGarbage();
    assert.equal(source.deref(), undefined);
    assert.equal(conversation.health().state, "gone");
  },
  {
    skip: process.versions.bun === undefined
      ? undefined
      : "Bun keeps what may still stand on its stack",
  },
);

test(
  "a consumer that leaves after the CLI failed ends errors, whose last is how it failed, and keeps nothing",
  async () => {
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport });
    await conversation.ready;
    const iterator = conversation[Symbol.asyncIterator]();
    await peer.send(assistantLine("one"), assistantLine("two"));
    await iterator.next();
    peer.end({ code: 3 });
    const reader = conversation.errors.getReader();
    const { value: failure } = await reader.read();
    assert.ok(failure instanceof CliExitError);
    await iterator.return?.();
    assert.equal((await reader.read()).done, true);
    assert.equal(await rejectionOf(conversation.result()), failure);
  },
  { timeoutMs: 20_000 },
);

for (const how of ["close()", "an abort"]) {
  test(`no callback begins after ${how}, and what an open one says goes nowhere`, async () => {
    const asked: string[] = [];
    const abort = new AbortController();
    const decided = new Deferred<void>();
    const open = new Deferred<AbortSignal>();
    const { peer, conversation, reading } = await begin({
      isOver: false,
      signal: abort.signal,
      permissions: {
        async canUseTool(tool, _input, { signal }) {
          asked.push(tool);
          open.resolve(signal);
          await decided.promise;
          return { behavior: "allow" };
        },
      },
    });
    const ask = (tool: string) =>
      peer.send({
        type: "control_request",
        request_id: tool,
        request: { subtype: "can_use_tool", tool_name: tool, input: {} },
      });
    await ask("First");
    const signal = await open.promise;
    const closing = how === "close()" ? conversation.close() : abort.abort();
    await ask("Second").catch(() => {});
    decided.resolve();
    peer.end();
    await closing;
    await reading;
    assert.ok(signal.aborted);
    assert.deepEqual(asked, ["First"]);
    assert.ok(!peer.lines.some(({ type }) => type === "control_response"));
  });
}
