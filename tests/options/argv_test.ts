import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolveOptions } from "../../src/options/resolve.ts";
import { asksForVersion } from "../../src/options/features.ts";
import { excessOf, toArgv } from "../../src/options/argv.ts";
import type { AgentOptions } from "@sluice/agent";
import { test } from "../_harness.ts";

import { configErrorOf } from "./_config_error.ts";
import { randomFrom, textOf } from "./_random.ts";

const ALWAYS = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
];
const UUID = "6b1f9a50-3c86-4b5a-8a6e-5f2f1e2f3a4b";
const canUseTool = () => ({ behavior: "allow" as const });

function argv(options: AgentOptions, platform = "linux"): string[] {
  return toArgv(resolveOptions(options), platform);
}

/** What comes after the flags that are always there. */
const CASES: readonly [options: AgentOptions, flags: readonly string[]][] = [
  [{}, []],
  [{ model: "opus" }, ["--model=opus"]],
  [{ model: "-v" }, ["--model=-v"]],
  [{ fallbackModel: "sonnet" }, ["--fallback-model=sonnet"]],
  [{ effort: "xhigh" }, ["--effort=xhigh"]],
  [{ thinking: { type: "adaptive" } }, ["--thinking=adaptive"]],
  [{ thinking: { type: "disabled" } }, ["--thinking=disabled"]],
  [
    { thinking: { type: "enabled", budgetTokens: 2048, display: "omitted" } },
    ["--max-thinking-tokens=2048", "--thinking-display=omitted"],
  ],
  [{ maxTurns: 3 }, ["--max-turns=3"]],
  [{ maxBudgetUsd: 0.5 }, ["--max-budget-usd=0.5"]],
  [{ betas: ["a", "b"] }, ["--betas=a,b"]],
  [{ betas: [] }, []],
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
  [{ continue: false }, []],
  [{ resume: UUID, forkSession: true, sessionId: UUID }, [
    `--resume=${UUID}`,
    "--fork-session",
    `--session-id=${UUID}`,
  ]],
  [{ resume: UUID, resumeSessionAt: UUID }, [
    `--resume=${UUID}`,
    `--resume-session-at=${UUID}`,
  ]],
  [{ persistSession: false }, ["--no-session-persistence"]],
  [{ persistSession: true }, []],
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
  [{ permissions: { approve: ["Read", "Bash(git:*)"] } }, [
    "--allowedTools=Read,Bash(git:*)",
  ]],
  [{ permissions: { approve: ["Task, Read"] } }, [
    "--allowedTools=Task,Agent,Read",
  ]],
  [{ permissions: { approve: [] } }, []],
  [{ tools: ["Read", "Bash"] }, ["--tools=Read,Bash"]],
  [{ tools: [] }, ["--tools="]],
  [{ tools: { preset: "claude_code" } }, ["--tools=default"]],
  [{ deniedTools: ["Bash", "WebFetch(domain:x.com)"] }, [
    "--disallowedTools=Bash,WebFetch(domain:x.com)",
  ]],
  [{ deniedTools: "mcp__docs" }, ["--disallowedTools=mcp__docs"]],
  [{ allowedTools: ["Read", "Bash(git:*)"] }, [
    "--tools=Read,Bash",
    "--allowedTools=Read,Bash(git:*)",
    "--disallowedTools=mcp__*",
  ]],
  [{ skills: ["pdf", "team:docx"] }, [
    "--allowedTools=Skill(pdf),Skill(team:docx)",
  ]],
  [{ skills: "all" }, ["--allowedTools=Skill"]],
  [{ extraArgs: { channels: null, workload: "-x" } }, [
    "--channels",
    "--workload=-x",
  ]],
  [{ debug: true }, ["--debug"]],
  [{ debug: false }, []],
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
  // What travels in `initialize` leaves no trace but the flags it needs.
  [{ systemPrompt: "secret" }, []],
  [{ systemPrompt: "" }, []],
  [{ systemPrompt: { preset: "claude_code", append: "secret" } }, []],
  [{ agents: { a: { description: "d", prompt: "secret" } } }, []],
  [{ title: "T", planModeInstructions: "P" }, []],
  [{ promptSuggestions: true, forwardSubagentText: true }, []],
  [{ outputSchema: { type: "object" } }, []],
  [{ plugins: [{ type: "local", path: "/p" }] }, ["--await-initialize"]],
  [{ plugins: [] }, []],
  [{ managedSettings: { env: { K: "secret" } } }, [
    "--await-initialize",
    "--managed-settings-in-initialize",
  ]],
  [{ toolAliases: { Bash: "mcp__box__bash" }, verbatimPrompts: true }, []],
  [{ agentProgressSummaries: true, perTaskStopAffordance: true }, []],
  [{ toolConfig: { askUserQuestion: { previewFormat: "html" } } }, []],
  [{ settings: { env: { K: "secret" } } }, [
    "--await-initialize",
    "--initialize-fields=settings",
  ]],
  [{ settings: '{"env":{"K":"secret"}}' }, [
    "--await-initialize",
    "--initialize-fields=settings",
  ]],
  [{ sandbox: { enabled: true } }, [
    "--await-initialize",
    "--initialize-fields=settings",
  ]],
  [{ mcpServers: { a: { command: "x", env: { K: "secret" } } } }, []],
  [{ mcpServers: { a: { command: "x", via: "cli", env: { K: "secret" } } } }, [
    "--await-initialize",
  ]],
  // Kept by the host.
  [
    { cliPath: "/x", cwd: "/y", env: { A: "secret" }, envPolicy: "replace" },
    [],
  ],
  [{ enableFileCheckpointing: true }, []],
  [{ timeouts: { connectMs: 1 }, limits: { maxMessageBytes: 1 } }, []],
  [{ onStderr: () => {}, onElicitation: () => ({ action: "decline" }) }, []],
];

