import assert from "node:assert/strict";
import { isSecretName, scrubbed } from "../../src/errors/secrets.ts";
import type { JsonValue } from "../../src/types/json.ts";
import { test } from "../_harness.ts";

test("isSecretName() knows keys, tokens and the like, in every spelling", () => {
  const secret = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "ANTHROPIC_CUSTOM_HEADERS",
    "GITHUB_PAT",
    "PGPASSWORD_PASSWORD",
    "api-key",
    "authToken",
    "apiKey",
    "X-Api-Key",
    "Authorization",
    "clientSecret",
    "Set-Cookie",
    "DB_PASS",
    "ADMIN_TOKEN",
    "ACCOUNT_TOKEN",
    "MINIO_TOKEN",
    "INPUT_GITHUB_TOKEN",
    "PGPASSWORD",
    "DBPASSWORD",
    "MYSQL_PWD",
    "SSHPASS",
    "TOKEN1",
    "API_KEY_2",
    "GITHUB_TOKENS",
    "STRIPE_SECRET_KEY",
    "OPENAI_KEY",
    "OPENAIAPIKEY",
    "privateKey",
    "X-Auth",
    "auth",
    "bearer",
    "dsn",
    "SENTRY_DSN",
    "connectionString",
    "npm_config_//registry.example/:_authToken",
  ];
  for (const name of secret) assert.equal(isSecretName(name), true, name);
  const plain = [
    "PATH",
    "HOME",
    "PWD",
    "OLDPWD",
    "KEYBOARD",
    "GIT_AUTHOR_NAME",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "max-thinking-tokens",
    "ANTHROPIC_BASE_URL",
    "TOKENIZER",
    "permission-mode",
    "model",
    "MAX_OUTPUT_TOKENS",
    "maxTokens",
    "input_tokens",
    "cache_creation_input_tokens",
    "tokenCount",
    "TOKEN_LIMIT",
    "apiKeySource",
    "apiKeyHelper",
    "progressToken",
    "TOKEN_FILE",
    "AUTH_URL",
    "allowBypass",
    "compass",
    "author",
    "monkey",
    "signature",
    "header",
  ];
  for (const name of plain) assert.equal(isSecretName(name), false, name);
});

test(
  "scrubbed() cleans texts at any depth, and gives what is clean as it is",
  () => {
    const scrub = (text: string) => text.replaceAll("secret", "x");
    const clean = { a: ["b", 1, null, { c: true }] };
    assert.equal(scrubbed(clean, scrub), clean);
    assert.equal(scrubbed(clean, undefined), clean);
    const dirty = { secret: 1, a: [{ b: "my secret" }, "c"], d: clean };
    const after = scrubbed(dirty, scrub);
    assert.deepEqual(after, { secret: 1, a: [{ b: "my x" }, "c"], d: clean });
    assert.equal(after.d, clean);
    assert.equal(scrubbed("secret", scrub), "x");
  },
  { ids: ["E-07"] },
);

test("scrubbed() leaves out what is too deep to be looked through", () => {
  let deep: JsonValue = "secret";
  for (let level = 0; level < 50_000; level++) deep = [deep];
  const text = JSON.stringify(scrubbed(deep, (one) => one));
  assert.ok(text.includes("[redacted]"));
  assert.ok(!text.includes("secret"));
});
