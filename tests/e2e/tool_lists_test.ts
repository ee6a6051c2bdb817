import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import { query } from "@sluice/agent";
import { allToolsExcept, withMatcher } from "@sluice/agent/tools";
import { collect } from "../_collect.ts";
import { ALLOW, bash, realTest, toolResults, toolsOffered } from "./_real.ts";

const notes = createMcpServer({
  name: "notes",
  tools: ["read", "write"].map((name) =>
    tool({
      name,
      description: name,
      input: { type: "object" },
      run: () => `${name} was run`,
    })
  ),
});

realTest(
  "allowedTools: no other tool is offered, one that is called all the same does not run, a listed one runs unasked",
  [
    { tool: "Write", input: { file_path: "never.txt", content: "x" } },
    bash("touch made.txt"),
    "Done.",
  ],
  async ({ options, cwd, model }) => {
    const { items } = await collect(
      query("Go", { ...options, allowedTools: ["Bash", "Read"] }),
    );
    const offered = toolsOffered(model.requests[0]?.body ?? {});
    assert.deepEqual(offered.toSorted(), ["Bash", "Read"]);
    const [write, run] = toolResults(items);
    assert.equal(write?.isError, true);
    assert.equal(run?.isError, false);
    assert.equal(existsSync(join(cwd, "never.txt")), false);
    assert.equal(existsSync(join(cwd, "made.txt")), true);
  },
  { ids: ["O-17"] },
);

realTest(
  "allowedTools with a pattern and one tool of a server: a call that it does not cover is refused, whatever else would allow it",
  [
    bash("echo fine"),
    bash("echo fine; touch never.txt"),
    bash("touch never.txt"),
    { tool: "mcp__notes__read" },
    { tool: "mcp__notes__write" },
    "Done.",
  ],
  async ({ options, cwd }) => {
    const asked: unknown[] = [];
    const { items } = await collect(query("Go", {
      ...options,
      allowedTools: [withMatcher("Bash", "echo:*"), "mcp__notes__read"],
      mcpServers: { notes: { type: "sdk", instance: notes } },
      permissions: {
        approve: ["Bash", "mcp__notes"],
        canUseTool: (_tool, input) => {
          asked.push(input["command"]);
          return { behavior: "allow" };
        },
      },
    }));
    const results = toolResults(items);
    assert.deepEqual(results.map(({ isError }) => isError), [
      false,
      true,
      true,
      false,
      true,
    ]);
    assert.match(results[1]?.text ?? "", /not covered by allowedTools/);
    assert.match(results[3]?.text ?? "", /read was run/);
    assert.match(results[4]?.text ?? "", /not in allowedTools/);
    assert.equal(existsSync(join(cwd, "never.txt")), false);
    assert.deepEqual(asked, []);
  },
  { ids: ["O-17"] },
);

realTest("allowedTools [] leaves no tool at all, of a server neither", [
  bash("touch never.txt"),
  { tool: "mcp__notes__read" },
  "Done.",
], async ({ options, cwd }) => {
  const { items } = await collect(query("Go", {
    ...options,
    ...ALLOW,
    allowedTools: [],
    mcpServers: { notes: { type: "sdk", instance: notes } },
  }));
  assert.deepEqual(toolResults(items).map(({ isError }) => isError), [
    true,
    true,
  ]);
  assert.equal(existsSync(join(cwd, "never.txt")), false);
}, { ids: ["O-17"] });

realTest(
  "allowedTools takes allToolsExcept() as it is: what is left out cannot be used; beside canUseTool a listed tool is asked for",
  [
    bash("touch never.txt"),
    { tool: "Write", input: { file_path: "never.txt", content: "x" } },
    "Done.",
  ],
  async ({ options, cwd, model }) => {
    const asked: string[] = [];
    const { items } = await collect(query("Go", {
      ...options,
      allowedTools: allToolsExcept("Bash"),
      permissions: {
        canUseTool: (tool) => {
          asked.push(tool);
          return { behavior: "deny", message: "Ask again" };
        },
      },
    }));
    const offered = toolsOffered(model.requests[0]?.body ?? {});
    assert.ok(offered.includes("Read") && offered.includes("Edit"));
    assert.equal(offered.includes("Bash"), false);
    const [run, write] = toolResults(items);
    assert.equal(run?.isError, true);
    assert.deepEqual(asked, ["Write"]);
    assert.equal(write?.text, "Ask again");
    assert.equal(existsSync(join(cwd, "never.txt")), false);
  },
  { ids: ["H-10", "O-17"] },
);

