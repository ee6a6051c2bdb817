import assert from "node:assert/strict";
import { shownOption, withoutSecrets } from "../../src/errors/secrets.ts";
import { Scrubber } from "../../src/errors/scrubber.ts";
import type { SecretSources } from "../../src/errors/secret_sources.ts";
import { test } from "../_harness.ts";

/** Where secrets come from, and those that are then redacted. */
const SOURCES: Readonly<
  Record<string, readonly [SecretSources, readonly string[]]>
> = {
  "variables": [{
    env: {
      ANTHROPIC_API_KEY: "plain-looking-key",
      ANTHROPIC_CUSTOM_HEADERS: "X-A: blue-team-9\nX-B: second-header",
      CLOUD: '{"type":"service","private_key":"in-a-document"}',
    },
  }, ["plain-looking-key", "blue-team-9", "second-header", "in-a-document"]],
  "arguments": [{
    args: [
      ...["--settings", '{"env":{"DEPLOY_TOKEN":"in-the-settings"}}'],
      ...["--my-secret", "in-an-argument", "--header", "X-Key: head-4711"],
      "DB_PASS=whole ; value",
    ],
  }, ["in-the-settings", "in-an-argument", "head-4711", "whole ; value"]],
  "configurations": [{
    documents: [{
      headers: {
        Authorization: `Basic ${btoa("eve:adams-4711")}`,
        "X-Own": "Bearer bearer-of-docs",
      },
      env: { DB_PASSWORD: "s3cret-of-db", ODD: "0a1B2c3D4e5F6a7B8c9Dodd" },
      deep: [{ args: ["--token", "in-a-list"], pin: 1, apiKey: 471_147_114 }],
    }],
  }, [
    ...[btoa("eve:adams-4711"), "eve:adams-4711", "adams-4711", "471147114"],
    ...["Bearer bearer-of-docs", "bearer-of-docs", "s3cret-of-db"],
    ...["0a1B2c3D4e5F6a7B8c9Dodd", "in-a-list"],
  ]],
  "headers of telemetry": [{
    env: {
      OTEL_EXPORTER_OTLP_HEADERS:
        "x-team=blue-team-9, authorization=Bearer%20from-a-pair",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: `Authorization=Basic ${
        btoa("eve:adams-4711")
      }`,
    },
  }, [
    ...["blue-team-9", "Bearer%20from-a-pair", "from-a-pair"],
    ...[btoa("eve:adams-4711"), "adams-4711"],
  ]],
  "addresses": [{
    env: { DATABASE_URL: "postgres://ada:lovelace%21@db/x" },
    args: ["postgresql://bob-the-builder@db/y"],
    documents: [
      new URL("https://me:hunter22@host/mcp?api_key=query-4711&v=1"),
      "see https://host/s/0a1B2c3D4e5F6a7B8c9D/mcp?t=page",
    ],
  }, [
    ...["lovelace!", "lovelace%21", "bob-the-builder", "hunter22"],
    ...[btoa("me:hunter22"), "query-4711", "0a1B2c3D4e5F6a7B8c9D"],
  ]],
  "assignments": [{
    env: { A: "DB_PASSWORD=env-4711" },
    args: ["serve", "-e", "API_KEY=args-4711"],
    documents: [{ at: "pwd=docs 4711" }],
  }, ["env-4711", "args-4711", "docs 4711"]],
};

test(
  "Scrubber.scrub() redacts what each source holds, and nothing else",
  () => {
    for (const [name, [sources, secrets]] of Object.entries(SOURCES)) {
      const scrubber = new Scrubber(sources);
      for (const secret of secrets) {
        const clean = scrubber.scrub(`<${secret}>`).replace(/=+>/, ">");
        assert.equal(clean, "<[redacted]>", `${name}: ${secret}`);
      }
      const plain =
        "host=db dbname=x, page of service v=1, ada, Server, 320000";
      assert.equal(scrubber.scrub(plain), plain, name);
    }
  },
  { ids: ["E-07"] },
);

test("Scrubber ignores values that count something, short ones and prose", () => {
  const scrubber = new Scrubber({
    env: { MAX_TOKENS: "320000000000", PIN_TOKEN: "12345", HOME: "/home/ada" },
    documents: [{ prompt: "Sort by key=created_at; then go on" }],
  });
  const text = "320000000000 12345 /home/ada created_at";
  assert.equal(scrubber.scrub(text), text);
});

