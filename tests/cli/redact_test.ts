import assert from "node:assert/strict";
import { redactCommand, Scrubber, showCommand } from "../../src/cli/redact.ts";
import { test } from "../_harness.ts";

test(
  "redactCommand() leaves out documents and secret values, and keeps the rest",
  () => {
    const settings = JSON.stringify({ env: { MY_KEY: "hidden-value-1" } });
    const servers = JSON.stringify({ headers: { "X-A": "hidden-value-2" } });
    const cases: readonly (readonly [string[], string[]])[] = [
      [["--settings", settings], ["--settings", "[redacted]"]],
      [[`--settings=${settings}`], ["--settings=[redacted]"]],
      [["--settings", "/etc/s.json"], ["--settings", "/etc/s.json"]],
      [
        ["--mcp-config", "/a.json", servers, "--verbose"],
        ["--mcp-config", "/a.json", "[redacted]", "--verbose"],
      ],
      [["--api-key", "abc"], ["--api-key", "[redacted]"]],
      [["--my-secret=abc"], ["--my-secret=[redacted]"]],
      [["--db-password", "-x"], ["--db-password", "[redacted]"]],
      [["--token", "--verbose"], ["--token", "--verbose"]],
      [
        ["-e", "ANTHROPIC_API_KEY=abc", "-e", "LANG=C"],
        ["-e", "ANTHROPIC_API_KEY=[redacted]", "-e", "LANG=C"],
      ],
      [
        ["--max-thinking-tokens", "5000", "--model", "m"],
        ["--max-thinking-tokens", "5000", "--model", "m"],
      ],
    ];
    for (const [args, expected] of cases) {
      assert.deepEqual(redactCommand(args), expected);
    }
  },
  { ids: ["E-07"] },
);

test("showCommand() escapes for reading and changes nothing", () => {
  const command = ["/opt/a b/claude", "--flag", 'say "hi"\nthere', ""];
  const copy = [...command];
  assert.equal(
    showCommand(command),
    String.raw`"/opt/a b/claude" --flag "say \"hi\"\nthere" ""`,
  );
  assert.deepEqual(command, copy);
}, { ids: ["E-16"] });

test(
  "Scrubber.scrub() takes out what environment, arguments and configurations hold",
  () => {
    const scrubber = new Scrubber({
      env: {
        ANTHROPIC_API_KEY: "plain-looking-key",
        ANTHROPIC_CUSTOM_HEADERS: "X-Team: blue-team-9\nX-Other: second-header",
        HOME: "/home/somebody",
        MAX_TOKENS: "320000000000",
      },
      args: [
        "--settings",
        '{"env":{"DEPLOY_TOKEN":"in-the-settings"}}',
        "--my-secret",
        "in-an-argument",
      ],
      documents: [{
        docs: {
          url: "https://docs",
          headers: { Authorization: "Bearer bearer-of-docs" },
          env: { DB_PASSWORD: 'quoted"and\\slashed' },
        },
      }],
    });
    const clean = scrubber.scrub([
      "a plain-looking-key b /home/somebody 320000000000 https://docs",
      "blue-team-9 second-header in-the-settings in-an-argument",
      "Bearer bearer-of-docs, bearer-of-docs",
      JSON.stringify({ p: 'quoted"and\\slashed' }),
      encodeURIComponent('quoted"and\\slashed'),
    ].join("\n"));
    assert.equal(
      clean,
      [
        "a [redacted] b /home/somebody 320000000000 https://docs",
        "[redacted] [redacted] [redacted] [redacted]",
        "[redacted], [redacted]",
        '{"p":"[redacted]"}',
        "[redacted]",
      ].join("\n"),
    );
  },
  { ids: ["E-07"] },
);

test("Scrubber.scrub() knows keys by their looks and users of a URL", () => {
  const scrubber = new Scrubber({});
  assert.equal(
    scrubber.scrub("key sk-ant-api03-abcdef bad, Bearer abc.def.123 too"),
    "key [redacted] bad, Bearer [redacted] too",
  );
  assert.equal(
    scrubber.scrub("via http://me:pass@proxy:8080/x"),
    "via http://[redacted]@proxy:8080/x",
  );
  const plain = "Basic functionality of https://host:8080/a@b is fine";
  assert.equal(scrubber.scrub(plain), plain);
}, { ids: ["E-07"] });

test("Scrubber.scrub() recognises the rest of a secret that a tail begins with", () => {
  const scrubber = new Scrubber({ env: { API_KEY: "abcdefghijkl" } });
  assert.equal(scrubber.scrub("fghijkl and more"), "[redacted] and more");
  assert.equal(scrubber.scrub("more"), "more");
});

test(
  "Scrubber.command() also takes a secret out of an ordinary argument",
  () => {
    const scrubber = new Scrubber({ env: { API_KEY: "abcdefghijkl" } });
    assert.deepEqual(
      scrubber.command(["claude", "--title", "my abcdefghijkl"]),
      ["claude", "--title", "my [redacted]"],
    );
  },
  { ids: ["E-07"] },
);
