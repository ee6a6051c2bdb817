import assert from "node:assert/strict";
import { tool } from "@sluice/agent/mcp";
import type { AgentOptions } from "@sluice/agent";
import { checkOptions } from "@sluice/agent/extend";
import { OPTION_KEYS } from "./_names.ts";
import { test } from "../_harness.ts";
import { at, refusal, take } from "./_config_error.ts";

const UUID = "6b1f9a50-3c86-4b5a-8a6e-5f2f1e2f3a4b";
const add = tool({
  name: "add",
  description: "Adds",
  input: { type: "object" },
  run: () => "3",
});
const server = { connect: async () => {}, close: async () => {} };
const http = { type: "http", url: "http://x" };
const callback = () => ({});

test("every option refuses a value of another type, by its dotted key", () => {
  assert.ok(OPTION_KEYS.length > 90);
  for (const key of OPTION_KEYS) {
    for (const value of [1n, Symbol("x")]) {
      const error = refusal(at(key, value));
      assert.equal(error.key, key, error.message);
      assert.match(error.message, / must be |invalid/);
    }
  }
});

test("every group of options refuses an unknown key, and what is no object", () => {
  const groups = OPTION_KEYS.flatMap((key) => /^(.*)\./.exec(key)?.[1] ?? []);
  for (const group of new Set(groups)) {
    const unknown = refusal(at(`${group}.bogus`, 1));
    assert.equal(unknown.key, `${group}.bogus`);
    assert.match(unknown.message, /^Unknown option/);
    for (const value of [null, []]) {
      assert.equal(refusal(at(group, value)).key, group);
    }
  }
});

const NUMBERS: readonly [text: RegExp, keys: readonly string[]][] = [
  [/1 to 2147483647/, [
    "timeouts.connectMs",
    "timeouts.abandonedMs",
    "health.checkMs",
    "hooks.Stop[0].timeoutMs",
    "mcpServers.a.callTimeoutMs",
  ]],
  [/1 or more/, ["limits.maxMessageBytes", "maxTurns", "taskBudget.total"]],
  [/2147483647, or Infinity/, ["permissions.timeoutMs"]],
  [/0 to 2147483647/, ["shutdown.graceMs", "shutdown.killMs"]],
  [/0 or more/, ["limits.stderrTailBytes"]],
  [/a positive number/, ["maxBudgetUsd"]],
];

test("options of numbers refuse what is out of range", () => {
  for (const [text, keys] of NUMBERS) {
    const wrong = /\b0 /.test(text.source) ? [] : [0];
    for (const value of [...wrong, -1, NaN, "3"]) {
      for (const key of keys) {
        const error = refusal(at(key, value));
        assert.equal(error.key, key);
        assert.match(error.message, text);
      }
    }
  }
  for (const key of ["timeouts.writeMs", "health.idleMs"]) {
    for (const value of [1.5, Infinity, 2 ** 31]) {
      assert.equal(refusal(at(key, value)).key, key);
    }
  }
  const canUseTool = Object.assign(() => ({}), { timeoutMs: 0 });
  const { key } = refusal({ permissions: { canUseTool } });
  assert.equal(key, "permissions.canUseTool.timeoutMs");
});

