import assert from "node:assert/strict";
import process from "node:process";
import { createMcpServer, McpHub } from "@sluice/agent/mcp";
import type { AgentOptions } from "@sluice/agent";
import { resolveOptions } from "../../src/options/resolve.ts";
import { test } from "../_harness.ts";
import { configErrorOf, refusal, take } from "./_config_error.ts";

const deny = [{ hooks: [() => ({ decision: "block", reason: "no" })] }];
const canUseTool = () => ({ behavior: "deny", message: "no" });

class HooksByGetter {
  get PreToolUse(): unknown {
    return deny;
  }
}
class Permissions {
  canUseTool(): unknown {
    return canUseTool();
  }
}
class Allowed {
  get allowedTools(): readonly string[] {
    return ["Read"];
  }
}
const hidden = (name: string, value: unknown) =>
  Object.defineProperty({}, name, { value });

/** What would be lost, the key, and what the text says. */
const LOST: readonly [name: string, unknown, key: string, RegExp][] = [
  [
    "a Map of hooks",
    {
      hooks: new Map([["PreToolUse", deny]]),
    },
    "hooks",
    /Object\.fromEntries/,
  ],
  [
    "hooks of a getter",
    { hooks: new HooksByGetter() },
    "hooks",
    /"PreToolUse"/,
  ],
  [
    "inherited hooks",
    { hooks: Object.create({ PreToolUse: deny }) },
    "hooks",
    /"PreToolUse"/,
  ],
  [
    "hooks that inherit from an object without a prototype",
    {
      hooks: Object.create(
        Object.assign(Object.create(null), { PreToolUse: deny }),
      ),
    },
    "hooks",
    /"PreToolUse"/,
  ],
  [
    "hidden hooks",
    { hooks: hidden("PreToolUse", deny) },
    "hooks",
    /"PreToolUse"/,
  ],
  [
    "hooks under a symbol",
    { hooks: { [Symbol("PreToolUse")]: deny } },
    "hooks",
    /Symbol\(PreToolUse\)/,
  ],
  [
    "an inherited matcher",
    { hooks: { PreToolUse: [Object.create(deny[0] as object)] } },
    "hooks.PreToolUse[0]",
    /"hooks"/,
  ],
  [
    "permissions with a method",
    { permissions: new Permissions() },
    "permissions",
    /"canUseTool"/,
  ],
  [
    "a Map of permissions",
    { permissions: new Map([["canUseTool", canUseTool]]) },
    "permissions",
    /Object\.fromEntries/,
  ],
  ["options of a getter", new Allowed(), "options", /"allowedTools"/],
  [
    "inherited options",
    Object.create({ allowedTools: ["Read"] }),
    "options",
    /"allowedTools"/,
  ],
  [
    "a Map of options",
    new Map([["allowedTools", ["Read"]]]),
    "options",
    /Object\.fromEntries/,
  ],
  [
    "hidden options",
    hidden("allowedTools", ["Read"]),
    "options",
    /"allowedTools"/,
  ],
  ["variables in a Map", { env: new Map([["A", "b"]]) }, "env", /plain/],
  [
    "variables as parameters",
    { env: new URLSearchParams("A=b") },
    "env",
    /Object\.fromEntries/,
  ],
  ["flags in a Map", { extraArgs: new Map() }, "extraArgs", /plain/],
  ["servers in a Map", { mcpServers: new Map() }, "mcpServers", /plain/],
  ["agents in a Map", { agents: new Map() }, "agents", /plain/],
  ["times in a Map", { shutdown: new Map() }, "shutdown", /plain/],
  ["thoughts in a Map", { thinking: new Map() }, "thinking", /plain/],
  ["settings in a Map", { settings: new Map() }, "settings", /plain/],
  [
    "settings of a getter",
    { settings: { permissions: new HooksByGetter() } },
    "settings.permissions",
    /JSON/,
  ],
  ["a date as a group", { timeouts: new Date() }, "timeouts", /plain/],
  [
    "headers of fetch",
    {
      mcpServers: {
        a: { type: "http", url: "http://x", headers: new Headers({ A: "b" }) },
      },
    },
    "mcpServers.a.headers",
    /Object\.fromEntries/,
  ],
  [
    "variables of a server in a Map",
    { mcpServers: { a: { command: "x", env: new Map() } } },
    "mcpServers.a.env",
    /plain/,
  ],
  [
    "an inherited server",
    { mcpServers: { a: Object.create({ command: "x" }) } },
    "mcpServers.a",
    /"command"/,
  ],
];

for (const [name, options, key, text] of LOST) {
  test(`the check of options refuses ${name}, which it would not see`, () => {
    const error = refusal(options);
    assert.equal(error.key, key, error.message);
    assert.match(error.message, text);
    assert.match(error.message, /plain object|JSON/);
  });
}

test("McpHub refuses servers and options in a Map", () => {
  const server = new Map([["name", "a"], ["command", "x"]]);
  const wrong = [
    [new Map([["a", { command: "x" }]]), {}],
    [{ a: server }, {}],
    [[server], {}],
    [{}, new Map([["deny", ["a__b"]]])],
  ];
  for (const [servers, options] of wrong) {
    const { message } = configErrorOf(() =>
      new McpHub(servers as never, options as never)
    );
    assert.match(message, /Object\.fromEntries/);
  }
});

test("the check of options takes the environment of this program as it is", () => {
  take({ env: process.env });
  take({
    mcpServers: {
      a: { command: "x", env: process.env as Record<string, string> },
    },
  });
});

test("resolveOptions() takes objects that lose nothing, whoever made them", () => {
  class Mine {
    readonly model = "opus";
    readonly allowedTools = ["Read"];
  }
  const bare: AgentOptions = Object.assign(Object.create(null), {
    allowedTools: ["Read"],
  });
  const branded = Object.defineProperty(
    { allowedTools: ["Read"] },
    Symbol.toStringTag,
    { value: "Module" },
  );
  const frozen = Object.freeze({ allowedTools: ["Read"] });
  const parsed: AgentOptions = JSON.parse('{"allowedTools":["Read"]}');
  for (const options of [new Mine(), bare, branded, frozen, parsed]) {
    assert.deepEqual(resolveOptions(options).allowedTools, ["Read"]);
    assert.deepEqual(resolveOptions({ ...options }).allowedTools, ["Read"]);
  }
});

test("the check of options takes objects of classes where only their members count", () => {
  class Signal extends EventTarget {
    get aborted(): boolean {
      return false;
    }
  }
  class Counters {
    toolCall(): void {}
  }
  take({
    signal: new Signal() as AbortSignal,
    metrics: { protocol: new Counters() } as NonNullable<
      AgentOptions["metrics"]
    >,
    mcpServers: {
      a: createMcpServer({ name: "a", version: "1", tools: [] }),
      b: { type: "http", url: new URL("http://x/") },
    },
  });
});
