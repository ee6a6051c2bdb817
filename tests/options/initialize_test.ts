import assert from "node:assert/strict";
import {
  startFields,
  toInitialize,
  unconfirmedFields,
} from "../../src/options/initialize.ts";
import { targetOf } from "../../src/options/target.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { AgentOptions, JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";

const agents = { reviewer: { description: "d", prompt: "p", tools: ["Read"] } };
const instance = { connect: async () => {}, close: async () => {} };

/** Options, the fields they become, and whether the CLI must read them first. */
const FIELDS: readonly [AgentOptions, JsonObject, boolean?][] = [
  [{}, {}],
  [{ systemPrompt: "Be short." }, { systemPrompt: ["Be short."] }],
  [{ systemPrompt: "" }, {}],
  [{ systemPrompt: { preset: "claude_code" } }, {}],
  [{ systemPrompt: { preset: "claude_code", append: "" } }, {}],
  [{ systemPrompt: { preset: "claude_code", append: "More." } }, {
    appendSystemPrompt: "More.",
  }],
  [{ systemPrompt: [] }, {}],
  [{ systemPrompt: [""] }, { systemPrompt: [""] }],
  [{ systemPrompt: ["All.", "One."] }, { systemPrompt: ["All.", "One."] }],
  [{ systemPrompt: { prompt: "Short.", snapshot: false } }, {
    systemPrompt: ["Short."],
    systemPromptSnapshot: false,
  }],
  [
    {
      systemPrompt: {
        preset: "claude_code",
        excludeDynamicSections: true,
        snapshot: true,
      },
    },
    { excludeDynamicSections: true, systemPromptSnapshot: true },
  ],
  [
    { systemPrompt: { preset: "claude_code", excludeDynamicSections: false } },
    {},
  ],
  [{ toolAliases: { Bash: "mcp__box__bash" } }, {
    toolAliases: { Bash: "mcp__box__bash" },
  }],
  [{ agentProgressSummaries: true, perTaskStopAffordance: true }, {
    agentProgressSummaries: true,
    perTaskStopAffordance: true,
  }],
  [{ agentProgressSummaries: false, perTaskStopAffordance: false }, {}],
  [
    {
      onUserDialog: () => ({ behavior: "cancelled" }),
      supportedDialogKinds: ["new_kind"],
    },
    { supportedDialogKinds: ["new_kind"] },
  ],
  [
    { managedSettings: { permissions: { deny: ["Bash"] } } },
    { managedSettings: { permissions: { deny: ["Bash"] } } },
    true,
  ],
  [{ planModeInstructions: "Plan." }, { planModeInstructions: "Plan." }],
  [{ title: "T" }, { title: "T" }],
  [{ title: "" }, {}],
  [{ agents }, { agents }],
  [{ promptSuggestions: true }, { promptSuggestions: true }],
  [{ promptSuggestions: false, forwardSubagentText: false }, {}],
  [{ forwardSubagentText: true }, { forwardSubagentText: true }],
  [{ skills: ["pdf"] }, { skills: ["pdf"] }],
  [{ skills: [] }, { skills: [] }],
  [{ skills: "all" }, {}],
  [{ outputSchema: { $schema: "x", type: "object", title: "T" } }, {
    jsonSchema: { type: "object", title: "T" },
  }],
  [{ onUserDialog: () => ({ behavior: "cancelled" }) }, {
    supportedDialogKinds: ["refusal_fallback_prompt"],
  }],
  [
    { plugins: [{ type: "local", path: "/p" }] },
    { plugins: [{ type: "local", path: "/p" }] },
    true,
  ],
  [
    { plugins: [{ type: "local", path: "/p", skipMcpDiscovery: true }] },
    { plugins: [{ type: "local", path: "/p", skipMcpDiscovery: true }] },
    true,
  ],
  [{ plugins: [] }, {}],
  [{ settings: "/etc/settings.json" }, {}],
  [{ settings: { model: "m" } }, { settings: { model: "m" } }, true],
  [{ settings: ' { "model": "m" }' }, { settings: { model: "m" } }, true],
  [
    { sandbox: { enabled: true } },
    { settings: { sandbox: { enabled: true, failIfUnavailable: true } } },
    true,
  ],
  [
    { sandbox: { enabled: true, failIfUnavailable: false } },
    { settings: { sandbox: { enabled: true, failIfUnavailable: false } } },
    true,
  ],
  [
    { sandbox: { enabled: false } },
    { settings: { sandbox: { enabled: false } } },
    true,
  ],
  [
    {
      settings: {
        model: "m",
        sandbox: {
          failIfUnavailable: false,
          network: { allowedDomains: ["a"], deniedDomains: ["b"] },
          filesystem: { denyRead: ["/x"] },
        },
      },
      sandbox: {
        enabled: true,
        network: { allowedDomains: ["c"], deniedDomains: ["b", "d"] },
      },
    },
    {
      settings: {
        model: "m",
        sandbox: {
          enabled: true,
          failIfUnavailable: false,
          network: { allowedDomains: ["c"], deniedDomains: ["b", "d"] },
          filesystem: { denyRead: ["/x"] },
        },
      },
    },
    true,
  ],
  [{ mcpServers: { a: { command: "x" }, b: { type: "sdk", instance } } }, {}],
  [
    {
      mcpServers: {
        own: { command: "x" },
        plain: { command: "npx", via: "cli" },
        full: {
          type: "stdio",
          command: "npx",
          args: ["-y"],
          env: { K: "v" },
          via: "cli",
          callTimeoutMs: 9,
        },
        web: {
          type: "http",
          url: new URL("https://example.com/mcp"),
          headers: { A: "b" },
          via: "cli",
        },
        old: { type: "sse", url: "http://127.0.0.1/sse", via: "cli" },
      },
    },
    {
      mcpServers: {
        plain: { type: "stdio", command: "npx", args: [] },
        full: {
          type: "stdio",
          command: "npx",
          args: ["-y"],
          env: { K: "v" },
          timeout: 9,
        },
        web: {
          type: "http",
          url: "https://example.com/mcp",
          headers: { A: "b" },
        },
        old: { type: "sse", url: "http://127.0.0.1/sse" },
      },
    },
    true,
  ],
];

