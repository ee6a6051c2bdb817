import assert from "node:assert/strict";
import { BudgetError, type ContentBlock } from "@sluice/agent";
import {
  type Budget,
  type ChatMessage,
  LengthHeuristic,
  Session,
  truncate,
  type TruncationReport,
} from "@sluice/agent/session";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import { assistant, result, use, user } from "./_chats.ts";

/** Each character is a token. */
const tokenizer = new LengthHeuristic(1);

function fit(
  messages: readonly ChatMessage[],
  maxTokens: number,
  more: Partial<Budget> = {},
): readonly ChatMessage[] {
  return truncate(messages, { maxTokens, tokenizer, ...more });
}

function text(role: ChatMessage["role"], content: string): ChatMessage {
  return { role, content };
}

const chat: readonly ChatMessage[] = [
  text("system", "1234"),
  text("user", "12345"),
  text("assistant", "12345678"),
  text("user", "123"),
];

test("truncate() drops the oldest until the rest fits", () => {
  const lengths = (maxTokens: number) =>
    fit(chat, maxTokens).map(({ content }) => content.length);
  assert.deepEqual(lengths(20), [4, 5, 8, 3]);
  assert.deepEqual(lengths(19), [4, 8, 3]);
  assert.deepEqual(lengths(15), [4, 8, 3]);
  assert.deepEqual(lengths(14), [4, 3]);
  assert.deepEqual(lengths(7), [4, 3]);
  assert.deepEqual(lengths(6), [4]);
  assert.deepEqual(lengths(Infinity), [4, 5, 8, 3]);
  assert.equal(fit(chat, 7)[1], chat[3]);
}, { ids: ["S-05"] });

test("truncate() never drops system messages, wherever they are", () => {
  const messages = [...chat, text("system", "again"), text("user", "x")];
  for (const maxTokens of [0, 3, 9, 10, 100]) {
    const systems = fit(messages, maxTokens)
      .filter(({ role }) => role === "system");
    assert.deepEqual(systems, [messages[0], messages[4]]);
  }
  assert.deepEqual(fit(chat, 0), [chat[0]]);
}, { ids: ["S-06"] });

test(
  "truncate() drops a message that is too large with everything before it",
  () => {
    const messages = [
      text("user", "a"),
      text("user", "b".repeat(50)),
      text("user", "c"),
    ];
    assert.deepEqual(fit(messages, 10), [messages[2]]);
    assert.deepEqual(fit(messages.slice(0, 2), 10), []);
  },
  { ids: ["S-07"] },
);

test("truncate() may leave nothing", () => {
  assert.deepEqual(fit([text("user", "too long")], 3), []);
  assert.deepEqual(fit([], 3), []);
}, { ids: ["S-08"] });

test("truncate() leaves out results without a call and calls that never got a result", () => {
  const messages = [
    user(result("nobody")),
    assistant(use("lost")),
    text("user", "go on"),
    assistant(use("a")),
    user(result("a"), result("nobody either")),
    text("assistant", "done"),
  ];
  let report: TruncationReport | undefined;
  const kept = fit(messages, Infinity, { onTruncated: (one) => report = one });
  assert.deepEqual(kept, [messages[2], messages[5]]);
  assert.deepEqual(report, { kept: 2, dropped: 0, orphans: 4, tokens: 9 });
  const all = fit(messages, Infinity, { policy: "oldest-first" });
  assert.equal(all.length, 6);
});

