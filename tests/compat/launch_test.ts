import assert from "node:assert/strict";
import process from "node:process";
import { prepare } from "../../src/compat/launch.ts";
import { createSdkMcpServer, type Options, query } from "@sluice/agent/compat";
import { test } from "../_harness.ts";
import { launchOf } from "./_process.ts";

/** The values of a flag on the command line. */
async function flagsOf(
  options: Options,
  name: string,
): Promise<readonly string[]> {
  const { args } = await launchOf(options);
  return args.filter((one) =>
    one === `--${name}` || one.startsWith(`--${name}=`)
  );
}

test("the environment is the one given, with what makes the CLI one of an SDK", async () => {
  const { env } = await launchOf({
    env: {
      OWN: "1",
      NODE_OPTIONS: "--inspect",
      DEBUG: "*",
      GONE: undefined,
      ODD: null as never,
    },
  });
  assert.deepEqual(env, {
    OWN: "1",
    ODD: "null",
    CLAUDE_CODE_ENTRYPOINT: "sdk-ts",
    CLAUDE_AGENT_SDK_VERSION: "0.3.332",
    CLAUDE_CODE_SDK_READS_SESSION_STATE: "1",
  });
});

test("the version of an outer SDK is replaced, unless the program sets it", async () => {
  const name = "CLAUDE_AGENT_SDK_VERSION";
  const before = process.env[name];
  process.env[name] = "0.1.0";
  try {
    assert.equal((await launchOf({})).env[name], "0.3.332");
    const env = { ...process.env };
    assert.equal((await launchOf({ env })).env[name], "0.1.0");
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
});

test("variables of the environment are kept", async () => {
  const own = {
    CLAUDE_CODE_ENTRYPOINT: "mine",
    CLAUDE_AGENT_SDK_VERSION: "9.9.9",
    CLAUDE_CODE_SDK_READS_SESSION_STATE: "0",
    DEBUG_CLAUDE_AGENT_SDK: "true",
  };
  const { env } = await launchOf({
    env: own,
    enableFileCheckpointing: true,
    toolConfig: { askUserQuestion: { previewFormat: "html" } },
  });
  assert.deepEqual(env, {
    ...own,
    DEBUG: "1",
    CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true",
    CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: "html",
  });
});

test("a switch goes by truth, and false text is omitted, as in the official SDK", async () => {
  const values = ["1", "", 3, 0, [], {}, null];
  const switches = {
    continue: "continue",
    forkSession: "fork-session",
    includePartialMessages: "include-partial-messages",
    includeHookEvents: "include-hook-events",
    strictMcpConfig: "strict-mcp-config",
    allowDangerouslySkipPermissions: "allow-dangerously-skip-permissions",
    debug: "debug",
  };
  for (const [option, name] of Object.entries(switches)) {
    for (const value of values) {
      const options = { [option]: value } as Options;
      const flags = value ? [`--${name}`] : [];
      assert.deepEqual(await flagsOf(options, name), flags);
    }
  }
  assert.deepEqual(await flagsOf({ resume: 0 as never }, "resume"), []);
  assert.deepEqual(await flagsOf({ model: true as never }, "model"), [
    "--model=true",
  ]);
  assert.deepEqual(await flagsOf({ maxBudgetUsd: 0 }, "max-budget-usd"), [
    "--max-budget-usd=0",
  ]);
});

test("the thinking setting is one flag", async () => {
  const cases: readonly (readonly [Options, readonly string[]])[] = [
    [{}, []],
    [{ maxThinkingTokens: 0 }, ["--thinking=disabled"]],
    [{ maxThinkingTokens: 5 }, ["--max-thinking-tokens=5"]],
    [{ thinking: { type: "disabled" }, maxThinkingTokens: 5 }, [
      "--thinking=disabled",
    ]],
    [{ thinking: { type: "enabled" } }, ["--thinking=adaptive"]],
    [{ thinking: { type: "enabled", budgetTokens: 0 } }, [
      "--max-thinking-tokens=0",
    ]],
    [{ thinking: { type: "adaptive", display: "omitted" } }, [
      "--thinking=adaptive",
      "--thinking-display=omitted",
    ]],
  ];
  for (const [options, flags] of cases) {
    const { args } = await launchOf(options);
    assert.deepEqual(args.filter((one) => one.includes("thinking")), flags);
  }
});

test("skills that are named run without a question, once each", async () => {
  const allowed = (options: Options) => flagsOf(options, "allowedTools");
  assert.deepEqual(await allowed({ skills: [] }), []);
  assert.deepEqual(await allowed({ skills: "all" }), ["--allowedTools=Skill"]);
  assert.deepEqual(
    await allowed({ skills: ["a", "b"], allowedTools: ["Read", "Skill(a)"] }),
    ["--allowedTools=Read,Skill(a),Skill(b)"],
  );
});

test("a name of a skill that would become another rule is refused", () => {
  for (
    const name of [
      "",
      " ",
      "*",
      "/a",
      "a ",
      "a(b)",
      "a,b",
      "a:*",
      "a\n",
      "a\\",
      "\ud800",
    ]
  ) {
    assert.throws(
      () => query({ prompt: "Hi", options: { skills: [name] } }),
      /skill name/i,
      JSON.stringify(name),
    );
  }
});

test("a server of this program goes over the pipes, all others to the CLI", async () => {
  const own = createSdkMcpServer({ name: "own" });
  const lost = { type: "sdk", name: "lost" } as never;
  const outer = { command: "server" };
  const { args } = await launchOf({ mcpServers: { own, lost, outer } });
  const at = args.indexOf("--mcp-config");
  assert.deepEqual(JSON.parse(args[at + 1] ?? ""), {
    mcpServers: { lost, outer },
  });
  const { servers } = prepare({ mcpServers: { own, lost, outer } });
  assert.deepEqual([...servers.keys()], ["own"]);
  const alone = await launchOf({ mcpServers: { own } });
  assert.ok(!alone.args.includes("--mcp-config"));
});

test("servers that go with initialize are not on the command line", async () => {
  const mcpServers = { outer: { command: "server" } };
  const options: Options = { mcpServers, mcpServersDelivery: "initialize" };
  const { args } = await launchOf(options);
  assert.ok(!args.includes("--mcp-config"));
  assert.ok(args.includes("--await-initialize"));
  const { initialize, sendsServers } = prepare(options);
  assert.deepEqual(initialize["mcpServers"], mcpServers);
  assert.equal(sendsServers, true);
});

test("a CLI that resumes a session reads hooks before it judges a deferred call", async () => {
  const hooks = {
    PreToolUse: [{ hooks: [() => Promise.resolve({})] }],
  } satisfies Options["hooks"];
  const awaits = ["--await-initialize"];
  const cases: readonly (readonly [Options, readonly string[]])[] = [
    [{ resume: "s1", hooks }, awaits],
    [{ continue: true, hooks }, awaits],
    [{ extraArgs: { resume: "s1" }, hooks }, awaits],
    [{ extraArgs: { continue: null }, hooks }, awaits],
    [{ extraArgs: { verbose: null }, hooks }, []],
    [{ hooks }, []],
    [{ resume: "", continue: false, hooks }, []],
    [{ resume: "s1" }, []],
    [{ resume: "s1", hooks: {} }, []],
    [{ resume: "s1", hooks: { PreToolUse: [{ hooks: [] }] } }, []],
    [{ resume: "s1", hooks: { PreToolUse: null as never } }, []],
  ];
  for (const [options, flags] of cases) {
    assert.deepEqual(
      await flagsOf(options, "await-initialize"),
      flags,
      JSON.stringify(options),
    );
  }
});

test("lists of tools stand in the order of the official SDK", async () => {
  const { args } = await launchOf({
    tools: ["Read"],
    disallowedTools: ["WebFetch"],
    allowedTools: ["Read"],
  });
  assert.deepEqual(args.filter((one) => /tools=/i.test(one)), [
    "--allowedTools=Read",
    "--disallowedTools=WebFetch",
    "--tools=Read",
  ]);
});

test("flags say what options say, and nothing of what is empty", async () => {
  const { args: none } = await launchOf({
    betas: [],
    allowedTools: [],
    disallowedTools: [],
    model: "",
    maxTurns: 0,
    persistSession: true,
    extraArgs: {},
  });
  const { args: bare } = await launchOf({});
  assert.deepEqual(none, bare);
  const { args } = await launchOf({
    maxBudgetUsd: 0,
    persistSession: false,
    tools: [],
    settingSources: [],
    additionalDirectories: ["/a", "/b"],
    extraArgs: { "dry-run": null, note: "-x", word: "y" },
    plugins: [
      { type: "local", path: "/p" },
      { type: "local", path: "/q", skipMcpDiscovery: true },
    ],
  });
  assert.deepEqual(args.filter((one) => !bare.includes(one)), [
    "--max-budget-usd=0",
    "--tools=",
    "--setting-sources=",
    "--add-dir=/a",
    "--add-dir=/b",
    "--plugin-dir=/p",
    "--plugin-dir-no-mcp=/q",
    "--no-session-persistence",
    "--dry-run",
    "--note=-x",
    "--word",
    "y",
  ]);
});

test("the recipient of permission prompts is one flag", async () => {
  const canUseTool = () => Promise.resolve(null);
  const name = "permission-prompt-tool";
  assert.deepEqual(await flagsOf({ canUseTool }, name), [`--${name}=stdio`]);
  assert.deepEqual(
    await flagsOf({ permissionPromptToolName: "mcp__a__b" }, name),
    [`--${name}=mcp__a__b`],
  );
  assert.deepEqual(await flagsOf({}, name), []);
});

test("a sandbox is laid over settings, and refused beside a file of them", async () => {
  const sandbox = { enabled: true, failIfUnavailable: false };
  const settingsOf = async (settings: Options["settings"]) => {
    const { args } = await launchOf({ settings, sandbox });
    return JSON.parse(args[args.indexOf("--settings") + 1] ?? "");
  };
  assert.deepEqual(await settingsOf(undefined), { sandbox });
  const model = "m";
  assert.deepEqual(await settingsOf({ model }), { model, sandbox });
  assert.deepEqual(await settingsOf('{"model":"m"}'), { model, sandbox });
  const start = (settings: string) =>
    query({ prompt: "Hi", options: { settings, sandbox } });
  assert.throws(() => start("/settings.json"), /both a settings file path/);
  assert.throws(() => start("{odd}"), /Invalid JSON/);
});

test("options that the official SDK refuses are refused before anything starts", () => {
  const append = () => Promise.resolve();
  const load = () => Promise.resolve(null);
  const sessionStore = { append, load };
  const refused: readonly (readonly [Options, RegExp])[] = [
    [{ sessionStore, persistSession: false }, /persistSession: false/],
    [{ sessionStore, continue: true }, /requires store\.listSessions/],
    [{ sessionStore, enableFileCheckpointing: true }, /enableFileCheckpoint/],
    [{ supportedDialogKinds: ["x"] }, /requires an onUserDialog/],
    [{ pluginDelivery: "post" as never }, /Invalid pluginDelivery/],
    [{ mcpServersDelivery: "post" as never }, /Invalid mcpServersDelivery/],
    [{ plugins: [{ type: "far" as "local", path: "/" }] }, /plugin type: far/],
    [{ agents: { a: { size: 7n } as never } }, /cannot be sent/],
  ];
  for (const [options, message] of refused) {
    assert.throws(() => query({ prompt: "Hi", options }), message);
  }
});

test("null is refused for lists, paths, limits and the prompt, which it would drop, and is no option elsewhere", async () => {
  const keys = [
    "additionalDirectories",
    "allowedTools",
    "disallowedTools",
    "executableArgs",
    "maxBudgetUsd",
    "maxThinkingTokens",
    "mcpServersDelivery",
    "pluginDelivery",
    "projectConfigRoot",
    "resumeDropsTurn",
    "settings",
    "settingSources",
    "skills",
    "supportedDialogKinds",
    "systemPrompt",
  ];
  for (const key of keys) {
    assert.throws(
      () => query({ prompt: "Hi", options: { [key]: null } }),
      { name: "TypeError", message: new RegExp(key) },
    );
  }
  const { args } = await launchOf({ model: null } as never);
  assert.deepEqual(args, (await launchOf({})).args);
});

test("of a server of this program that an agent names only the name travels", () => {
  const own = createSdkMcpServer({ name: "own" });
  const agent = { description: "A", prompt: "B" };
  const { initialize } = prepare({
    agents: {
      a: { ...agent, mcpServers: ["shared", { own, far: { command: "x" } }] },
    },
  });
  assert.deepEqual(initialize["agents"], {
    a: {
      ...agent,
      mcpServers: [
        "shared",
        { own: { type: "sdk", name: "own" }, far: { command: "x" } },
      ],
    },
  });
});

test("a script is run by its runtime, anything else by itself", async () => {
  const command = async (options: Options) => {
    const { command, args } = await launchOf(options);
    return [command, ...args].slice(0, 3);
  };
  const path = "/opt/cli.mjs";
  assert.deepEqual(
    await command({
      pathToClaudeCodeExecutable: path,
      executable: "deno",
      executableArgs: ["run"],
    }),
    ["deno", "run", path],
  );
  const [first, second] = await command({
    pathToClaudeCodeExecutable: "/opt/claude",
    executableArgs: ["--own"],
  });
  assert.deepEqual([first, second], ["/opt/claude", "--own"]);
});
