import assert from "node:assert/strict";
import type { Approval, Message } from "@sluice/agent";
import { textStream } from "@sluice/agent";
import { type AiSdkChunk, aiSdkChunks } from "@sluice/agent/ui";
import {
  type DynamicToolUIPart,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";
import { aiSdkMapping } from "../../src/ui/ai_sdk.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { assistant, CALL, result, results } from "./_messages.ts";
import { played, questionOf, recordedRuns } from "./_runs.ts";

/** Our chunks are chunks of the AI SDK. */
function theirs(chunk: AiSdkChunk): UIMessageChunk {
  return chunk;
}

/** Reads chunks as `useChat` does: the message, and errors for the page. */
async function read(chunks: readonly AiSdkChunk[]): Promise<{
  readonly message: UIMessage | undefined;
  readonly errors: readonly string[];
}> {
  const schema = uiMessageChunkSchema();
  for (const chunk of chunks) {
    const checked = await schema.validate?.(JSON.parse(JSON.stringify(chunk)));
    assert.ok(checked?.success, JSON.stringify(chunk));
  }
  const errors: string[] = [];
  const stream = ReadableStream.from<UIMessageChunk>(chunks.map(theirs));
  let message: UIMessage | undefined;
  for await (
    const snapshot of readUIMessageStream({
      stream,
      onError: (error) => errors.push((error as Error).message),
    })
  ) message = snapshot;
  return { message, errors };
}

async function chunksOf(
  messages: readonly Message[],
  error?: unknown,
): Promise<readonly AiSdkChunk[]> {
  const { items, error: thrown } = await collect(
    aiSdkChunks(played(messages, error)),
  );
  assert.equal(thrown, undefined);
  return items;
}

/** Texts of the chunk type `error`. */
function errorsIn(chunks: readonly AiSdkChunk[]): readonly string[] {
  return chunks.flatMap((chunk) =>
    chunk.type === "error" ? [chunk.errorText] : []
  );
}

/** Parts without what depends on pieces. */
function partsOf(message: UIMessage | undefined): readonly unknown[] {
  return (message?.parts ?? []).filter((part) =>
    part.type !== "reasoning" || part.text !== ""
  ).map((part) => {
    if (part.type === "reasoning") return [part.type, part.text];
    return part.type === "text" ? [part.type, part.text] : part;
  });
}

test("every recorded run is a stream that the schema and the reader of the AI SDK accept", async () => {
  const runs = await recordedRuns();
  assert.ok(runs.size > 40);
  for (const [name, messages] of runs) {
    const chunks = await chunksOf(messages);
    const { message, errors } = await read(chunks);
    assert.deepEqual(errors, errorsIn(chunks), name);
    const { items } = await collect(textStream(played(messages)));
    const text = (message?.parts ?? []).flatMap((part) =>
      part.type === "text" ? [part.text] : []
    );
    assert.equal(text.join(""), items.join(""), name);
    assert.equal(chunks[0]?.type, "start", name);
    assert.equal(chunks.at(-1)?.type, "finish", name);
  }
});

test("stream events and whole messages give the same message", async () => {
  let compared = 0;
  for (const [name, messages] of await recordedRuns()) {
    const whole = messages.filter(({ type }) => type !== "stream_event");
    if (whole.length === messages.length) continue;
    const results = messages.filter(({ type }) => type === "result");
    // The text of a block that was cut off is only in its events.
    if (results.some((one) => one.type === "result" && one.is_error)) continue;
    const [one, other] = [
      await read(await chunksOf(messages)),
      await read(await chunksOf(whole)),
    ];
    assert.deepEqual(partsOf(one.message), partsOf(other.message), name);
    compared++;
  }
  assert.ok(compared >= 3, `${compared} runs`);
});

test("a run that is cut at every message, by its end or by an error, stays a valid stream", async () => {
  for (const [name, messages] of await recordedRuns()) {
    for (let length = 0; length <= Math.min(messages.length, 60); length++) {
      const cut = messages.slice(0, length);
      const error = length % 2 === 0 ? new Error("broken pipe") : undefined;
      const chunks = await chunksOf(cut, error);
      const { errors } = await read(chunks);
      assert.deepEqual(errors, errorsIn(chunks), `${name} at ${length}`);
      if (error !== undefined) assert.ok(errors.includes("broken pipe"));
      const open = new Set<string>();
      for (const chunk of chunks) {
        if (/^(?:text|reasoning)-start$/.test(chunk.type) && "id" in chunk) {
          open.add(chunk.id);
        }
        if (/^(?:text|reasoning)-end$/.test(chunk.type) && "id" in chunk) {
          open.delete(chunk.id);
        }
      }
      assert.deepEqual([...open], [], `${name} at ${length}`);
    }
  }
});

/** Chunks of a run with approvals between its messages, by the number of messages before each. */
function mixed(
  messages: readonly Message[],
  approvals: readonly (readonly [number, Approval])[],
): readonly AiSdkChunk[] {
  const mapping = aiSdkMapping();
  const chunks: AiSdkChunk[] = [];
  for (let at = 0; at <= messages.length; at++) {
    for (const [place, approval] of approvals) {
      if (place === at) chunks.push(...mapping.approval(approval));
    }
    const message = messages[at];
    if (message !== undefined) chunks.push(...mapping.message(message));
  }
  return [...chunks, ...mapping.end()];
}

function toolPart(
  message: UIMessage | undefined,
  id: string,
): DynamicToolUIPart {
  const parts = (message?.parts ?? []).filter((part) =>
    part.type === "dynamic-tool" && part.toolCallId === id
  );
  assert.equal(parts.length, 1, `one part for ${id}`);
  return parts[0] as DynamicToolUIPart;
}

test("a question may overtake the message with its call, at any place", async () => {
  let tried = 0;
  for (const [name, messages] of await recordedRuns()) {
    const question = await questionOf(messages, { behavior: "allow" });
    if (question === undefined) continue;
    const { asked, answered } = question;
    const { toolUseId } = asked.request;
    const result = messages.findIndex((message) =>
      JSON.stringify(message).includes(`"tool_use_id":"${toolUseId}"`) &&
      message.type === "user"
    );
    if (result < 0) continue;
    const plain = toolPart(
      (await read(mixed(messages, []))).message,
      toolUseId,
    );
    for (let place = 0; place <= result; place++) {
      const chunks = mixed(messages, [[place, asked], [result, answered]]);
      const { message, errors } = await read(chunks);
      assert.deepEqual(errors, errorsIn(chunks), `${name} at ${place}`);
      const part = toolPart(message, toolUseId);
      assert.equal(part.state, plain.state);
      assert.deepEqual(part.input, plain.input);
      assert.deepEqual(part.output, plain.output);
      const own = chunks.filter((chunk) =>
        "toolCallId" in chunk && chunk.toolCallId === toolUseId ||
        chunk.type === "tool-approval-response"
      ).map(({ type }) => type).filter((type) => !/start|delta/.test(type));
      assert.deepEqual(own.slice(0, 3), [
        "tool-input-available",
        "tool-approval-request",
        "tool-approval-response",
      ], `${name} at ${place}`);
      tried++;
    }
  }
  assert.ok(tried > 20, `${tried} places`);
});

test("the metadata of a message has session, tokens, cost and duration", async () => {
  const { message } = await read(await chunksOf([result()]));
  assert.deepEqual(message?.metadata, {
    sessionId: "s1",
    usage: {
      inputTokens: 15,
      outputTokens: 5,
      cachedInputTokens: 3,
      totalTokens: 20,
    },
    costUsd: 0.25,
    durationMs: 12,
  });
});

const ENDS: readonly (readonly [string, object, readonly string[]])[] = [
  ["a whole answer", {}, ["stop"]],
  ["no reason", { stop_reason: null }, ["stop"]],
  ["tokens that ran out", { stop_reason: "max_tokens" }, ["length"]],
  ["a refusal", { stop_reason: "refusal" }, ["content-filter"]],
  ["a call that waits", { stop_reason: "tool_deferred" }, ["tool-calls"]],
  ["a reason of tomorrow", { stop_reason: "new" }, ["other"]],
  ["an error", { is_error: true, result: "Bad key" }, ["Bad key", "error"]],
  [
    "an interrupt",
    { is_error: true, terminal_reason: "aborted_streaming" },
    ["abort", "interrupted"],
  ],
  [
    "too many turns",
    {
      subtype: "error_max_turns",
      is_error: true,
      result: undefined,
      errors: ["Reached 1 turn"],
    },
    ["Reached 1 turn", "error"],
  ],
];

test("the end of a message says why it ended", async () => {
  for (const [name, fields, expected] of ENDS) {
    const chunks = await chunksOf([result(fields)]);
    const seen = chunks.flatMap((chunk) => {
      if (chunk.type === "finish") return [chunk.finishReason];
      if (chunk.type === "error") return [chunk.errorText];
      return chunk.type === "abort" ? [chunk.type] : [];
    });
    assert.deepEqual(seen, expected, name);
  }
  const [, , finish] = await chunksOf([], new Error("Bearer abcdef1234567890"));
  assert.deepEqual(finish, { type: "finish", finishReason: "error" });
});

test("results of calls that the stream has not shown, twice or without an end, are valid", async () => {
  const output = { type: "tool_result", tool_use_id: "t9", content: "x" };
  const chunks = await chunksOf([
    results(output),
    results(output),
    assistant([CALL]),
    assistant([CALL]),
  ]);
  const { message, errors } = await read(chunks);
  assert.deepEqual(errors, []);
  assert.equal(toolPart(message, "t9").output, "x");
  assert.equal(toolPart(message, "t9").toolName, "unknown");
  assert.equal(toolPart(message, "t1").state, "input-available");
});

test("outcomes of a call: output, error, denied", async () => {
  const cases: readonly (readonly [object, Partial<DynamicToolUIPart>])[] = [
    [{ content: "ok" }, { state: "output-available", output: "ok" }],
    [{}, { state: "output-available", output: "" }],
    [
      { content: [{ type: "text", text: "a" }, { type: "text", text: "b" }] },
      { state: "output-available", output: "ab" },
    ],
    [
      { content: "no", is_error: true },
      { state: "output-error", errorText: "no" },
    ],
  ];
  for (const [fields, expected] of cases) {
    const block = { type: "tool_result", tool_use_id: "t1", ...fields };
    const { message } = await read(
      await chunksOf([assistant([CALL]), results(block)]),
    );
    const part = toolPart(message, "t1");
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(part[key as keyof DynamicToolUIPart], value, key);
    }
  }
  const messages = [
    assistant([CALL]),
    results({ type: "tool_result", tool_use_id: "t1", is_error: true }),
    result(),
  ];
  const deny = { behavior: "deny", message: "Not now" } as const;
  const question = await questionOf(messages, deny);
  assert.ok(question);
  const { message } = await read(
    mixed(messages, [[1, question.asked], [1, question.answered]]),
  );
  const part = toolPart(message, "t1");
  assert.equal(part.state, "output-denied");
  assert.equal(part.approval?.approved, false);
  assert.equal(part.approval?.reason, "Not now");
});

