import assert from "node:assert/strict";
import { textOf } from "../../src/parse/read.ts";
import { query } from "../../src/query.ts";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import { ofType, realTest } from "./_real.ts";

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

realTest("partial messages come piece by piece and make up the whole", [
  { text: "One two three four", chunks: 4 },
], async ({ options }) => {
  const { items } = await collect(
    query("Count", { ...options, includePartialMessages: true }),
  );
  const events = ofType(items, "stream_event").map(({ event }) => event);
  const deltas = events.flatMap((event) =>
    event.type === "content_block_delta" && event.delta.type === "text_delta"
      ? [event.delta.text]
      : []
  );
  assert.equal(deltas.length, 4);
  assert.equal(deltas.join(""), "One two three four");
  assert.equal(events[0]?.type, "message_start");
  assert.equal(events.at(-1)?.type, "message_stop");
});

realTest(
  "thinking comes as a block before the text, redacted thinking passes",
  [
    { thinking: "Let me see.", redactedThinking: "bW9jaw==", text: "Done." },
  ],
  async ({ options }) => {
    const { items } = await collect(
      query("Think", { ...options, thinking: { type: "adaptive" } }),
    );
    const blocks = ofType(items, "assistant")
      .flatMap(({ message }) => message.content);
    assert.deepEqual(blocks.map(({ type }) => type), [
      "thinking",
      "redacted_thinking",
      "text",
    ]);
    const [thought] = blocks;
    assert.ok(thought?.type === "thinking");
    assert.equal(thought.thinking, "Let me see.");
  },
);

const ODD = 'Grüße 😀 \u2028 \u2029 \u0085 \uFEFF \u0000 \r end: {"a":"\\n"}';

realTest("odd Unicode comes through whole, both ways", [
  { text: ODD },
], async ({ options, model }) => {
  const asked = "Frage: ё 😀\u2028\u2029\u0085 ?";
  const { items } = await collect(
    query(asked, { ...options, includePartialMessages: true }),
  );
  const [answer] = ofType(items, "assistant");
  assert.ok(answer !== undefined);
  assert.equal(textOf(answer), ODD);
  assert.equal(resultText(ofType(items, "result")[0]), ODD);
  assert.ok(model.requests[0]?.lastText.includes(asked));
}, { ids: ["PA-05"] });

realTest("a text of 1.5 MB is one message", [
  { text: "0123456789abcde ".repeat(100_000), chunks: 20 },
], async ({ options }) => {
  const result = await query("Much", options).result();
  assert.equal(resultText(result)?.length, 1_600_000);
}, { ids: ["IO-03"] });

realTest("an image reaches the model as it was given", [
  "A pixel.",
], async ({ options, model }) => {
  const data =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const prompt = [
    { type: "text", text: "What is it?" },
    {
      type: "image",
      source: { type: "base64", media_type: "image/png", data },
    },
  ] as const;
  assert.equal(await query(prompt, options).text(), "A pixel.");
  const text = JSON.stringify(model.requests[0]?.body["messages"]);
  assert.ok(text.includes('"type":"image"'));
  assert.ok(text.includes(`"data":"${data}"`) || text.includes("image/png"));
});

realTest("several prompts of a source are answered in turn over one process", [
  "One.",
  "Two.",
], async ({ options }) => {
  let answered = () => {};
  const first = new Promise<void>((resolve) => answered = resolve);
  async function* prompts(): AsyncGenerator<string> {
    yield "1";
    await first;
    yield "2";
  }
  const results: unknown[] = [];
  const conversation = query(prompts(), options);
  for await (const message of conversation) {
    if (message.type !== "result") continue;
    results.push(resultText(message));
    answered();
  }
  assert.deepEqual(results, ["One.", "Two."]);
});
