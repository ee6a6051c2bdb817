import assert from "node:assert/strict";
import { CassetteScrubber } from "../../src/testing/scrub.ts";
import type { JsonValue } from "@sluice/agent";
import { test } from "../_harness.ts";

/** One for a launch without anything secret. */
function plain(scrub?: (text: string) => string): CassetteScrubber {
  return new CassetteScrubber({ args: [], env: {}, cwd: "/" }, scrub);
}

test(
  "CassetteScrubber.value() redacts what stands under telling names, at any depth",
  () => {
    assert.deepEqual(
      plain().value({
        mcpServers: {
          web: {
            url: "http://me:pw@x/?token=abc",
            headers: { Authorization: "abc", "X-Own": "abc", accept: "*" },
          },
          local: {
            args: ["serve", "--api-key", "abc"],
            env: { AWS_SECRET_ACCESS_KEY: "abc", ODD: "abc" },
          },
        },
        settings: { env: { STRIPE_SECRET_KEY: "abc", DB_PASS: "abc" } },
        list: [{ apiKey: "abc" }, { accessToken: "abc" }, {
          OPENAI_KEY: "abc",
        }],
        account: { email: "ada@example.com", organization: "Ada" },
      }),
      {
        mcpServers: {
          web: {
            url: "http://[redacted]@x/?token=[redacted]",
            headers: {
              Authorization: "[redacted]",
              "X-Own": "[redacted]",
              accept: "*",
            },
          },
          local: {
            args: ["serve", "--api-key", "[redacted]"],
            env: { AWS_SECRET_ACCESS_KEY: "[redacted]", ODD: "[redacted]" },
          },
        },
        settings: {
          env: { STRIPE_SECRET_KEY: "[redacted]", DB_PASS: "[redacted]" },
        },
        list: [
          { apiKey: "[redacted]" },
          { accessToken: "[redacted]" },
          { OPENAI_KEY: "[redacted]" },
        ],
        account: { email: "[redacted]", organization: "Ada" },
      },
    );
  },
  { ids: ["E-07"] },
);

test("CassetteScrubber.value() leaves numbers, empty texts, schemas and names that only sound alike", () => {
  const value = {
    max_tokens: 100,
    usage: { input_tokens: 3, output_tokens: 4 },
    apiKeySource: "ANTHROPIC_API_KEY",
    tokenSource: "none",
    progressToken: 2,
    token: "",
    nothing: null,
    keys: [1, true, "text"],
    questions: [{ header: "Auth method", question: "Which?" }],
    thinking: { signature: "EqMDCkYIBhgCKkD" },
    inputSchema: { properties: { token: { type: "string" } } },
  };
  assert.deepEqual(plain().value(value), value);
});

test("CassetteScrubber.text() redacts what looks like a secret wherever it stands", () => {
  const secrets = [
    "sk-ant-api03-abcdefgh_12345",
    "sk_live_abcdefgh12345",
    "ghp_abcdefghijklmnopqrst",
    "github_pat_abcdefghijklmnopqrst",
    "xoxb-1234567890-abc",
    "AKIAABCDEFGHIJKLMNOP",
    "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
    "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
  ];
  for (const secret of secrets) {
    assert.equal(
      plain().text(`before ${secret} after`),
      "before [redacted] after",
    );
  }
  assert.equal(
    plain().text("before Bearer abc.def-ghi after"),
    "before Bearer [redacted] after",
  );
  assert.equal(
    plain().text("https://ada:pw@example.com/x"),
    "https://[redacted]@example.com/x",
  );
});

test(
  "CassetteScrubber.text() redacts what the launch and the lines to the CLI held",
  () => {
    const scrubber = new CassetteScrubber({
      args: ["--api-key", "from-an-argument"],
      env: {
        MY_SECRET: "correct horse",
        SHORT_TOKEN: "abc",
        HOME: "/home/ada",
      },
      cwd: "/",
    });
    scrubber.learn({
      request: { servers: { a: { headers: { "X-A": "header-4711" } } } },
    });
    assert.equal(
      scrubber.text(
        "the correct horse, abc, /home/ada, from-an-argument, header-4711",
      ),
      "the [redacted], abc, /home/ada, [redacted], [redacted]",
    );
  },
  { ids: ["E-07"] },
);

test("CassetteScrubber.args() redacts arguments by flag, and documents", () => {
  assert.deepEqual(
    plain().args([
      "--api-key",
      "abc",
      "--auth-token=abc",
      "--model=m",
      '--mcp-config={"mcpServers":{"a":{"env":{"API_KEY":"abc"}}}}',
      "--settings",
      '{"password":"abc"}',
    ]),
    [
      "--api-key",
      "[redacted]",
      "--auth-token=[redacted]",
      "--model=m",
      "--mcp-config=[redacted]",
      "--settings",
      "[redacted]",
    ],
  );
});

test("CassetteScrubber applies the caller's own rule last", () => {
  const scrubber = plain((text) => text.replaceAll("Ada", "Someone"));
  assert.deepEqual(scrubber.value({ name: "Ada", note: "sk-ant-abcdefgh" }), {
    name: "Someone",
    note: "[redacted]",
  });
  assert.deepEqual(scrubber.args(["--title", "Ada"]), ["--title", "Someone"]);
});

test("CassetteScrubber.value() survives a value without a bottom", () => {
  let deep: JsonValue = "bottom";
  for (let level = 0; level < 50_000; level++) deep = [deep];
  assert.ok(!JSON.stringify(plain().value(deep)).includes("bottom"));
});
