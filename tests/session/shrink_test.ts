import assert from "node:assert/strict";
import {
  type ChatMessage,
  ContentEstimator,
  LengthHeuristic,
  shrinkResults,
} from "@sluice/agent/session";
import { test } from "../_harness.ts";

function result(content: unknown, type = "tool_result"): ChatMessage {
  return {
    role: "user",
    content: [{ type, tool_use_id: "t1", content }],
  } as unknown as ChatMessage;
}

function contentOf(message: ChatMessage | undefined): unknown {
  const [block] = message?.content as unknown as [
    { readonly content: unknown },
  ];
  return block.content;
}

test("shrinkResults() cuts the middle of large results, and says how much is gone", () => {
  const text = Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join("\n");
  const chat = [
    result(text),
    result("short"),
    result([{ type: "text", text }]),
    result(text, "mcp_tool_result"),
  ];
  for (const tokenizer of [new LengthHeuristic(), new ContentEstimator()]) {
    const small = shrinkResults(chat, {
      maxTokens: 100,
      tokenizer,
      keepLast: 0,
    });
    const cut = contentOf(small[0]) as string;
    assert.ok(tokenizer.count(cut) <= 100, `${tokenizer.count(cut)}`);
    assert.ok(tokenizer.count(cut) > 50, `${tokenizer.count(cut)}`);
    const [, gone] = /\n\[(\d+) characters left out\]\n/.exec(cut) ?? [];
    const mark = `\n[${gone} characters left out]\n`;
    assert.equal(cut.length - mark.length + Number(gone), text.length);
    assert.ok(cut.startsWith("line 0\n") && cut.endsWith("line 4999"));
    assert.equal(small[1], chat[1]);
    assert.deepEqual(contentOf(small[2]), [{ type: "text", text: cut }]);
    assert.equal(contentOf(small[3]), cut);
  }
  assert.equal(contentOf(chat[0]), text);
});

test("shrinkResults() leaves everything else as it is, and the newest messages", () => {
  const text = "x".repeat(10_000);
  const chat: ChatMessage[] = [
    { role: "system", content: text },
    { role: "user", content: text },
    { role: "assistant", content: [{ type: "text", text }] },
    result([{ type: "image", source: { data: text } }]),
    result(undefined),
    { role: "user", content: [] },
    result(text),
    result(text),
  ];
  const small = shrinkResults(chat, { maxTokens: 50 });
  assert.deepEqual(small, chat);
  for (const [index, message] of small.entries()) {
    assert.equal(message, chat[index]);
  }
});

test("shrinkResults() never cuts a character in two", () => {
  const chat = [result("🌊".repeat(10_000))];
  for (let maxTokens = 50; maxTokens < 80; maxTokens++) {
    const [small] = shrinkResults(chat, { maxTokens, keepLast: 0 });
    const cut = contentOf(small) as string;
    assert.ok(cut.isWellFormed?.() ?? true);
    assert.ok(!/[\ud800-\udbff](?![\udc00-\udfff])/.test(cut));
  }
});

test("shrinkResults() ends with any tokenizer, and refuses limits that are none", () => {
  const chat = [result("x".repeat(10_000))];
  const mad = { count: () => 1_000_000 };
  shrinkResults(chat, { maxTokens: 50, tokenizer: mad, keepLast: 0 });
  for (const maxTokens of [0, 49, -1, Number.NaN]) {
    assert.throws(() => shrinkResults(chat, { maxTokens }), {
      name: "ConfigError",
    });
  }
  for (const keepLast of [-1, 1.5, Number.NaN]) {
    assert.throws(() => shrinkResults(chat, { maxTokens: 50, keepLast }), {
      name: "ConfigError",
    });
  }
});
