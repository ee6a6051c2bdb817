import assert from "node:assert/strict";
import {
  type AgentOptions,
  type CanUseTool,
  CliExitError,
  type Message,
  query,
  textOf,
} from "@sluice/agent";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import { bash, inTurns, ofType, realTest, toolResults } from "./_real.ts";

function textDeltas(messages: readonly Message[]): readonly string[] {
  return ofType(messages, "stream_event").flatMap(({ event }) =>
    event.type === "content_block_delta" && event.delta.type === "text_delta"
      ? [event.delta.text]
      : []
  );
}

realTest(
  "query() gives init, answer and result of a plain prompt, and ends without an error",
  [
    "Hello from the model.",
  ],
  async ({ options, cwd, model }) => {
    const conversation = query("Say hello", options);
    const info = await conversation.ready;
    assert.match(info.claude_code_version ?? "", /^2\.1\.\d+/);
    assert.equal(info.pid, conversation.pid);
    const [{ items, error }, errors] = await Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    assert.equal(error, undefined);
    assert.deepEqual(errors.items, []);
    assert.deepEqual(items.map(({ type }) => type), [
      "system",
      "assistant",
      "result",
    ]);
    const [init, answer, result] = items;
    assert.ok(init?.type === "system" && init.subtype === "init");
    assert.equal(init.cwd, cwd);
    assert.equal(init.session_id, conversation.sessionId);
    assert.ok(answer?.type === "assistant");
    assert.equal(textOf(answer), "Hello from the model.");
    assert.ok(result?.type === "result");
    assert.equal(resultText(result), "Hello from the model.");
    assert.match(model.requests[0]?.lastText ?? "", /Say hello$/);
    await conversation.close();
    assert.equal(conversation.health().state, "gone");
  },
  { ids: ["Q-11", "Q-18", "PA-07", "O-07"] },
);

const ODD = 'Grüße 😀 \u2028 \u2029 \u0085 \uFEFF \u0000 \r end: {"a":"\\n"}';

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

realTest(
  "odd and large content arrives whole, both ways, within the default limits",
  [
    { text: "a😀b", chunks: 2 },
    { thinking: "Let me see.", redactedThinking: "bW9jaw==", text: ODD },
    "A pixel.",
    "lone \ud800 and \udfff.",
    bash("for n in $(seq 150); do echo line $n >&2; done; echo end"),
    "Noisy.",
    {
      tools: [1, 2, 3, 4].map((n) => ({
        name: "Bash",
        input: { command: `echo ${n} > f${n}; echo ran ${n}`, description: "" },
      })),
    },
    "All four.",
    "Read.",
    { text: "x".repeat(1_500_000), chunks: 30 },
  ],
  async ({ options, model }) => {
    const lines: string[] = [];
    let canUseTool: CanUseTool = () => ({ behavior: "allow" });
    const all: AgentOptions = {
      ...options,
      includePartialMessages: true,
      thinking: { type: "adaptive" },
      permissions: { canUseTool: (...asked) => canUseTool(...asked) },
      onStderr: (line) => void lines.push(line),
    };
    const errors = await inTurns(all, async (turn, conversation) => {
      // An emoji that the model cuts in two comes as two halves and as a whole.
      const smile = await turn("Smile");
      assert.deepEqual(textDeltas(smile), ["a\ud83d", "\ude00b"]);
      assert.deepEqual(ofType(smile, "assistant").map(textOf), ["a😀b"]);

      const asks = "Frage: ё 😀\u2028\u2029\u0085 ?";
      const odd = await turn(asks);
      const blocks = ofType(odd, "assistant")
        .flatMap(({ message }) => message.content);
      assert.deepEqual(blocks.map(({ type }) => type), [
        "thinking",
        "redacted_thinking",
        "text",
      ]);
      assert.ok(blocks[0]?.type === "thinking");
      assert.equal(blocks[0].thinking, "Let me see.");
      assert.equal(resultText(ofType(odd, "result")[0]), ODD);
      assert.ok(model.requests.at(-1)?.lastText.includes(asks));

      const source = {
        type: "base64",
        media_type: "image/png",
        data: PIXEL,
      } as const;
      const pixel = await turn([
        { type: "text", text: "What is it?" },
        { type: "image", source },
      ]);
      assert.equal(resultText(ofType(pixel, "result")[0]), "A pixel.");
      const sent = JSON.stringify(model.requests.at(-1)?.body["messages"]);
      assert.ok(sent.includes('"type":"image"'));
      assert.ok(sent.includes(PIXEL) || sent.includes("image/png"));

      const [lone] = ofType(await turn("mine: \udc00!"), "result");
      assert.equal(resultText(lone), "lone \ud800 and \udfff.");
      const asked = model.requests.at(-1)?.lastText ?? "";
      assert.match(asked, /mine: (\udc00|\ufffd)!/);

      // All stderr output of a tool goes to the model, and not to `onStderr`.
      const noisy = await turn("Print");
      const [printed] = toolResults(noisy);
      assert.equal(printed?.isError, false);
      for (const line of ["line 1\n", "line 150"]) {
        assert.ok(printed.text.includes(line), line);
      }
      assert.equal(printed.text.split("\n").length, 151);
      assert.deepEqual(lines, []);
      assert.equal(resultText(ofType(noisy, "result")[0]), "Noisy.");

      // Parallel calls are asked and run one after the other, and each gets its own result.
      const log: string[] = [];
      canUseTool = async (_tool, { command }) => {
        const n = String(command).slice(5, 6);
        log.push(`asked ${n}`);
        // Long enough for another question to come in between.
        await new Promise((resolve) => setTimeout(resolve, 30));
        log.push(`answered ${n}`);
        return n === "3"
          ? { behavior: "deny", message: "not 3" }
          : { behavior: "allow" };
      };
      const four = await turn("Four");
      assert.deepEqual(
        log,
        [1, 2, 3, 4].flatMap((n) => [`asked ${n}`, `answered ${n}`]),
      );
      assert.deepEqual(toolResults(four).map(({ text }) => text), [
        "ran 1",
        "ran 2",
        "not 3",
        "ran 4",
      ]);
      const calls = ofType(four, "assistant").filter(({ message }) =>
        message.content[0]?.type === "tool_use"
      );
      assert.equal(calls.length, 4, "one message for each block");
      assert.equal(new Set(calls.map(({ message }) => message.id)).size, 1);
      assert.equal(ofType(four, "result")[0]?.permission_denials.length, 1);

      const prompt = "0123456789 ".repeat(110_000);
      const [read] = ofType(await turn(prompt), "result");
      assert.equal(resultText(read), "Read.");
      assert.ok(model.requests.at(-1)?.lastText.includes(prompt));

      const { bytesRead: before } = conversation.health();
      const much = await turn("Much");
      assert.equal(textDeltas(much).join("").length, 1_500_000);
      const [answer] = ofType(much, "assistant");
      assert.ok(answer !== undefined);
      assert.equal(textOf(answer).length, 1_500_000);
      assert.equal(resultText(ofType(much, "result")[0])?.length, 1_500_000);
      assert.ok(conversation.health().bytesRead - before > 4_500_000);
    });
    assert.deepEqual(errors, []);
  },
  { ids: ["PA-05", "IO-03", "DEC-03"] },
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
