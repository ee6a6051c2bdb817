import assert from "node:assert/strict";
import process from "node:process";
import { AbortError, type Query, query } from "@sluice/agent/compat";
import type { JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";
import {
  drained,
  ended,
  messagesOf,
  openPrompts,
  upToResult,
  withFake,
} from "./_compat.ts";

/** Ways to end a query without waiting. */
const ENDS: readonly (readonly [
  word: string,
  end: (run: Query, abort: AbortController) => void,
])[] = [
  ["close()", (run) => run.close()],
  ["return()", (run) => void run.return()],
  ["an abort", (_run, abort) => abort.abort()],
];

test("query() gives the messages as the CLI wrote them, unknown ones too", async () => {
  const strange = { type: "strange", odd: [1, { deep: true }] };
  await withFake([[{ message: strange }, "Hello, Ada!"]], async (options) => {
    const messages = await drained("Hi", options);
    assert.deepEqual(
      messages.map(({ type }) => type),
      ["system", "strange", "assistant", "result"],
    );
    const { uuid: _, session_id: __, ...rest } = messages[1] as JsonObject;
    assert.deepEqual(rest, strange);
    assert.equal(messages[3]?.["result"], "Hello, Ada!");
  });
});

test("a prompt of text is sent in the official form, after initialize", async () => {
  await withFake("ok", async (options, fake) => {
    await drained("Hi", options);
    const [first, second] = fake.received;
    assert.equal(first?.["type"], "control_request");
    assert.deepEqual(first?.["request"] as JsonObject, {
      subtype: "initialize",
      systemPrompt: [""],
    });
    assert.deepEqual(second, {
      type: "user",
      session_id: "",
      message: { role: "user", content: [{ type: "text", text: "Hi" }] },
      parent_tool_use_id: null,
    });
  });
});

test("the input ends with the run, and the process ends with code 0", async () => {
  await withFake("ok", async (options, fake) => {
    await drained("Hi", options);
    const [run] = await ended(fake);
    assert.equal(run?.hasStdinEnded, true);
    assert.equal(run?.exitCode, 0);
    assert.deepEqual(run?.signals, []);
  });
});

test("a stream of prompts is sent as it comes, and its end ends the input", async () => {
  await withFake(["one", "two"], async (options, fake) => {
    const prompts = openPrompts();
    const run = query({ prompt: prompts.stream, options });
    prompts.say("first");
    assert.equal((await upToResult(run)).at(-1)?.["result"], "one");
    prompts.say("second");
    assert.equal((await upToResult(run)).at(-1)?.["result"], "two");
    prompts.end();
    assert.deepEqual(await messagesOf(run), []);
    assert.equal((await ended(fake))[0]?.exitCode, 0);
  });
});

test("leaving the loop ends the process", async () => {
  await withFake([["one", { wait: "forever" }]], async (options, fake) => {
    for await (const message of query({ prompt: "Hi", options })) {
      if (message.type === "assistant") break;
    }
    const [run] = await ended(fake);
    assert.equal(run?.hasStdinEnded, true);
  });
});

test("return() and throw() end it, and what comes after is the end", async () => {
  await withFake([["one", { wait: "stdin-end" }]], async (options) => {
    const run = query({ prompt: "Hi", options });
    assert.equal((await run.next()).done, false);
    assert.deepEqual(await run.return(), { done: true, value: undefined });
    assert.deepEqual(await run.next(), { done: true, value: undefined });
    const other = query({ prompt: "Hi", options });
    await other.next();
    await assert.rejects(other.throw(new Error("mine")), /^Error: mine$/);
    assert.equal((await other.next()).done, true);
  });
});

test("close() ends it without an error; controls of a closed query are refused in the official words", async () => {
  await withFake([["one", { wait: "stdin-end" }]], async (options) => {
    const run = query({ prompt: "Hi", options });
    assert.equal((await run.next()).done, false);
    run.close();
    await messagesOf(run);
    await assert.rejects(
      run.setModel("x"),
      /^Error: Query closed before response received$/,
    );
    await assert.rejects(
      run.reinitialize(),
      /^Error: Query closed before initialize was sent$/,
    );
    await run.return();
  });
});

test("an abort ends it with an AbortError, and the process is gone", async () => {
  await withFake([["one", { wait: "forever" }]], async (options, fake) => {
    const abortController = new AbortController();
    const run = query({
      prompt: "Hi",
      options: { ...options, abortController },
    });
    await assert.rejects(
      async () => {
        for await (const { type } of run) {
          if (type === "assistant") abortController.abort();
        }
      },
      (error) =>
        error instanceof AbortError &&
        error.message === "Claude Code process aborted by user",
    );
    assert.equal((await ended(fake)).length, 1);
  });
});

test("an abort before the start starts nothing", async () => {
  await withFake("ok", async (options, fake) => {
    const abortController = new AbortController();
    abortController.abort();
    await assert.rejects(
      drained("Hi", { ...options, abortController }),
      AbortError,
    );
    assert.deepEqual(fake.runs, []);
  });
});

test("a process that fails says so in the official words, with what it wrote to stderr", async () => {
  await withFake(
    [[{ stderr: "out of luck\n" }, { exit: 3 }]],
    async (options) => {
      await assert.rejects(
        drained("Hi", options),
        (error: Error) => {
          assert.match(
            error.message,
            /^Claude Code process exited with code 3/,
          );
          assert.match(error.message, /out of luck/);
          return true;
        },
      );
    },
  );
});

test("later output of the CLI does not hide the error result before it", async () => {
  const result = {
    type: "result",
    subtype: "success",
    is_error: true,
    result: "no credit",
  };
  for (
    const message of [
      { type: "active_goal", goal: null },
      { type: "autocompact_state" },
      { type: "system", subtype: "task_summary" },
      { type: "system", subtype: "post_turn_summary" },
      { type: "system", subtype: "session_metadata" },
      { type: "system", subtype: "plugin_install", status: "started" },
    ]
  ) {
    await withFake(
      [[{ message: result }, { message }, { exit: 1 }]],
      async (options) => {
        await assert.rejects(
          drained("Hi", options),
          /^Error: Claude Code returned an error result: no credit$/,
          JSON.stringify(message),
        );
      },
    );
  }
});

test("an exit announced by an error result is reported in the words of the result", async () => {
  const result = { subtype: "success", is_error: true, result: "no credit" };
  await withFake([[{ result }]], async (options) => {
    await assert.rejects(
      drained("Hi", options),
      /^Error: Claude Code returned an error result: no credit$/,
    );
  });
});

test("a CLI that is not there is a ReferenceError that names it", async () => {
  const options = { pathToClaudeCodeExecutable: "/nowhere/claude" };
  await assert.rejects(
    drained("Hi", options),
    (error) =>
      error instanceof ReferenceError &&
      error.message.startsWith(
        "Claude Code native binary not found at /nowhere/claude",
      ),
  );
});

test("a wrong abortController is a TypeError of the call", () => {
  const { signal } = new AbortController();
  for (const wrong of [signal, {}]) {
    assert.throws(
      () =>
        query({ prompt: "Hi", options: { abortController: wrong as never } }),
      { name: "TypeError", message: /^abortController must be/ },
    );
  }
});

test("options that contradict each other throw at the call", () => {
  const canUseTool = () => Promise.resolve(null);
  assert.throws(
    () =>
      query({
        prompt: "Hi",
        options: { canUseTool, permissionPromptToolName: "mcp__a__b" },
      }),
    /canUseTool callback cannot be used with permissionPromptToolName/,
  );
  assert.throws(
    () => query({ prompt: "Hi", options: { model: "a", fallbackModel: "a" } }),
    /Fallback model cannot be the same as the main model/,
  );
});

test("events of hooks without matchers are left out; what is no matcher is refused by its place", async () => {
  await withFake("ok", async (options, fake) => {
    const hooks = { Stop: null, PreToolUse: [], PostToolUse: undefined };
    await drained("Hi", { ...options, hooks: hooks as never });
    const request = fake.received[0]?.["request"] as JsonObject;
    assert.deepEqual(request["hooks"], {});
  });
  for (
    const [matchers, message] of [
      [{}, "hooks.Stop must be an array of matchers"],
      [[null], "hooks.Stop[0].hooks must be an array of callbacks"],
      [[{ hooks: null }], "hooks.Stop[0].hooks must be an array of callbacks"],
    ]
  ) {
    const hooks = { Stop: matchers } as never;
    assert.throws(() => query({ prompt: "Hi", options: { hooks } }), {
      message:
        `The session was not started, because the hooks option can't be sent to Claude Code: ${message}`,
    });
  }
});

test("notes that wrappers keep in the options are taken without a warning", async () => {
  const warned: string[] = [];
  const note = ({ message }: Error) => void warned.push(message);
  process.on("warning", note);
  const options = { __braintrust_skip_local_tool_hooks: true, marker: 1 };
  await withFake("ok", async (standIn) => {
    await drained("Hi", { ...standIn, ...options });
  });
  process.off("warning", note);
  assert.deepEqual(warned, ['Option "marker" is unknown and has no effect']);
});

test("an unknown option or a wrong type throws nothing", async () => {
  await withFake("ok", async (options, fake) => {
    await drained("Hi", {
      ...options,
      ...{ colour: "blue", maxTurns: "3", tools: "Read" } as object,
    });
    const args = fake.runs[0]?.args ?? [];
    assert.ok(args.includes("--max-turns=3"));
    assert.ok(args.includes("--tools=Read"));
  });
});

test("query() in the form of the root entry is refused with the right one", () => {
  const anything = query as (...args: unknown[]) => unknown;
  for (const first of ["Hi", undefined, {}, { prompt: 7 }, { prompt: {} }]) {
    assert.throws(
      () => anything(first, {}),
      (error) =>
        error instanceof TypeError &&
        error.message.includes("query({ prompt, options })"),
    );
  }
});

test("an unknown option is reported with the one that was probably meant", async () => {
  const warned = new Promise<Error>((resolve) => {
    process.on("warning", function look(warning) {
      if (!warning.message.includes("allowedTool")) return;
      process.off("warning", look);
      resolve(warning);
    });
  });
  await withFake("ok", async (options) => {
    await drained("Hi", { ...options, allowedTool: [] } as typeof options);
  });
  assert.equal(
    (await warned).message,
    'Option "allowedTool" is unknown and has no effect; did you mean "allowedTools"?',
  );
});

for (const [word, end] of ENDS) {
  test(`what was said right before ${word} reaches the CLI`, async () => {
    await withFake(["one"], async (options, fake) => {
      const { stream, say } = openPrompts();
      const abortController = new AbortController();
      const run = query({
        prompt: stream,
        options: { ...options, abortController },
      });
      say("Hi");
      await upToResult(run);
      run.interrupt().catch(() => {});
      end(run, abortController);
      await ended(fake);
      await run.return();
      const interrupts = fake.received.filter(({ request }) =>
        (request as JsonObject | undefined)?.subtype === "interrupt"
      );
      assert.equal(interrupts.length, 1);
    });
  });
}
