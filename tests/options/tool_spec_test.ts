import assert from "node:assert/strict";
import { parseSpec, splitSpecs } from "../../src/options/tool_spec.ts";
import { allowTools } from "@sluice/agent/tools";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "./_random.ts";

const PARSED: readonly [text: string, tool: string, pattern?: string][] = [
  ["Read", "Read"],
  ["Bash(git:*)", "Bash", "git:*"],
  ["Edit(src/**)", "Edit", "src/**"],
  ["Bash(echo a,b)", "Bash", "echo a,b"],
  ["Bash(git log (x))", "Bash", "git log (x)"],
  ["Bash(echo \\(x)", "Bash", "echo (x"],
  ["Bash(a\nb)", "Bash", "a\nb"],
  ["mcp__docs", "mcp__docs"],
  ["mcp__docs__*", "mcp__docs__*"],
  ["mcp__my.server__tööl", "mcp__my_server__t__l"],
  ["Task", "Agent"],
  ["Task(reviewer)", "Agent", "reviewer"],
  ["KillShell", "TaskStop"],
  ["SlashCommand", "Skill"],
  ["ListMcpResources", "ListMcpResourcesTool"],
  ["ReadMcpResource", "ReadMcpResourceTool"],
  ["Mcp", "mcp__*"],
  ["constructor", "constructor"],
];

test("parseSpec() takes a name and a pattern apart, and refuses anything else", () => {
  for (const [text, tool, pattern] of PARSED) {
    const spec = { text, tool, ...pattern !== undefined && { pattern } };
    assert.deepEqual(parseSpec(text), spec);
  }
  const wrong = [
    ...["", "(x)", "Bash(", "Bash(x", "Bash)x(", "Bash(x)y", "Bash (x)"],
    ...["Bash()", "Bash( )", "Read Write", "Read,Write", "Bash(x))"],
    "Bash(x\\)",
  ];
  for (const text of wrong) assert.equal(parseSpec(text), undefined, text);
});

test("splitSpecs() gives back what allowTools() joined", () => {
  const random = randomFrom(2);
  const names = ["Read", "Bash", "mcp__a__b", "Edit", "WebFetch"];
  const patterns = [
    "",
    "(git:*)",
    "(src/**)",
    "(echo a,b)",
    "(a \\( b)",
    "((x))",
  ];
  for (let round = 0; round < 500; round++) {
    const count = Math.floor(random() * 6);
    const specs = [
      ...new Set(
        Array.from(
          { length: count },
          () => pick(random, names) + pick(random, patterns),
        ),
      ),
    ];
    assert.deepEqual(splitSpecs(allowTools(...specs)), specs);
    assert.deepEqual(splitSpecs(specs), specs);
  }
}, { ids: ["H-02"] });
