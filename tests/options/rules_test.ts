import assert from "node:assert/strict";
import { resolveOptions } from "../../src/options/resolve.ts";
import { toArgv } from "../../src/options/argv.ts";
import { toolPolicy } from "../../src/options/tool_policy.ts";
import { allToolsExcept, BUILTIN_TOOLS } from "@sluice/agent/tools";
import type { AgentOptions, JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";

const canUseTool = () => ({ behavior: "allow" as const });
const server = { command: "x" };
const mcpServers = { docs: server, "my.server": server };

/** The values of the flags about tools, in one text; "-" is no flag. */
function flags(options: AgentOptions): string {
  const args = toArgv(resolveOptions(options), "linux");
  const names = ["tools", "allowedTools", "disallowedTools"];
  return names.map((name) =>
    args.find((one) => one.startsWith(`--${name}=`))
      ?.slice(`--${name}=`.length) ?? "-"
  ).join(" ");
}

/** Tools, rules that approve, rules that deny. */
const FLAGS: readonly (readonly [AgentOptions, string])[] = [
  [{}, "- - -"],
  [
    { allowedTools: ["Read", "Bash(git:*)", "mcp__docs"] },
    "Read,Bash Read,Bash(git:*),mcp__docs -",
  ],
  // Nothing more is approved where a callback decides.
  [
    {
      allowedTools: ["Read", "Bash"],
      permissions: { canUseTool, approve: ["Read"] },
    },
    "Read,Bash Read mcp__*",
  ],
  [{ allowedTools: [] }, " - mcp__*"],
  [{ allowedTools: "" }, " - mcp__*"],
  // Both lists count.
  [
    {
      tools: ["Read", "Write", "Bash"],
      allowedTools: ["Read", "Bash(git:*)", "Skill"],
    },
    "Read,Bash Read,Bash(git:*),Skill mcp__*",
  ],
  [
    { tools: { preset: "claude_code" }, allowedTools: ["Read"] },
    "Read Read mcp__*",
  ],
  [{ tools: { preset: "claude_code" } }, "default - -"],
  // Tools that were renamed have two names.
  [
    { allowedTools: ["Task(a)", "KillShell"] },
    "Task,Agent,KillShell,TaskStop Task(a),Agent(a),KillShell,TaskStop mcp__*",
  ],
  [{ tools: ["Task"], allowedTools: ["Agent"] }, "Agent Agent mcp__*"],
  [
    { deniedTools: ["Task(x)", "SlashCommand", "Mcp"] },
    "- - Task(x),Agent(x),SlashCommand,Skill,mcp__*",
  ],
  [
    { allowedTools: ["Read"], skills: ["pdf"] },
    "Read,Skill Read,Skill(pdf) mcp__*",
  ],
  // The CLI drops an approval of all servers.
  [{ mcpServers, allowedTools: ["mcp__*"] }, " mcp__docs,mcp__my_server -"],
  [
    { mcpServers, permissions: { approve: ["mcp__*", "mcp__my.server__x"] } },
    "- mcp__docs,mcp__my_server,mcp__my_server__x -",
  ],
];

test("lists of tools become flags", () => {
  for (const [options, expected] of FLAGS) {
    assert.equal(flags(options), expected, JSON.stringify(options));
  }
}, { ids: ["O-02", "O-04", "O-06", "O-17"] });

type Call = readonly [tool: string, input?: JsonObject, server?: string];

/** Refuses calls by the lists of some options. */
function guard(options: AgentOptions): (...call: Call) => string | undefined {
  const check = toolPolicy(resolveOptions(options), () => ({ cwd: "/w" }));
  assert.ok(check);
  return (tool, input = {}, server) => check(tool, input, server);
}

const bash = (command: string): Call => ["Bash", { command }];
const files = { mcpServers: { files: server, files_: server } };

const JUDGED: readonly (readonly [
  options: AgentOptions,
  allowed: readonly Call[],
  refused: readonly Call[],
])[] = [
  [{ allowedTools: "Read,Edit" }, [["Read", { file_path: "/etc/x" }]], [
    ...["Write", "mcp__a__b", "read", "constructor", "StructuredOutput"]
      .map((tool) => [tool] as const),
  ]],
  [
    { allowedTools: [] },
    [],
    [...BUILTIN_TOOLS, "mcp__a__b", "Agent"].map((tool) => [tool] as const),
  ],
  [
    { allowedTools: ["Bash(git:*)", "Bash(ls)", "Edit(src/**)"] },
    [bash("git status | ls"), ["Edit", { file_path: "/w/src/a" }]],
    [
      ...[bash("git status; rm -rf /"), ["Bash"] as const],
      ["Edit", { file_path: "/w/lib/a" }],
    ],
  ],
  [{ allowedTools: ["mcp__*"] }, [["mcp__any__tool"]], []],
  [{ allowedTools: ["Mcp"] }, [["mcp__any__tool"]], [["Read"]]],
  [{ allowedTools: [], skills: ["pdf"] }, [["Skill", { skill: "pdf" }]], [
    ["Skill", { skill: "docx" }],
  ]],
  [{ allowedTools: [], skills: "all" }, [["Skill", { skill: "docx" }]], []],
  [
    { allowedTools: [], outputSchema: { type: "object" } },
    [["StructuredOutput", { a: 1 }]],
    [["Read"]],
  ],
  // An MCP server is meant by its name, not by one that begins like it.
  [
    { allowedTools: ["mcp__files", "mcp__notes__*", "mcp__x__get_*"] },
    [
      ["mcp__files__read", {}, "files"],
      ["mcp__files___read", {}, "files"],
      ["mcp__files__a__b", {}, "files"],
      ["mcp__notes__read", {}, "notes"],
      ["mcp__x__get_it", {}, "x"],
      ["mcp__files__read"],
    ],
    [
      ["mcp__files___read", {}, "files_"],
      ["mcp__files__x__read", {}, "files__x"],
      ["mcp__notes___read", {}, "notes_"],
      ["mcp__x__get__it", {}, "x__get"],
      ["mcp__files2__read"],
      ["mcp__x__put"],
      // An older CLI does not say whose tool it is.
      ["mcp__files___read"],
      ["mcp__files__x__read"],
    ],
  ],
  [
    { mcpServers: { a: server, a__b: server }, allowedTools: ["mcp__a"] },
    [["mcp__a__c"]],
    [["mcp__a__b__c"]],
  ],
  [{ mcpServers: { a__b: server }, allowedTools: ["mcp__a__b"] }, [
    ["mcp__a__b__c"],
  ], []],
  [
    { mcpServers: { "my.files": server }, allowedTools: ["mcp__my.files"] },
    [["mcp__my_files__read", {}, "my.files"]],
    [["mcp__my_files__read", {}, "my_files"]],
  ],
  [{ ...files, allowedTools: ["mcp__files_", "mcp__files(x)"] }, [
    ["mcp__files___read", {}, "files_"],
  ], [["mcp__files___read", {}, "files"]]],
  [
    { deniedTools: ["Web*", "R*(secrets/**)"] },
    [["Bash"], ["Read", { file_path: "/w/a" }], ["mcp__a__Web"]],
    [["WebFetch"], ["WebSearch"], ["Read", { file_path: "/w/secrets/a" }]],
  ],
  [{ deniedTools: ["*"] }, [], [["Bash"], ["Read"], ["mcp__a__b"]]],
  [
    {
      deniedTools: [
        ...["Write", "mcp__files", "Bash(rm:*)", "Read(secrets/**)"],
        "WebFetch(domain:evil.net)",
      ],
    },
    [
      ["Read", { file_path: "/w/a" }],
      ...[bash("ls; echo 'rm x'"), bash("echo $HOME"), ["Bash"] as const],
      ["mcp__files___read", {}, "files_"],
      ["mcp__other__read"],
      ["WebFetch", { url: "https://example.com" }],
    ],
    [
      ...[["Write"], ["mcp__files__read"], ["mcp__files___read"]] as const,
      ...["rm -rf x", "ls && rm x", "A=1 rm x", "echo $(rm x)", "(rm x) > y"]
        .map(bash),
      bash("echo `r\\m x`"),
      ["Read", { file_path: "/w/secrets/a" }],
      ["WebFetch", { url: "https://evil.net/x" }],
    ],
  ],
];

test("calls are judged by the lists of tools", () => {
  for (const [options, allowed, refused] of JUDGED) {
    const refuse = guard(options);
    for (const call of allowed) {
      assert.equal(refuse(...call), undefined, JSON.stringify(call));
    }
    const by = options.deniedTools
      ? /is not allowed by deniedTools/
      : /not (?:in|covered by) allowedTools/;
    for (const call of refused) {
      assert.match(refuse(...call) ?? "", by, JSON.stringify(call));
    }
  }
  assert.equal(toolPolicy(resolveOptions({ deniedTools: [] })), undefined);
}, { ids: ["O-04", "O-17"] });

test("a refusal names the call and the rules", () => {
  const refuse = guard({ allowedTools: ["Bash(git:*)", "Bash(ls)"] });
  assert.equal(
    refuse(...bash("git status; rm -rf /")),
    'Command "git status; rm -rf /" is not covered by allowedTools: Bash(git:*), Bash(ls)',
  );
  assert.equal(refuse("Write"), 'Tool "Write" is not in allowedTools');
  const unclear = guard({ allowedTools: ["WebSearch(cats)"] });
  assert.match(unclear("WebSearch", { query: "cats" }) ?? "", /not understood/);
});

test("allToolsExcept() leaves out what it names", () => {
  const options = { allowedTools: allToolsExcept("Bash", "Task") };
  const refuse = guard(options);
  for (const tool of ["Read", "WebFetch", "TaskStop", "Skill", "mcp__a__b"]) {
    assert.equal(refuse(tool), undefined, tool);
  }
  for (const tool of ["Bash", "Task", "Agent", "PowerShell", "Monitor"]) {
    assert.notEqual(refuse(tool), undefined, tool);
  }
  assert.doesNotMatch(flags(options), /\b(?:Bash|Task|Agent)\b/);
}, { ids: ["H-10", "O-17"] });

test("no relative path is covered where the directory is unknown", () => {
  const check = toolPolicy(resolveOptions({ allowedTools: ["Read(src/**)"] }));
  assert.match(check?.("Read", { file_path: "/w/src/a" }) ?? "", /not covered/);
});

test("a path of a call leads from the directory in which the tool runs", () => {
  const rules = ["Grep(private/**)", "Glob(private/**)", "Read(private/**)"];
  for (const tool of ["Grep", "Glob", "Read"]) {
    const key = tool === "Read" ? "file_path" : "path";
    const call = (path: string | undefined, cwd?: string) =>
      [
        tool,
        path === undefined ? {} : { [key]: path },
        undefined,
        cwd,
      ] as const;
    const judge = (options: AgentOptions) =>
      toolPolicy(resolveOptions(options), () => ({ cwd: "/w" })) ??
        assert.fail();
    const allow = judge({ allowedTools: [`${tool}(src/**)`] });
    assert.equal(allow(...call("src/a")), undefined);
    assert.equal(allow(...call("src/a", "/w")), undefined);
    assert.equal(allow(...call("../src/a", "/w/private")), undefined);
    assert.match(allow(...call("src/a", "/w/private")) ?? "", /not covered/);
    // A request for a permission does not say where the tool runs.
    assert.match(allow(...call("src/a")) ?? "", /not covered/);
    const deny = judge({ deniedTools: rules });
    assert.equal(deny(...call("src/a")), undefined);
    assert.equal(deny(...call("src/a", "/w")), undefined);
    assert.match(deny(...call("src/a", "/w/private")) ?? "", /deniedTools/);
    assert.match(deny(...call("src/a")) ?? "", /deniedTools/);
    if (tool === "Read") continue;
    assert.match(deny(...call(undefined, "/w/private")) ?? "", /deniedTools/);
  }
});
