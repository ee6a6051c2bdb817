import assert from "node:assert/strict";
import { resolveOptions } from "../../src/options/resolve.ts";
import { toArgv } from "../../src/options/argv.ts";
import { toolPolicy } from "../../src/options/tool_policy.ts";
import { allowTools, allToolsExcept, BUILTIN_TOOLS } from "@sluice/agent/tools";
import type { AgentOptions, JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";

const canUseTool = () => ({ behavior: "allow" as const });
const server = { command: "x" };

/** The values of the flags about tools; none is an empty list, but for that of all tools. */
function flags(options: AgentOptions): {
  readonly tools?: readonly string[];
  readonly approved: readonly string[];
  readonly denied: readonly string[];
} {
  const args = toArgv(resolveOptions(options), "linux");
  const namesOf = (flag: string) =>
    args.find((one) => one.startsWith(`--${flag}=`))
      ?.slice(`--${flag}=`.length).split(",").filter((name) => name !== "");
  const tools = namesOf("tools");
  return {
    ...tools && { tools },
    approved: namesOf("allowedTools") ?? [],
    denied: namesOf("disallowedTools") ?? [],
  };
}

function guard(
  options: AgentOptions,
): (tool: string, input?: JsonObject, server?: string) => string | undefined {
  const check = toolPolicy(resolveOptions(options), () => ({ cwd: "/w" }));
  assert.ok(check);
  return (tool, input = {}, server = undefined) => check(tool, input, server);
}

test("toolFlags() says nothing when no list is set", () => {
  assert.deepEqual(flags({}), { approved: [], denied: [] });
  assert.equal(toolPolicy(resolveOptions({})), undefined);
}, { ids: ["O-02", "O-06"] });

test(
  "toolFlags() approves what allowedTools lists when nobody is asked",
  () => {
    const allowedTools = ["Read", "Bash(git:*)", "mcp__docs"];
    assert.deepEqual(flags({ allowedTools }), {
      tools: ["Read", "Bash"],
      approved: ["Read", "Bash(git:*)", "mcp__docs"],
      denied: [],
    });
  },
  { ids: ["O-17"] },
);

test(
  "toolFlags() approves only permissions.approve when somebody is asked",
  () => {
    const permissions = { canUseTool, approve: ["Read"] };
    assert.deepEqual(flags({ allowedTools: ["Read", "Bash"], permissions }), {
      tools: ["Read", "Bash"],
      approved: ["Read"],
      denied: ["mcp__*"],
    });
  },
  { ids: ["O-17"] },
);

test("toolFlags() takes every tool away for an empty list", () => {
  for (const allowedTools of [[], "", allowTools()]) {
    assert.deepEqual(flags({ allowedTools }), {
      tools: [],
      approved: [],
      denied: ["mcp__*"],
    });
  }
});

test("toolFlags() gives the tools that both lists have", () => {
  const allowedTools = ["Read", "Bash(git:*)", "Skill"];
  assert.deepEqual(
    flags({ tools: ["Read", "Write", "Bash"], allowedTools }).tools,
    [
      "Read",
      "Bash",
    ],
  );
  const all = { preset: "claude_code" } as const;
  assert.deepEqual(flags({ tools: all, allowedTools: ["Read"] }).tools, [
    "Read",
  ]);
  assert.deepEqual(flags({ tools: all }).tools, ["default"]);
});

test("toolFlags() names replaced tools both ways", () => {
  assert.deepEqual(
    flags({ allowedTools: ["Task(reviewer)", "KillShell"] }).tools,
    [
      "Task",
      "Agent",
      "KillShell",
      "TaskStop",
    ],
  );
  assert.deepEqual(flags({ tools: ["Task"], allowedTools: ["Agent"] }).tools, [
    "Agent",
  ]);
});

test("toolFlags() writes rules under both names of a replaced tool", () => {
  assert.deepEqual(
    flags({ deniedTools: ["Task(x)", "SlashCommand", "Mcp"] }).denied,
    [
      "Task(x)",
      "Agent(x)",
      "SlashCommand",
      "Skill",
      "mcp__*",
    ],
  );
  assert.deepEqual(
    flags({ permissions: { approve: ["ReadMcpResource"] } }).approved,
    [
      "ReadMcpResource",
      "ReadMcpResourceTool",
    ],
  );
}, { ids: ["O-04"] });

test("toolFlags() counts skills as allowed", () => {
  const { tools, approved } = flags({
    allowedTools: ["Read"],
    skills: ["pdf"],
  });
  assert.deepEqual(tools, ["Read", "Skill"]);
  assert.deepEqual(approved, ["Read", "Skill(pdf)"]);
});

test("toolFlags() approves every MCP tool one server at a time", () => {
  const mcpServers = { docs: server, "my.server": server };
  assert.deepEqual(flags({ mcpServers, allowedTools: ["mcp__*"] }).approved, [
    "mcp__docs",
    "mcp__my_server",
  ]);
  const permissions = { approve: ["mcp__*", "mcp__my.server__x"] };
  assert.deepEqual(flags({ mcpServers, permissions }).approved, [
    "mcp__docs",
    "mcp__my_server",
    "mcp__my_server__x",
  ]);
});

test("toolPolicy() refuses what the list does not name", () => {
  const refuse = guard({ allowedTools: "Read,Edit" });
  assert.equal(refuse("Read", { file_path: "/etc/x" }), undefined);
  assert.equal(refuse("Write"), 'Tool "Write" is not in allowedTools');
  assert.match(refuse("mcp__docs__search") ?? "", /mcp__docs__search/);
  assert.match(refuse("read") ?? "", /not in allowedTools/);
  assert.match(refuse("constructor") ?? "", /not in allowedTools/);
  assert.match(refuse("StructuredOutput") ?? "", /not in allowedTools/);
}, { ids: ["O-17"] });

test("toolPolicy() refuses everything for an empty list", () => {
  const refuse = guard({ allowedTools: [] });
  for (const tool of [...BUILTIN_TOOLS, "mcp__a__b", "Agent", "Skill"]) {
    assert.notEqual(refuse(tool), undefined);
  }
});

test("toolPolicy() lets a pattern through and nothing else", () => {
  const refuse = guard({
    allowedTools: ["Bash(git:*)", "Bash(ls)", "Edit(src/**)"],
  });
  assert.equal(refuse("Bash", { command: "git status | ls" }), undefined);
  assert.equal(refuse("Edit", { file_path: "/w/src/a" }), undefined);
  assert.equal(
    refuse("Bash", { command: "git status; rm -rf /" }),
    'Command "git status; rm -rf /" is not covered by allowedTools: Bash(git:*), Bash(ls)',
  );
  assert.equal(
    refuse("Edit", { file_path: "/w/lib/a" }),
    "This call of Edit is not covered by allowedTools: Edit(src/**)",
  );
  assert.notEqual(refuse("Bash"), undefined);
}, { ids: ["O-17"] });

test("toolPolicy() says when it does not understand a pattern", () => {
  const refuse = guard({ allowedTools: ["WebSearch(cats)"] });
  assert.match(refuse("WebSearch", { query: "cats" }) ?? "", /not understood/);
});

test("toolPolicy() knows MCP tools by name, server and wildcard", () => {
  const refuse = guard({
    mcpServers: { docs: server, a: server, a__b: server },
    allowedTools: ["mcp__docs", "mcp__x__get_*", "mcp__y__one", "mcp__a"],
  });
  for (
    const tool of [
      "mcp__docs__search",
      "mcp__x__get_it",
      "mcp__y__one",
      "mcp__a__c",
    ]
  ) assert.equal(refuse(tool), undefined, tool);
  for (
    const tool of [
      "mcp__docs2__search",
      "mcp__x__put",
      "mcp__y__one_more",
      "mcp__y",
      "mcp__a__b__c",
    ]
  ) assert.notEqual(refuse(tool), undefined, tool);
  assert.equal(
    guard({ allowedTools: ["mcp__*"] })("mcp__any__tool"),
    undefined,
  );
  assert.equal(guard({ allowedTools: ["Mcp"] })("mcp__any__tool"), undefined);
  assert.notEqual(guard({ allowedTools: ["Mcp"] })("Read"), undefined);
  const named = guard({
    mcpServers: { a__b: server },
    allowedTools: ["mcp__a__b"],
  });
  assert.equal(named("mcp__a__b__c"), undefined);
});

test("toolPolicy() lets skills through that are named in skills", () => {
  const refuse = guard({ allowedTools: [], skills: ["pdf"] });
  assert.equal(refuse("Skill", { skill: "pdf" }), undefined);
  assert.notEqual(refuse("Skill", { skill: "docx" }), undefined);
  const any = guard({ allowedTools: [], skills: "all" });
  assert.equal(any("Skill", { skill: "docx" }), undefined);
});

test("toolPolicy() lets structured output through when it is wanted", () => {
  const refuse = guard({ allowedTools: [], outputSchema: { type: "object" } });
  assert.equal(refuse("StructuredOutput", { a: 1 }), undefined);
});

test(
  "toolPolicy() takes allToolsExcept() and refuses what was left out",
  () => {
    const options: AgentOptions = {
      allowedTools: allToolsExcept("Bash", "Task"),
    };
    const refuse = guard(options);
    for (
      const tool of [
        "Read",
        "Grep",
        "WebFetch",
        "TaskStop",
        "Skill",
        "mcp__a__b",
      ]
    ) {
      assert.equal(refuse(tool), undefined, tool);
    }
    for (const tool of ["Bash", "Task", "Agent", "PowerShell", "Monitor"]) {
      assert.notEqual(refuse(tool), undefined, tool);
    }
    const { tools = [] } = flags(options);
    assert.ok(
      !tools.includes("Bash") && !tools.includes("Task") &&
        !tools.includes("Agent"),
    );
  },
  { ids: ["H-10", "O-17"] },
);

test("toolPolicy() covers no relative path when the directory is unknown", () => {
  const check = toolPolicy(resolveOptions({ allowedTools: ["Read(src/**)"] }));
  assert.match(check?.("Read", { file_path: "/w/src/a" }) ?? "", /not covered/);
});

test("toolPolicy() takes an MCP server at its name, not at a name that begins like it", () => {
  const refuse = guard({
    allowedTools: ["mcp__files", "mcp__notes__*", "mcp__x__get_*"],
  });
  for (
    const [tool, server] of [
      ["mcp__files__read", "files"],
      ["mcp__files___read", "files"],
      ["mcp__files__a__b", "files"],
      ["mcp__notes__read", "notes"],
      ["mcp__x__get_it", "x"],
      ["mcp__files__read"],
    ] as const
  ) assert.equal(refuse(tool, {}, server), undefined, `${tool} of ${server}`);
  for (
    const [tool, server] of [
      ["mcp__files___read", "files_"],
      ["mcp__files__x__read", "files__x"],
      ["mcp__notes___read", "notes_"],
      ["mcp__notes__x__read", "notes__x"],
      ["mcp__x__get__it", "x__get"],
      // An older CLI does not say whose tool it is.
      ["mcp__files___read"],
      ["mcp__files__x__read"],
      ["mcp__notes___read"],
    ] as const
  ) {
    assert.notEqual(
      refuse(tool, {}, server),
      undefined,
      `${tool} of ${server}`,
    );
  }
});

test("toolPolicy() knows a server of the options from one whose name is written alike", () => {
  const refuse = guard({
    mcpServers: { "my.files": server },
    allowedTools: ["mcp__my.files"],
  });
  assert.equal(refuse("mcp__my_files__read", {}, "my.files"), undefined);
  assert.notEqual(refuse("mcp__my_files__read", {}, "my_files"), undefined);
});

test(
  "toolPolicy() refuses what deniedTools names, and what its patterns find in a command line",
  () => {
    const refuse = guard({
      deniedTools: [
        "Write",
        "mcp__files",
        "Bash(rm:*)",
        "Read(secrets/**)",
        "WebFetch(domain:evil.net)",
      ],
    });
    const denied: readonly (readonly [string, JsonObject, string?])[] = [
      ["Write", {}],
      ["mcp__files__read", {}],
      ["mcp__files___read", {}],
      ["Bash", { command: "rm -rf x" }],
      ["Bash", { command: "ls && rm x" }],
      ["Bash", { command: "A=1 rm x" }],
      ["Bash", { command: "echo $(rm x)" }],
      ["Bash", { command: "(rm x) > y" }],
      ["Bash", { command: "echo `r\\m x`" }],
      ["Read", { file_path: "/w/secrets/a" }],
      ["WebFetch", { url: "https://evil.net/x" }],
    ];
    for (const [tool, input, server] of denied) {
      const reason = refuse(tool, input, server);
      assert.match(reason ?? "", /not allowed by deniedTools/, tool);
    }
    const free: readonly (readonly [string, JsonObject, string?])[] = [
      ["Read", { file_path: "/w/a" }],
      ["Bash", { command: "ls; echo 'rm x'" }],
      ["Bash", { command: "echo $HOME" }],
      ["Bash", {}],
      ["mcp__files___read", {}, "files_"],
      ["mcp__other__read", {}],
      ["WebFetch", { url: "https://example.com" }],
    ];
    for (const [tool, input, server] of free) {
      assert.equal(
        refuse(tool, input, server),
        undefined,
        JSON.stringify(input),
      );
    }
    assert.equal(toolPolicy(resolveOptions({ deniedTools: [] })), undefined);
  },
  { ids: ["O-04"] },
);

test("what a list covers of one server is not what it covers of another whose tools are called alike", () => {
  const judge = guard({
    allowedTools: ["mcp__files_", "mcp__files(x)"],
    mcpServers: { files: server, files_: server },
  });
  const name = "mcp__files___read";
  assert.equal(judge(name, {}, "files_"), undefined);
  assert.match(judge(name, {}, "files") ?? "covered", /not covered/);
  assert.equal(judge(name, {}, "files_"), undefined);
});
