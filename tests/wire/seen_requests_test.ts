import assert from "node:assert/strict";
import { SeenRequests } from "../../src/wire/seen_requests.ts";
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

test("SeenRequests remembers the newest so many at least, and twice as many at most", () => {
  for (let count = 1; count < 60; count++) {
    for (const back of [1, 10, 20]) {
      const seen = new SeenRequests(10);
      for (let i = 0; i < count; i++) assert.ok(seen.add(`${i}`, ask()));
      const isKnown = !seen.add(`${count - back}`, ask());
      if (back <= Math.min(count, 10)) assert.ok(isKnown, `${count}`);
      if (back === 20) assert.ok(!isKnown, `${count}`);
    }
  }
});

test("SeenRequests takes no id for another", () => {
  const seen = new SeenRequests();
  const texts = [
    () => crypto.randomUUID(),
    (i: number) => `req_${i}_1700000000_0`,
    (i: number) => `${i}`,
    (i: number) => "a".repeat(i % 500) + String.fromCharCode(i),
  ];
  for (let i = 0; i < 40_000; i++) {
    const id = texts[i % texts.length]?.(i) ?? "";
    assert.ok(seen.add(id, ask()), id);
  }
});

test("SeenRequests knows a request by its id, whatever it carries", () => {
  const seen = new SeenRequests();
  assert.equal(seen.add("a", ask("one")), true);
  assert.equal(seen.add("b", ask("one")), true);
  assert.equal(seen.add("a", ask("another")), false);
  assert.equal(seen.add("", ask()), true);
  assert.equal(seen.add("", ask()), false);
});

test("SeenRequests tells MCP messages of one id apart by what they carry", () => {
  const seen = new SeenRequests();
  const requests = [
    mcp("db", 1),
    mcp("db", "1"),
    mcp("db", 2),
    mcp("files", 1),
    mcp("db", 1, "tools/list"),
    mcp("db", undefined, "notifications/initialized"),
    ask(),
    { subtype: "mcp_message" },
  ];
  for (const request of requests) assert.equal(seen.add("a", request), true);
  for (const request of requests) {
    assert.equal(seen.add("a", { ...request }), false);
    assert.equal(seen.add("b", { ...request }), true);
  }
});