for (const [options, fields, isFirst = false] of FIELDS) {
  const name = JSON.stringify(
    options,
    (_key, value) => typeof value === "function" ? "function" : value,
  );
  test(`toInitialize() sends ${JSON.stringify(fields)} for ${name}`, () => {
    const settings = resolveOptions(options);
    const sent = toInitialize(settings);
    assert.deepEqual(JSON.parse(JSON.stringify(sent)), fields);
    assert.equal(
      Object.keys(startFields(targetOf(settings))).length > 0,
      isFirst,
    );
    assert.ok(!Object.values(sent).includes(undefined));
  });
}

test("toInitialize() leaves the system prompt out when none is set", () => {
  for (const options of [{}, { systemPrompt: "" }]) {
    const sent = toInitialize(resolveOptions(options));
    assert.ok(!("systemPrompt" in sent) && !("appendSystemPrompt" in sent));
  }
}, { ids: ["O-07"] });

test("toInitialize() names no server when there is none", () => {
  for (const options of [{}, { mcpServers: {} }]) {
    assert.ok(!("mcpServers" in toInitialize(resolveOptions(options))));
  }
}, { ids: ["O-05", "MI-01"] });

test("toInitialize() adds no headers and no environment of its own", () => {
  const sent = toInitialize(resolveOptions({
    mcpServers: {
      a: { type: "http", url: "http://x/", via: "cli" },
      b: { command: "x", via: "cli" },
    },
  }));
  assert.deepEqual(sent.mcpServers, {
    a: { type: "http", url: "http://x/" },
    b: { type: "stdio", command: "x", args: [] },
  });
}, { ids: ["O-11", "MI-20"] });

test("toInitialize() keeps names that objects know already", () => {
  const mcpServers = JSON.parse(
    '{"__proto__":{"command":"x","via":"cli"},"constructor":{"command":"y","via":"cli"}}',
  );
  const sent = toInitialize(resolveOptions({ mcpServers }));
  assert.equal(
    JSON.stringify(sent),
    '{"mcpServers":{"__proto__":{"type":"stdio","command":"x","args":[]},' +
      '"constructor":{"type":"stdio","command":"y","args":[]}}}',
  );
});

test("unconfirmedFields() names what the CLI did not take", () => {
  const sent = { settings: {}, plugins: [], title: "T" };
  const all = { settings_applied: true, plugins_applied: true };
  assert.deepEqual(unconfirmedFields(sent, all), []);
  assert.deepEqual(unconfirmedFields(sent, { plugins_applied: true }), [
    "settings",
  ]);
  assert.deepEqual(
    unconfirmedFields({ mcpServers: {} }, {
      mcp_servers_applied: false,
    }),
    ["mcpServers"],
  );
  // A policy that an older CLI overlooks would forbid nothing.
  assert.deepEqual(unconfirmedFields({ managedSettings: {} }, {}), [
    "managedSettings",
  ]);
  assert.deepEqual(unconfirmedFields({}, {}), []);
});

test("toInitialize() tells an older CLI only what it reads", () => {
  const settings = resolveOptions({
    systemPrompt: "Be brief.",
    settings: { model: "opus" },
    plugins: [{ type: "local", path: "/p" }],
    mcpServers: { srv: { command: "srv", via: "cli" } },
  });
  const plugins = [{ type: "local", path: "/p" }];
  const of = (version: string) =>
    JSON.parse(JSON.stringify(toInitialize(settings, undefined, version)));
  assert.deepEqual(of("2.1.325"), { systemPrompt: ["Be brief."], plugins });
  assert.deepEqual(of("2.1.326").settings, undefined);
  assert.deepEqual(Object.keys(of("2.1.326")).toSorted(), [
    "mcpServers",
    "plugins",
    "systemPrompt",
  ]);
  assert.deepEqual(of("2.1.327"), of("2.1.330"));
  assert.deepEqual(of("2.1.330").settings, { model: "opus" });
});
