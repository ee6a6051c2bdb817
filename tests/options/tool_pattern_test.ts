import assert from "node:assert/strict";
import { resolveOptions } from "../../src/options/resolve.ts";
import { type PathBases, pathTest } from "../../src/options/path_pattern.ts";
import { toolPolicy } from "../../src/options/tool_policy.ts";
import { parseSpec } from "../../src/options/tool_spec.ts";
import type { JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";

const PLACE = { cwd: "/home/me/app", home: "/home/me" };

/** Whether entries of one tool cover a call together, and those of them that are not understood. */
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
  [["Bash(echo \\*)"], ["echo *"], ["echo a"]],
  [["Bash(git:*)", "Bash(ls)"], ["git log | ls", "ls && git x"], [
    "ls -l",
    "git log | ls -l",
  ]],
  [["Bash(*)"], ["rm -rf /; $(x)"], []],
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

const INPUTS: readonly [
  specs: readonly string[],
  yes: readonly JsonObject[],
  no: readonly JsonObject[],
][] = [
  [["Edit(src/**)"], [{ file_path: "/home/me/app/src/a" }, {
    file_path: "src/a",
  }], [
    { file_path: "/home/me/app/a" },
    { file_path: "/home/me/app/src/../a" },
    { file_path: 5 },
    {},
    { path: "/home/me/app/src/a" },
  ]],
  [["Read(*)"], [{ file_path: "/home/me/app/a/b" }], [{
    file_path: "/etc/passwd",
  }]],
  [["NotebookEdit(*.ipynb)"], [{ notebook_path: "/home/me/app/x.ipynb" }], [
    { file_path: "/home/me/app/x.ipynb" },
  ]],
  [["Grep(src/**)"], [
    { pattern: "/../", path: "src" },
    { pattern: "x", path: "/home/me/app/src/a", glob: "*.ts" },
    { pattern: "x", path: "/home/me/app/src/a.ts" },
  ], [
    { pattern: "x" },
    { pattern: "x", path: "." },
    { pattern: "x", path: "/home/me/app/src", glob: "../*" },
    { pattern: "x", path: 5 },
  ]],
  [["Glob(src/**)"], [{ pattern: "**/*.ts", path: "/home/me/app/src" }], [
    { pattern: "src/**" },
    { pattern: "/etc/*", path: "/home/me/app/src" },
    { pattern: "../../*", path: "/home/me/app/src" },
    { pattern: "{a,../b}", path: "/home/me/app/src" },
    { pattern: "~/*", path: "/home/me/app/src" },
    { pattern: "C:\\*", path: "/home/me/app/src" },
    { pattern: 5, path: "/home/me/app/src" },
  ]],
  [["Glob(src/*.ts)"], [], [{ pattern: "*", path: "/home/me/app/src" }]],
  [["Grep(a)"], [{ path: "a" }, { path: "/home/me/app/x/a/b" }], [
    {},
    { path: "/home/me/app" },
    { path: "/home/me/app/b" },
    { path: "/" },
  ]],
  [["Grep(**/b)"], [{ path: "/home/me/app/b" }], [
    {},
    { path: "/home/me/app" },
    { path: "/home/me/app/a" },
  ]],
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
  [["Skill(pdf)"], [{ skill: "pdf" }, { skill: "/pdf" }], [
    { skill: "pdfs" },
    { skill: "docx" },
    {},
  ]],
  [["Agent(reviewer)"], [{ subagent_type: "reviewer" }], [
    { subagent_type: "other" },
    {},
  ]],
];

/** Patterns of paths, below a working directory and a home. */
const PATHS: readonly [
  pattern: string,
  yes: readonly string[],
  no: readonly string[],
][] = [
  [
    "src/**",
    ["/home/me/app/src/a.ts", "src/a/b.ts", "./src/a", "src/../src/a"],
    [
      "/home/me/app/src",
      "/home/me/app/src2/a",
      "/home/me/app/lib/src/a",
      "src/../../x",
      "/home/me/app/src/../../../x",
      "/etc/src/a",
      "",
      "src/a\0",
    ],
  ],
  ["/src/**", ["src/a"], ["/src/a", "lib/src/a"]],
  ["src", ["src", "src/a/b", "lib/src/a"], ["srcs", "/src"]],
  ["*.go", ["a.go", "x/y/a.go"], ["a.gox", "/tmp/a.go", "a/go"]],
  ["src/*.ts", ["src/a.ts", "src/.ts"], ["src/x/a.ts", "a.ts"]],
  ["src/**/x.ts", ["src/x.ts", "src/a/b/x.ts"], ["src/ax.ts", "x.ts"]],
  ["**/x.ts", ["x.ts", "a/b/x.ts"], ["/x.ts", "ax.ts"]],
  ["**", ["a", "a/b"], ["/home/me/app", "/home/me", "../x"]],
  ["*", ["a", "a/b"], ["../x"]],
  ["//etc/**", ["/etc/hosts"], ["etc/hosts", "/home/me/app/etc/hosts"]],
  ["//**", ["/etc/hosts", "a"], []],
  ["~/notes/**", ["/home/me/notes/a", "~/notes/a"], [
    "notes/a",
    "~other/notes/a",
  ]],
  ["a.b+c(1)", ["a.b+c(1)"], ["axb+c(1)"]],
];

test("patterns cover commands, paths and other inputs, and nothing beside them", () => {
  const commands = (lines: readonly string[]) =>
    lines.map((command) => ({ command }));
  const paths = (texts: readonly string[]) =>
    texts.map((file_path) => ({ file_path }));
  for (
    const [specs, yes, no] of [
      ...COMMANDS.map(([specs, yes, no]) =>
        [specs, commands(yes), commands(no)] as const
      ),
      ...PATHS.map(([pattern, yes, no]) =>
        [[`Read(${pattern})`], paths(yes), paths(no)] as const
      ),
      ...INPUTS,
    ]
  ) {
    const { covers, unclear } = coverage(...specs);
    assert.deepEqual(unclear, []);
    for (const input of yes) {
      assert.ok(covers(input), `${specs}: ${JSON.stringify(input)}`);
    }
    for (const input of no) {
      assert.ok(!covers(input), `${specs}: ${JSON.stringify(input)}`);
    }
  }
});

test("a pattern that is not understood covers nothing", () => {
  for (
    const spec of [
      ...["WebSearch(cats)", "WebFetch(cats)", "mcp__a__b(x)"],
      ...["Monitor(git:*)", "Read([ab].ts)", "Read(!src/**)", "Read(a\\b)"],
      ...["Read(~other/x)", "Read(src/../x)", "Read(/)"],
    ]
  ) {
    const { covers, unclear } = coverage(spec);
    assert.deepEqual(unclear, [spec]);
    assert.ok(!covers({ query: "cats", url: "cats", file_path: "a" }));
  }
});

/** Whether a read of a path is covered, in some place. */
const covers = (pattern: string, path: string, place: PathBases) =>
  pathTest(pattern, place)?.(path);

test("paths of an unknown directory are not covered", () => {
  for (const path of ["src/a", "/src/a"]) {
    assert.equal(covers("src/**", path, {}), false);
  }
  const cwd = { cwd: "/home/me" };
  assert.equal(covers("~/x/**", "/home/me/x/a", cwd), false);
  assert.equal(covers("//etc/**", "/etc/x", {}), true);
  assert.equal(covers("//etc/**", "etc/x", {}), false);
});

test("paths of Windows are read where the directory is one", () => {
  const place = { cwd: "C:\\Users\\me\\app", home: "C:\\Users\\me" };
  const inside = ["C:\\Users\\me\\app\\src\\a.ts", "src\\a.ts"];
  for (const path of [...inside, "c:/Users/me/app/src/a.ts"]) {
    assert.equal(covers("src\\**", path, place), true, path);
  }
  const outside = ["D:\\Users\\me\\app\\src\\a.ts", "src\\..\\..\\a.ts"];
  for (const path of [...outside, "C:src\\a.ts"]) {
    assert.equal(covers("src\\**", path, place), false, path);
  }
  assert.equal(covers("D:\\data\\**", "d:/data/x", place), true);
  assert.equal(covers("~/x/**", "C:\\Users\\me\\x\\y", place), true);
  assert.equal(covers("src/**", "src\\a", PLACE), false);
}, { ids: ["E-19"] });

test("a command that is denied is found wherever one may begin", () => {
  const deny = toolPolicy(resolveOptions({ deniedTools: ["Bash(rm:*)"] }));
  const lines = [
    ...[">x rm y", "2>&1 rm y", "! rm x", "time rm x", "\\rm x", "X=1 rm x"],
    ...["if true; then rm x; fi", "$(echo rm) x", "alias x=rm; x", "{rm,x}"],
    ...["a=rm; $a x", "command rm x", "env rm x", "find . -exec rm {} +"],
    ...["ls | xargs rm", "bash -c 'rm x'", "sudo -n rm x", "r''m x; $y"],
    ...["r''m x", "A='b c' rm x", "a[0]+=1 rm x", "setsid rm x", "watch rm x"],
    ...["busybox rm", "ionice rm x", "stdbuf -o0 rm x", "su -c 'rm x'"],
    ...["parallel rm ::: x", "chroot / rm x", "nsenter -t 1 rm x"],
    ...["unshare rm x", "script -c 'rm x'", "ssh host rm x", "echo rm x | sh"],
    ...["dash -c 'rm x'", "trap 'rm x' EXIT", "/usr/bin/sudo rm x"],
    ...["/usr/bin/env rm x", "./busybox rm x", "env.exe rm x", "/bin/rm x"],
    ...[
      "./rm",
      "'/a b/rm' x",
      "rm.exe x",
      "sudo /bin/rm x",
      "x > y; /bin/rm z",
    ],
    ...["bash -c '/bin/rm x'", "find . -exec /bin/rm {} +", ">x /bin/rm y"],
    ...["A=$b /bin/rm x", "$HOME/rm x", "echo $(/bin/rm x)", "(/bin/rm x)"],
    ...["r\\\nm x", "ls \\\\\nrm x"],
  ];
  for (const command of lines) {
    assert.match(deny?.("Bash", { command }) ?? "", /deniedTools/, command);
  }
  for (
    const command of [
      ...[
        "echo rm",
        "git log rm",
        "rmdir x",
        "/bin/rm/x y",
        "./rm.sh",
        "a=/rm",
      ],
      ...[
        "git add bin/rm",
        "ls bin/rm > out/rm",
        "cat $HOME/rm",
        "ls a/rm | sh",
      ],
      ...["npm run watch", "cd a/rm && time npm test", "cd a/rm && ls 2>&1"],
    ]
  ) {
    assert.equal(deny?.("Bash", { command }), undefined, command);
  }
});

test("a command that is denied is found whatever blanks are between its words", () => {
  const deny = toolPolicy(
    resolveOptions({
      deniedTools: [
        ...["Bash(touch b)", "Bash(git push:*)", "Bash(echo  a)"],
        "PowerShell(del b)",
      ],
    }),
  );
  for (
    const command of [
      ...["touch b", "touch  b", "touch\tb", "touch \t b", "ls; touch  b"],
      ...[
        "git  push x",
        "sudo git \t push",
        "touch \\\n b",
        "echo  a",
        "echo\ta",
      ],
    ]
  ) {
    assert.match(deny?.("Bash", { command }) ?? "", /deniedTools/, command);
  }
  for (const command of ["touch bb", "git pull  push", "touchb"]) {
    assert.equal(deny?.("Bash", { command }), undefined, command);
  }
  const command = "del  b";
  assert.match(deny?.("PowerShell", { command }) ?? "", /deniedTools/);
});

test("a rule that names a folder denies no program of another one", () => {
  const deny = toolPolicy(
    resolveOptions({ deniedTools: ["Bash(./deploy:*)", "Bash(git 'push':*)"] }),
  );
  for (const command of ["./deploy x", "setsid ./deploy", "git 'push' x"]) {
    assert.match(deny?.("Bash", { command }) ?? "", /deniedTools/, command);
  }
  for (const command of ["deploy x", "/usr/bin/deploy x", "./deploy/x"]) {
    assert.equal(deny?.("Bash", { command }), undefined, command);
  }
});

test("a rule that denies commands of Bash denies those of Monitor as well", () => {
  const deny = toolPolicy(
    resolveOptions({
      deniedTools: ["Bash(rm:*)", "Bash(a > b)", "Monitor(mv:*)"],
    }),
  );
  for (const command of ["rm x", "/bin/rm x", "a > b", "mv x y"]) {
    assert.match(deny?.("Monitor", { command }) ?? "", /deniedTools/, command);
  }
  assert.equal(deny?.("Monitor", { command: "tail -f log" }), undefined);
  assert.equal(deny?.("Bash", { command: "mv x y" }), undefined);
  const allow = toolPolicy(resolveOptions({ allowedTools: ["Bash(ls:*)"] }));
  assert.match(allow?.("Monitor", { command: "ls" }) ?? "", /allowedTools/);
});

test("a rule that denies commands of PowerShell may have backslashes", () => {
  const deny = toolPolicy(
    resolveOptions({ deniedTools: ["PowerShell(.\\deploy:*)"] }),
  );
  const command = ".\\deploy x";
  assert.match(deny?.("PowerShell", { command }) ?? "", /deniedTools/);
});
