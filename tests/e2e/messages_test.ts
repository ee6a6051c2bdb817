import assert from "node:assert/strict";
import { type AgentOptions, query, textOf } from "@sluice/agent";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import { inTurns, ofType, realTest } from "./_real.ts";

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

realTest(
  "partial messages make up the whole, thinking comes before the text, odd Unicode and images come through whole",
  [
    { text: "One two three four", chunks: 4 },
    { thinking: "Let me see.", redactedThinking: "bW9jaw==", text: "Done." },
    { text: ODD },
    "A pixel.",
  ],
  async ({ options, model }) => {
    const all: AgentOptions = {
      ...options,
      includePartialMessages: true,
      thinking: { type: "adaptive" },
    };
    await inTurns(all, async (turn) => {
      const events = ofType(await turn("Count"), "stream_event")
        .map(({ event }) => event);
      const deltas = events.flatMap((event) =>
        event.type === "content_block_delta" &&
          event.delta.type === "text_delta"
          ? [event.delta.text]
          : []
      );
      assert.equal(deltas.length, 4);
      assert.equal(deltas.join(""), "One two three four");
      assert.equal(events[0]?.type, "message_start");
      assert.equal(events.at(-1)?.type, "message_stop");

      const blocks = ofType(await turn("Think"), "assistant")
        .flatMap(({ message }) => message.content);
      assert.deepEqual(blocks.map(({ type }) => type), [
        "thinking",
        "redacted_thinking",
        "text",
      ]);
      const [thought] = blocks;
      assert.ok(thought?.type === "thinking");
      assert.equal(thought.thinking, "Let me see.");

      const asked = "Frage: ё 😀\u2028\u2029\u0085 ?";
      const odd = await turn(asked);
      const [answer] = ofType(odd, "assistant");
      assert.ok(answer !== undefined);
      assert.equal(textOf(answer), ODD);
      assert.equal(resultText(ofType(odd, "result")[0]), ODD);
      assert.ok(model.requests.at(-1)?.lastText.includes(asked));

      const data =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
      const [pixel] = ofType(
        await turn([
          { type: "text", text: "What is it?" },
          {
            type: "image",
            source: { type: "base64", media_type: "image/png", data },
          },
        ]),
        "result",
      );
      assert.equal(resultText(pixel), "A pixel.");
      const text = JSON.stringify(model.requests.at(-1)?.body["messages"]);
      assert.ok(text.includes('"type":"image"'));
      assert.ok(
        text.includes(`"data":"${data}"`) || text.includes("image/png"),
      );
    });
  },
  { ids: ["PA-05"] },
);
