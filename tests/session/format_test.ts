import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadSession, saveSession, Session } from "@sluice/agent/session";
import { readSource } from "../_examples.ts";
import { test } from "../_harness.ts";
import { randomFrom } from "../options/_random.ts";
import {
  BLOCK_KINDS,
  blockOf,
  clockAt,
  randomMessage,
  randomText,
  withFolder,
} from "./_chats.ts";

const GOLDEN = readSource("tests/fixtures/session.jsonl");
const START = Date.UTC(2026, 0, 2, 3, 4, 5);

/** The session of the golden file, its blocks made with their keys in another order. */
function goldenSession(): Session {
  const clock = clockAt(START);
  const session = Session.create({ id: "golden", clock });
  for (const line of GOLDEN.trimEnd().split("\n").slice(1)) {
    const { id, created, message: { role, content } } = JSON.parse(line);
    clock.nowMs = Date.parse(created);
    session.append({ role, content: turned(content), ...id && { id } });
  }
  return session;
}

/** A value with the keys of its objects in the opposite order, but for what the user's tools get. */
function turned<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(turned) as T;
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    ["input", "source"].includes(key) ? one : turned(one),
  ]);
  return Object.fromEntries(entries.reverse());
}

async function saved(session: Session): Promise<string> {
  let text = "";
  await withFolder(async (folder) => {
    const path = join(folder, "a.jsonl");
    await saveSession(session, path);
    text = await readFile(path, "utf8");
  });
  return text;
}

async function loaded(text: string): Promise<Session> {
  let session: Session | undefined;
  await withFolder(async (folder) => {
    const path = join(folder, "a.jsonl");
    await writeFile(path, text);
    session = await loadSession(path);
  });
  assert.ok(session);
  return session;
}

function assertSame(one: Session, other: Session): void {
  assert.equal(one.id, other.id);
  assert.deepEqual(one.created, other.created);
  assert.deepEqual(one.updated, other.updated);
  assert.deepEqual(one.messages, other.messages);
}

test("saveSession() writes the bytes of the golden file", async () => {
  assert.equal(await saved(goldenSession()), GOLDEN);
}, { ids: ["S-09", "S-13", "REG-08"] });

test(
  "loadSession() reads the golden file, which is written again as it was",
  async () => {
    const session = await loaded(GOLDEN);
    assertSame(session, goldenSession());
    assert.equal(await saved(session), GOLDEN);
  },
  { ids: ["S-09", "S-10"] },
);

test("saveSession() and loadSession() lose nothing", async () => {
  const random = randomFrom(41);
  for (let round = 0; round < 40; round++) {
    const clock = clockAt(Math.floor(random() * 4e12));
    const session = Session.create({ id: `id ${randomText(random)}`, clock });
    for (let left = Math.floor(random() * 12); left > 0; left--) {
      clock.nowMs += Math.floor(random() * 1e6);
      session.append(randomMessage(random));
    }
    const text = await saved(session);
    const again = await loaded(text);
    assertSame(again, session);
    assert.equal(await saved(again), text);
  }
}, { ids: ["S-10"] });

test("saveSession() and loadSession() keep a block of every kind", async () => {
  const random = randomFrom(42);
  for (let kind = 0; kind < BLOCK_KINDS; kind++) {
    const session = Session.create();
    const block = blockOf(kind, random);
    session.append({ role: "user", content: [block] });
    assert.deepEqual(session.messages[0]?.content, [block]);
    assertSame(await loaded(await saved(session)), session);
  }
}, { ids: ["S-10"] });

test("loadSession() refuses tool calls with other keys", async () => {
  const line = (block: string) =>
    GOLDEN.split("\n")[0] +
    `\n{"type":"session.message","message":{"role":"assistant","content":[${block}]}}\n`;
  await loaded(line('{"type":"tool_use","id":"t","name":"Read","input":{}}'));
  for (
    const block of [
      '{"Type":"tool_use","ID":"t","Name":"Read","Input":{}}',
      '{"type":"tool_use","ID":"t","Name":"Read","Input":{}}',
    ]
  ) {
    await assert.rejects(
      loaded(line(block)),
      { name: "SessionFormatError", line: 2 },
    );
  }
}, { ids: ["REG-08"] });