for (const [options, flags] of CASES) {
  const name = JSON.stringify(
    options,
    (_key, value) => typeof value === "function" ? "function" : value,
  );
  test(`toArgv() gives ${flags.join(" ") || "nothing more"} for ${name}`, () => {
    assert.deepEqual(
      argv(options).toSorted(),
      [...ALWAYS, ...flags].toSorted(),
    );
    assert.ok(!argv(options).join(" ").includes("secret"));
  });
}

test("toArgv() always asks for stream-json with --verbose", () => {
  assert.deepEqual(toArgv(resolveOptions(), "linux"), ALWAYS);
  assert.deepEqual(argv({ model: "x" }).slice(0, 5), ALWAYS);
}, { ids: ["E-14"] });

test("toArgv() restricts and grants nothing when no option says so", () => {
  const flags = argv({ model: "m", permissions: {}, mcpServers: {} }).join(" ");
  assert.doesNotMatch(flags, /tools|permission|mcp/i);
}, { ids: ["O-02", "O-05", "O-06", "MI-01"] });

test("toArgv() hands deniedTools to the CLI", () => {
  assert.ok(argv({ deniedTools: ["Bash"] }).includes("--disallowedTools=Bash"));
}, { ids: ["O-04"] });

test("toArgv() keeps servers of the CLI out of the arguments", () => {
  const flags = argv({
    mcpServers: {
      docs: {
        type: "http",
        url: "https://docs.example.com/mcp",
        headers: { Authorization: "Bearer secret" },
        via: "cli",
      },
    },
  }).join(" ");
  assert.doesNotMatch(flags, /docs|example|secret|mcp-config/);
}, { ids: ["MI-20", "E-07"] });

test("toArgv() writes directories with slashes on Windows", () => {
  const options = {
    additionalDirectories: ["C:\\Users\\me\\my dir", "\\\\srv\\x"],
  };
  assert.deepEqual(argv(options, "win32").slice(5), [
    "--add-dir=C:/Users/me/my dir",
    "--add-dir=//srv/x",
  ]);
  assert.equal(argv(options, "linux")[5], "--add-dir=C:\\Users\\me\\my dir");
}, { ids: ["E-18", "E-19"] });

