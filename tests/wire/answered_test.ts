import assert from "node:assert/strict";
import { Answered } from "../../src/wire/answered.ts";
import { test } from "../_harness.ts";

/** A permission: told from others by its id alone. */
const ask = (input?: string) => ({ subtype: "can_use_tool", input });

function mcp(
  server: string,
  id: number | string | undefined,
  method = "tools/call",
) {
  const message = { jsonrpc: "2.0", method, ...id !== undefined && { id } };
  return { subtype: "mcp_message", server_name: server, message };
}

test("Answered remembers the newest so many at least, and twice as many at most", () => {
  const answered = new Answered(10);
  for (let i = 0; i < 100; i++) {
    assert.equal(answered.has(`${i}`, ask()), false);
    answered.add(`${i}`, ask());
    for (let back = 0; back < Math.min(i + 1, 10); back++) {
      assert.equal(answered.has(`${i - back}`, ask()), true);
    }
    assert.equal(answered.has(`${i - 20}`, ask()), false);
  }
});

test("Answered takes no id for another", () => {
  const answered = new Answered();
  const texts = [
    () => crypto.randomUUID(),
    (i: number) => `req_${i}_1700000000_0`,
    (i: number) => `${i}`,
    (i: number) => "a".repeat(i % 500) + String.fromCharCode(i),
  ];
  for (let i = 0; i < 40_000; i++) {
    const id = texts[i % texts.length]?.(i) ?? "";
    assert.equal(answered.has(id, ask()), false, id);
    answered.add(id, ask());
  }
});

test("Answered knows a request by its id, whatever else came between", () => {
  const answered = new Answered();
  const first = ask("one");
  assert.equal(answered.has("a", first), false);
  assert.equal(answered.has("b", ask()), false);
  answered.add("a", first);
  assert.equal(answered.has("b", ask()), false);
  assert.equal(answered.has("a", ask("another")), true);
  assert.equal(answered.has("", ask()), false);
});

test("Answered tells MCP messages of one id apart by what they carry", () => {
  const answered = new Answered();
  const seen = [
    mcp("db", 1),
    mcp("db", "1"),
    mcp("db", 2),
    mcp("files", 1),
    mcp("db", 1, "tools/list"),
    mcp("db", undefined, "notifications/initialized"),
    ask(),
  ];
  for (const request of seen) {
    assert.equal(answered.has("a", request), false);
    answered.add("a", request);
  }
  for (const request of seen) {
    assert.equal(answered.has("a", { ...request }), true);
    assert.equal(answered.has("b", { ...request }), false);
  }
  assert.equal(answered.has("a", { subtype: "mcp_message" }), false);
});