test("an answer to a question that the stream has not shown is left out", async () => {
  const messages = [assistant([CALL])];
  const question = await questionOf(messages, { behavior: "allow" });
  assert.ok(question);
  const chunks = mixed(messages, [[1, question.answered]]);
  assert.deepEqual((await read(chunks)).errors, []);
  assert.ok(!chunks.some(({ type }) => type === "tool-approval-response"));
});

test("text of subagents does not belong to the answer, and their calls name their parent", async () => {
  const by = { parent_tool_use_id: "t0" };
  const { message } = await read(
    await chunksOf([
      assistant([{ type: "text", text: "from below" }], by),
      assistant([CALL], by),
      assistant([{ type: "text", text: "from above" }]),
      result({ structured_output: { n: 1 } }),
    ]),
  );
  const parts = message?.parts ?? [];
  const texts = parts.filter(({ type }) => type === "text");
  assert.deepEqual(texts.map((part) => "text" in part && part.text), [
    "from above",
  ]);
  const data = parts.flatMap((part) => "data" in part ? [part.data] : []);
  assert.deepEqual(data, [
    { toolCallId: "t0", kind: "text", text: "from below" },
    { n: 1 },
  ]);
  assert.deepEqual(toolPart(message, "t1").toolMetadata, {
    parentToolCallId: "t0",
  });
});

test("aiSdkChunks() reads only as far as it is read, and its cancel leaves the messages", async () => {
  let reads = 0;
  let hasLeft = false;
  const messages = async function* () {
    try {
      for (;;) {
        reads++;
        yield assistant([{ type: "text", text: String(reads) }]);
      }
    } finally {
      hasLeft = true;
    }
  };
  const reader = aiSdkChunks(messages()).getReader();
  assert.equal(reads, 0);
  await reader.read();
  assert.equal(reads, 1);
  await reader.cancel();
  assert.ok(hasLeft);
});