test("toArgv() refuses a command line that Windows cannot start", () => {
  const rules = Array.from(
    { length: 2_000 },
    (_, at) => `Bash(tool${at} run:*)`,
  );
  const options: AgentOptions = { model: "m", permissions: { approve: rules } };
  const error = configErrorOf(() => argv(options, "win32"));
  assert.equal(error.key, "permissions.approve");
  assert.match(
    error.message,
    /too long for Windows: \d+ characters, at most 32000/,
  );
  assert.ok(argv(options, "linux").length > 0);
  assert.ok(argv(options, "darwin").length > 0);
});

test(
  "toArgv() counts for Windows what escaping adds to quotes and backslashes",
  () => {
    // 16 000 characters, of which each needs a backslash of its own.
    for (const text of ['"'.repeat(16_000), "\\".repeat(16_000)]) {
      const options: AgentOptions = { extraArgs: { x: text } };
      const error = configErrorOf(() => argv(options, "win32"));
      assert.equal(error.key, "extraArgs.x");
      assert.match(error.message, /too long for Windows: 320\d\d characters/);
      assert.ok(argv(options, "linux").length > 0);
    }
    // Backslashes in front of anything else stay as they are.
    const path = { extraArgs: { x: "\\a".repeat(15_000) } };
    assert.ok(argv(path, "win32").length > 0);
  },
  { ids: ["E-19"] },
);

test("toArgv() refuses an argument that Linux cannot take", () => {
  const options: AgentOptions = {
    extraArgs: { workload: "é".repeat(65_600) },
  };
  const error = configErrorOf(() => argv(options));
  assert.equal(error.key, "extraArgs.workload");
  assert.match(error.message, /too long for Linux/);
  assert.ok(
    argv({ extraArgs: { workload: "é".repeat(65_000) } }).length > 0,
  );
});

const PIECES = [
  ..."ab \t\n\r\"'`\\$&|;<>(){}[]*?!#~%^=,-é",
  "\u2028",
  "😀",
  "--",
  "$(x)",
];

