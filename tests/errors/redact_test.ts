import assert from "node:assert/strict";
import { shownOption, withoutSecrets } from "../../src/errors/secrets.ts";
import { redactCommand, showCommand } from "../../src/errors/command_line.ts";
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
      [["--mcp-config", "/a.json", servers, "-v"], [
        ...["--mcp-config", "/a.json", "[redacted]", "-v"],
      ]],
      [["--api-key", "abc"], ["--api-key", "[redacted]"]],
      [["--my-secret=abc"], ["--my-secret=[redacted]"]],
      [["--db-password", "-x"], ["--db-password", "[redacted]"]],
      [["--token", "--verbose"], ["--token", "--verbose"]],
      [["-e", "MY_KEY=abc", "LANG=C"], ["-e", "MY_KEY=[redacted]", "LANG=C"]],
      [["--max-thinking-tokens", "5"], ["--max-thinking-tokens", "5"]],
    ];
    for (const [args, expected] of cases) {
      assert.deepEqual(redactCommand(args), expected);
    }
  },
  { ids: ["E-07"] },
);

test("redactCommand() leaves out the value of an assignment", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["API_KEY=hidden-1", "API_KEY=[redacted]"],
    ["password=hidden-1 host=db", "password=[redacted]"],
    ["PWD=/home/me", "PWD=[redacted]"],
    ["DB_PASS=a;b c", "DB_PASS=[redacted]"],
    ["host=db port=5", "host=db port=5"],
    ["Say token = word; then go on", "Say token = word; then go on"],
    ["use the password=this form", "use the password=this form"],
  ];
  for (const [argument, shown] of cases) {
    assert.deepEqual(redactCommand(["serve", argument]), ["serve", shown]);
  }
}, { ids: ["E-07"] });

test("showCommand() escapes for reading and changes nothing", () => {
  const command = ["/opt/a b/claude", "--flag", 'say "hi"\nthere', ""];
  const copy = [...command];
  assert.equal(
    showCommand(command),
    String.raw`"/opt/a b/claude" --flag "say \"hi\"\nthere" ""`,
  );
  assert.deepEqual(command, copy);
}, { ids: ["E-16"] });

/** Data in which every text with the word "hidden" is redacted, and nothing else. */
const DATA: readonly unknown[] = [
  {
    subtype: "mcp_set_servers",
    servers: {
      docs: {
        url: "http://127.0.0.1/mcp",
        headers: {
          ...{ Authorization: "Bearer hidden", "X-Team": "hidden" },
          Accept: "application/json",
        },
      },
      files: { command: "serve", env: { PLAIN: "hidden", N: 7 } },
    },
    settings: { apiKey: "hidden", model: "opus", maxTokens: "8" },
    list: [{ token: ["hidden", null, true] }],
  },
  {
    inputSchema: { properties: { password: { type: "string" } } },
    usage: { input_tokens: 3 },
  },
  { args: ["--api-key", "hidden", "-H", "X: hidden", "plain"], n: ["a", 7] },
  { args: ["-v", "--token", "hidden", 7] },
  // A tool may have such a field.
  { args: "on" },
];

test(
  "withoutSecrets() leaves out what stands under a telling name, at any depth, and nothing else",
  () => {
    for (const value of DATA) {
      const before = JSON.stringify(value);
      const expected = before.replace(/"[^"]*hidden[^"]*"/g, '"[redacted]"');
      const shown = withoutSecrets(value);
      assert.deepEqual(shown, JSON.parse(expected));
      assert.equal(JSON.stringify(value), before);
      if (before === expected) assert.equal(shown, value);
    }
    assert.deepEqual(
      withoutSecrets({
        args: ["DB_PASS=abc"],
        url: "https://me:pw@host/mcp?token=abc&page=2",
        address: new URL("https://me:pw@host/mcp"),
      }),
      {
        args: ["DB_PASS=[redacted]"],
        url: "https://[redacted]@host/mcp?token=[redacted]&page=2",
        address: "https://[redacted]@host/mcp",
      },
    );
  },
  { ids: ["E-07"] },
);

test("withoutSecrets() leaves out what holds itself or is too deep", () => {
  const round: Record<string, unknown> = { password: "abc" };
  round.self = round;
  assert.deepEqual(withoutSecrets(round), {
    password: "[redacted]",
    self: "[redacted]",
  });
  let deep: unknown = "bottom";
  for (let level = 0; level < 50_000; level++) deep = { deep };
  assert.ok(!JSON.stringify(withoutSecrets(deep)).includes("bottom"));
});

test(
  "shownOption() hides what stands under a telling key, and command lines",
  () => {
    const keys = "env.ANYTHING env mcpServers.a.headers.X-Own apiKey " +
      "mcpServers.a.auth options.dsn list[0].token mcpServers.a.args " +
      "mcpServers.a.args[1] extraArgs cliPath cliPath[1]";
    const line = "serve --token hidden";
    const values = [line, [line], { a: "abc" }, new Map(), 471_147_114];
    for (const key of keys.split(" ")) {
      for (const value of [...values, 471_147_114n]) {
        assert.equal(shownOption(key, value), "[redacted]", key);
      }
      for (const value of [7, undefined, ""]) {
        assert.equal(shownOption(key, value), value);
      }
    }
    const settings = '{"env":{"A":"hidden"}}';
    assert.equal(shownOption("extraArgs.settings", settings), "[redacted]");
    assert.equal(shownOption("cwd", "/tmp"), "/tmp");
    assert.equal(shownOption("outputSchema.properties.token", "x"), "x");
    for (const key of ["mcpServers", "mcpServers.a"]) {
      assert.equal(shownOption(key, line), "[redacted]");
      assert.deepEqual(shownOption(key, { b: { args: line, n: 7 } }), {
        b: { args: "serve --token [redacted]", n: 7 },
      });
    }
  },
  { ids: ["E-07"] },
);