test("Scrubber.scrub() redacts a secret between and at escapes as a whole", () => {
  const secret = "é-secret-4711-😀";
  const scrubber = new Scrubber({ env: { A_TOKEN: secret } });
  const inUrl = encodeURIComponent(secret);
  const inHtml = secret.replace("é", "&#233;").replace("😀", "&#x1f600;");
  for (
    const [text, shown] of [
      [`%25${inUrl}%25`, "%25[redacted]%25"],
      [`&lt;${inHtml}&#9999999999;&gt;`, "&lt;[redacted]&#9999999999;&gt;"],
      [`&#9999999;${inHtml}`, "&#9999999;[redacted]"],
      [`\n\n${inUrl}\n\n${secret}\n`, "\n\n[redacted]\n\n[redacted]\n"],
      [`%C3${inUrl}%`, "%C3[redacted]%"],
    ] as const
  ) assert.equal(scrubber.scrub(text), shown);
});

test("Scrubber.learn() adds secrets that came later", () => {
  const scrubber = new Scrubber({ env: { API_KEY: "abcdefghijkl" } });
  const text = "abcdefghijkl later-4711";
  assert.equal(scrubber.scrub(text), "[redacted] later-4711");
  scrubber.learn({ documents: [{ a: { token: "later-4711" } }] });
  assert.equal(scrubber.scrub(text), "[redacted] [redacted]");
});

test("Scrubber.scrub() redacts overlapping secrets as one", () => {
  const scrubber = new Scrubber({
    env: { A_TOKEN: "abcdefgh", B_TOKEN: "efghijkl", C_TOKEN: "cdefgh" },
  });
  assert.equal(scrubber.scrub("<abcdefghijkl>"), "<[redacted]>");
});

test(
  "Scrubber.scrub() returns soon for hostile texts, and still finds the secret behind them",
  () => {
    const scrubber = new Scrubber({
      env: {
        A_TOKEN: "aaaaaaaaaaab",
        B_TOKEN: `b${"a".repeat(5_000)}`,
        C_TOKEN: "hid-4711-secret",
      },
    });
    const units = [
      ...["a", "a-", "%41", "%25", "\\", "\\u", "&#", "&#x41;", "+", "\n "],
      ...[
        "?a=",
        "sk-",
        "eyJaaaaaaaa.",
        "://",
        "bearer ",
        'a="',
        "-----BEGIN A ",
      ],
    ];
    for (const unit of units) {
      // Expressions without an upper bound ran out of stack; time that grows with the square is minutes at half a million.
      const size = unit === "sk-" ? 10_000_000 : 500_000;
      const text = unit.repeat(size / unit.length);
      const startedAt = performance.now();
      const clean = scrubber.scrub(`${text} hid-4711-secret`);
      const seconds = (performance.now() - startedAt) / 1_000;
      assert.ok(clean.endsWith("[redacted]"), `${unit}: ${clean.slice(-50)}`);
      assert.ok(seconds < 20, `${unit}: ${seconds} s`);
    }
  },
  { timeoutMs: 120_000 },
);

test("Scrubber survives hostile documents, names and secrets", () => {
  const round: Record<string, unknown> = { token: "inside-4711" };
  round.self = round;
  let deep: unknown = "bottom";
  for (let level = 0; level < 50_000; level++) deep = { deep };
  const long = { [`${"1".repeat(1_000_000)}a`]: "a.".repeat(1_000_000) };
  const scrubber = new Scrubber({
    env: { KEY: "\ud800 lone-4711", HUGE_TOKEN: "x".repeat(300_000) },
    documents: [
      ...[round, deep, long, null, undefined, () => {}, new Map(), "{broken"],
      `://${"a.".repeat(1_000_000)}`,
      " ".repeat(10_000_000),
    ],
  });
  assert.equal(scrubber.scrub("inside-4711"), "[redacted]");
});

test("Scrubber judges names and keys as what is shown of an option is judged", () => {
  const key = "abcdefghijklmnop1";
  const schema = { properties: { password: { type: "string" } } };
  const scrubber = new Scrubber({ documents: [{ env: { ANY: key }, schema }] });
  assert.equal(scrubber.scrub(`a string, ${key}`), "a string, [redacted]");
  assert.equal(shownOption("model", key), "[redacted]");
  assert.deepEqual(withoutSecrets(schema), schema);
});
