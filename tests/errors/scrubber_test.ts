import assert from "node:assert/strict";
import { shownOption, withoutSecrets } from "../../src/errors/secrets.ts";
import { Scrubber } from "../../src/errors/scrubber.ts";
import { test } from "../_harness.ts";
import { packed } from "../_planted.ts";

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

test("Scrubber.scrubTail() recognises the rest of a secret that a tail begins with", () => {
  const scrubber = new Scrubber({ env: { API_KEY: "abcdefghijkl" } });
  assert.equal(scrubber.scrubTail("fghijkl and more"), "[redacted] and more");
  assert.equal(scrubber.scrubTail("more"), "more");
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

test("Scrubber.scrub() knows a secret in every dress", () => {
  const secret = 'p&ss "wörd"/+=4711';
  const scrubber = new Scrubber({ env: { DB_PASSWORD: secret } });
  const json = JSON.stringify({ a: secret });
  const inBase64 = packed(secret);
  const dresses = [
    secret,
    json,
    JSON.stringify({ body: json }),
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    new URLSearchParams({ a: secret }).toString(),
    inBase64,
  ];
  for (const dress of dresses.slice(0, -2)) {
    const clean = scrubber.scrub(`before ${dress} after`);
    assert.ok(!clean.includes("4711"), clean);
    assert.match(clean, /^before .*\[redacted\].* after$/);
  }
  assert.equal(scrubber.scrub(inBase64).replace(/=+$/, ""), "[redacted]");
}, { ids: ["E-07"] });

test(
  "Scrubber.scrub() knows a secret wherever it stands in what is packed in base64",
  () => {
    const scrubber = new Scrubber({ env: { API_KEY: "q~?zzz-4711-ü>" } });
    for (let before = 0; before < 9; before++) {
      for (let after = 0; after < 9; after++) {
        const text = packed(
          "u".repeat(before) + "q~?zzz-4711-ü>" + "v".repeat(after),
        );
        for (
          const dress of [text, text.replace(/\+/g, "-").replace(/\//g, "_")]
        ) {
          const clean = scrubber.scrub(`<${dress}>`);
          assert.match(clean, /\[redacted\]/);
          const rest = clean.replace("[redacted]", "").replace(/[<>=]/g, "");
          // Of the signs at its ends half may be left.
          assert.ok(rest.length <= Math.ceil((before + after) * 4 / 3) + 3);
        }
      }
    }
  },
  { ids: ["E-07"] },
);

test(
  "Scrubber.scrub() knows users and passwords of addresses, wherever they stand",
  () => {
    const scrubber = new Scrubber({
      env: { DATABASE_URL: "postgres://ada:lovelace%21@db/x" },
      args: ["postgresql://bob:builder42@db/y", "--header", "X-Key: head-4711"],
      documents: [{
        mcpServers: {
          a: {
            url: new URL("https://me:hunter22@host/mcp?api_key=query-4711&v=1"),
          },
          b: { url: "https://host/s/0a1B2c3D4e5F6a7B8c9D/mcp?t=page" },
          c: {
            env: { ODD: "0a1B2c3D4e5F6a7B8c9Dodd", NODE_ENV: "production" },
          },
          d: { headers: { Authorization: `Basic ${btoa("eve:adams-4711")}` } },
        },
      }],
    });
    const said = [
      "lovelace!",
      "lovelace%21",
      "builder42",
      "head-4711",
      "hunter22",
      btoa("me:hunter22"),
      "query-4711",
      "0a1B2c3D4e5F6a7B8c9D",
      "0a1B2c3D4e5F6a7B8c9Dodd",
      "eve:adams-4711",
      "adams-4711",
    ];
    for (const secret of said) {
      const clean = scrubber.scrub(`<${secret}>`);
      assert.match(clean, /^<\[redacted\]=*>$/, secret);
    }
    const plain = "production of page v=1 on host, ada";
    assert.equal(scrubber.scrub(plain), plain);
  },
  { ids: ["E-07"] },
);

test("Scrubber.scrub() knows the beginning of a secret before the ellipsis of a cut", () => {
  const scrubber = new Scrubber({ env: { API_KEY: "abcdefghijkl" } });
  assert.equal(scrubber.scrub('said "abcdefg…"'), 'said "[redacted]…"');
  assert.equal(scrubber.scrub("said abcdefg"), "said abcdefg");
});

test("Scrubber.learn() takes in what comes later", () => {
  const scrubber = new Scrubber({ env: { API_KEY: "abcdefghijkl" } });
  assert.equal(
    scrubber.scrub("abcdefghijkl later-4711"),
    "[redacted] later-4711",
  );
  scrubber.learn({ documents: [{ a: { token: "later-4711" } }] });
  assert.equal(
    scrubber.scrub("abcdefghijkl later-4711"),
    "[redacted] [redacted]",
  );
});

test("Scrubber survives whatever documents hold", () => {
  const round: Record<string, unknown> = { token: "inside-4711" };
  round.self = round;
  let deep: unknown = "bottom";
  for (let level = 0; level < 50_000; level++) deep = { deep };
  const scrubber = new Scrubber({
    env: { KEY: "\ud800 lone-4711", HUGE_TOKEN: "x".repeat(300_000) },
    documents: [round, deep, null, undefined, () => {}, new Map(), "{broken"],
  });
  assert.equal(scrubber.scrub("inside-4711"), "[redacted]");
});

test(
  "Scrubber.scrub() knows the secrets of a row of assignments, wherever it was given",
  () => {
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ["host=db password=hid-4711 dbname=x", ["hid-4711"]],
      ["host=db password='hid \\'4711' dbname=x", ["hid '4711"]],
      ["password=hid-4711 dbname=x", ["hid-4711"]],
      ["Server=db;Password=hid 4711;Port=1", ["hid 4711"]],
      ['Server=db;Password="hid;""4711";Port=1', ['hid;"4711']],
      ["Driver={A};PWD={hid;4711};X=1", ["hid;4711"]],
      ["jdbc:sqlserver://db;user=u;password=hid-4711", ["hid-4711"]],
      ["jdbc:mysql://db/x?user=u&password=hid-4711", ["hid-4711"]],
      // These begin like JSON.
      ["{ODBC};UID=u;PWD=hid-4711", ["hid-4711"]],
      ["[first] postgres://u:hid-4711@db/x", ["hid-4711"]],
      ["DB_PASS=hid-4711;b c", ["hid-4711;b c"]],
      ["DB_PASS=hid-4711;b=c", ["hid-4711", "hid-4711;b=c"]],
    ];
    for (const [row, secrets] of rows) {
      for (
        const sources of [
          { args: ["serve", row] },
          { args: ["serve", `--dsn-file=${row}`] },
          { env: { WHERE: row } },
          { documents: [{ mcpServers: { a: { args: [row] } } }] },
          { documents: [{ settings: { where: row } }] },
        ]
      ) {
        const scrubber = new Scrubber(sources);
        for (const secret of secrets) {
          assert.equal(scrubber.scrub(`<${secret}>`), "<[redacted]>", row);
        }
        const plain = "host=db dbname=x Server=db Driver";
        assert.equal(scrubber.scrub(plain), plain);
      }
    }
  },
  { ids: ["E-07"] },
);

test(
  "Scrubber.scrub() knows what is secret in a text that is secret as a whole, or JSON",
  () => {
    for (
      const text of [
        '{"type":"service","private_key":"hid-4711"}',
        '["a",{"token":"hid-4711"}]',
        "host=db password=hid-4711",
      ]
    ) {
      for (
        const sources of [
          { env: { CLOUD_CREDENTIALS: text } },
          { env: { CLOUD: text } },
          { args: ["serve", "--token", text] },
          { documents: [{ mcpServers: { a: { env: { A_TOKEN: text } } } }] },
          { documents: [{ mcpServers: { a: { headers: { A: text } } } }] },
        ]
      ) {
        const scrubber = new Scrubber(sources);
        const clean = scrubber.scrub("<hid-4711> of a service on db");
        assert.equal(clean, "<[redacted]> of a service on db", text);
      }
    }
  },
  { ids: ["E-07"] },
);

test("Scrubber judges names and keys as what is shown of an option is judged", () => {
  const key = "abcdefghijklmnop1";
  const schema = { properties: { password: { type: "string" } } };
  const document = { env: { ANY: key }, schema };
  const scrubber = new Scrubber({ documents: [document] });
  assert.equal(scrubber.scrub(`a string, ${key}`), "a string, [redacted]");
  assert.equal(shownOption("model", key), "[redacted]");
  assert.deepEqual(withoutSecrets(schema), schema);
});
