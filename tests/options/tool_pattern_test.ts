import assert from "node:assert/strict";
import { resolveOptions } from "../../src/options/resolve.ts";
import { toolPolicy } from "../../src/options/tool_policy.ts";
import { parseSpec } from "../../src/options/tool_spec.ts";
import type { JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";

const PLACE = { cwd: "/w", home: "/home/me" };

/** What entries of one tool cover together, and those of them that are not understood. */
function coverage(...allowedTools: readonly string[]): {
  readonly covers: (input: JsonObject) => boolean;
  readonly unclear: readonly string[];
} {
  const refuse = toolPolicy(resolveOptions({ allowedTools }), () => PLACE);
  const { tool } = parseSpec(allowedTools[0] ?? "") ?? assert.fail();
  assert.ok(refuse);
  const [, unclear] =
    /\(not understood, so refused: (.*)\)$/.exec(refuse(tool, {}) ?? "") ?? [];
  return {
    covers: (input) => refuse(tool, input) === undefined,
    unclear: unclear?.split(", ") ?? [],
  };
}

const COMMANDS: readonly [
  specs: readonly string[],
  yes: readonly string[],
  no: readonly string[],
][] = [
  [["Bash(git:*)"], [
    "git",
    "git status",
    " git status ",
    "git\tstatus",
    "git add . && git commit -m 'x; rm y'",
    "git log | git shortlog",
    "git status\ngit diff",
  ], [
    "gitk",
    "git-lfs x",
    "git status; rm -rf /",
    "git status && rm -rf /",
    "git status | sh",
    "git status || rm x",
    "git status & rm x",
    "git status\nrm x",
    "git $(rm x)",
    'git "$(rm x)"',
    "git `rm x`",
    "git log > x",
    "git status # it's\nrm x\n#'",
    "GIT_PAGER=rm git log",
    "/usr/bin/git status",
    "sudo git status",
    "git'k' x",
    "git\\k",
    "git\u00a0status",
    "\u00a0git status",
    "git status;\u00a0git status",
    "git status\r",
    "\u3000git",
    "\ufeffgit status",
    "\vgit status",
    "",
    "git \0",
  ]],
  [["Bash(git *)"], ["git", "git status"], ["gitk", "git; rm x"]],
  [["Bash(git*)"], ["git", "gitk", "git status"], ["x git", "git; rm x"]],
  [["Bash(npm run test:*)"], ["npm run test", "npm run test -- a"], [
    "npm run",
    "npm run testing",
    "npm run  test",
  ]],
  [["Bash(npm test)"], ["npm test", " npm test "], [
    "npm test a",
    "npm test; ls",
  ]],
  [["Bash(a && b > c)"], ["a && b > c"], ["a", "a && b > d"]],
  [["Bash(* --help)"], ["git --help", "x y --help"], [
    "git --help x",
    "rm x; git --help",
  ]],
  [["Bash(git * main)"], ["git push origin main"], ["git push origin dev"]],
  [["Bash(echo \\*)"], ["echo *"], ["echo a"]],
  [["Bash(a.c:*)"], ["a.c"], ["abc"]],
  [["Bash(git:*)", "Bash(ls)"], ["git log | ls", "ls && git x"], [
    "ls -l",
    "git log | ls -l",
  ]],
  [["Bash(*)"], ["rm -rf /; $(x)"], []],
  [["Bash(git:*)", "Bash"], ["anything > x"], []],
  [["PowerShell(git:*)"], ["git status", "git push origin/main"], [
    "git status; rm x",
    "git (rm x)",
    "git $x",
    "git 'x'",
    "git | x",
    "",
  ]],
  [["PowerShell(Get-Item 'x')"], ["Get-Item 'x'"], ["Get-Item 'y'"]],
];

for (const [specs, yes, no] of COMMANDS) {
  test(`coverageOf() knows what ${specs.join(" and ")} cover`, () => {
    const { covers, unclear } = coverage(...specs);
    assert.deepEqual(unclear, []);
    for (const command of yes) {
      assert.ok(covers({ command }), `${JSON.stringify(command)} is covered`);
    }
    for (const command of no) {
      assert.ok(!covers({ command }), `${JSON.stringify(command)} is not`);
    }
  });
}

const INPUTS: readonly [
  specs: readonly string[],
  yes: readonly JsonObject[],
  no: readonly JsonObject[],
][] = [
  [["Edit(src/**)"], [{ file_path: "/w/src/a" }, { file_path: "src/a" }], [
    { file_path: "/w/a" },
    { file_path: "/w/src/../a" },
    { file_path: 5 },
    {},
    { path: "/w/src/a" },
  ]],
  [["Read(*)"], [{ file_path: "/w/a/b" }], [{ file_path: "/etc/passwd" }]],
  [["NotebookEdit(*.ipynb)"], [{ notebook_path: "/w/x.ipynb" }], [
    { file_path: "/w/x.ipynb" },
  ]],
  [["Grep(src/**)"], [
    { pattern: "/../", path: "src" },
    { pattern: "x", path: "/w/src/a", glob: "*.ts" },
    { pattern: "x", path: "/w/src/a.ts" },
  ], [
    { pattern: "x" },
    { pattern: "x", path: "." },
    { pattern: "x", path: "/w/src", glob: "../*" },
    { pattern: "x", path: 5 },
  ]],
  [["Glob(src/**)"], [{ pattern: "**/*.ts", path: "/w/src" }], [
    { pattern: "src/**" },
    { pattern: "/etc/*", path: "/w/src" },
    { pattern: "../../*", path: "/w/src" },
    { pattern: "{a,../b}", path: "/w/src" },
    { pattern: "~/*", path: "/w/src" },
    { pattern: "C:\\*", path: "/w/src" },
    { pattern: 5, path: "/w/src" },
  ]],
  [["Glob(src/*.ts)"], [], [{ pattern: "*", path: "/w/src" }]],
  [["Glob(src/*)"], [{ pattern: "*", path: "/w/src" }], [
    { pattern: "*", path: "/w" },
  ]],
  [["Grep(a)"], [{ path: "a" }, { path: "/w/x/a/b" }], [
    {},
    { path: "/w" },
    { path: "/w/b" },
    { path: "/" },
  ]],
  [["Grep(b)"], [], [{ path: "/w" }, {}]],
  [["Grep(**/b)"], [{ path: "/w/b" }], [{}, { path: "/w" }, { path: "/w/a" }]],
  [["Glob(//**/b)"], [{ pattern: "*", path: "/x/b" }], [
    { pattern: "*", path: "/" },
    { pattern: "*", path: "/etc" },
    { pattern: "*" },
  ]],
  [["Grep(*/*)"], [{ path: "a" }], [{ path: "." }]],
  [["Grep(*/a/b)"], [], [{ path: "." }, { path: "/w/x" }]],
  [["Grep(???)"], [{ path: "abc" }], [{ path: "." }, { path: "ab" }]],
  [["WebFetch(domain:example.com)"], [
    { url: "https://example.com/x" },
    { url: "http://EXAMPLE.com:8080" },
  ], [
    { url: "https://www.example.com" },
    { url: "https://example.com.evil.net" },
    { url: "https://example.com@evil.net" },
    { url: "ftp://example.com" },
    { url: "example.com" },
    { url: 5 },
  ]],
  [["WebFetch(domain:*.example.com)"], [{ url: "https://a.b.example.com" }], [
    { url: "https://example.com" },
    { url: "https://badexample.com" },
  ]],
  [["Skill(pdf)"], [{ skill: "pdf" }, { skill: "/pdf" }], [
    { skill: "pdfs" },
    { skill: "docx" },
    {},
  ]],
  [["Skill(team:*)"], [{ skill: "team" }, { skill: "team x" }], [
    { skill: "teams" },
  ]],
  [["Agent(reviewer)"], [{ subagent_type: "reviewer" }], [
    { subagent_type: "other" },
    {},
  ]],
  [["Read(src/**)", "Read(docs/**)"], [{ file_path: "docs/a" }], [
    { file_path: "lib/a" },
  ]],
];

for (const [specs, yes, no] of INPUTS) {
  test(`coverageOf() knows what ${specs.join(" and ")} cover`, () => {
    const { covers, unclear } = coverage(...specs);
    assert.deepEqual(unclear, []);
    for (const input of yes) assert.ok(covers(input), JSON.stringify(input));
    for (const input of no) assert.ok(!covers(input), JSON.stringify(input));
  });
}

test("coverageOf() covers nothing by a pattern it does not understand", () => {
  const specs = [
    "WebSearch(cats)",
    "WebFetch(cats)",
    "Read([ab])",
    "mcp__a__b(x)",
    "Monitor(git:*)",
  ];
  for (const spec of specs) {
    const { covers, unclear } = coverage(spec);
    assert.deepEqual(unclear, [spec]);
    assert.ok(!covers({ query: "cats", url: "cats", file_path: "a" }));
  }
});