test("truncate() sees results of tools that the API runs, also of kinds it does not know", () => {
  const known: ContentBlock[] = [
    { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
    { type: "mcp_tool_use", id: "m1", name: "a", server_name: "b", input: {} },
    { type: "mcp_tool_result", tool_use_id: "m1" },
  ];
  const unknown: ContentBlock[] = [
    { type: "server_tool_use", id: "s2", name: "code", input: {} },
    {
      type: "unknown",
      originalType: "code_tool_result",
      raw: { type: "code_tool_result", tool_use_id: "s2" },
    },
  ];
  const messages = [
    assistant(...known),
    assistant(...unknown),
    text("user", "x"),
  ];
  assert.deepEqual(fit(messages, Infinity), messages);
});

test("truncate() with strict throws where system and the newest unit do not fit", () => {
  const refusal = (maxTokens: number, messages = chat) => {
    try {
      fit(messages, maxTokens, { strict: true });
    } catch (error) {
      assert.ok(error instanceof BudgetError);
      assert.equal(error.budget, maxTokens);
      return error.needed;
    }
    return undefined;
  };
  assert.equal(refusal(7), undefined);
  assert.equal(refusal(6), 7);
  assert.equal(refusal(0), 7);
  assert.equal(refusal(3, [text("system", "1234")]), 4);
  assert.equal(refusal(0, []), undefined);
});

test("truncate() refuses a budget and messages that are none", () => {
  const budgets: readonly (readonly [unknown, string])[] = [
    [{ maxTokens: -1 }, "maxTokens"],
    [{ maxTokens: NaN }, "maxTokens"],
    [undefined, "maxTokens"],
    [{ maxTokens: 1, policy: "newest" }, "policy"],
    [{ maxTokens: 1, tokenizer: {} }, "tokenizer"],
  ];
  for (const [budget, key] of budgets) {
    const wrong = { name: "ConfigError", key };
    assert.throws(() => truncate(chat, budget as Budget), wrong);
    assert.throws(() => Session.create().view(budget as Budget), wrong);
  }
  const messages: readonly unknown[] = [
    { role: "tool", content: "" },
    { role: "user", content: { 0: "a" } },
    { role: "user" },
    "user",
    null,
    Object.assign(() => {}, { role: "user", content: "a" }),
  ];
  for (const message of messages) {
    const wrong = { name: "ConfigError", key: "messages[0]" };
    assert.throws(() => fit([message as ChatMessage], 1), wrong);
  }
});

/** A history with calls and results in any order: a call may come later, be of the system, or never come. */
function randomHistory(random: () => number): readonly ChatMessage[] {
  const between = (least: number, most: number) =>
    least + Math.floor(random() * (most - least + 1));
  let calls = 0;
  return Array.from({ length: between(0, 9) }, (): ChatMessage => {
    const role = pick(random, ["system", "user", "assistant"] as const);
    if (random() < 0.2) return text(role, "x".repeat(between(1, 5)));
    const content = Array.from(
      { length: between(0, 3) },
      () =>
        random() < 0.5
          ? use(`c${calls++}`)
          : result(`c${between(0, calls + 1)}`),
    );
    return { role, content };
  });
}

test(
  "truncate() gives what the rules give when they are taken word for word, for random histories",
  () => {
    const random = randomFrom(34);
    for (let round = 0; round < 400; round++) {
      const messages = randomHistory(random);
      const copy = structuredClone(messages);
      for (const maxTokens of [0, 3, 10, 25, 60, Infinity]) {
        let report: TruncationReport | undefined;
        const onTruncated = (one: TruncationReport) => report = one;
        const expected = wordForWord(messages, maxTokens);
        assert.deepEqual(fit(messages, maxTokens), expected.kept);
        assert.deepEqual(
          fit(messages, maxTokens, { onTruncated }),
          expected.kept,
        );
        assert.deepEqual(report, expected.report);
        assert.deepEqual(
          fit(messages, maxTokens, { policy: "oldest-first" }),
          bySpecification(messages, maxTokens),
        );
      }
      assert.deepEqual(messages, copy, "the input is unchanged");
    }
  },
  { ids: ["S-05", "S-06"] },
);

/** The documented behaviour of `truncate()`, without optimization: pairs are searched for, and groups grow until they are whole. */
function wordForWord(messages: readonly ChatMessage[], maxTokens: number) {
  const blocks = messages.flatMap(({ role, content }, at) =>
    role === "system" || typeof content === "string"
      ? []
      : content.map((block) => ({ at, block }))
  );
  const answered = new Set<unknown>();
  const unsound = new Set<number>();
  const group = messages.map((_, at) => at);
  for (const [place, { at, block }] of blocks.entries()) {
    if (block.type !== "tool_result") continue;
    const call = blocks.slice(0, place).findLast(({ block: one }) =>
      one.type === "tool_use" && one.id === block.tool_use_id
    );
    if (call === undefined) {
      unsound.add(at);
      continue;
    }
    answered.add(call.block);
    const [from, to] = [group[at], group[call.at]];
    for (const [index, one] of group.entries()) {
      if (one === from) group[index] = Number(to);
    }
  }
  const membersOf = (at: number) =>
    messages.flatMap((_, index) => group[index] === group[at] ? [index] : []);
  const isOrphan = (at: number) =>
    membersOf(at).some((one) => unsound.has(one));
  const end = messages.findLastIndex(({ role }, at) =>
    role !== "system" && !isOrphan(at)
  );
  const isOpen = (at: number) =>
    membersOf(at).some((one) =>
      blocks.some(({ at, block }) =>
        at === one && block.type === "tool_use" && !answered.has(block)
      )
    ) && membersOf(at).at(-1) !== end;
  const isSystem = (at: number) => messages[at]?.role === "system";
  const costOfAll = (places: readonly number[]) =>
    places.reduce((sum, at) => sum + costOf(messages[at] as ChatMessage), 0);
  const kept = messages.flatMap((_, at) => isSystem(at) ? [at] : []);
  let inUnits = kept.length;
  let isFull = false;
  for (let at = messages.length - 1; at >= 0; at--) {
    const members = membersOf(at);
    if (isSystem(at) || members[0] !== at || isOrphan(at) || isOpen(at)) {
      continue;
    }
    inUnits += members.length;
    isFull ||= costOfAll([...kept, ...members]) > maxTokens;
    if (!isFull) kept.push(...members);
  }
  kept.sort((one, other) => one - other);
  return {
    kept: kept.map((at) => messages[at]),
    report: {
      kept: kept.length,
      dropped: inUnits - kept.length,
      orphans: messages.length - inUnits,
      tokens: costOfAll(kept),
    },
  };
}

/** The specification in its own words: drop the oldest non-system message until the rest fits. */
function bySpecification(
  messages: readonly ChatMessage[],
  maxTokens: number,
): readonly ChatMessage[] {
  const left = [...messages];
  for (;;) {
    const total = left.reduce((all, one) => all + costOf(one), 0);
    const oldest = left.findIndex(({ role }) => role !== "system");
    if (total <= maxTokens || oldest === -1) return left;
    left.splice(oldest, 1);
  }
}

function costOf({ content }: ChatMessage): number {
  if (typeof content === "string") return Math.max(1, content.length);
  const sum = content.reduce((all, block) => {
    if (block.type === "text") return all + block.text.length;
    if (block.type === "tool_use") {
      return all + block.name.length + JSON.stringify(block.input).length;
    }
    if (block.type === "tool_result") return all + String(block.content).length;
    return all;
  }, 0);
  return Math.max(1, sum);
}
