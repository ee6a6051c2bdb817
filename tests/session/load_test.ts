import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigError, SessionFormatError } from "@sluice/agent";
import {
  type LoadOptions,
  loadSession,
  type Session,
} from "@sluice/agent/session";
import { toPath } from "../../src/session/files.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import { withFolder } from "./_chats.ts";

const HEADER =
  '{"type":"session.header","version":1,"id":"s1","created":"2026-01-02T03:04:05.000Z"}';

function said(content: string): string {
  return JSON.stringify({
    type: "session.message",
    message: { role: "user", content },
  });
}

/** What became of a file. */
interface Loaded {
  readonly session: Session | undefined;
  readonly error: unknown;
  readonly skipped: readonly (readonly [line: number, reason: string])[];
}

async function load(
  data: string | Uint8Array,
  options: LoadOptions = {},
): Promise<Loaded> {
  const skipped: [number, string][] = [];
  let session: Session | undefined;
  let error: unknown;
  await withFolder(async (folder) => {
    const path = join(folder, "a.jsonl");
    await writeFile(path, data);
    const loading = loadSession(path, {
      onSkip: (line, reason) => skipped.push([line, reason]),
      ...options,
    });
    try {
      session = await loading;
    } catch (thrown) {
      error = thrown;
    }
  });
  return { session, error, skipped };
}

function texts(session: Session | undefined): readonly unknown[] | undefined {
  return session?.messages.map(({ content }) => content);
}

/** What `loadSession()` does with each, as it is and with `lenient`. */
async function assertMalformed(
  lines: readonly string[],
  line: number,
  reason: RegExp,
): Promise<void> {
  const text = `${lines.join("\n")}\n`;
  const { error, skipped } = await load(text);
  assert.ok(error instanceof SessionFormatError, `${lines}: ${error}`);
  assert.equal(error.line, line);
  assert.match(error.message, reason);
  assert.ok(error.message.includes(`line ${line}: `));
  assert.deepEqual(skipped, []);
  const mild = await load(text, { lenient: true });
  assert.deepEqual(texts(mild.session), ["one", "two"], `${mild.error}`);
  assert.deepEqual(mild.skipped.map(([number]) => number), [line]);
  assert.match(mild.skipped[0]?.[1] ?? "", reason);
}

test("loadSession() skips unknown types and tells onSkip", async () => {
  const future = '{"type":"session.future","x":1}';
  const text = [HEADER, said("one"), future, said("two")].join("\n");
  for (const lenient of [false, true]) {
    const { session, skipped } = await load(`${text}\n`, { lenient });
    assert.deepEqual(texts(session), ["one", "two"]);
    assert.deepEqual(skipped, [
      [3, 'unknown type "session.future", kept for saving'],
    ]);
  }
}, { ids: ["S-11"] });

test(
  "loadSession() refuses a line without a type, and with an empty one",
  async () => {
    for (
      const [line, reason] of [
        ["{}", /"type" is missing/],
        ['{"message":{"role":"user","content":"x"}}', /"type" is missing/],
        [
          '{"type":"","message":{}}',
          /"type" must be a text that is not empty: ""/,
        ],
        ['{"type":null}', /"type" must be a text that is not empty: null/],
        ['{"type":7}', /"type" must be a text that is not empty: 7/],
      ] as const
    ) {
      await assertMalformed(
        [HEADER, said("one"), line, said("two")],
        3,
        reason,
      );
    }
  },
  { ids: ["S-12", "REG-09"] },
);

test(
  "loadSession() tolerates blank lines anywhere, and Windows' line ends",
  async () => {
    const lines = [
      "",
      " \t",
      HEADER,
      "",
      "\r",
      said("one"),
      "",
      said("two"),
      "",
    ];
    for (const newline of ["\n", "\r\n", "\n\n"]) {
      const { session, skipped } = await load(lines.join(newline));
      assert.deepEqual(texts(session), ["one", "two"]);
      assert.deepEqual(skipped, []);
    }
    const { session } = await load(`\ufeff${HEADER}\n${said("one")}`);
    assert.deepEqual(texts(session), ["one"]);
  },
  { ids: ["S-14"] },
);