test("toArgv() hands any text on as it is, one argument each", () => {
  const random = randomFrom(1);
  for (let round = 0; round < 50; round++) {
    const values = Array.from({ length: 5 }, () => textOf(random, PIECES, 12));
    const options = {
      model: `m${values[0]}`,
      additionalDirectories: values.slice(1, 3).map((one) => `d${one}`),
      extraArgs: { channels: values[3] ?? "", workload: values[4] ?? "" },
    };
    const args = argv(options);
    assert.deepEqual(args.slice(5), [
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

test("toArgv() gives an older CLI flags that it knows", () => {
  const settings = resolveOptions({
    thinking: { type: "disabled" },
    settings: { model: "opus" },
    plugins: [{ type: "local", path: "/p" }],
    mcpServers: { srv: { command: "srv", via: "cli" } },
  });
  const files = { settings: "/f/settings.json", mcpConfig: "/f/mcp.json" };
  const of = (version: string, files = {}) =>
    toArgv(settings, "linux", version, files).slice(ALWAYS.length);
  assert.deepEqual(of("2.1.261", files), [
    "--thinking=disabled",
    "--mcp-config=/f/mcp.json",
    "--settings=/f/settings.json",
    "--await-initialize",
  ]);
  assert.deepEqual(of("2.1.326", { settings: files.settings }), [
    "--thinking=disabled",
    "--settings=/f/settings.json",
    "--await-initialize",
  ]);
  assert.deepEqual(of("2.1.327"), [
    "--thinking=disabled",
    "--initialize-fields=settings",
    "--await-initialize",
  ]);
});

test("toArgv() denies an older CLI all reads where the lists allow none: it reads mentioned files past hooks", () => {
  const of = (options: AgentOptions, version?: string) =>
    toArgv(resolveOptions(options), "linux", version)
      .filter((flag) => flag.startsWith("--disallowedTools"));
  const rule = "Read(//**)";
  assert.deepEqual(of({ allowedTools: ["mcp__a"] }, "2.1.298"), [
    `--disallowedTools=${rule}`,
  ]);
  assert.deepEqual(of({ tools: [] }, "2.1.298"), [`--disallowedTools=${rule}`]);
  assert.deepEqual(of({ deniedTools: ["Read"] }, "2.1.298"), [
    `--disallowedTools=Read,${rule}`,
  ]);
  for (
    const options of [
      { allowedTools: ["mcp__a", "Read"] },
      { allowedTools: ["mcp__a", "Read(src/**)"] },
      { deniedTools: [] },
    ] satisfies AgentOptions[]
  ) {
    assert.deepEqual(of(options, "2.1.298"), []);
  }
  for (const current of ["2.1.299", undefined]) {
    assert.deepEqual(of({ allowedTools: ["mcp__a"] }, current), []);
  }
  assert.ok(asksForVersion({ tools: [] }));
  assert.ok(!asksForVersion({ tools: ["Read"] }));
});

test("toArgv() has an older CLI ask that would begin in mode auto", () => {
  const of = (version: string | undefined, mode?: "plan") =>
    toArgv(
      resolveOptions({ permissions: { canUseTool, ...mode && { mode } } }),
      "linux",
      version,
    ).filter((flag) => flag.startsWith("--permission-mode"));
  assert.deepEqual(of("2.1.300"), ["--permission-mode=default"]);
  assert.deepEqual(of("2.1.300", "plan"), ["--permission-mode=plan"]);
  for (const version of ["2.1.270", "2.1.326", undefined, "banana"]) {
    assert.deepEqual(of(version), [], version);
  }
});

test("the command line asks for the version of the CLI only where it depends on it", () => {
  const asks = (options: AgentOptions) => asksForVersion(options);
  const asking: readonly AgentOptions[] = [
    { projectConfigRoot: "/p" },
    { settings: { model: "opus" } },
    { sandbox: { enabled: true } },
    { mcpServers: { srv: { command: "srv", via: "cli" } } },
    { permissions: { canUseTool } },
  ];
  for (const options of asking) {
    assert.ok(asks(options), JSON.stringify(options));
  }
  const plain: readonly AgentOptions[] = [
    {},
    { plugins: [{ type: "local", path: "/p" }] },
    { allowedTools: ["Read"] },
    { effort: "low", includeHookEvents: true },
    { model: "opus", systemPrompt: "Be brief.", maxTurns: 3 },
    { settings: "/etc/settings.json" },
    { mcpServers: { srv: { command: "srv" } } },
    { permissions: { mode: "plan" } },
  ];
  for (const options of plain) {
    assert.ok(!asks(options), JSON.stringify(options));
  }
});

test("excessOf() lets the longest command pass that a system starts, and none longer", () => {
  // Of Windows each argument takes a blank and two quotes as well.
  const windows = "x".repeat(32_767 - 3);
  assert.equal(excessOf([windows], "win32"), undefined);
  assert.equal(excessOf([`${windows}x`], "win32")?.length, 32_768);
  assert.equal(excessOf([windows], "win32", 1)?.limit, 32_766);
  const quoted = windows.replace("xx", '"');
  assert.equal(excessOf([quoted], "win32"), undefined);
  assert.equal(excessOf([`${quoted}x`], "win32")?.length, 32_768);
  const linux = "x".repeat(131_071);
  assert.equal(excessOf([linux, linux], "linux"), undefined);
  assert.equal(excessOf(["a", `${linux}x`], "linux")?.at, 1);
  assert.equal(excessOf([`${linux}x`], "darwin"), undefined);
});

test("extraArgs takes no flag that this package may write itself", () => {
  const flags = new Set([
    ...CASES.flatMap(([{ extraArgs: _, ...options }]) => argv(options)),
    "--settings",
    "--mcp-config",
  ].flatMap((one) => /^--([A-Za-z-]+)/.exec(one)?.[1] ?? []));
  assert.ok(flags.size > 35, String(flags.size));
  for (const flag of flags) {
    const settings = () => resolveOptions({ extraArgs: { [flag]: null } });
    assert.throws(settings, { key: `extraArgs.${flag}` }, flag);
  }
});
