import assert from "node:assert/strict";
import {
  type Message,
  type ResultMessage,
  type StreamEvent,
  textOf,
  toolResultsOf,
  toolUsesOf,
  wasInterrupted,
} from "@sluice/agent";
import { test } from "../_harness.ts";
import { recordedMessages } from "./_transcripts.ts";
import { assistant, IDENTITY, SAMPLES, user } from "./_samples.ts";

const CALL = {
  type: "tool_use",
  id: "toolu_1",
  name: "Bash",
  input: { command: "ls" },
} as const;

function delta(event: StreamEvent): Message {
  return { ...IDENTITY, type: "stream_event", event, parent_tool_use_id: null };
}

test(
  "textOf() joins the text blocks of a message and leaves the rest out",
  () => {
    const message = assistant([
      { type: "thinking", thinking: "Hm", signature: "s" },
      { type: "text", text: "One " },
      CALL,
      { type: "text", text: "two" },
    ]);
    assert.equal(textOf(message), "One two");
    assert.equal(textOf(user("Say hello")), "Say hello");
    assert.equal(
      textOf(user([{ type: "tool_result", tool_use_id: "t", content: "no" }])),
      "",
    );
  },
  { ids: ["PA-08", "PA-09"] },
);

test("textOf() gives the piece of a text delta and of no other event", () => {
  const piece = { type: "content_block_delta", index: 0 } as const;
  assert.equal(
    textOf(delta({ ...piece, delta: { type: "text_delta", text: "Hel" } })),
    "Hel",
  );
  assert.equal(
    textOf(
      delta({
        ...piece,
        delta: { type: "input_json_delta", partial_json: "{" },
      }),
    ),
    "",
  );
  assert.equal(textOf(delta({ type: "message_stop" })), "");
  assert.equal(textOf(delta({ type: "content_block_delta" } as never)), "");
});

test("textOf() gives the final text of a result, or what went wrong", () => {
  const failed = SAMPLES["result/error_max_turns"];
  assert.ok(failed !== undefined);
  assert.equal(textOf(SAMPLES["result/success"] ?? failed), "Hello");
  assert.equal(textOf({ ...failed, errors: ["a", "b"] } as Message), "a\nb");
  assert.equal(
    textOf({ ...failed, subtype: "error_new", errors: undefined } as never),
    "",
  );
});

test("textOf() and toolUsesOf() are empty for every other kind", () => {
  for (const [kind, sample] of Object.entries(SAMPLES)) {
    assert.deepEqual(toolUsesOf(sample), [], kind);
    if (/^(user|result)/.test(kind)) continue;
    assert.equal(textOf(sample), "", kind);
  }
});

test("toolUsesOf() gives the calls themselves, in their order", () => {
  const other = { ...CALL, id: "toolu_2" };
  const message = assistant([CALL, { type: "text", text: "and" }, other]);
  assert.deepEqual(toolUsesOf(message), [CALL, other]);
  assert.equal(toolUsesOf(message)[0], CALL);
}, { ids: ["PA-09"] });

test("toolResultsOf() gives the results themselves, and is empty for every other message", () => {
  const result = {
    type: "tool_result",
    tool_use_id: "toolu_1",
    content: "a",
  } as const;
  const message: Message = {
    type: "user",
    message: { role: "user", content: [result, { type: "text", text: "b" }] },
    parent_tool_use_id: null,
  };
  assert.deepEqual(toolResultsOf(message), [result]);
  assert.equal(toolResultsOf(message)[0], result);
  assert.deepEqual(toolResultsOf(assistant([CALL])), []);
});

test("wasInterrupted() tells interrupted turns of the recorded runs from all others", async () => {
  const runs = [...(await recordedMessages()).values()].flat();
  // The CLI's output is as published.
  const results = runs.filter(({ type }) =>
    type === "result"
  ) as unknown as readonly ResultMessage[];
  const interrupted = results.filter(wasInterrupted);
  assert.ok(interrupted.length > 0);
  assert.ok(interrupted.length < results.length);
  for (const { subtype, is_error } of interrupted) {
    assert.deepEqual([subtype, is_error], ["error_during_execution", true]);
  }
});
