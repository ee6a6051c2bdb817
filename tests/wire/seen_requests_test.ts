import assert from "node:assert/strict";
import { safeLogger } from "../../src/observe/log.ts";
import { FakeClock } from "@sluice/agent/testing";
import type { ControlFields } from "../../src/types/controls.ts";
import { Incoming } from "../../src/wire/incoming.ts";
import { test } from "../_harness.ts";
import { outboxRig } from "./_sink.ts";

/** So many are remembered at least, and twice as many at most. */
const REMEMBERED = 1_000;

/** Requests that an {@link Incoming} gets; `add()` says whether it served one. */
class SeenRequests {
  #served = 0;
  readonly #incoming = new Incoming({
    handlers: new Map(
      ["can_use_tool", "mcp_message"].map((subtype) => [subtype, () => ({})]),
    ),
    outbox: outboxRig().outbox,
    onRequest: () => void this.#served++,
  }, {
    report: () => {},
    metrics: undefined,
    log: safeLogger(),
    clock: new FakeClock(),
  });

  add(id: string, request: ControlFields): boolean {
    const before = this.#served;
    const type = "control_request";
    this.#incoming.accept({ type, request_id: id, request });
    return this.#served > before;
  }
}

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
  const counts = [1, 2, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 2_999, 5_500];
  for (const count of counts) {
    for (const back of [1, REMEMBERED, 2 * REMEMBERED]) {
      const seen = new SeenRequests();
      for (let i = 0; i < count; i++) assert.ok(seen.add(`${i}`, ask()));
      const isKnown = !seen.add(`${count - back}`, ask());
      if (back <= Math.min(count, REMEMBERED)) assert.ok(isKnown, `${count}`);
      if (back === 2 * REMEMBERED) assert.ok(!isKnown, `${count}`);
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
