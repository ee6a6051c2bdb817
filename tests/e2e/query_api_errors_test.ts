import assert from "node:assert/strict";
import { type ApiRetryMessage, type Message, textOf } from "@sluice/agent";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import { watchedQuery } from "./_query.ts";
import { inTurns, ofType, realTest } from "./_real.ts";

/** The CLI waits twice as long before each further retry. */
const ONE_RETRY = { CLAUDE_CODE_MAX_RETRIES: "1" };

function retriesOf(messages: readonly Message[]): readonly ApiRetryMessage[] {
  return messages.filter((message) =>
    message.type === "system" && message.subtype === "api_retry"
  ) as readonly ApiRetryMessage[];
}

realTest(
  "requests that the API refuses, cuts or breaks off are tried again: text of a cut belongs to no answer, text before an error is kept",
  [
    { error: { status: 529 } },
    "Let in.",
    // With time between the pieces: a cut takes along what is still on its way.
    { text: "Lost in the middle of it", delayMs: 50, disconnect: true },
    "Recovered.",
    { text: "First half", streamError: true },
    "Second half.",
  ],
  async ({ options, model }) => {
    const all = { ...options, includePartialMessages: true };
    const errors = await inTurns(all, async (turn) => {
      const refused = await turn("Hi");
      const [overload] = retriesOf(refused);
      assert.equal(overload?.error_status, 529);
      assert.equal(overload?.error, "overloaded");
      assert.equal(resultText(ofType(refused, "result")[0]), "Let in.");

      const cut = await turn("Hi");
      const [retry] = retriesOf(cut);
      assert.equal(retry?.error_status, null);
      const deltas = ofType(cut, "stream_event").flatMap(({ event }) =>
        event.type === "content_block_delta" &&
          event.delta.type === "text_delta"
          ? [event.delta.text]
          : []
      );
      assert.equal(deltas[0], "Lost ");
      assert.equal(deltas.at(-1), "Recovered.");
      assert.deepEqual(ofType(cut, "assistant").map(textOf), ["Recovered."]);
      assert.equal(model.requests.length, 4);

      const broken = await turn("Hi");
      const said = ofType(broken, "assistant").map(textOf);
      assert.equal(said[0], "First half");
      assert.equal(said.at(-1), "Second half.");
      assert.equal(ofType(broken, "result")[0]?.is_error, false);
    });
    assert.deepEqual(errors, []);
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