test("loadSession() names the line that is malformed, and why", async () => {
  const rows: readonly (readonly [line: string, reason: RegExp])[] = [
    ["nonsense", /not JSON/],
    ['{"type":"session.message"', /not JSON/],
    ['{"type":"session.mess{"type":"session.message"}', /not JSON/],
    ["7", /must be an object, is number/],
    ["null", /must be an object, is null/],
    ["[]", /must be an object, is array/],
    ['"text"', /must be an object, is string/],
    ['{"type":"session.message"}', /"message" is missing/],
    ['{"type":"session.message","message":"x"}', /"message" must be an object/],
    ['{"type":"session.message","message":{"content":""}}', /"message.role"/],
    [
      '{"type":"session.message","message":{"role":"tool","content":""}}',
      /"message.role"/,
    ],
    [
      '{"type":"session.message","message":{"role":"user"}}',
      /"message.content" is missing/,
    ],
    [
      '{"type":"session.message","message":{"role":"user","content":7}}',
      /"message.content" must be a string or an array/,
    ],
    [
      '{"type":"session.message","message":{"role":"user","content":[null]}}',
      /"message.content\[0\]"/,
    ],
    [
      '{"type":"session.message","message":{"role":"user","content":[{"type":"text"}]}}',
      /"message.content\[0\].text" is missing/,
    ],
    [
      '{"type":"session.message","id":7,"message":{"role":"user","content":""}}',
      /"id" must be a string/,
    ],
    [
      '{"type":"session.message","created":"yesterday","message":{"role":"user","content":""}}',
      /"created" must be a time/,
    ],
    [
      '{"type":"session.message","created":7,"message":{"role":"user","content":""}}',
      /"created" must be a string/,
    ],
    [HEADER, /a second "session.header"/],
  ];
  for (const [line, reason] of rows) {
    await assertMalformed([HEADER, said("one"), line, said("two")], 3, reason);
    await assertMalformed([HEADER, said("one"), said("two"), line], 4, reason);
  }
}, { ids: ["S-15"] });

test("loadSession() takes a line of bytes that are no UTF-8 for malformed", async () => {
  const encoder = new TextEncoder();
  const bytes = encoder.encode(
    `${HEADER}\n${said("one")}\n${said("x")}\n${said("two")}\n`,
  );
  bytes[bytes.indexOf("x".charCodeAt(0), 150)] = 0xff;
  const { error } = await load(bytes);
  assert.ok(error instanceof SessionFormatError);
  assert.equal(error.line, 3);
});

test("loadSession() skips a last line that was cut off, wherever the cut is", async () => {
  const encoder = new TextEncoder();
  const whole = encoder.encode(`${HEADER}\n${said("one")}\n${said("zwei 漢")}`);
  const start = encoder.encode(`${HEADER}\n${said("one")}\n`).length;
  for (let length = start + 1; length < whole.length; length++) {
    const { session, error, skipped } = await load(whole.slice(0, length));
    assert.equal(error, undefined);
    assert.deepEqual(texts(session), ["one"]);
    assert.deepEqual(skipped, [[3, "cut off at the end of the file"]]);
  }
  const { session, skipped } = await load(whole);
  assert.deepEqual(texts(session), ["one", "zwei 漢"]);
  assert.deepEqual(skipped, []);
});

test(
  "loadSession() refuses a file without a header, lenient or not",
  async () => {
    const rows: readonly (readonly [text: string, line: number])[] = [
      ["", 1],
      ["\n\n", 2],
      [HEADER.slice(0, 20), 1],
      [`${said("one")}\n`, 1],
      [`{"type":"session.future"}\n`, 1],
      [`\n{"type":"session.future"}\n${said("one")}\n${HEADER}\n`, 3],
    ];
    for (const [text, line] of rows) {
      for (const lenient of [false, true]) {
        const { error } = await load(text, { lenient });
        assert.ok(error instanceof SessionFormatError, JSON.stringify(text));
        assert.equal(error.line, line, JSON.stringify(text));
        assert.match(error.message, /no "session.header" record/);
      }
    }
  },
  { ids: ["S-16"] },
);

