import assert from "node:assert/strict";
import { checkModel, type ModelReport } from "../../src/command/model_check.ts";
import { test } from "../_harness.ts";

/** The finding as a line: status, text, fix. */
function check(report: Partial<ModelReport>): string {
  const { fix, status, text } = checkModel({
    account: { apiKeySource: "ANTHROPIC_API_KEY", tokenSource: "none" },
    model: "claude-opus-5-5",
    env: { ANTHROPIC_BASE_URL: "http://user:hunter2@gateway/v1" },
    hasCounted: false,
    locate: (...keys) =>
      keys.at(-1) === "ANTHROPIC_BASE_URL" || keys[0] === "apiKeyHelper"
        ? "/s.json:3"
        : undefined,
    ...report,
  });
  const line = `${status} ${text}; ${fix}`;
  assert.doesNotMatch(line, /hunter2/);
  return line;
}

function refusal(status: number, message: string): string {
  const error = { type: "some_error", message };
  return `${status} ${JSON.stringify({ type: "error", error })}`;
}

test("sluice doctor explains why the CLI could not let the model count tokens", () => {
  const cases: readonly (readonly [failure: string, line: RegExp])[] = [
    [
      refusal(401, "invalid x-api-key"),
      /^error http:\/\/gateway refused ANTHROPIC_API_KEY \(401: invalid x-api-key\); correct ANTHROPIC_API_KEY$/,
    ],
    ["401 <html>", /^error .*refused ANTHROPIC_API_KEY \(401\);/],
    [refusal(403, "no access"), /^error .*refused .*\(403: no access\)/],
    ["403 <html>", /^error .*a page \(403\).*; .*log in to the network/],
    ["511 <html>", /^error .*a page \(511\).*; open a page in a browser/],
    [
      "404 <html>no</html>",
      /^error .*is not the address of a model \(404\); correct ANTHROPIC_BASE_URL in \/s\.json:3,/,
    ],
    [refusal(404, "Not found"), /^unproven .*counts no tokens.*; sluice run/],
    [
      refusal(404, "model: claude-opus-5-5"),
      /^error .*has no model "claude-opus-5-5" .*; name another model/,
    ],
    [
      refusal(429, "slow down"),
      /^unproven .*429: slow down\); try again later/,
    ],
    [refusal(529, "Overloaded"), /^unproven .*529: Overloaded\); try again/],
    [
      "Connection error.",
      /^error http:\/\/gateway cannot be reached: Connection error\.; correct ANTHROPIC_BASE_URL in \/s\.json:3, or look at the network/,
    ],
  ];
  for (const [failure, line] of cases) assert.match(check({ failure }), line);
  assert.match(check({}), /^unproven .*did not count tokens.*; open a page in/);
});

test("sluice doctor names the key that a model took, or the login", () => {
  const hasCounted = true;
  const cases = [
    [{}, "ANTHROPIC_API_KEY"],
    [
      {
        account: { apiKeySource: "apiKeyHelper", tokenSource: "apiKeyHelper" },
      },
      "apiKeyHelper in /s.json:3",
    ],
    [{ account: { subscriptionType: "Claude Max" } }, "the login"],
  ] as const;
  for (const [more, key] of cases) {
    assert.equal(
      check({ hasCounted, ...more }),
      `ok claude-opus-5-5 at http://gateway counts tokens and took ${key}; undefined`,
    );
  }
  assert.match(
    check({ hasCounted, helperFailure: "exited 3" }),
    /^error apiKeyHelper in \/s\.json:3 failed: exited 3; run its command/,
  );
  const token = { account: { tokenSource: "CLAUDE_CODE_OAUTH_TOKEN" } };
  const failure = refusal(401, "expired");
  assert.match(check({ failure, ...token }), /; .*claude setup-token$/);
  assert.match(check({ failure, account: {} }), /refused the login .*\/login/);
});

test("sluice doctor leaves other providers unproven, and says nothing of an address without a key", () => {
  for (const apiProvider of ["bedrock", "vertex"] as const) {
    const line = check({ account: { apiProvider }, hasCounted: true });
    assert.match(line, new RegExp(`^unproven .*of ${apiProvider} were not`));
  }
  const account = { tokenSource: "none" };
  for (const failure of ["Could not resolve it", refusal(401, "no key")]) {
    assert.match(check({ failure, account }), /^note .*there is no key/);
  }
  for (const url of ["user:hunter2@gateway", "ftp://gateway"]) {
    const line = check({ env: { ANTHROPIC_BASE_URL: url } });
    assert.match(line, /^error .*is no address; write .*s\.json:3 as https:/);
  }
});
