import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  type AgentOptions,
  type JsonObject,
  memoryApprovals,
} from "@sluice/agent";
import { memoryTransport } from "@sluice/agent/testing";
import { checkOptions } from "@sluice/agent/extend";
import { test } from "../_harness.ts";
import { randomFrom, textOf } from "./_random.ts";
import { ALWAYS, sentFor } from "./_sent.ts";

const UUID = "6b1f9a50-3c86-4b5a-8a6e-5f2f1e2f3a4b";
const canUseTool = () => ({ behavior: "allow" as const });
const approvals = { store: memoryApprovals() };
const agents = { reviewer: { description: "d", prompt: "p", tools: ["Read"] } };

/** Options and their flags, behind those of every conversation. */
const CASES: readonly [options: AgentOptions, flags: readonly string[]][] = [
  [{}, []],
  [{ model: "opus" }, ["--model=opus"]],
  [{ model: "-v" }, ["--model=-v"]],
  [{ fallbackModel: "sonnet" }, ["--fallback-model=sonnet"]],
  [{ effort: "xhigh" }, ["--effort=xhigh"]],
  [{ thinking: { type: "disabled" } }, ["--thinking=disabled"]],
  [
    { thinking: { type: "enabled", budgetTokens: 2048, display: "omitted" } },
    ["--max-thinking-tokens=2048", "--thinking-display=omitted"],
  ],
  [{ maxTurns: 3 }, ["--max-turns=3"]],
  [{ maxBudgetUsd: 0.5 }, ["--max-budget-usd=0.5"]],
  [{ betas: ["a", "b"] }, ["--betas=a,b"]],
  [{ agent: "reviewer" }, ["--agent=reviewer"]],
  [{ resume: UUID }, [`--resume=${UUID}`]],
  [
    {
      transcripts: {
        store: {
          append: () => Promise.resolve(),
          load: () => Promise.resolve(null),
        },
      },
    },
    ["--session-mirror"],
  ],
  [{ continue: true }, ["--continue"]],
  [{ resume: UUID, forkSession: true, sessionId: UUID }, [
    `--resume=${UUID}`,
    "--fork-session",
    `--session-id=${UUID}`,
  ]],
  [{ persistSession: false }, ["--no-session-persistence"]],
  [{ settingSources: ["user", "local"] }, ["--setting-sources=user,local"]],
  [{ settingSources: [] }, ["--setting-sources="]],
  [{ settings: "/etc/s.json" }, ["--settings=/etc/s.json"]],
  [{ includePartialMessages: true }, ["--include-partial-messages"]],
  [{ includeHookEvents: true }, ["--include-hook-events"]],
  [{ strictMcpConfig: true }, ["--strict-mcp-config"]],
  [{ additionalDirectories: ["/a b", "c\\d"] }, [
    "--add-dir=/a b",
    "--add-dir=c\\d",
  ]],
  [{ permissions: {} }, []],
  [{ permissions: { mode: "acceptEdits" } }, ["--permission-mode=acceptEdits"]],
  [{ permissions: { mode: "bypassPermissions", allowBypass: true } }, [
    "--permission-mode=bypassPermissions",
    "--allow-dangerously-skip-permissions",
  ]],
  [{ permissions: { canUseTool } }, ["--permission-prompt-tool=stdio"]],
  [{ permissions: { approvals } }, ["--permission-prompt-tool=stdio"]],
  [{ permissions: { approvals, canUseTool } }, [
    "--permission-prompt-tool=stdio",
  ]],
  [{ permissions: { approvals, prompts: "none" } }, [
    "--permission-prompts=none",
  ]],
  [{ permissions: { approve: ["Read", "Bash(git:*)"] } }, [
    "--allowedTools=Read,Bash(git:*)",
  ]],
  [{ tools: ["Read", "Bash"] }, ["--tools=Read,Bash"]],
  [{ deniedTools: ["Bash", "WebFetch(domain:x.com)"] }, [
    "--disallowedTools=Bash,WebFetch(domain:x.com)",
  ]],
  [{ skills: ["pdf", "team:docx"] }, [
    "--allowedTools=Skill(pdf),Skill(team:docx)",
  ]],
  [{ extraArgs: { channels: null, workload: "-x" } }, [
    "--channels",
    "--workload=-x",
  ]],
  [{ debug: true }, ["--debug"]],
  [{ debug: "api,hooks", debugFile: "/tmp/-x" }, [
    "--debug=api,hooks",
    "--debug-file=/tmp/-x",
  ]],
  [{ taskBudget: { total: 20_000 } }, ["--task-budget=20000"]],
  [{ projectConfigRoot: "/main copy" }, ["--project-config-root=/main copy"]],
  [{ resume: "r", resumeSessionAt: "a", resumeDropsTurn: "p" }, [
    "--resume=r",
    "--resume-session-at=a",
    "--resume-drops-turn=p",
  ]],
  [{ permissions: { prompts: "none" } }, ["--permission-prompts=none"]],
  [{ permissions: { prompts: "host" } }, []],
  // Kept by the host.
  [
    { cliPath: "/x", cwd: "/y", env: { A: "secret" }, envPolicy: "replace" },
    [],
  ],
  [{ enableFileCheckpointing: true }, []],
  [{ timeouts: { connectMs: 1 }, limits: { maxMessageBytes: 1 } }, []],
  [{ onStderr: () => {}, onElicitation: () => ({ action: "decline" }) }, []],
];

test(
  "each option becomes its flags, and no secret is on the command line",
  async () => {
    for (const [options, flags] of CASES) {
      const { args } = await sentFor(options);
      assert.deepEqual(args.toSorted(), flags.toSorted(), labelOf(options));
      assert.ok(!args.join(" ").includes("secret"));
    }
  },
  { ids: ["E-07", "O-04"] },
);

