import assert from "node:assert/strict";
import process from "node:process";
import { McpHub } from "@sluice/agent/mcp";
import type { AgentOptions } from "@sluice/agent";
import { test } from "../_harness.ts";
import { at, configErrorOf, refusal, take } from "./_config_error.ts";

class ByGetter {
  get PreToolUse(): unknown {
    return [{ hooks: [() => ({})] }];
  }
}

const PLACES = [
  ...["hooks", "hooks.Stop[0]", "permissions", "env", "extraArgs", "shutdown"],
  ...["mcpServers", "mcpServers.a", "mcpServers.a.env", "agents", "thinking"],
  "settings",
];

test("checkOptions() refuses objects that inherit what it would not see", () => {
  const bare = Object.assign(Object.create(null), { PreToolUse: [] });
  for (const place of PLACES) {
    for (const inherited of [{ PreToolUse: [] }, bare]) {
      const { key, message } = refusal(at(place, Object.create(inherited)));
      assert.equal(key, place);
      assert.match(message, /a plain object.*inherits "PreToolUse"/);
    }
    for (const one of [new Map(), new Headers(), new ByGetter(), new Date()]) {
      const { key, message } = refusal(at(place, one));
      assert.equal(key, place);
      assert.match(message, /plain object, as Object\.fromEntries/);
    }
  }
  for (const options of [new Map(), new ByGetter()]) {
    assert.equal(refusal(options).key, "options");
  }
  assert.match(refusal(at("settings.a", new ByGetter())).message, /JSON/);
});

test("McpHub refuses servers and options in a Map", () => {
  const server = new Map([["name", "a"], ["command", "x"]]);
  for (
    const [servers, options] of [
      [new Map([["a", { command: "x" }]]), {}],
      [{ a: server }, {}],
      [[server], {}],
      [{}, new Map([["deny", ["a__b"]]])],
    ]
  ) {
    const { message } = configErrorOf(() =>
      new McpHub(servers as never, options as never)
    );
    assert.match(message, /Object\.fromEntries/);
  }
});

test("checkOptions() takes objects that lose nothing, of any make", () => {
  class Mine {
    readonly model = "opus";
    readonly env = process.env;
  }
  class Signal extends EventTarget {
    get aborted(): boolean {
      return false;
    }
  }
  class Counters {
    toolCall(): void {}
  }
  const bare: AgentOptions = Object.assign(Object.create(null), { model: "m" });
  for (const options of [new Mine(), bare, Object.freeze({ model: "opus" })]) {
    take(options);
    take({ mcpServers: { a: { command: "x", env: process.env } } });
  }
  take({
    signal: new Signal(),
    metrics: { protocol: new Counters() },
    mcpServers: { b: { type: "http", url: new URL("http://x/") } },
  });
});
