import assert from "node:assert/strict";
import { isSecretName } from "../../src/errors/secret_names.ts";
import { test } from "../_harness.ts";

const SECRET = `
  ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN
  AWS_SECRET_ACCESS_KEY ANTHROPIC_CUSTOM_HEADERS GITHUB_PAT
  PGPASSWORD_PASSWORD api-key authToken apiKey X-Api-Key Authorization
  clientSecret Set-Cookie DB_PASS ADMIN_TOKEN ACCOUNT_TOKEN MINIO_TOKEN
  INPUT_GITHUB_TOKEN PGPASSWORD DBPASSWORD MYSQL_PWD SSHPASS SSH_PASSPHRASE
  TOKEN1 API_KEY_2 GITHUB_TOKENS STRIPE_SECRET_KEY OPENAI_KEY OPENAIAPIKEY
  privateKey X-Auth auth bearer dsn SENTRY_DSN connectionString
  npm_config_//registry.example/:_authToken
`;
const PLAIN = `
  PATH HOME PWD OLDPWD KEYBOARD GIT_AUTHOR_NAME CLAUDE_CODE_MAX_OUTPUT_TOKENS
  max-thinking-tokens ANTHROPIC_BASE_URL TOKENIZER permission-mode model
  MAX_OUTPUT_TOKENS maxTokens input_tokens cache_creation_input_tokens
  tokenCount TOKEN_LIMIT apiKeySource apiKeyHelper progressToken TOKEN_FILE
  AUTH_URL allowBypass compass author monkey signature header
`;

test("isSecretName() knows keys, tokens and the like, in every spelling", () => {
  for (const [names, expected] of [[SECRET, true], [PLAIN, false]] as const) {
    for (const name of names.trim().split(/\s+/)) {
      assert.equal(isSecretName(name), expected, name);
    }
  }
});