realTest(
  "deniedTools: a name is not offered and does not run, a pattern denies its calls alone",
  [
    { tool: "Write", input: { file_path: "never.txt", content: "x" } },
    bash("touch never.txt"),
    bash("echo fine"),
    "Done.",
  ],
  async ({ options, cwd, model }) => {
    const { items } = await collect(query("Go", {
      ...options,
      ...ALLOW,
      deniedTools: ["Write", "Bash(touch:*)"],
    }));
    const offered = toolsOffered(model.requests[0]?.body ?? {});
    assert.equal(offered.includes("Write"), false);
    assert.ok(offered.includes("Bash"));
    assert.deepEqual(toolResults(items).map(({ isError }) => isError), [
      true,
      true,
      false,
    ]);
    assert.equal(existsSync(join(cwd, "never.txt")), false);
  },
  { ids: ["O-04"] },
);

realTest("tools sets which built-in tools there are", [
  "Fine.",
], async ({ options, model }) => {
  await query("Go", { ...options, tools: ["Read"] }).text();
  assert.deepEqual(toolsOffered(model.requests[0]?.body ?? {}), ["Read"]);
});

/** All that the CLI trims from a path: what it trims more would get past the guard. */
const WHITE_SPACE = [
  ..."\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007",
  ..."\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
  ..."\u0085\u180e\u200b\u200c\u200d\u2060",
];

realTest(
  "white space before or behind a path takes no search and no read out of the working directory",
  [
    {
      tools: [...WHITE_SPACE.flatMap((char) => [`${char}~`, `~${char}`]), "."]
        .flatMap((path) => [
          {
            name: "Grep",
            input: { pattern: "SEC.ET", path, output_mode: "content" },
          },
          { name: "Glob", input: { pattern: "found-*", path } },
          { name: "Read", input: { file_path: `${path}/found-it.txt` } },
        ]),
    },
    "Done.",
  ],
  async ({ options, env, cwd }) => {
    await writeFile(join(cwd, "found-it.txt"), "SECRET INSIDE\n");
    await writeFile(
      join(env["HOME"] ?? "", "found-it.txt"),
      "SECRET OUTSIDE\n",
    );
    const { items } = await collect(query("Go", {
      ...options,
      ...ALLOW,
      allowedTools: ["Grep(**)", "Glob(**)", "Read(**)"],
    }));
    const results = toolResults(items);
    assert.equal(results.length, 3 * (2 * WHITE_SPACE.length + 1));
    const found = results.filter(({ text }) =>
      /SECRET|\/found-it\.txt$|^found-it\.txt$/.test(text)
    );
    assert.equal(found.length, 3, JSON.stringify(found.slice(0, 9)));
    for (const { text } of found) assert.doesNotMatch(text, /OUTSIDE|\/home\//);
  },
);

realTest(
  "a search after cd is judged from where the shell is",
  [
    bash("mkdir -p private/src && echo SECRET > private/src/a && cd private"),
    {
      tools: [
        { name: "Grep", input: { pattern: "SECRET", path: "src" } },
        { name: "Glob", input: { pattern: "*", path: "src" } },
      ],
    },
    "Done.",
  ],
  async ({ options }) => {
    const { items } = await collect(query("Go", {
      ...options,
      ...ALLOW,
      allowedTools: ["Bash", "Grep(src/**)", "Glob(src/**)"],
    }));
    const [cd, ...searches] = toolResults(items);
    assert.equal(cd?.isError, false);
    assert.equal(searches.length, 2);
    for (const { text } of searches) assert.match(text, /not covered/);
  },
);