test("loadSession() refuses a header that it cannot read", async () => {
  const rows: readonly (readonly [change: object, reason: RegExp])[] = [
    [{ version: undefined }, /"version" is missing/],
    [{ version: 2 }, /"version" is not one that this package reads: 2/],
    [{ id: undefined }, /"id" is missing/],
    [{ id: "" }, /"id" must not be empty/],
    [{ created: undefined }, /"created" is missing/],
    [{ created: "2026-13-01T00:00:00Z" }, /"created" must be a time/],
    [{ updated: 5 }, /"updated" must be a string/],
  ];
  for (const [change, reason] of rows) {
    const line = JSON.stringify({ ...JSON.parse(HEADER), ...change });
    const { error } = await load(`${line}\n${said("one")}\n`);
    assert.ok(error instanceof SessionFormatError);
    assert.equal(error.line, 1);
    assert.match(error.message, reason);
  }
}, { ids: ["S-15"] });

test("loadSession() reads what is left of files damaged as they were in the wild", async () => {
  const lost =
    '{"type":"session.message","message":{"role":"assistant","content":' +
    '[{"type":"tool_use","id":"t1","name":"Read","input":{}}]}}';
  const files: readonly (readonly [text: string, left: number, bad: number])[] =
    [
      // A torn stub, and the next record on its line.
      [
        `${HEADER}\n${said("a")}\n{"type":"session.mes${said("b")}\n${
          said("c")
        }\n`,
        2,
        1,
      ],
      // Records of two writers, spliced.
      [
        `${HEADER}\n{"type":${said("a")}"session.message","message":\n{}\n${
          said("b")
        }\n`,
        1,
        2,
      ],
      // Good records behind the first bad line.
      [`${HEADER}\nbad\n${said("a")}\nbad\n${said("b")}\n`, 2, 2],
      // A result that was never written: nothing is malformed.
      [`${HEADER}\n${lost}\n${said("a")}\n`, 2, 0],
      // Zeros, as a file system leaves them after a power cut.
      [`${HEADER}\n${said("a")}\n${"\0".repeat(5_000)}`, 1, 1],
    ];
  for (const [text, left, bad] of files) {
    const { session, skipped } = await load(text, { lenient: true });
    assert.equal(session?.messages.length, left, text.slice(0, 200));
    assert.equal(skipped.length, bad);
  }
});

test("loadSession() reads lines that span many chunks, and refuses one of over 32 MiB", async () => {
  const long = "é".repeat(500_000);
  const { session } = await load(`${HEADER}\n${said(long)}\n${said("end")}\n`);
  assert.deepEqual(texts(session), [long, "end"]);
  const huge = said("x".repeat(32 * 1024 * 1024));
  await assertMalformed(
    [HEADER, said("one"), huge, said("two")],
    3,
    /longer than 33554432 bytes/,
  );
});

test("loadSession() takes file URLs, and rejects where no file is", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "a b%20ü.jsonl");
    await writeFile(path, `${HEADER}\n`);
    const session = await loadSession(pathToFileURL(path));
    assert.equal(session.id, "s1");
    assert.deepEqual(session.updated, session.created);
    await assert.rejects(loadSession(join(folder, "no")), { code: "ENOENT" });
    await assert.rejects(
      loadSession(new URL("https://example.com/a.jsonl")),
      { name: "ConfigError", key: "path" },
    );
  });
});

test("toPath() keeps the host of a file URL on Windows, and refuses one elsewhere", () => {
  const windows = { platform: "win32" };
  for (
    const [url, path] of [
      ["file:///C:/a%20b/c.jsonl", "C:\\a b\\c.jsonl"],
      ["file://server/share/a%20b/c.jsonl", "\\\\server\\share\\a b\\c.jsonl"],
      ["file://localhost/C:/c.jsonl", "C:\\c.jsonl"],
    ] as const
  ) {
    assert.equal(toPath(new URL(url), windows), path);
  }
  assert.equal(toPath(new URL("file:///a%20b"), { platform: "linux" }), "/a b");
  for (
    const [url, platform, message] of [
      ["file://server/share/c.jsonl", "linux", /names the host "server"/],
      ["file:///a%2Fb.jsonl", "linux", /an encoded slash/],
      ["file:///C:/a%2fb.jsonl", "win32", /an encoded slash/],
      ["file:///C:/a%5Cb.jsonl", "win32", /an encoded slash/],
    ] as const
  ) {
    assert.throws(
      () => toPath(new URL(url), { platform }),
      (error: unknown) =>
        error instanceof ConfigError && error.key === "path" &&
        message.test(error.message),
      url,
    );
  }
});

