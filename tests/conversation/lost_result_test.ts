import assert from "node:assert/strict";
import { CliExitError } from "../../src/errors/cli.ts";
import { query } from "../../src/query.ts";
import { fakeCli } from "../../src/testing/fake_cli.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";

for (const kind of ["text", "source"] as const) {
  test(`a ${kind} prompt whose result was too long ends when the CLI is idle, without a result`, async () => {
    const fake = fakeCli([["said", { result: "x".repeat(20_000) }]]);
    async function* prompts(): AsyncGenerator<string> {
      yield "Go";
    }
    const conversation = query(kind === "text" ? "Go" : prompts(), {
      cliPath: fake.cliPath,
      limits: { maxMessageBytes: 10_000 },
    });
    const { items, error } = await collect(conversation);
    assert.ok(items.some(({ type }) => type === "assistant"));
    assert.ok(error instanceof CliExitError);
    assert.match(error.message, /without a result: exit code 0/);
    const { items: errors } = await collect(conversation.errors);
    assert.deepEqual(errors.map(({ code }) => code), [
      "message_too_large",
      "cli_exit",
    ]);
    await fake.close();
  });
}
