import assert from "node:assert/strict";
import { tool } from "@sluice/agent/mcp";
import type { AgentOptions } from "@sluice/agent";
import { checkOptions } from "@sluice/agent/extend";
import { test } from "../_harness.ts";
import { configErrorOf, refusal, take } from "./_config_error.ts";

const UUID = "6b1f9a50-3c86-4b5a-8a6e-5f2f1e2f3a4b";
const add = tool({
  name: "add",
  description: "Adds",
  input: { type: "object" },
  run: () => "3",
});
const server = { connect: async () => {}, close: async () => {} };

/** Options with one MCP server. */
const withServer = (a: unknown) => ({ mcpServers: { a } });
const http = { type: "http", url: "http://x" };

/** Options with one thing wrong, the key the error names, and what its text says besides. */
const REFUSED: readonly [options: unknown, key: string, text: RegExp][] = [
  // The whole
  [null, "options", /object/],
  [[], "options", /array/],
  ["x", "options", /"x"/],
  // Unknown keys, at every level
  [{ modle: "opus" }, "modle", /"opus".*"model"/],
  [{ disallowedTools: [] }, "disallowedTools", /"deniedTools"/],
  [{ permissionMode: "plan" }, "permissionMode", /permissions\.mode/],
  [{ maxturns: 3 }, "maxturns", /3.*"maxTurns"/],
  [
    { shutdown: { bogus: 5 } },
    "shutdown.bogus",
    /known ones are "graceMs", "killMs"/,
  ],
  [{ system: "x" }, "system", /use "systemPrompt"/],
  [
    { appendSystemPrompt: "x" },
    "appendSystemPrompt",
    /"systemPrompt" with a preset/,
  ],
  [{ maxUsd: 5 }, "maxUsd", /use "maxBudgetUsd"/],
  [{ zzzzzz: 1 }, "zzzzzz", /no such option exists/],
  [{ constructor: 1 }, "constructor", /Unknown/],
  [{ toString: 1 }, "toString", /Unknown/],
  [JSON.parse('{"__proto__":{"cliPath":"x"}}'), "__proto__", /Unknown/],
  [{ timeouts: { connect: 5 } }, "timeouts.connect", /"connectMs"/],
  [{ shutdown: { grace: 5 } }, "shutdown.grace", /"graceMs"/],
  [{ limits: { maxBytes: 5 } }, "limits.maxBytes", /Unknown/],
  [{ health: { idle: 5 } }, "health.idle", /"idleMs"/],
  [{ permissions: { allow: [] } }, "permissions.allow", /Unknown/],
  [{ hooks: { PreTooluse: [] } }, "hooks.PreTooluse", /"PreToolUse"/],
  [{ hooks: { Bogus: [] } }, "hooks.Bogus", /Unknown/],
  [
    { hooks: { Stop: [{ hooks: [], timeout: 5 }] } },
    "hooks.Stop[0].timeout",
    /"timeoutMs"/,
  ],
  [withServer({ command: "x", arg: [] }), "mcpServers.a.arg", /"args"/],
  [
    { thinking: { type: "disabled", display: "omitted" } },
    "thinking.display",
    /Unknown/,
  ],
  [
    { systemPrompt: { preset: "claude_code", apend: "x" } },
    "systemPrompt.apend",
    /"append"/,
  ],
  [
    { tools: { preset: "claude_code", type: "preset" } },
    "tools.type",
    /known ones are "preset"/,
  ],
  [
    { agents: { a: { description: "d", prompt: "p", tool: [] } } },
    "agents.a.tool",
    /"tools"/,
  ],
  [
    { plugins: [{ type: "local", path: "p", name: "n" }] },
    "plugins[0].name",
    /Unknown/,
  ],
  // Texts
  [{ model: 4 }, "model", /string: 4/],
  [{ model: null }, "model", /null/],
  [{ model: "" }, "model", /non-empty/],
  [{ model: "a\0b" }, "model", /null character/],
  [{ fallbackModel: {} }, "fallbackModel", /object/],
  [{ agent: "" }, "agent", /non-empty/],
  [{ cwd: 1 }, "cwd", /string/],
  [{ cwd: "" }, "cwd", /non-empty/],
  [{ cwd: new URL("file:///x") }, "cwd", /string/],
  [{ resume: "" }, "resume", /non-empty/],
  [{ title: 1 }, "title", /string/],
  [{ planModeInstructions: 1 }, "planModeInstructions", /string/],
  [{ resumeSessionAt: 1, resume: "x" }, "resumeSessionAt", /string/],
  // Flags
  ...[
    "continue",
    "forkSession",
    "persistSession",
    "enableFileCheckpointing",
    "includePartialMessages",
    "includeHookEvents",
    "forwardSubagentText",
    "promptSuggestions",
    "strictMcpConfig",
  ].map((key): [unknown, string, RegExp] => [
    { [key]: "yes" },
    key,
    /true or false: "yes"/,
  ]),
  // Choices
  [{ effort: "hard" }, "effort", /"low", "medium".*"hard"/],
  [{ envPolicy: "none" }, "envPolicy", /"inherit"/],
  [{ validation: "zod" }, "validation", /"strict"/],
  [{ settingSources: ["user", "team"] }, "settingSources[1]", /"team"/],
  [{ settingSources: "user" }, "settingSources", /list/],
  [{ permissions: { mode: "yolo" } }, "permissions.mode", /"yolo"/],
  [{ health: { onIdle: "die" } }, "health.onIdle", /"warn"/],
  [{ thinking: { type: "on" } }, "thinking.type", /"adaptive"/],
  [{ thinking: {} }, "thinking.type", /"adaptive"/],
  [{ thinking: true }, "thinking", /object/],
  [{ thinking: { type: "enabled" } }, "thinking.budgetTokens", /set/],
  [
    { thinking: { type: "enabled", budgetTokens: 0 } },
    "thinking.budgetTokens",
    /1 or more: 0/,
  ],
  [
    { thinking: { type: "adaptive", display: "all" } },
    "thinking.display",
    /"omitted"/,
  ],
  // Numbers
  ...[0, -1, 1.5, NaN, Infinity, "3", 2 ** 31].flatMap((
    value,
  ): [unknown, string, RegExp][] =>
    [
      "connectMs",
      "writeMs",
      "controlMs",
      "hookMs",
      "permissionMs",
      "mcpMs",
      "abandonedMs",
    ].map((
      key,
    ) => [{ timeouts: { [key]: value } }, `timeouts.${key}`, /2147483647/])
  ),
  ...[0, -1, 0.5, NaN, Infinity, "1"].flatMap((
    value,
  ): [unknown, string, RegExp][] => [
    [
      { limits: { maxMessageBytes: value } },
      "limits.maxMessageBytes",
      /1 or more/,
    ],
    [
      { limits: { readAheadBytes: value } },
      "limits.readAheadBytes",
      /1 or more/,
    ],
    [
      { limits: { maxBufferedBytes: value } },
      "limits.maxBufferedBytes",
      /1 or more/,
    ],
    [
      { limits: { stderrWarnBytes: value } },
      "limits.stderrWarnBytes",
      /1 or more/,
    ],
    [
      { limits: { stderrLinesPerSecond: value } },
      "limits.stderrLinesPerSecond",
      /1 or more/,
    ],
    [{ maxTurns: value }, "maxTurns", /1 or more/],
    [{ health: { checkMs: value } }, "health.checkMs", /2147483647/],
    [{ health: { idleMs: value } }, "health.idleMs", /2147483647/],
    [
      { hooks: { Stop: [{ hooks: [], timeoutMs: value }] } },
      "hooks.Stop[0].timeoutMs",
      /2147483647/,
    ],
  ]),
  ...[0, -1, 0.5, NaN, "1"].flatMap((
    value,
  ): [unknown, string, RegExp][] => [
    // No limit is one that a person may have.
    [
      { permissions: { timeoutMs: value } },
      "permissions.timeoutMs",
      /2147483647, or Infinity/,
    ],
    [
      {
        permissions: {
          canUseTool: Object.assign(() => {}, { timeoutMs: value }),
        },
      },
      "permissions.canUseTool.timeoutMs",
      /2147483647, or Infinity/,
    ],
  ]),
  [{ limits: { stderrTailBytes: -1 } }, "limits.stderrTailBytes", /0 or more/],
  [{ shutdown: { graceMs: -1 } }, "shutdown.graceMs", /0 to 2147483647/],
  [{ shutdown: { killMs: Infinity } }, "shutdown.killMs", /0 to/],
  [{ shutdown: { forwardSignals: 1 } }, "shutdown.forwardSignals", /true/],
  [{ maxBudgetUsd: 0 }, "maxBudgetUsd", /a positive number: 0/],
  [{ maxBudgetUsd: Infinity }, "maxBudgetUsd", /a positive number/],
  [{ timeouts: [] }, "timeouts", /array/],
  [{ limits: null }, "limits", /null/],
  // Lists
  [{ betas: ["a,b"] }, "betas[0]", /comma/],
  [{ betas: "a" }, "betas", /list/],
  [{ additionalDirectories: [""] }, "additionalDirectories[0]", /non-empty/],
  // deno-lint-ignore no-sparse-arrays -- a hole is an item
  [
    { additionalDirectories: ["a", , "b"] },
    "additionalDirectories[1]",
    /string/,
  ],
  // CLI path and environment
  [{ cliPath: 5 }, "cliPath", /string: 5/],
  [{ cliPath: [] }, "cliPath", /path/],
  [{ cliPath: [""] }, "cliPath[0]", /non-empty/],
  [{ cliPath: ["node", 5] }, "cliPath[1]", /string/],
  [{ env: { A: 1 } }, "env.A", /string/],
  [{ env: { A: null } }, "env.A", /null/],
  [{ env: { "A=B": "x" } }, "env", /"A=\[redacted\]"/],
  [{ env: { "": "x" } }, "env", /empty/],
  [{ env: { A: "x\0y" } }, "env.A", /null character/],
  [{ env: [] }, "env", /array/],
  // Prompts, tools
  [{ systemPrompt: 1 }, "systemPrompt", /object/],
  [{ systemPrompt: { preset: "x" } }, "systemPrompt.preset", /claude_code/],
  [{ systemPrompt: { append: "x" } }, "systemPrompt.preset", /set/],
  [
    { systemPrompt: { preset: "claude_code", append: 1 } },
    "systemPrompt.append",
    /string/,
  ],
  [{ tools: "Read" }, "tools", /list/],
  [{ tools: ["Bash(git:*)"] }, "tools[0]", /allowedTools/],
  [{ tools: ["Read,Write"] }, "tools[0]", /allowedTools/],
  [{ tools: [add] }, "tools[0]", /mcpServers: { calc: createMcpServer\(/],
  [{ allowedTools: [add] }, "allowedTools[0]", /such as "mcp__SERVER__add"/],
  [
    { permissions: { approve: [add] } },
    "permissions.approve[0]",
    /mcp__SERVER__/,
  ],
  [{ approvals: {} }, "approvals", /use "permissions\.approvals"/],
  [{ approve: ["Read"] }, "approve", /use "permissions\.approve"/],
  [{ mode: "plan" }, "mode", /use "permissions\.mode"/],
  [{ connectMs: 5 }, "connectMs", /use "timeouts\.connectMs"/],
  [{ killMs: 5 }, "killMs", /use "shutdown\.killMs"/],
  [{ projectKey: "x" }, "projectKey", /use "transcripts\.projectKey"/],
  [{ tools: { preset: "all" } }, "tools.preset", /claude_code/],
  [{ allowedTools: 1 }, "allowedTools", /list/],
  [{ allowedTools: [1] }, "allowedTools[0]", /string: 1/],
  [{ allowedTools: [""] }, "allowedTools[0]", /name of a tool/],
  [{ allowedTools: ["Bash(git"] }, "allowedTools[0]", /"Bash\(git"/],
  [{ allowedTools: ["Bash git"] }, "allowedTools[0]", /"Bash git"/],
  [{ allowedTools: ["Bash()"] }, "allowedTools[0]", /"Bash\(\)"/],
  [{ allowedTools: "Read,Bash)x(" }, "allowedTools", /Bash/],
  [{ allowedTools: ["*"] }, "allowedTools", /left out/],
  [{ allowedTools: ["Task*"] }, "allowedTools", /wildcard/],
  [{ deniedTools: [{}] }, "deniedTools[0]", /object/],
  [{ permissions: { approve: "Read" } }, "permissions.approve", /list/],
  [{ permissions: { approve: ["*"] } }, "permissions.approve", /allowBypass/],
  [{ permissions: { canUseTool: true } }, "permissions.canUseTool", /function/],
  [{ permissions: [] }, "permissions", /array/],
  // Hooks
  [{ hooks: [] }, "hooks", /array/],
  [{ hooks: { Stop: {} } }, "hooks.Stop", /list/],
  [{ hooks: { Stop: [() => ({})] } }, "hooks.Stop[0]", /object/],
  [{ hooks: { Stop: [{}] } }, "hooks.Stop[0].hooks", /set/],
  [{ hooks: { Stop: [{ hooks: () => ({}) }] } }, "hooks.Stop[0].hooks", /list/],
  [
    { hooks: { Stop: [{ hooks: [1] }] } },
    "hooks.Stop[0].hooks[0]",
    /function: 1/,
  ],
  [
    { hooks: { Stop: [{ hooks: [], matcher: /x/ }] } },
    "hooks.Stop[0].matcher",
    /string/,
  ],
  [
    { hooks: { Stop: [{ hooks: [], onFailure: "open" }] } },
    "hooks.Stop[0].onFailure",
    /"block"/,
  ],
  // Agents, plugins, skills
  [{ agents: [] }, "agents", /array/],
  [{ agents: { a: { description: "d" } } }, "agents.a.prompt", /set/],
  [{ agents: { a: { prompt: "d" } } }, "agents.a.description", /set/],
  [{ agents: { "": {} } }, "agents", /non-empty/],
  [
    { agents: { a: { description: "d", prompt: "p", effort: "x" } } },
    "agents.a.effort",
    /"low"/,
  ],
  [
    { agents: { a: { description: "d", prompt: "p", mcpServers: [() => 1] } } },
    "agents.a.mcpServers[0]",
    /object/,
  ],
  [{ plugins: [{ path: "p" }] }, "plugins[0].type", /set/],
  [{ plugins: [{ type: "npm", path: "p" }] }, "plugins[0].type", /"local"/],
  [{ plugins: ["p"] }, "plugins[0]", /object/],
  [{ skills: "some" }, "skills", /"all"/],
  [{ skills: ["a,b"] }, "skills[0]", /without/],
  [{ skills: ["/a"] }, "skills[0]", /without/],
  // Settings
  [{ settings: 1 }, "settings", /object/],
  [{ settings: "" }, "settings", /non-empty/],
  [{ settings: "{ not json" }, "settings", /valid JSON/],
  [{ settings: { a: () => 1 } }, "settings.a", /JSON/],
  [{ settings: { a: { b: [1n] } } }, "settings.a.b[0]", /JSON/],
  [{ settings: { a: NaN } }, "settings.a", /finite/],
  [{ settings: { a: new Map() } }, "settings.a", /JSON/],
  [{ sandbox: true }, "sandbox", /object/],
  [{ sandbox: {}, settings: "/etc/settings.json" }, "sandbox", /file/],
  [{ managedSettings: "{}" }, "managedSettings", /object/],
  [{ managedSettings: null }, "managedSettings", /object/],
  [{ managedSettings: { a: () => 1 } }, "managedSettings.a", /JSON/],
  // The prompt
  [{ systemPrompt: 7 }, "systemPrompt", /object/],
  [{ systemPrompt: ["a", 7] }, "systemPrompt[1]", /string/],
  [{ systemPrompt: {} }, "systemPrompt.preset", /set/],
  [
    { systemPrompt: { preset: "claude_code", prompt: "x" } },
    "systemPrompt.preset",
    /left out/,
  ],
  [
    { systemPrompt: { prompt: "x", append: "y" } },
    "systemPrompt.append",
    /known/,
  ],
  [{ systemPrompt: { prompt: [1] } }, "systemPrompt.prompt[0]", /string/],
  [
    { systemPrompt: { prompt: "x", snapshot: "no" } },
    "systemPrompt.snapshot",
    /true or false/,
  ],
  // Tools and tasks
  [{ toolAliases: ["Bash"] }, "toolAliases", /array/],
  [{ toolAliases: { Bash: 7 } }, "toolAliases.Bash", /string/],
  [{ toolAliases: { Bash: "" } }, "toolAliases.Bash", /non-empty/],
  [{ toolAliases: { "": "Bash" } }, "toolAliases", /non-empty/],
  [{ toolConfig: { bash: {} } }, "toolConfig.bash", /known/],
  [
    { toolConfig: { askUserQuestion: { previewFormat: "pdf" } } },
    "toolConfig.askUserQuestion.previewFormat",
    /"html"/,
  ],
  [{ taskBudget: 20_000 }, "taskBudget", /object/],
  [{ taskBudget: {} }, "taskBudget.total", /set/],
  [{ taskBudget: { total: 0 } }, "taskBudget.total", /1 or more/],
  [{ projectConfigRoot: "main" }, "projectConfigRoot", /absolute path/],
  [{ debug: 1 }, "debug", /string/],
  [{ debug: false, debugFile: "/x" }, "debug", /"debugFile"/],
  [
    { supportedDialogKinds: ["x"] },
    "supportedDialogKinds",
    /needs "onUserDialog"/,
  ],
  [{ permissions: { prompts: "mcp" } }, "permissions.prompts", /"none"/],
  [
    {
      permissions: {
        prompts: "none",
        canUseTool: () => ({ behavior: "allow" }),
      },
    },
    "permissions.prompts",
    /canUseTool/,
  ],
  // Sessions
  [{ resume: "x", resumeDropsTurn: "p" }, "resumeDropsTurn", /resumeSessionAt/],
  [{ sessionId: "abc" }, "sessionId", /UUID.*"abc"/],
  [{ resume: "x", continue: true }, "continue", /"resume"/],
  [{ forkSession: true }, "forkSession", /"resume" or "continue"/],
  [{ resumeSessionAt: UUID }, "resumeSessionAt", /"resume"/],
  [{ sessionId: UUID, resume: "x" }, "sessionId", /"forkSession"/],
  [{ sessionId: UUID, continue: true }, "sessionId", /"forkSession"/],
  // Further flags
  [{ extraArgs: [] }, "extraArgs", /array/],
  [{ extraArgs: { "--debug": null } }, "extraArgs.--debug", /as "debug"/],
  [
    { extraArgs: { "output-format": "json" } },
    "extraArgs.output-format",
    /sets/,
  ],
  [{ extraArgs: { "input-format": "text" } }, "extraArgs.input-format", /sets/],
  [
    { extraArgs: { "mcp-config": "{}" } },
    "extraArgs.mcp-config",
    /"mcpServers"/,
  ],
  [{ extraArgs: { verbose: null } }, "extraArgs.verbose", /sets/],
  [{ extraArgs: { print: null } }, "extraArgs.print", /sets/],
  [{ extraArgs: { p: null } }, "extraArgs.p", /sets/],
  [{ extraArgs: { model: "x" } }, "extraArgs.model", /use "model"/],
  [
    { extraArgs: { "dangerously-skip-permissions": null } },
    "extraArgs.dangerously-skip-permissions",
    /permissions\.mode/,
  ],
  [{ extraArgs: { workload: true } }, "extraArgs.workload", /null/],
  [{ extraArgs: { debug: null } }, "extraArgs.debug", /use "debug"/],
  [
    { extraArgs: { "managed-settings": "{}" } },
    "extraArgs.managed-settings",
    /use "managedSettings"/,
  ],
  [
    { extraArgs: { "permission-prompts": "none" } },
    "extraArgs.permission-prompts",
    /use "permissions\.prompts"/,
  ],
  [{ extraArgs: { "a b": "x" } }, "extraArgs.a [redacted]", /name of a flag/],
  [{ extraArgs: { workload: "a\0" } }, "extraArgs.workload", /null character/],
  // Servers
  [{ mcpServers: [] }, "mcpServers", /array/],
  [{ mcpServers: [server] }, "mcpServers", /{ calc: server }: an array/],
  [{ mcpServers: server }, "mcpServers", /{ calc: server }: an object/],
  [{ mcpServers: [add] }, "mcpServers", /createMcpServer\({ name, tools }\)/],
  [
    { mcpServers: { add } },
    "mcpServers.add",
    /a server, not a tool.*createMcp/,
  ],
  [{ mcpServers: { "": { command: "x" } } }, "mcpServers", /empty/],
  [{ mcpServers: { " a": { command: "x" } } }, "mcpServers", /blanks/],
  [{ mcpServers: { a: "npx x" } }, "mcpServers.a", /object/],
  [withServer({}), "mcpServers.a.command", /set/],
  [withServer({ command: "" }), "mcpServers.a.command", /non-empty/],
  [withServer({ command: "x", args: "y" }), "mcpServers.a.args", /list/],
  [withServer({ command: "x", env: { A: 1 } }), "mcpServers.a.env.A", /string/],
  [
    withServer({ command: "x", inheritEnv: "all" }),
    "mcpServers.a.inheritEnv",
    /true or false/,
  ],
  [
    withServer({ url: "http://x" }),
    "mcpServers.a.type",
    /"http" or "sse"/,
  ],
  [withServer({ type: "http" }), "mcpServers.a.url", /set/],
  [withServer({ type: "http", url: "x" }), "mcpServers.a.url", /address.*"x"/],
  [
    withServer({ type: "sse", url: "ftp://x" }),
    "mcpServers.a.url",
    /http/,
  ],
  [withServer({ type: "http", url: 1 }), "mcpServers.a.url", /URL/],
  [
    withServer({ ...http, headers: { A: 1 } }),
    "mcpServers.a.headers.A",
    /string/,
  ],
  [
    {
      mcpServers: {
        a: { ...http, headers: { A: "x\r\nB: y" } },
      },
    },
    "mcpServers.a.headers.A",
    /line breaks/,
  ],
  [
    {
      mcpServers: {
        a: { ...http, headers: { "A B": "" } },
      },
    },
    "mcpServers.a.headers",
    /header name/,
  ],
  [
    withServer({ url: "http://x", command: "x" }),
    "mcpServers.a.url",
    /"command".*type "http" or "sse"/,
  ],
  [
    withServer({ ...http, command: "x" }),
    "mcpServers.a.command",
    /Unknown/,
  ],
  [
    withServer({ command: "x", connectTimeoutMs: 0 }),
    "mcpServers.a.connectTimeoutMs",
    /2147483647/,
  ],
  [
    withServer({ command: "x", callTimeoutMs: -1 }),
    "mcpServers.a.callTimeoutMs",
    /2147483647/,
  ],
  [withServer({ command: "x", via: "me" }), "mcpServers.a.via", /"cli"/],
  [
    withServer({ type: "sdk", instance: server, via: "cli" }),
    "mcpServers.a.via",
    /left out/,
  ],
  [
    {
      mcpServers: {
        a: { ...http, via: "cli", fetch: () => {} },
      },
    },
    "mcpServers.a.fetch",
    /no effect/,
  ],
  [
    withServer({ command: "x", via: "cli", inheritEnv: false }),
    "mcpServers.a.inheritEnv",
    /no effect/,
  ],
  [
    withServer({ command: "x", via: "cli", cwd: "/" }),
    "mcpServers.a.cwd",
    /no effect/,
  ],
  [
    withServer({ command: "x", via: "cli", onStderr() {} }),
    "mcpServers.a.onStderr",
    /no effect/,
  ],
  [withServer({ command: "x", cwd: 1 }), "mcpServers.a.cwd", /1/],
  // Callbacks and objects of the user
  [{ onElicitation: {} }, "onElicitation", /function/],
  [{ onUserDialog: 1 }, "onUserDialog", /function: 1/],
  [{ onStderr: "log" }, "onStderr", /function: "log"/],
  [{ signal: new AbortController() }, "signal", /AbortSignal/],
  [{ signal: {} }, "signal", /AbortSignal/],
  [{ logger: { debug() {} } }, "logger.info", /function/],
  [{ logger: null }, "logger", /null/],
  [{ metrics: 1 }, "metrics", /object/],
  [{ metrics: { transport: 1 } }, "metrics.transport", /object/],
  [{ clock: { now: Date.now } }, "clock.sleep", /function/],
  [{ transport: {} }, "transport.open", /function/],
];

for (const [options, key, text] of REFUSED) {
  const name = show(options);
  test(`checkOptions() refuses ${name}`, () => {
    const error = refusal(options);
    assert.equal(error.key, key, error.message);
    assert.match(error.message, text);
  });
}

test("the check of options refuses both tool lists at once", () => {
  const error = refusal({ allowedTools: ["Read"], deniedTools: ["Bash"] });
  assert.equal(error.key, "allowedTools");
  assert.match(error.message, /"deniedTools"/);
  assert.equal(
    refusal({ allowedTools: "Read", deniedTools: "Bash" }).key,
    "allowedTools",
  );
}, { ids: ["O-03"] });

test("the check of options takes one tool list beside an empty one", () => {
  for (
    const lists of [
      { allowedTools: [], deniedTools: ["Bash"] },
      { allowedTools: ["Bash"], deniedTools: [] },
      { allowedTools: ["Bash"], deniedTools: "" },
    ]
  ) assert.doesNotThrow(() => take(lists));
}, { ids: ["O-03"] });

test("the check of options refuses bypassPermissions without allowBypass", () => {
  const mode = "bypassPermissions";
  for (const allowBypass of [undefined, false]) {
    const error = refusal({ permissions: { mode, allowBypass } });
    assert.equal(error.key, "permissions.mode");
    assert.match(error.message, /allowBypass: true/);
  }
  take({ permissions: { mode, allowBypass: true } });
});

test("the check of options refuses a fallback that is the model itself", () => {
  assert.equal(refusal({ model: "a", fallbackModel: "a" }).value, "a");
  assert.equal(
    refusal({ model: "a", fallbackModel: "b,a" }).key,
    "fallbackModel",
  );
  take({ model: "a", fallbackModel: "b" });
});

test("checkOptions() refuses an unknown kind of MCP server", () => {
  const error = refusal({ mcpServers: { a: { type: "x", url: "http://x" } } });
  assert.equal(error.key, "mcpServers.a.type");
  assert.equal(error.value, "x");
  assert.match(error.message, /"stdio", "http", "sse", "sdk": "x"/);
}, { ids: ["MI-13", "O-09"] });

test("checkOptions() refuses an sdk server without an instance", () => {
  const shapes = [undefined, null, {}, "x", { connect: true }];
  for (const instance of shapes) {
    const error = refusal({ mcpServers: { a: { type: "sdk", instance } } });
    assert.equal(error.key, "mcpServers.a.instance");
  }
}, { ids: ["O-12"] });

test("checkOptions() takes the four kinds of MCP servers", () => {
  const options = {
    mcpServers: {
      implied: { command: "x" },
      stdio: {
        type: "stdio",
        command: "x",
        args: ["", "-y"],
        env: { A: "" },
        inheritEnv: ["PATH"],
        cwd: "/srv",
        onStderr() {},
      },
      http: {
        type: "http",
        url: new URL("https://example.com/mcp"),
        headers: { Authorization: "Bearer x" },
        fetch,
        connectTimeoutMs: 1,
        callTimeoutMs: 2 ** 31 - 1,
      },
      sse: { type: "sse", url: "http://127.0.0.1:1/sse", via: "cli" },
      sdk: { type: "sdk", instance: server },
      unset: undefined,
    } as unknown as NonNullable<AgentOptions["mcpServers"]>,
  };
  assert.doesNotThrow(() => take(options));
}, { ids: ["MI-08", "O-09"] });

test("checkOptions() takes no options and empty options", () => {
  assert.doesNotThrow(() => checkOptions({}));
  for (const empty of [undefined, {}]) {
    assert.doesNotThrow(() => take(empty));
  }
}, { ids: ["O-08"] });

test("checkOptions() reads undefined as unset, at every level", () => {
  checkOptions({
    model: undefined,
    timeouts: { connectMs: undefined },
    thinking: undefined,
    neverHeardOf: undefined,
    hooks: { Stop: undefined },
    permissions: { mode: undefined },
  });
});

test("checkOptions() takes every option at once", () => {
  checkOptions({
    cliPath: ["node", "cli.js"],
    cwd: "relative/too",
    env: { A: "1", B: undefined },
    envPolicy: "allowlist",
    additionalDirectories: ["/a b"],
    model: "opus",
    fallbackModel: "sonnet",
    effort: "max",
    thinking: { type: "enabled", budgetTokens: 1024, display: "omitted" },
    maxTurns: 1,
    maxBudgetUsd: 0.01,
    betas: ["b"],
    agent: "a",
    agents: {
      a: {
        description: "d",
        prompt: "p",
        tools: ["Read"],
        effort: 3,
        memory: "user",
        mcpServers: ["x", { y: { command: "z", args: [] } }],
      },
    },
    settings: { env: { X: "y" } },
    settingSources: [],
    plugins: [{ type: "local", path: "/p", skipMcpDiscovery: true }],
    skills: ["pdf", "team:docx"],
    sandbox: { enabled: true },
    resume: "title or id",
    continue: false,
    forkSession: true,
    sessionId: UUID.toUpperCase(),
    resumeSessionAt: UUID,
    persistSession: false,
    enableFileCheckpointing: true,
    includePartialMessages: true,
    includeHookEvents: true,
    forwardSubagentText: true,
    promptSuggestions: true,
    planModeInstructions: "x",
    strictMcpConfig: true,
    title: "T",
    extraArgs: { channels: null, workload: "x", unset: undefined },
    debug: "api",
    debugFile: "/tmp/log.txt",
    projectConfigRoot: "C:\\main",
    taskBudget: { total: 1 },
    managedSettings: { permissions: { deny: ["Bash"] } },
    agentProgressSummaries: true,
    verbatimPrompts: true,
    perTaskStopAffordance: true,
    toolAliases: { Bash: "mcp__box__bash" },
    toolConfig: { askUserQuestion: { previewFormat: "markdown" } },
    supportedDialogKinds: ["refusal_fallback_prompt"],
    onUserDialog: () => ({ behavior: "cancelled" }),
    systemPrompt: {
      preset: "claude_code",
      append: "",
      excludeDynamicSections: true,
      snapshot: false,
    },
    tools: ["Read", "Bash"],
    allowedTools: "Read, Bash(git log --format=%h,%s:*),mcp__docs__*",
    permissions: {
      mode: "default",
      allowBypass: false,
      approve: ["Read", "Edit(src/**)"],
      canUseTool: () => ({ behavior: "allow" }),
      timeoutMs: 1,
    },
    hooks: { PreToolUse: [{ matcher: "Bash|Edit", hooks: [() => ({})] }] },
    mcpServers: {},
    outputSchema: { type: "object" },
    onElicitation: () => ({ action: "decline" }),
    onStderr: () => {},
    signal: AbortSignal.abort(),
    timeouts: { connectMs: 2 ** 31 - 1 },
    shutdown: { graceMs: 0, killMs: 0, forwardSignals: false },
    limits: { stderrTailBytes: 0 },
    health: { onIdle: "fail" },
    validation: "strict",
    logger: console,
    metrics: { transport: {} },
    clock: { now: () => 0, sleep: async () => {} },
    transport: { open: () => Promise.reject() },
  });
});

test("checkOptions() takes loggers and clocks whose methods are inherited", () => {
  class Loud {
    debug(): void {}
    info(): void {}
    warn(): void {}
    error(): void {}
  }
  class Still {
    now(): number {
      return 0;
    }
    async sleep(): Promise<void> {}
  }
  class Both extends Still {
    monotonic(): number {
      return 0;
    }
  }
  checkOptions({ clock: new Both() });
  assert.throws(
    () =>
      checkOptions({
        clock: {
          ...new Loud(),
          now: () => 0,
          sleep: async () => {},
          monotonic: 5,
        },
      }),
    { key: "clock.monotonic" },
  );
  checkOptions({
    logger: new Loud(),
    clock: new Still(),
    metrics: { parser: new Loud() },
  });
});

test("ConfigError shows no secret of an option", () => {
  const secret = "sk-very-secret-1234";
  const leaks: readonly unknown[] = [
    { apiKey: secret },
    { api_key: "hunter2-hunter2" },
    { prompt: secret },
    { env: { ANTHROPIC_API_KEY: `${secret}\0` } },
    { mcpServer: { a: { headers: { Authorization: secret } } } },
    {
      mcpServers: {
        a: {
          type: "http",
          url: "http://x",
          headers: { Authorization: `${secret}\n` },
        },
      },
    },
    { mcpServers: { a: { command: "x", env: { TOKEN: `${secret}\0` } } } },
    {
      mcpServers: {
        a: { type: "http", url: `htp://me:${secret}@x/?t=${secret}` },
      },
    },
    { mcpServers: { a: { type: "http", url: `/mcp?token=${secret}` } } },
    { settings: `{ "env": { "K": "${secret}" ` },
  ];
  for (const options of leaks) {
    const { message } = refusal(options);
    assert.ok(!/very-secret|hunter2/.test(message), message);
  }
}, { ids: ["E-07"] });

test("ConfigError shows no secret that stands where it does not belong", () => {
  const secret = "kEy9Secretvalue0042x";
  const leaks: readonly unknown[] = [
    { envPolicy: secret },
    { maxTurns: secret },
    { auth: secret },
    { permissions: { mode: secret } },
    { mcpServers: { a: { type: secret } } },
    { env: { [`MY=${secret}`]: "x" } },
    { extraArgs: { [`api-key=${secret}`]: null } },
    { extraArgs: { [`--api-key=${secret}`]: null } },
    { extraArgs: { [`api-key ${secret}`]: null } },
    { [`apiKey=${secret}`]: true },
    {
      mcpServers: {
        a: {
          type: "http",
          url: "http://x",
          headers: { [`Authorization: ${secret}`]: "" },
        },
      },
    },
  ];
  for (const options of leaks) {
    const { message, key, value, stack } = refusal(options);
    const all = [message, key, String(value), stack].join("\n");
    assert.ok(!all.includes(secret), all);
  }
}, { ids: ["E-07"] });

test("ConfigError shows wrong words, versions, ids and paths", () => {
  const harmless = [
    "inheritance",
    "claude-sonnet-4-5-20250929",
    UUID,
    "/builds/0123456789abcdef01234567/x",
  ];
  for (const word of harmless) {
    const { message, value } = refusal({ envPolicy: word });
    assert.equal(value, word);
    assert.ok(message.includes(word), message);
  }
});

test("ConfigError carries key and value", () => {
  const error = configErrorOf(() =>
    checkOptions({ limits: { maxMessageBytes: -5 } })
  );
  assert.equal(error.key, "limits.maxMessageBytes");
  assert.equal(error.value, -5);
  assert.equal(
    error.message,
    'Option "limits.maxMessageBytes" must be a whole number, 1 or more: -5',
  );
  assert.equal(error.fatal, true);
});

test("checkOptions() survives options that refer to themselves", () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  assert.equal(refusal({ settings: loop }).key, "settings.self");
  assert.equal(refusal({ bogus: loop }).key, "bogus");
  const twice = { a: 1 };
  take({ settings: { x: twice, y: twice } });
});

/** Options as the name of a test, on one line. */
function show(options: unknown): string {
  const text = JSON.stringify(options, (_key, value: unknown) => {
    if (typeof value === "function") return "function";
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "number" && !Number.isFinite(value)) {
      return String(value);
    }
    return value;
  });
  return text;
}