/** Options, the fields they become, and whether the CLI must read them first. */
const FIELDS: readonly (readonly [AgentOptions, JsonObject, boolean?])[] = [
  [{}, {}],
  [{ systemPrompt: "Be short." }, { systemPrompt: ["Be short."] }],
  [{ systemPrompt: "" }, {}],
  [{ systemPrompt: { preset: "claude_code" } }, {}],
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
  [{ systemPrompt: { preset: "claude_code", excludeDynamicSections: true } }, {
    excludeDynamicSections: true,
  }],
  ...[
    { toolAliases: { Bash: "mcp__box__bash" } },
    { agentProgressSummaries: true, perTaskStopAffordance: true },
    { planModeInstructions: "Plan." },
    { title: "T" },
    { agents },
    { promptSuggestions: true, forwardSubagentText: true },
    { skills: ["pdf"] },
  ].map((same) => [same, same] as const),
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
  [{ promptSuggestions: false, forwardSubagentText: false }, {}],
  [{ outputSchema: { $schema: "x", type: "object", title: "T" } }, {
    jsonSchema: { type: "object", title: "T" },
  }],
  [{ onUserDialog: () => ({ behavior: "cancelled" }) }, {
    supportedDialogKinds: ["refusal_fallback_prompt"],
  }],
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
  [
    {
      mcpServers: {
        plain: { command: "npx", via: "cli" },
        full: { command: "a", env: { K: "v" }, via: "cli", callTimeoutMs: 9 },
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
          ...{ type: "stdio", command: "a", args: [], env: { K: "v" } },
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

test(
  "each option becomes its fields of initialize, with the flags that have the CLI read them first",
  async () => {
    for (const [options, expected, isFirst = false] of FIELDS) {
      const { args, fields } = await sentFor(options);
      const label = labelOf(options);
      assert.deepEqual(fields, expected, label);
      const flags = isFirst ? ["--await-initialize"] : [];
      if (fields.settings) flags.push("--initialize-fields=settings");
      if (fields.managedSettings) {
        flags.push("--managed-settings-in-initialize");
      }
      const others = args.filter((one) => !/^--(?:settings|allowed)/.test(one));
      assert.deepEqual(others.toSorted(), flags.toSorted(), label);
    }
  },
  { ids: ["E-07", "O-11", "MI-20"] },
);

test(
  "a conversation without options sends nothing but what every conversation needs",
  async () => {
    const { transport, peer } = memoryTransport();
    const { query } = await import("@sluice/agent");
    const conversation = query("Hi", { transport });
    conversation.ready.catch(() => {});
    const { request } = await peer.line(({ type }) =>
      type === "control_request"
    );
    assert.deepEqual(peer.launch?.args, ALWAYS);
    assert.deepEqual(request, { subtype: "initialize" });
    await conversation.close();
    const { args } = await sentFor({
      model: "m",
      permissions: {},
      mcpServers: {},
      systemPrompt: "",
    });
    assert.deepEqual(args, ["--model=m"]);
  },
  { ids: ["E-14", "O-02", "O-05", "O-06", "O-07", "MI-01"] },
);

test("names of servers may be those that objects know already", async () => {
  const mcpServers = JSON.parse(
    '{"__proto__":{"command":"x","via":"cli"},"constructor":{"command":"y","via":"cli"}}',
  );
  const { fields } = await sentFor({ mcpServers });
  assert.equal(
    JSON.stringify(fields),
    '{"mcpServers":{"__proto__":{"type":"stdio","command":"x","args":[]},' +
      '"constructor":{"type":"stdio","command":"y","args":[]}}}',
  );
});

test("extraArgs takes no flag that this package may write itself", () => {
  const flags = new Set(
    [...CASES.flatMap(([, flags]) => flags), ...ALWAYS, "--mcp-config=x"]
      .flatMap((one) => /^--([A-Za-z-]+)/.exec(one)?.[1] ?? [])
      .filter((one) => one !== "channels" && one !== "workload"),
  );
  assert.ok(flags.size > 35, String(flags.size));
  for (const flag of flags) {
    assert.throws(
      () => checkOptions({ extraArgs: { [flag]: null } }),
      { key: `extraArgs.${flag}` },
      flag,
    );
  }
});

const PIECES = [
  ..."ab \t\n\r\"'`\\$&|;<>(){}[]*?!#~%^=,-é",
  "\u2028",
  "😀",
  "--",
  "$(x)",
];

test("any text is handed on as it is, one argument each", async () => {
  const random = randomFrom(1);
  for (let round = 0; round < 50; round++) {
    const values = Array.from({ length: 5 }, () => textOf(random, PIECES, 12));
    const { args } = await sentFor({
      model: `m${values[0]}`,
      additionalDirectories: values.slice(1, 3).map((one) => `d${one}`),
      extraArgs: { channels: values[3] ?? "", workload: values[4] ?? "" },
    });
    assert.deepEqual(args, [
      `--model=m${values[0]}`,
      `--add-dir=d${values[1]}`,
      `--add-dir=d${values[2]}`,
      `--channels=${values[3]}`,
      `--workload=${values[4]}`,
    ]);
    const { stdout } = spawnSync("printf", ["%s\\0", ...args]);
    assert.deepEqual(stdout.toString().split("\0").slice(0, -1), args);
  }
}, {
  skip: spawnSync("printf", ["%s"]).status === 0
    ? undefined
    : "there is no printf program",
  ids: ["E-15"],
});

function labelOf(options: AgentOptions): string {
  return JSON.stringify(
    options,
    (_key, value) => typeof value === "function" ? "function" : value,
  );
}
