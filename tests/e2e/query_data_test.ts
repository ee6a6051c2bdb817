import assert from "node:assert/strict";
import { CliExitError } from "../../src/errors/cli.ts";
import { textOf } from "../../src/parse/read.ts";
import { query } from "../../src/query.ts";
import type { Message } from "../../src/types/message.ts";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import { ALLOW, bash, ofType, realTest, toolResults } from "./_real.ts";

function textDeltas(messages: readonly Message[]): readonly string[] {
  return ofType(messages, "stream_event").flatMap(({ event }) =>
    event.type === "content_block_delta" && event.delta.type === "text_delta"
      ? [event.delta.text]
      : []
  );
}

realTest(
  "an emoji that the model cuts in two comes as two halves and as a whole",
  [{ text: "a😀b", chunks: 2 }],
  async ({ options }) => {
    const { items } = await collect(
      query("Smile", { ...options, includePartialMessages: true }),
    );
    assert.deepEqual(textDeltas(items), ["a\ud83d", "\ude00b"]);
    assert.deepEqual(ofType(items, "assistant").map(textOf), ["a😀b"]);
  },
  { ids: ["PA-05"] },
);

realTest(
  "lone surrogates come through from the model, and go to it",
  ["lone \ud800 and \udfff."],
  async ({ options, model }) => {
    const text = await query("mine: \udc00!", options).text();
    assert.equal(text, "lone \ud800 and \udfff.");
    const { lastText } = model.requests[0] ?? {};
    assert.match(lastText ?? "", /mine: (\udc00|\ufffd)!/);
  },
  { ids: ["PA-05"] },
);

realTest("a prompt of 1.2 MB reaches the model whole", [
  "Read.",
], async ({ options, model }) => {
  const prompt = "0123456789 ".repeat(110_000);
  assert.equal(await query(prompt, options).text(), "Read.");
  assert.ok(model.requests[0]?.lastText.includes(prompt));
}, { ids: ["IO-03"] });

realTest(
  "a line of 1.5 MB is read beside its partial messages, within the default limits",
  [{ text: "x".repeat(1_500_000), chunks: 30 }],
  async ({ options }) => {
    const conversation = query("Much", {
      ...options,
      includePartialMessages: true,
    });
    const { items, error } = await collect(conversation);
    assert.equal(error, undefined);
    assert.equal(textDeltas(items).join("").length, 1_500_000);
    const [answer] = ofType(items, "assistant");
    assert.ok(answer !== undefined);
    assert.equal(textOf(answer).length, 1_500_000);
    assert.ok(conversation.health().bytesRead > 4_500_000);
    assert.deepEqual((await collect(conversation.errors)).items, []);
  },
  { ids: ["IO-03"] },
);

realTest(
  "a line above limits.maxMessageBytes is one error, and the rest of the turn comes",
  [{ thinking: "x".repeat(300_000), text: "Short." }],
  async ({ options }) => {
    const conversation = query("Much", {
      ...options,
      limits: { maxMessageBytes: 100_000 },
    });
    const { items, error } = await collect(conversation);
    assert.equal(error, undefined);
    assert.deepEqual(ofType(items, "assistant").map(textOf), ["Short."]);
    assert.equal(resultText(ofType(items, "result")[0]), "Short.");
    const { items: errors } = await collect(conversation.errors);
    assert.deepEqual(errors.map(({ code }) => code), ["message_too_large"]);
  },
  { ids: ["IO-01", "IO-02"] },
);

for (const kind of ["text", "source"] as const) {
  realTest(
    `a result above limits.maxMessageBytes ends the conversation of a ${kind} prompt as one without a result`,
    [{ text: "x".repeat(300_000), chunks: 10 }],
    async ({ options }) => {
      async function* prompts(): AsyncGenerator<string> {
        yield "Much";
      }
      const conversation = query(kind === "text" ? "Much" : prompts(), {
        ...options,
        includePartialMessages: true,
        limits: { maxMessageBytes: 100_000 },
      });
      const { items, error } = await collect(conversation);
      assert.equal(textDeltas(items).join("").length, 300_000);
      assert.ok(error instanceof CliExitError);
      assert.match(error.message, /without a result: exit code 0/);
      const { items: errors } = await collect(conversation.errors);
      // The answer, and the result that repeats it.
      assert.deepEqual(errors.map(({ code }) => code), [
        "message_too_large",
        "message_too_large",
        "cli_exit",
      ]);
    },
  );
}

realTest(
  "what a tool prints to stderr goes to the model, all of it, and not to onStderr",
  [
    bash("for n in $(seq 150); do echo line $n >&2; done; echo end"),
    "Noisy.",
  ],
  async ({ options }) => {
    const lines: string[] = [];
    const { items } = await collect(query("Print", {
      ...options,
      ...ALLOW,
      onStderr: (line) => void lines.push(line),
    }));
    const [printed] = toolResults(items);
    assert.equal(printed?.isError, false);
    for (const line of ["line 1\n", "line 150"]) {
      assert.ok(printed.text.includes(line), line);
    }
    assert.equal(printed.text.split("\n").length, 151);
    assert.deepEqual(lines, []);
    assert.equal(resultText(ofType(items, "result")[0]), "Noisy.");
  },
);

realTest(
  "parallel calls are asked and run one after the other, and each gets its own result",
  [
    {
      tools: [1, 2, 3, 4].map((n) => ({
        name: "Bash",
        input: { command: `echo ${n} > f${n}; echo ran ${n}`, description: "" },
      })),
    },
    "All four.",
  ],
  async ({ options }) => {
    const log: string[] = [];
    const { items } = await collect(query("Four", {
      ...options,
      permissions: {
        canUseTool: async (_tool, { command }) => {
          const n = String(command).slice(5, 6);
          log.push(`asked ${n}`);
          // Long enough for another question to come in between.
          await new Promise((resolve) => setTimeout(resolve, 30));
          log.push(`answered ${n}`);
          return n === "3"
            ? { behavior: "deny", message: "not 3" }
            : { behavior: "allow" };
        },
      },
    }));
    assert.deepEqual(
      log,
      [1, 2, 3, 4].flatMap((n) => [`asked ${n}`, `answered ${n}`]),
    );
    assert.deepEqual(toolResults(items).map(({ text }) => text), [
      "ran 1",
      "ran 2",
      "not 3",
      "ran 4",
    ]);
    const calls = ofType(items, "assistant").filter(({ message }) =>
      message.content[0]?.type === "tool_use"
    );
    assert.equal(calls.length, 4, "one message for each block");
    assert.equal(new Set(calls.map(({ message }) => message.id)).size, 1);
    assert.equal(ofType(items, "result")[0]?.permission_denials.length, 1);
  },
  { ids: ["DEC-03"] },
);

realTest(
  "diagnostics of the CLI reach onStderr line by line; of a flood every tenth",
  ["Chatty."],
  async ({ options }) => {
    const lines: string[] = [];
    const conversation = query("Hi", {
      ...options,
      extraArgs: { "debug-to-stderr": null },
      limits: { stderrLinesPerSecond: 10 },
      onStderr: (line) => void lines.push(line),
    });
    assert.equal(await conversation.text(), "Chatty.");
    await conversation.close();
    const { stderrLines } = conversation.health();
    assert.ok(lines.length > 10, `${lines.length} lines`);
    assert.ok(lines.length < stderrLines, `${lines.length} of ${stderrLines}`);
    assert.ok(lines.every((line) => !line.includes("\n")));
  },
  { ids: ["IO-14", "IO-13"] },
);
