import assert from "node:assert/strict";
import {
  Client,
  CliExitError,
  ConfigError,
  isRetryable,
  Pool,
  query,
  ResultError,
  SessionNotFoundError,
} from "@sluice/agent";
import { resultText } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { ALLOW, bash, ofType, realTest } from "./_real.ts";

realTest(
  "maxTurns ends a conversation with a result that says so, and no error",
  [
    bash("echo one"),
    bash("echo two"),
    "never said",
  ],
  async ({ options, model }) => {
    const conversation = query("Go", { ...options, ...ALLOW, maxTurns: 2 });
    const [{ items, error }, errors] = await Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    assert.equal(error, undefined);
    assert.deepEqual(errors.items, []);
    const [result] = ofType(items, "result");
    assert.ok(result?.subtype === "error_max_turns");
    assert.match(result.errors.join(), /2/);
    assert.equal(model.requests.length, 2);
    const outputs = await rejectionOf(conversation.output());
    assert.ok(outputs instanceof ResultError, String(outputs));
    assert.equal(outputs.result, result);
  },
);

realTest("maxBudgetUsd ends a conversation with a result that says so", [
  {
    ...bash("echo one"),
    usage: { input_tokens: 1_000_000, output_tokens: 100_000 },
  },
  "never said",
], async ({ options }) => {
  const result = await query("Go", {
    ...options,
    ...ALLOW,
    maxBudgetUsd: 0.01,
  }).result();
  assert.equal(result.subtype, "error_max_budget_usd");
  assert.equal(result.is_error, true);
  assert.ok(result.total_cost_usd > 0.01);
});

realTest(
  "a key that is refused is an error result; text() rejects with it, iteration does not throw",
  [
    { error: { status: 401 }, repeat: true },
  ],
  async ({ options }) => {
    const conversation = query("Go", {
      ...options,
      env: { ...options.env, CLAUDE_CODE_MAX_RETRIES: "0" },
    });
    const { items, error } = await collect(conversation);
    assert.equal(error, undefined);
    const [result] = ofType(items, "result");
    assert.equal(result?.subtype, "success");
    assert.equal(result?.is_error, true);
    const thrown = await rejectionOf(conversation.text());
    assert.ok(thrown instanceof ResultError);
    assert.equal(thrown.result?.is_error, true);
    assert.match(thrown.message, /Invalid API key/);
  },
);

realTest("fallbackModel takes over when the model is overloaded", [
  { error: { status: 529 }, match: { model: "opus" }, repeat: true },
  { text: "From the other.", match: { model: "haiku" }, repeat: true },
], async ({ options }) => {
  const { items } = await collect(query("Go", {
    ...options,
    model: "claude-opus-4-5",
    fallbackModel: "claude-haiku-4-5",
    env: { ...options.env, CLAUDE_CODE_MAX_RETRIES: "3" },
  }));
  const [switched] = ofType(items, "system")
    .filter(({ subtype }) => subtype === "model_fallback");
  assert.ok(switched?.subtype === "model_fallback");
  assert.equal(switched.fallback_model, "claude-haiku-4-5");
  assert.equal(resultText(ofType(items, "result")[0]), "From the other.");
});

realTest(
  "resume with an id that does not exist is a SessionNotFoundError of a conversation, a client and a pool; continue begins a new session",
  ["New."],
  async ({ options }) => {
    const resume = "11111111-2222-4333-8444-555555555555";
    const { items, error } = await collect(query("Go", { ...options, resume }));
    assert.deepEqual(items, []);
    const client = new Client({ ...options, resume });
    const pool = new Pool({ ...options, size: 0 });
    const all = [
      error,
      await rejectionOf(client.connect()),
      await rejectionOf(pool.query("Go", { resume }).text()),
    ];
    for (const one of all) {
      assert.ok(one instanceof SessionNotFoundError, String(one));
      assert.ok(one instanceof CliExitError);
      assert.equal(one.code, "session_not_found");
      assert.equal(one.sessionId, resume);
      assert.match(one.message, /^Session not found: "11111111-.*check the id/);
      assert.match(one.stderrTail, /No conversation found/);
      assert.equal(isRetryable(one), false);
    }
    await client.close();
    await pool.close();
    const text = await query("Go", { ...options, continue: true }).text();
    assert.equal(text, "New.");
  },
);

realTest(
  "both tool lists are a ConfigError before anything starts",
  [],
  async ({ options, model }) => {
    assert.throws(
      () =>
        query("Go", { ...options, allowedTools: "Read", deniedTools: "Bash" }),
      ConfigError,
    );
    await Promise.resolve();
    assert.equal(model.requests.length, 0);
  },
  { ids: ["O-03"] },
);
