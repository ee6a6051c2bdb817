import assert from "node:assert/strict";
import { textOf } from "../../src/parse/read.ts";
import { query } from "../../src/query.ts";
import type { Message } from "../../src/types/message.ts";
import type { ApiRetryMessage } from "../../src/types/message_system.ts";
import { collect } from "../_collect.ts";
import { watchedQuery } from "./_query.ts";
import { ofType, realTest } from "./_real.ts";

/** The CLI waits twice as long before each further retry. */
const ONE_RETRY = { CLAUDE_CODE_MAX_RETRIES: "1" };

function retriesOf(messages: readonly Message[]): readonly ApiRetryMessage[] {
  return messages.filter((message) =>
    message.type === "system" && message.subtype === "api_retry"
  ) as readonly ApiRetryMessage[];
}

realTest(
  "a connection that is cut in mid-stream is tried again, and its text belongs to no answer",
  [
    // With time between the pieces: a cut takes along what is still on its way.
    { text: "Lost in the middle of it", delayMs: 50, disconnect: true },
    "Recovered.",
  ],
  async ({ options, model }) => {
    const { items, error } = await collect(query("Hi", {
      ...options,
      includePartialMessages: true,
    }));
    assert.equal(error, undefined);
    const [retry] = retriesOf(items);
    assert.equal(retry?.error_status, null);
    const deltas = ofType(items, "stream_event").flatMap(({ event }) =>
      event.type === "content_block_delta" && event.delta.type === "text_delta"
        ? [event.delta.text]
        : []
    );
    assert.equal(deltas[0], "Lost ");
    assert.equal(deltas.at(-1), "Recovered.");
    assert.deepEqual(ofType(items, "assistant").map(textOf), ["Recovered."]);
    assert.equal(model.requests.length, 2);
  },
);

realTest(
  "an API that cuts every connection is a result with is_error",
  [{ text: "Lost in the middle", disconnect: true, repeat: true }],
  async ({ options, env }) => {
    const result = await query("Hi", {
      ...options,
      env: { ...env, ...ONE_RETRY },
    }).result();
    assert.equal(result.is_error, true);
    assert.equal(result.terminal_reason, "api_error");
  },
);

realTest(
  "an error that the API reports in mid-stream keeps what was said before it",
  [{ text: "First half", streamError: true }, "Second half."],
  async ({ options }) => {
    const { items, error } = await collect(query("Hi", options));
    assert.equal(error, undefined);
    const said = ofType(items, "assistant").map(textOf);
    assert.equal(said[0], "First half");
    assert.equal(said.at(-1), "Second half.");
    assert.equal(ofType(items, "result")[0]?.is_error, false);
  },
);

realTest(
  "a model that does not exist is a result with is_error, and stderr says so",
  [{
    error: { status: 404, message: "model: no-such-model" },
    repeat: true,
  }],
  async ({ options, env }) => {
    const lines: string[] = [];
    const { conversation, exits } = watchedQuery("Hi", {
      ...options,
      env: { ...env, ...ONE_RETRY },
      model: "no-such-model",
      onStderr: (line) => void lines.push(line),
    });
    const { items, error } = await collect(conversation);
    assert.equal(error, undefined, "iteration does not throw");
    const [told] = ofType(items, "assistant");
    assert.equal(told?.message.model, "<synthetic>");
    assert.equal(told.error, "model_not_found");
    const [result] = ofType(items, "result");
    assert.equal(result?.subtype, "success");
    assert.equal(result?.is_error, true);
    assert.equal(result?.terminal_reason, "api_error");
    assert.equal(result?.api_error_status, 404);
    // Exit code 1 only repeats the result.
    assert.deepEqual(exits, [1]);
    assert.deepEqual((await collect(conversation.errors)).items, []);
    assert.ok(lines.some((line) => line.includes("no-such-model")), `${lines}`);
    assert.equal(conversation.health().stderrLines, lines.length);
  },
);
