import assert from "node:assert/strict";
import { Scrubber } from "../../src/testing/scrub.ts";
import { test } from "../_harness.ts";

const JWT = "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4";

test("Scrubber.value() redacts fields with telling names, at any depth", () => {
  const scrubber = new Scrubber({});
  assert.deepEqual(
    scrubber.value({
      mcpServers: {
        web: {
          url: "http://x/",
          headers: { Authorization: "abc", accept: "*" },
        },
        local: { env: { GITHUB_TOKEN: "abc", PATH: "/bin", DB_PASSWORD: "p" } },
      },
      list: [{ apiKey: "abc" }, { accessToken: "abc" }],
      account: { email: "ada@example.com", organization: "Ada" },
    }),
    {
      mcpServers: {
        web: {
          url: "http://x/",
          headers: { Authorization: "[redacted]", accept: "*" },
        },
        local: {
          env: {
            GITHUB_TOKEN: "[redacted]",
            PATH: "/bin",
            DB_PASSWORD: "[redacted]",
          },
        },
      },
      list: [{ apiKey: "[redacted]" }, { accessToken: "[redacted]" }],
      account: { email: "[redacted]", organization: "Ada" },
    },
  );
});

test("Scrubber.value() leaves numbers, empty texts and names that only sound alike", () => {
  const value = {
    max_tokens: 100,
    usage: { input_tokens: 3, output_tokens: 4 },
    apiKeySource: "ANTHROPIC_API_KEY",
    tokenSource: "none",
    progressToken: 2,
    token: "",
    nothing: null,
    keys: [1, true, "text"],
  };
  assert.deepEqual(new Scrubber({}).value(value), value);
});

test("Scrubber.text() redacts what looks like a secret wherever it stands", () => {
  const secrets = [
    "sk-ant-api03-abcdefgh_12345",
    "Bearer abc.def-ghi",
    "ghp_abcdefghijklmnopqrst",
    "github_pat_abcdefghijklmnopqrst",
    "xoxb-1234567890-abc",
    "AKIAABCDEFGHIJKLMNOP",
    JWT,
    "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
  ];
  for (const secret of secrets) {
    assert.equal(
      new Scrubber({}).text(`before ${secret} after`),
      "before [redacted] after",
    );
  }
  assert.equal(
    new Scrubber({}).text("https://ada:pw@example.com/x"),
    "https://[redacted]@example.com/x",
  );
});

test("Scrubber.text() redacts the values of secret variables", () => {
  const scrubber = new Scrubber({
    MY_SECRET: "correct horse",
    SHORT_TOKEN: "abc",
    HOME: "/home/ada",
  });
  assert.equal(
    scrubber.text("the correct horse, abc, /home/ada"),
    "the [redacted], abc, /home/ada",
  );
});

test("Scrubber.args() redacts arguments by flag and inside JSON", () => {
  assert.deepEqual(
    new Scrubber({}).args([
      "--api-key",
      "abc",
      "--auth-token=abc",
      "--model=m",
      '--mcp-config={"mcpServers":{"a":{"env":{"API_KEY":"abc"}}}}',
      '{"password":"abc"}',
      "{no json",
    ]),
    [
      "--api-key",
      "[redacted]",
      "--auth-token=[redacted]",
      "--model=m",
      '--mcp-config={"mcpServers":{"a":{"env":{"API_KEY":"[redacted]"}}}}',
      '{"password":"[redacted]"}',
      "{no json",
    ],
  );
});

test("Scrubber applies the caller's own rule last", () => {
  const scrubber = new Scrubber(
    {},
    (text) => text.replaceAll("Ada", "Someone"),
  );
  assert.deepEqual(scrubber.value({ name: "Ada", key: "sk-ant-abcdefgh" }), {
    name: "Someone",
    key: "[redacted]",
  });
});