test("loadSession() ends with what onSkip throws", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "a.jsonl");
    await writeFile(path, `${HEADER}\n`);
    await appendFile(path, '{"type":"x"}\n');
    const reason = new Error("Enough");
    const onSkip = () => {
      throw reason;
    };
    assert.equal(await rejectionOf(loadSession(path, { onSkip })), reason);
  });
});

test("loadSession() derives updated from the records of a file that only grew", async () => {
  const at = (created: string) =>
    `{"type":"session.message","created":"${created}","message":{"role":"user","content":""}}`;
  const lines = [
    HEADER,
    at("2026-03-01T00:00:00Z"),
    at("2026-02-01T00:00:00.5+01:00"),
  ];
  const { session } = await load(lines.join("\n"));
  assert.deepEqual(session?.updated, new Date("2026-03-01T00:00:00.000Z"));
});

/** Pieces that files are made of, and pieces that break them. */
const PIECES: readonly string[] = [
  HEADER,
  said("x"),
  '{"type":"session.message","message":{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"q"}]}]}}',
  '{"type":"session.repair","torn_line":2}',
  '{"type":"session.future"}',
  '{"type":"',
  '{"type":""}',
  "{}",
  "[[[[",
  "\n",
  "\n",
  "\n",
  "\r",
  "\0",
  "\ufeff",
  "é",
  '"',
  "1e999",
  '{"__proto__":{"type":"session.header"}}',
];

test(
  "loadSession() gives a session or a SessionFormatError for any bytes",
  async () => {
    const random = randomFrom(44);
    const encoder = new TextEncoder();
    let good = 0;
    await withFolder(async (folder) => {
      const path = join(folder, "a.jsonl");
      for (let round = 0; round < 600; round++) {
        const count = Math.floor(random() * 12);
        const text = (random() < 0.7 ? `${HEADER}\n` : "") +
          Array.from({ length: count }, () => pick(random, PIECES)).join("");
        const bytes = encoder.encode(text);
        for (
          let flips = Math.floor(random() * 3);
          flips > 0 && bytes.length > 0;
          flips--
        ) {
          bytes[Math.floor(random() * bytes.length)] = Math.floor(
            random() * 256,
          );
        }
        await writeFile(path, bytes);
        for (const lenient of [false, true]) {
          try {
            await loadSession(path, { lenient });
            good++;
          } catch (error) {
            assert.ok(error instanceof SessionFormatError, `${error}: ${text}`);
            const lines = text.split("\n").length;
            assert.ok(error.line >= 1 && error.line <= lines + 3);
          }
        }
      }
    });
    assert.ok(good > 100 && good < 1_100, `${good}`);
  },
  { ids: ["S-15"] },
);

test("loadSession() reads the time of each message as it stands there, whatever the one before it was", async () => {
  const message = (created: string) =>
    JSON.stringify({
      type: "session.message",
      created,
      message: { role: "user", content: "x" },
    });
  const times = [
    "2026-01-02T03:04:05.006Z",
    "2026-01-02T03:04:59.999Z",
    "2026-01-02T03:05:00.000Z",
    "2026-01-02T03:04:07Z",
    "2026-01-02T03:04:08.5Z",
    "2026-01-02T03:04:09.006+01:00",
    "2026-01-02T03:04:10.123Z",
    "1969-12-31T23:59:59.250Z",
    "1969-12-31T23:59:00.001Z",
  ];
  const { session } = await load(
    [HEADER, ...times.map(message), ""].join("\n"),
  );
  assert.deepEqual(
    session?.messages.map(({ created }) => created?.getTime()),
    times.map((time) => Date.parse(time)),
  );
  for (
    const wrong of [
      "2026-01-02T03:04:60.000Z",
      "2026-01-02T03:04:0x.000Z",
      "2026-01-02T03:04:05,000Z",
      "2026-01-02T03:04:05.00 Z",
      "2026-01-02T03:04:05.000z",
      "2026-01-02T24:00:05.000Z",
    ]
  ) {
    const before = wrong.slice(0, 17) + "00.000Z";
    const { error } = await load(
      [HEADER, message(before), message(wrong), ""].join("\n"),
    );
    assert.ok(error instanceof SessionFormatError, wrong);
  }
});
