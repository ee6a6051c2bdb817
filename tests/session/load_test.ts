import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SessionFormatError } from "@sluice/agent";
import {
  type LoadOptions,
  loadSession,
  type Session,
} from "@sluice/agent/session";
import { test } from "../_harness.ts";
import { withFolder } from "./_chats.ts";

const HEADER =
  '{"type":"session.header","version":1,"id":"s1","created":"2026-01-02T03:04:05.000Z"}';

function said(content: string): string {
  return JSON.stringify({
    type: "session.message",
    message: { role: "user", content },
  });
}

/** Outcome of loading a file. */
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

/** Checks `loadSession()` with each, strictly and with `lenient`. */
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
      [3, 'unknown type "session.future"'],
    ]);
  }
}, { ids: ["S-11"] });

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
  const record = (message: unknown, more: object = {}) =>
    JSON.stringify({ type: "session.message", message, ...more });
  const user = (content: unknown) => record({ role: "user", content });
  const rows: readonly (readonly [line: string, reason: RegExp])[] = [
    ["{}", /"type" is missing/],
    ['{"message":{"role":"user","content":"x"}}', /"type" is missing/],
    ['{"type":""}', /"type" must be a text that is not empty: ""/],
    ['{"type":7}', /"type" must be a text that is not empty: 7/],
    ["nonsense", /not JSON/],
    ['{"type":"session.mess{"type":"session.message"}', /not JSON/],
    ["7", /must be an object, is number/],
    ["null", /must be an object, is null/],
    ["[]", /must be an object, is array/],
    ['{"type":"session.message"}', /"message" is missing/],
    [record("x"), /"message" must be an object/],
    [record({ content: "" }), /"message.role"/],
    [record({ role: "tool", content: "" }), /"message.role"/],
    [record({ role: "user" }), /"message.content" is missing/],
    [user(7), /"message.content" must be a string or an array/],
    [user([null]), /"message.content\[0\]"/],
    [user([{ type: "text" }]), /"message.content\[0\].text" is missing/],
    [record({ role: "user", content: "" }, { id: 7 }), /"id" must be a string/],
    [HEADER, /a second "session.header"/],
  ];
  for (const [line, reason] of rows) {
    await assertMalformed([HEADER, said("one"), line, said("two")], 3, reason);
    await assertMalformed([HEADER, said("one"), said("two"), line], 4, reason);
  }
}, { ids: ["S-12", "S-15", "REG-09"] });

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

test("loadSession() reads lines that span many chunks", async () => {
  const long = "é".repeat(500_000);
  const { session } = await load(`${HEADER}\n${said(long)}\n${said("end")}\n`);
  assert.deepEqual(texts(session), [long, "end"]);
});

test("loadSession() takes file URLs, and rejects where no file is", () =>
  withFolder(async (folder) => {
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
  }));

test("loadSession() reads times in ISO 8601, and derives updated from them", async () => {
  const message = (created: string) =>
    JSON.stringify({
      type: "session.message",
      created,
      message: { role: "user", content: "x" },
    });
  const times = [
    "2026-01-02T03:04:59.999Z",
    "2026-01-02T03:04:07Z",
    "2026-01-02T03:04:08.5Z",
    "2026-01-02T03:04:09.006+01:00",
    "1969-12-31T23:59:59.250Z",
  ];
  const { session } = await load([HEADER, ...times.map(message)].join("\n"));
  assert.deepEqual(
    session?.messages.map(({ created }) => created?.getTime()),
    times.map((time) => Date.parse(time)),
  );
  assert.deepEqual(session?.updated, new Date("2026-01-02T03:04:59.999Z"));
  for (
    const wrong of [
      "2026-01-02T03:04:60.000Z",
      "2026-01-02T03:04:05,000Z",
      "2026-01-02T24:00:05.000Z",
      "2 January 2026",
    ]
  ) {
    const { error } = await load(`${HEADER}\n${message(wrong)}\n`);
    assert.ok(error instanceof SessionFormatError, wrong);
  }
});
