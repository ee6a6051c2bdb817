import assert from "node:assert/strict";
import {
  BUILTIN_TOOLS,
  type BuiltinTool,
  KNOWN_TOOLS,
  withMatcher,
} from "@sluice/agent/tools";
import { test } from "../_harness.ts";

test(
  "BUILTIN_TOOLS holds the 18 names in the order of the specification",
  () => {
    assert.equal(
      BUILTIN_TOOLS.join(),
      "Bash,BashOutput,KillShell,Read,Write,Edit,Glob,Grep,Task,ExitPlanMode,WebFetch," +
        "WebSearch,ListMcpResources,ReadMcpResource,Mcp,NotebookEdit,TodoWrite,SlashCommand",
    );
    assert.equal(BUILTIN_TOOLS.length, 18);
  },
  { ids: ["O-14"] },
);

const GROUPS: Readonly<Record<string, readonly BuiltinTool[]>> = {
  shell: ["Bash", "BashOutput", "KillShell"],
  file: ["Read", "Write", "Edit"],
  search: ["Glob", "Grep"],
  planning: ["Task", "ExitPlanMode"],
  web: ["WebFetch", "WebSearch"],
  mcp: ["ListMcpResources", "ReadMcpResource", "Mcp"],
  other: ["NotebookEdit", "TodoWrite", "SlashCommand"],
};

test("BUILTIN_TOOLS falls into groups of 3, 3, 2, 2, 2, 3 and 3", () => {
  const sizes = Object.values(GROUPS).map((group) => group.length);
  assert.deepEqual(sizes, [3, 3, 2, 2, 2, 3, 3]);
  assert.deepEqual(Object.values(GROUPS).flat(), [...BUILTIN_TOOLS]);
}, { ids: ["O-15"] });

test("KNOWN_TOOLS holds each name once", () => {
  assert.equal(KNOWN_TOOLS.length, 54);
  assert.equal(new Set(KNOWN_TOOLS).size, 54);
});

test(
  "KNOWN_TOOLS has those of the 18 that the CLI still knows by that name",
  () => {
    const gone = BUILTIN_TOOLS.filter((tool) => !KNOWN_TOOLS.includes(tool));
    assert.deepEqual(gone, [
      "BashOutput",
      "KillShell",
      "Task",
      "ListMcpResources",
      "ReadMcpResource",
      "Mcp",
      "SlashCommand",
    ]);
  },
  { ids: ["O-14"] },
);

test("withMatcher() gives a text and no tool name", () => {
  const spec: string = withMatcher("Bash", "git:*");
  assert.equal(spec, "Bash(git:*)");
  assert.equal(withMatcher("Read", "*.go"), "Read(*.go)");
  // @ts-expect-error -- a spec is no name of a tool
  const name: BuiltinTool = withMatcher("Bash", "git:*");
  assert.ok(!BUILTIN_TOOLS.includes(name));
}, { ids: ["O-16"] });
