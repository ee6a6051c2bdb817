import assert from "node:assert/strict";
import {
  type AgentOptions,
  CliExitError,
  textOf,
  type UserInput,
} from "@sluice/agent";
import { collect, rejectionOf } from "../_collect.ts";
import { kindOf, recordedKinds, watchedQuery } from "./_query.ts";
import { ofType, realTest } from "./_real.ts";

/** The one error of a start that the CLI gave up: the same object everywhere, and no message at all. */
async function failedStart(options: AgentOptions): Promise<CliExitError> {
  const { conversation, exits } = watchedQuery("Go", options);
  const error = await rejectionOf(conversation.ready);
  assert.ok(error instanceof CliExitError);
  const [messages, errors] = await Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  assert.deepEqual(messages.items, []);
  assert.equal(messages.error, error);
  assert.equal(errors.items.length, 1);
  assert.equal(errors.items[0], error);
  assert.deepEqual(exits, [1]);
  assert.equal(error.exitCode, 1);
  assert.equal(error.signal, null);
  assert.equal(error.fatal, true);
  await conversation.close();
  assert.equal(conversation.health().state, "gone");
  return error;
}

realTest(
  "the error of a start names command, environment and stderr, and no secret of them",
  ["Never."],
  async ({ options, cliPath, env, model }) => {
    const token = "Bearer very-secret-1234";
    const servers = { web: { type: "http", url: "http://127.0.0.1:1", token } };
    const error = await failedStart({
      ...options,
      env: { ...env, MY_SECRET: "also-secret-5678" },
      extraArgs: {
        "channels": JSON.stringify({ mcpServers: servers }),
        "no-such-flag": "x",
      },
    });
    assert.match(error.stderrTail ?? "", /unknown option '--no-such-flag/);
    assert.match(error.message, /before initialize was answered: exit code 1/);
    assert.match(error.message, /unknown option/);
    assert.equal(error.cliPath, cliPath);
    assert.ok(error.command.includes("--no-such-flag=x"));
    assert.ok(error.command.some((one) => one.startsWith("--channels=")));
    assert.ok(error.environment.includes("MY_SECRET"));
    assert.ok(error.environment.includes("ANTHROPIC_API_KEY"));
    const all = JSON.stringify([error, error.message, error.stack]);
    const { ANTHROPIC_API_KEY: key = "" } = env;
    for (const secret of [token, "also-secret-5678", key]) {
      assert.ok(!all.includes(secret), secret);
    }
    assert.equal(model.requests.length, 0);
  },
  { ids: ["P-01", "Q-01", "Q-04", "Q-09", "E-05", "E-07"] },
);

realTest("without a key the result reports the missing login", [
  "Never.",
], async ({ options, env, model }) => {
  const { conversation, exits } = watchedQuery("Hi", {
    ...options,
    env: { ...env, ANTHROPIC_API_KEY: undefined },
  });
  const { items, error } = await collect(conversation);
  assert.equal(error, undefined);
  assert.deepEqual(items.map(kindOf), await recordedKinds("25-not-logged-in"));
  const [told] = ofType(items, "assistant");
  assert.ok(told !== undefined);
  assert.match(textOf(told), /Not logged in/);
  assert.equal(told.error, "authentication_failed");
  assert.equal(ofType(items, "result")[0]?.is_error, true);
  assert.deepEqual(exits, [1]);
  assert.equal(model.requests.length, 0);
});

realTest(
  "a source without a prompt ends the CLI cleanly, without messages",
  ["Never."],
  async ({ options }) => {
    const { conversation, exits } = watchedQuery(nothing(), options);
    const info = await conversation.ready;
    assert.ok(info.models.length > 0);
    const { items, error } = await collect(conversation);
    assert.equal(error, undefined);
    assert.deepEqual(items, []);
    assert.deepEqual(exits, [0]);
  },
);

async function* nothing(): AsyncGenerator<UserInput> {}