/** Where something is wrong, what stands there, and what the error says. */
const REFUSED: readonly [key: string, value: unknown, text: RegExp][] = [
  // Unknown keys, at every level, with the help for each
  ["modle", "opus", /"opus".*"model"/],
  ["maxturns", 3, /3.*"maxTurns"/],
  ["zzzzzz", 1, /no such option exists/],
  ["constructor", 1, /Unknown/],
  ["disallowedTools", [], /"deniedTools"/],
  ["permissionMode", "plan", /permissions\.mode/],
  ["system", "x", /use "systemPrompt"/],
  ["appendSystemPrompt", "x", /"systemPrompt" with a preset/],
  ["maxUsd", 5, /use "maxBudgetUsd"/],
  ["approvals", {}, /use "permissions\.approvals"/],
  ["connectMs", 5, /use "timeouts\.connectMs"/],
  ["projectKey", "x", /use "transcripts\.projectKey"/],
  ["shutdown.bogus", 5, /known ones are "graceMs", "killMs"/],
  ["timeouts.connect", 5, /"connectMs"/],
  ["hooks.PreTooluse", [], /"PreToolUse"/],
  ["hooks.Stop[0].timeout", 5, /"timeoutMs"/],
  ["mcpServers.a.arg", [], /"args"/],
  ["systemPrompt.apend", "x", /"append"/],
  ["tools.type", "preset", /known ones are "preset"/],
  ["agents.a.tool", [], /"tools"/],
  ["toolConfig.bash", {}, /known/],
  // Texts and choices
  ["model", null, /null/],
  ["model", "", /non-empty/],
  ["model", "a\0b", /null character/],
  ["cwd", new URL("file:///x"), /string/],
  ["continue", "yes", /true or false: "yes"/],
  ["effort", "hard", /"low", "medium".*"hard"/],
  ["settingSources[0]", "team", /"team"/],
  ["health.onIdle", "die", /"warn"/],
  ["thinking.type", undefined, /"adaptive"/],
  ["thinking", { type: "enabled" }, /set/],
  ["betas[0]", "a,b", /comma/],
  ["additionalDirectories[0]", "", /non-empty/],
  ["projectConfigRoot", "main", /absolute path/],
  ["sessionId", "abc", /UUID.*"abc"/],
  // CLI path and environment
  ["cliPath", [], /path/],
  ["cliPath[0]", "", /non-empty/],
  ["env.A", null, /null/],
  ["env", { "A=B": "x" }, /"A=\[redacted\]"/],
  ["env", { "": "x" }, /empty/],
  ["env.A", "x\0y", /null character/],
  // Prompts and tools
  ["systemPrompt.preset", "x", /claude_code/],
  ["systemPrompt", { append: "x" }, /set/],
  ["systemPrompt", { preset: "claude_code", prompt: "x" }, /known/],
  ["systemPrompt", { prompt: "x", append: "y" }, /known/],
  ["systemPrompt.prompt[0]", 1, /string/],
  ["tools[0]", "Bash(git:*)", /allowedTools/],
  ["tools[0]", "Read,Write", /allowedTools/],
  ["tools[0]", add, /mcpServers: { calc: createMcpServer\(/],
  ["tools.preset", "all", /claude_code/],
  ["allowedTools[0]", add, /such as "mcp__SERVER__add"/],
  ["allowedTools[0]", "", /name of a tool/],
  ["allowedTools[0]", "Bash(git", /"Bash\(git"/],
  ["allowedTools[0]", "Bash git", /"Bash git"/],
  ["allowedTools", "Read,Bash)x(", /Bash/],
  ["allowedTools", ["*"], /left out/],
  ["allowedTools", ["Task*"], /wildcard/],
  ["permissions.approve", "Read", /list/],
  ["permissions.approve", ["*"], /allowBypass/],
  ["toolAliases.Bash", "", /non-empty/],
  ["toolAliases", { "": "Bash" }, /non-empty/],
  // Hooks, agents, plugins, skills
  ["hooks.Stop[0]", {}, /set/],
  ["hooks.Stop[0].hooks[0]", 1, /function: 1/],
  ["hooks.Stop[0].matcher", /x/, /string/],
  ["hooks.PreToolUse[0].matcher", "Bash(", /regular expression.*: "Bash\("/],
  ["hooks.Stop[0].onFailure", "open", /"block"/],
  ["agents.a", { description: "d" }, /set/],
  ["agents", { "": {} }, /non-empty/],
  ["agents.a.effort", "x", /"low"/],
  ["agents.a.mcpServers[0]", callback, /object/],
  ["plugins[0]", { path: "p" }, /set/],
  ["plugins[0].type", "npm", /"local"/],
  ["skills", "some", /"all"/],
  ["skills[0]", "a,b", /without/],
  ["skills[0]", "/a", /without/],
  // Settings
  ["settings", "", /non-empty/],
  ["settings", "{ not json", /valid JSON/],
  ["settings.a.b[0]", 1n, /JSON/],
  ["settings.a", NaN, /finite/],
  ["managedSettings.a", callback, /JSON/],
  // Further flags
  ["extraArgs.--debug", null, /as "debug"/],
  ["extraArgs.output-format", "json", /sets/],
  ["extraArgs.p", null, /sets/],
  ["extraArgs.mcp-config", "{}", /"mcpServers"/],
  ["extraArgs.permission-prompts", "none", /use "permissions\.prompts"/],
  ["extraArgs.dangerously-skip-permissions", null, /permissions\.mode/],
  ["extraArgs.workload", true, /null/],
  ["extraArgs.workload", "a\0", /null character/],
  // Servers
  ["mcpServers", [server], /{ calc: createMcpServer/],
  ["mcpServers", server, /{ calc: createMcpServer/],
  ["mcpServers.add", add, /createMcpServer\({ name, tools }\)/],
  ["mcpServers", { "": { command: "x" } }, /empty/],
  ["mcpServers", { " a": { command: "x" } }, /blanks/],
  ["mcpServers.a", {}, /set/],
  ["mcpServers.a.inheritEnv", "all", /true or false/],
  ["mcpServers.a", { url: "http://x" }, /"stdio", "http"/],
  ["mcpServers.a", { type: "x", url: "http://x" }, /"sse", "sdk": "x"/],
  ["mcpServers.a", { type: "http" }, /set/],
  ["mcpServers.a", { type: "sse", url: "ftp://x" }, /http or https/],
  ["mcpServers.a", { ...http, headers: { A: "x\r\nB: y" } }, /line breaks/],
  ["mcpServers.a", { ...http, headers: { "A B": "" } }, /header name/],
  ["mcpServers.a", { ...http, command: "x" }, /Unknown/],
  ["mcpServers.a.via", "me", /"cli"/],
  ["mcpServers.a", { ...http, via: "cli", fetch: callback }, /no effect/],
  ["mcpServers.a", { command: "x", via: "cli", cwd: "/" }, /no effect/],
  ["mcpServers.a", { type: "sdk", instance: {} }, /connect\(transport\)/],
  // Objects of the user
  ["signal", new AbortController(), /AbortSignal/],
  ["logger", { debug: callback }, /function/],
  ["metrics.transport", 1, /object/],
  ["clock", { now: Date.now }, /function/],
  ["transport", {}, /function/],
];

test("checkOptions() names the key of what is wrong, and what helps", () => {
  for (const [key, value, text] of REFUSED) {
    const error = refusal(at(key, value));
    assert.ok(error.key.startsWith(key), error.message);
    assert.match(error.message, text, key);
  }
}, { ids: ["MI-13", "O-09", "O-12"] });

const TOGETHER: readonly [options: AgentOptions, key: string, text: RegExp][] =
  [
    [{ sandbox: {}, settings: "/etc/settings.json" }, "sandbox", /file/],
    [
      { allowedTools: "Read", deniedTools: "Bash" },
      "allowedTools",
      /"deniedTo/,
    ],
    [{ debug: false, debugFile: "/x" }, "debug", /"debugFile"/],
    [{ supportedDialogKinds: ["x"] }, "supportedDialogKinds", /"onUserDialog"/],
    [
      { permissions: { prompts: "none", canUseTool: callback as never } },
      "permissions.prompts",
      /canUseTool/,
    ],
    [
      { permissions: { mode: "bypassPermissions", allowBypass: false } },
      "permissions.mode",
      /allowBypass: true/,
    ],
    [{ model: "a", fallbackModel: "b,a" }, "fallbackModel", /differ/],
    [
      { resume: "x", resumeDropsTurn: "p" },
      "resumeDropsTurn",
      /resumeSessionAt/,
    ],
    [{ resume: "x", continue: true }, "continue", /"resume"/],
    [{ forkSession: true }, "forkSession", /"resume" or "continue"/],
    [{ resumeSessionAt: UUID }, "resumeSessionAt", /"resume"/],
    [{ sessionId: UUID, resume: "x" }, "sessionId", /"forkSession"/],
    [{ sessionId: UUID, continue: true }, "sessionId", /"forkSession"/],
  ];

test("checkOptions() refuses options that do not go together", () => {
  for (const [options, wanted, text] of TOGETHER) {
    const { key, message } = refusal(options);
    assert.equal(key, wanted);
    assert.match(message, text);
  }
  take({ allowedTools: [], deniedTools: ["Bash"] });
  take({ allowedTools: ["Bash"], deniedTools: "" });
  take({ permissions: { mode: "bypassPermissions", allowBypass: true } });
  take({ model: "a", fallbackModel: "b" });
}, { ids: ["O-03"] });

test("checkOptions() takes the four kinds of MCP servers", () => {
  const mcpServers = {
    implied: { command: "x", inheritEnv: ["PATH"], cwd: "/srv", onStderr() {} },
    stdio: { type: "stdio", command: "x", args: ["", "-y"], env: { A: "" } },
    http: {
      ...{ type: "http", url: new URL("https://example.com/mcp"), fetch },
      ...{ connectTimeoutMs: 1, callTimeoutMs: 2 ** 31 - 1 },
      headers: { Authorization: "Bearer x" },
    },
    sse: { type: "sse", url: "http://127.0.0.1:1/sse", via: "cli" },
    sdk: { type: "sdk", instance: server },
    unset: undefined,
  };
  assert.doesNotThrow(() => take({ mcpServers }));
}, { ids: ["MI-08", "O-09"] });

test("checkOptions() reads undefined as unset, at every level", () => {
  const absent = {
    timeouts: { connectMs: undefined },
    thinking: undefined,
    neverHeardOf: undefined,
    hooks: { Stop: undefined },
  };
  for (const options of [undefined, {}, absent]) {
    assert.doesNotThrow(() => take(options));
  }
}, { ids: ["O-08"] });

test("checkOptions() takes values at the edges of what they may be", () => {
  class Logger {
    debug(): void {}
    info(): void {}
    warn(): void {}
    error(): void {}
  }
  class Clock {
    now(): number {
      return 0;
    }
    async sleep(): Promise<void> {}
    monotonic(): number {
      return 0;
    }
  }
  checkOptions({
    cliPath: ["node", "cli.js"],
    cwd: "relative/too",
    env: { A: "1", B: undefined },
    agents: {
      a: {
        description: "d",
        prompt: "p",
        effort: 3,
        memory: "user",
        mcpServers: ["x", { y: { command: "z", args: [] } }],
      },
    },
    resume: "title or id",
    forkSession: true,
    sessionId: UUID.toUpperCase(),
    extraArgs: { channels: null, workload: "x", unset: undefined },
    projectConfigRoot: "C:\\main",
    allowedTools: "Read, Bash(git log --format=%h,%s:*),mcp__docs__*",
    signal: AbortSignal.abort(),
    timeouts: { connectMs: 2 ** 31 - 1 },
    shutdown: { graceMs: 0, killMs: 0, forwardSignals: false },
    limits: { stderrTailBytes: 0 },
    validation: "strict",
    logger: new Logger(),
    metrics: { parser: new Logger() },
    clock: new Clock(),
    transport: { open: () => Promise.reject() },
  });
  const clock = { now: () => 0, sleep: async () => {}, monotonic: 5 };
  assert.equal(refusal({ clock }).key, "clock.monotonic");
  const twice = { a: 1 };
  take({ settings: { x: twice, y: twice } });
});

test("ConfigError shows no secret, also where it does not belong", () => {
  const secret = "kEy9Secretvalue0042x";
  const bad = `sk-${secret}\0`;
  const url = `htp://me:${secret}@x/?t=${secret}`;
  const leaks: readonly unknown[] = [
    ...["apiKey", "prompt", "auth", "envPolicy", "maxTurns", "permissions.mode"]
      .map((key) => at(key, secret)),
    ...["env.ANTHROPIC_API_KEY", "mcpServers.a.env.TOKEN", "mcpServers.a.type"]
      .map((key) => at(key, bad)),
    { api_key: "hunter2-hunter2" },
    { mcpServer: { a: { headers: { Authorization: secret } } } },
    at("mcpServers.a", { ...http, headers: { Authorization: `${bad}\n` } }),
    at("mcpServers.a", { ...http, headers: { [`Authorization: ${bad}`]: "" } }),
    at("mcpServers.a", { type: "http", url }),
    at("mcpServers.a", { type: "http", url: `/mcp?token=${secret}` }),
    { settings: `{ "env": { "K": "${secret}" ` },
    { env: { [`MY=${secret}`]: "x" } },
    ...["api-key=", "--api-key=", "api-key "]
      .map((flag) => ({ extraArgs: { [flag + secret]: null } })),
    { [`apiKey=${secret}`]: true },
  ];
  for (const options of leaks) {
    const { message, key, value, stack } = refusal(options);
    const all = [message, key, String(value), stack].join("\n");
    assert.ok(!/kEy9Secret|hunter2/.test(all), all);
  }
}, { ids: ["E-07"] });

test("ConfigError carries key and value, also words, versions, ids and paths", () => {
  const path = "/builds/0123456789abcdef01234567/x";
  for (const word of ["inherited", "claude-sonnet-4-5-20250929", UUID, path]) {
    const { message, value } = refusal({ envPolicy: word });
    assert.equal(value, word);
    assert.ok(message.includes(word), message);
  }
  const error = refusal({ limits: { maxMessageBytes: -5 } });
  assert.equal(error.value, -5);
  assert.equal(
    error.message,
    'Option "limits.maxMessageBytes" must be a whole number, 1 or more: -5',
  );
  assert.equal(error.fatal, true);
});
