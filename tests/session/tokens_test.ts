import assert from "node:assert/strict";
import type { ContentBlock } from "@sluice/agent";
import {
  type ChatMessage,
  ContentEstimator,
  LengthHeuristic,
  Session,
  type Tokenizer,
  truncate,
} from "@sluice/agent/session";
import { test } from "../_harness.ts";
import { assistant, user } from "./_chats.ts";

test("LengthHeuristic.count() divides UTF-8 bytes, rounded up", () => {
  const table: readonly (readonly [text: string, by: number, count: number])[] =
    [
      ["", 4, 0],
      ["a", 4, 1],
      ["abcd", 4, 1],
      ["abcde", 4, 2],
      ["é", 4, 1],
      ["漢字", 4, 2],
      ["😀", 4, 1],
      ["abcd", 0.5, 8],
      ["abcd", 1_000, 1],
    ];
  for (const [text, bytesPerToken, count] of table) {
    const tokenizer: Tokenizer = new LengthHeuristic(bytesPerToken);
    assert.equal(tokenizer.count(text), count, `${text} by ${bytesPerToken}`);
  }
  assert.equal(new LengthHeuristic().count("abcde"), 2);
}, { ids: ["S-04"] });

test("truncate() counts with any tokenizer, each message once", () => {
  const words: Tokenizer & { calls: number } = {
    calls: 0,
    count(text) {
      this.calls++;
      return text.split(/\s+/).filter(Boolean).length;
    },
  };
  const session = Session.create();
  session.append(
    { role: "user", content: "one two three" },
    { role: "assistant", content: "four five" },
    { role: "user", content: "six" },
  );
  const view = (maxTokens: number) =>
    session.view({ maxTokens, tokenizer: words }).map(({ content }) => content);
  assert.deepEqual(view(3), ["four five", "six"]);
  assert.deepEqual(view(2), ["six"]);
  assert.deepEqual(view(6), ["one two three", "four five", "six"]);
  assert.equal(words.calls, 3);
}, { ids: ["S-18"] });

test("truncate() counts texts, thinking, names, inputs and results", () => {
  const each: readonly (readonly [block: ContentBlock, text: string])[] = [
    [{ type: "text", text: "abc" }, "abc"],
    [{ type: "thinking", thinking: "hmm", signature: "long long" }, "hmm"],
    [{ type: "redacted_thinking", data: "data" }, "data"],
    [
      { type: "tool_use", id: "t", name: "Read", input: { a: 1 } },
      'Read{"a":1}',
    ],
    [
      { type: "server_tool_use", id: "s", name: "web", input: {} },
      "web{}",
    ],
    [{ type: "tool_result", tool_use_id: "t", content: "ok" }, "ok"],
    [
      {
        type: "mcp_tool_result",
        tool_use_id: "t",
        content: [{ type: "text", text: "ok" }],
      },
      '[{"type":"text","text":"ok"}]',
    ],
    [{ type: "tool_result", tool_use_id: "t" }, ""],
    [
      { type: "web_search_tool_result", tool_use_id: "t", content: ["a"] },
      '["a"]',
    ],
    [
      { type: "document", source: { type: "url", url: "u" }, title: "T" },
      '{"type":"url","url":"u"}',
    ],
  ];
  const tokenizer = new LengthHeuristic(1);
  for (const [block, text] of each) {
    const tokens = tokensOf([assistant(block)], tokenizer);
    assert.equal(tokens, Math.max(1, text.length), JSON.stringify(block));
  }
  const image: ContentBlock = {
    type: "image",
    source: {
      type: "base64",
      media_type: "image/png",
      data: "A".repeat(9_999),
    },
  };
  assert.equal(tokensOf([user(image)], tokenizer), 1_600);
  const shot = {
    type: "tool_result",
    tool_use_id: "t",
    content: [image],
  } as const;
  assert.equal(tokensOf([user(shot)], tokenizer, "oldest-first"), 1_602);
});

test("truncate() lets a message cost at least 1", () => {
  const tokenizer = new LengthHeuristic();
  assert.equal(tokensOf([{ role: "user", content: "" }], tokenizer), 1);
  assert.equal(tokensOf([user()], tokenizer), 1);
});

test("truncate() refuses a tokenizer that gives no number from 0", () => {
  const messages: ChatMessage[] = [{ role: "user", content: "a" }];
  for (const value of [NaN, -1, Infinity, undefined, "7 words"]) {
    const tokenizer = { count: () => value } as unknown as Tokenizer;
    assert.throws(
      () => truncate(messages, { maxTokens: 10, tokenizer }),
      { name: "ConfigError", key: "tokenizer" },
    );
  }
});

function tokensOf(
  messages: readonly ChatMessage[],
  tokenizer: Tokenizer,
  policy: "groups" | "oldest-first" = "oldest-first",
): number {
  let tokens = -1;
  truncate(messages, {
    maxTokens: Infinity,
    tokenizer,
    policy,
    onTruncated: (report) => tokens = report.tokens,
  });
  return tokens;
}

const PROSE =
  "The river flows to the sea, and nobody has ever seen it flow back again. "
    .repeat(20);
const JSON_TEXT = JSON.stringify(
  Array.from({ length: 60 }, (_, id) => ({ id, lat: 52.1 + id, ok: true })),
);
const CHINESE = "河流流向大海，从来没有人看见它倒流。".repeat(20);

test("ContentEstimator counts words, data and ideographs by their own measure", () => {
  const estimator = new ContentEstimator();
  const ratio = (text: string) =>
    new TextEncoder().encode(text).length / estimator.count(text);
  assert.ok(Math.abs(ratio(PROSE) - 4.4) < 0.1, `${ratio(PROSE)}`);
  assert.ok(Math.abs(ratio(JSON_TEXT) - 2.6) < 0.1, `${ratio(JSON_TEXT)}`);
  assert.ok(Math.abs(ratio(CHINESE) - 4.2) < 0.1, `${ratio(CHINESE)}`);
  assert.ok(
    estimator.count(JSON_TEXT) > new LengthHeuristic().count(JSON_TEXT),
  );
});

test("LengthHeuristic refuses numbers that cannot be", () => {
  for (const number of [0, -1, Number.NaN, Infinity, "4" as never]) {
    assert.throws(() => new LengthHeuristic(number), { name: "ConfigError" });
  }
});
