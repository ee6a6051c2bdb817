import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@sluice/agent/testing";
import { checkModel } from "../../src/command/model_check.ts";
import type { ModelPlace } from "../../src/command/model_credentials.ts";
import { host, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { type Answer, says, withAddress } from "./_model.ts";

const KEY = "planted-0123456789-of-no-known-form";

function refusal(status: number, type: string, message: string): Answer {
  return says(status, { type: "error", error: { type, message } });
}

/** One answer for counting, another for prompts. */
function both(count: Answer, prompt: Answer): Answer {
  return (request, response, body) =>
    (request.url?.includes("count_tokens") ? count : prompt)(
      request,
      response,
      body,
    );
}

async function check(
  env: Readonly<Record<string, string>>,
  more: Partial<ModelPlace> = {},
) {
  const self = await host();
  const found = await checkModel({
    host: { ...self, env: () => ({}) },
    env: { ANTHROPIC_API_KEY: KEY, PATH: "/usr/bin:/bin", ...env },
    cwd: tmpdir(),
    account: { apiKeySource: "ANTHROPIC_API_KEY", tokenSource: "none" },
    model: "claude-opus-5-5",
    locate: () => undefined,
    ...more,
  });
  assert.doesNotMatch(JSON.stringify(found), /planted-0123|hunter2/);
  return { ...found, line: `${found.status} ${found.text}; ${found.fix}` };
}

const NO_COUNT = refusal(404, "not_found_error", "Not found");
const DEAD = "http://127.0.0.1:9";

/** An answer at the address, and the finding: status, text, fix. */
const PLANTED: Readonly<Record<string, readonly [Answer, RegExp]>> = {
  "a model": [
    says(200, { input_tokens: 8 }),
    /^ok .* took ANTHROPIC_API_KEY;/,
  ],
  "a wrong key": [
    refusal(401, "authentication_error", `invalid x-api-key ${KEY}`),
    /^error .*refused ANTHROPIC_API_KEY \(401\): invalid x-api-key \[redacted\]; correct ANTHROPIC_API_KEY$/,
  ],
  "a wrong key, refused in HTML": [
    says(401, "<html>"),
    /^error .*refused ANTHROPIC_API_KEY \(401\); correct ANTHROPIC_API_KEY$/,
  ],
  "a key without rights": [
    refusal(403, "permission_error", "no access"),
    /^error .*\(403\): no access; .*ANTHROPIC_API_KEY/,
  ],
  "a firewall": [says(403, "<html>"), /^error .*a page \(403.*; .*browser/],
  "a captive portal": [
    says(200, "<html>Welcome to our hotel</html>"),
    /^error .*a page \(200 text\/html\).*; .*log in to the network, or correct ANTHROPIC_BASE_URL/,
  ],
  "a captive portal that redirects": [
    says(302, "", { location: "http://127.0.0.1:9/login" }),
    /^error .*a redirect \(302.*; .*log in to the network/,
  ],
  "a portal with a status of its own": [
    says(511, "<html>"),
    /^error .*511.*; .*browser/,
  ],
  "JSON of another service": [says(200, { hello: 1 }), /^error .*\(200/],
  "a 404": [
    says(404, "<html>not here</html>"),
    /^error .*is not the address of a model: 404.*; correct ANTHROPIC_BASE_URL$/,
  ],
  "a gateway that counts no tokens": [
    both(NO_COUNT, refusal(400, "invalid_request_error", "model: required")),
    /^unproven .*counts no tokens, so the key was not tried; sluice run/,
  ],
  "a gateway that counts no tokens and refuses the key": [
    both(NO_COUNT, refusal(401, "authentication_error", "who are you")),
    /^error .*refused ANTHROPIC_API_KEY \(401\): who are you; .*ANTHROPIC_API_KEY/,
  ],
  "an unknown model": [
    refusal(404, "not_found_error", "model: claude-opus-5-5"),
    /^error .*has no model "claude-opus-5-5".*; name another model/,
  ],
  "a rate limit": [
    refusal(429, "rate_limit_error", "slow down"),
    /^unproven .*429: slow down; .*later/,
  ],
  "an overload": [
    refusal(529, "overloaded_error", "Overloaded"),
    /^unproven .*529: Overloaded; .*later/,
  ],
  "a connection that breaks": [
    (_request, response) => void response.destroy(),
    /^error .*cannot be reached.*; correct ANTHROPIC_BASE_URL/,
  ],
};

for (const [name, [plant, expected]] of Object.entries(PLANTED)) {
  test(`sluice doctor recognizes ${name} at the model's address`, async () => {
    await withAddress(plant, async (url) => {
      assert.match((await check({ ANTHROPIC_BASE_URL: url })).line, expected);
    });
  });
}

test("sluice doctor recognizes addresses that are refused, unknown, malformed, or behind a proxy", async () => {
  const cases = [
    [DEAD, /^error .*cannot be reached/],
    ["http://no-such-host.invalid", /^error .*cannot be reached/],
    ["user:hunter2@gateway", /^error .*is no address/],
    ["ftp://gateway", /^error .*is no address/],
  ] as const;
  for (const [url, expected] of cases) {
    const { line } = await check({ ANTHROPIC_BASE_URL: url });
    assert.match(line, expected);
    assert.match(line, /; .*ANTHROPIC_BASE_URL/);
  }
  const behind = await check({
    ANTHROPIC_BASE_URL: DEAD,
    HTTP_PROXY: "http://user:hunter2@127.0.0.1:9",
  });
  assert.match(
    behind.line,
    /^unproven .*127\.0\.0\.1:9 was not reached .* uses HTTP_PROXY/,
  );
});

test("sluice doctor waits 10 s for a model and its whole answer, and no longer", async () => {
  for (
    const [waited, text] of [[9_999, /^ok /], [10_000, /10000 ms/]] as const
  ) {
    for (const begins of [true, false]) {
      const clock = new FakeClock();
      await withAddress(async (_request, response) => {
        if (begins) response.write(" ");
        await clock.advance(waited);
        response.end('{"input_tokens":1}');
      }, async (url) => {
        const found = await check({ ANTHROPIC_BASE_URL: url }, { clock });
        assert.match(found.line, text);
      });
    }
  }
});

/** The credentials that the address got. */
async function sent(
  env: Readonly<Record<string, string>>,
  more: Partial<ModelPlace> = {},
) {
  let headers: IncomingHttpHeaders = {};
  let status = "";
  await withAddress((request, response, body) => {
    headers = request.headers;
    assert.match(request.url ?? "", /^\/v1\/messages\/count_tokens\?/);
    assert.equal(JSON.parse(body).model, "claude-opus-5-5");
    response.end('{"input_tokens":1}');
  }, async (url) => {
    const base = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: `${url}/` };
    ({ status } = await check({ ...base, ...env }, more));
  });
  const { "x-api-key": key, authorization, "anthropic-beta": beta } = headers;
  return { status, headers, sent: [key, authorization, beta] };
}

test(
  "sluice doctor sends the credentials that the CLI was seen to send",
  async () => {
    const key = { ANTHROPIC_API_KEY: "a-key" };
    const token = { ANTHROPIC_AUTH_TOKEN: "a-token" };
    const login = { account: { tokenSource: "CLAUDE_CODE_OAUTH_TOKEN" } };
    const helper = { apiKeyHelper: "echo helped" };
    const none = undefined;
    for (
      const [env, more, expected] of [
        [key, {}, ["a-key", none, none]],
        [{ ...key, ...token }, {}, ["a-key", "Bearer a-token", none]],
        [{}, helper, ["helped", "Bearer helped", none]],
        [token, helper, ["helped", "Bearer a-token", none]],
        [
          { CLAUDE_CODE_OAUTH_TOKEN: "oat" },
          login,
          [none, "Bearer oat", "oauth-2025-04-20"],
        ],
      ] as const
    ) assert.deepEqual((await sent(env, more)).sent, expected);
    const { headers } = await sent({
      ...key,
      ANTHROPIC_CUSTOM_HEADERS: "X-Team: one\nX-Other: two: three",
    });
    assert.equal(headers["x-team"], "one");
    assert.equal(headers["x-other"], "two: three");
  },
  { skip: needsShell },
);

test("sluice doctor tries the login of the CLI's file while it is valid", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-login-"));
  try {
    const more = { account: {}, configFolder: folder };
    const path = join(folder, ".credentials.json");
    const write = (expiresAt: number) => {
      const claudeAiOauth = { accessToken: "oat", expiresAt };
      return writeFile(path, JSON.stringify({ claudeAiOauth }));
    };
    await write(Date.now() + 3_600_000);
    assert.equal((await sent({}, more)).headers.authorization, "Bearer oat");
    await write(Date.now() - 1);
    assert.equal((await sent({}, more)).status, "unproven");
    await rm(path);
    assert.equal((await sent({}, more)).status, "unproven");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("sluice doctor leaves Bedrock and Vertex unproven, and without a key still tries the address", async () => {
  for (const apiProvider of ["bedrock", "vertex"] as const) {
    const account = { apiProvider };
    const { line } = await check({ ANTHROPIC_BASE_URL: DEAD }, { account });
    assert.match(line, new RegExp(`^unproven .*of ${apiProvider} were not`));
  }
  const account = { tokenSource: "none" };
  const refused = refusal(401, "authentication_error", "x-api-key is required");
  await withAddress(refused, async (url) => {
    const env = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: url };
    const { line } = await check(env, { account });
    assert.match(line, /^note .*there is no key to try/);
  });
});

test(
  "sluice doctor names an apiKeyHelper that fails, prints nothing, or prints more than a key",
  async () => {
    const cases = [
      ["exit 3", "exit code 3"],
      ["true", "it prints nothing"],
      ["echo Please log in", "it prints more than a key"],
    ] as const;
    for (const [apiKeyHelper, problem] of cases) {
      const { line } = await check({ ANTHROPIC_API_KEY: "" }, {
        apiKeyHelper,
        locate: (key) => key === "apiKeyHelper" ? "/s.json:4" : undefined,
      });
      const text = `error apiKeyHelper in /s.json:4 failed: ${problem};`;
      assert.ok(line.startsWith(text), line);
    }
  },
  { skip: needsShell },
);
