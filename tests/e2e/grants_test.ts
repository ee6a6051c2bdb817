import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type CanUseTool,
  type JsonObject,
  type PermissionRule,
  type PermissionUpdate,
  promptPerson,
  query,
} from "@sluice/agent";
import type { ModelToolCall } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import type { RealCli } from "../_real_cli.ts";
import { bash, realTest, toolResults } from "./_real.ts";

/** Answered with all rules. */
const FIRST = bash("touch first");

/** Grants rules and directories by the answer `a` to the first call; gives their sentences, the inputs of later calls about which the CLI asked, and how many were made. */
async function grant(
  { options }: RealCli,
  rules: readonly PermissionRule[],
  directories: readonly string[],
): Promise<{
  readonly sentences: readonly string[];
  readonly asked: readonly JsonObject[];
  readonly calls: number;
}> {
  const shown: string[] = [];
  const granted = [...rules, ...directories];
  const answers = ["a", granted.map((_, at) => at + 1).join(" ")];
  const ask = promptPerson({
    terminal: {
      isPerson: true,
      size: () => ({ columns: 400, rows: 40 }),
      ask(text) {
        shown.push(text);
        return Promise.resolve(answers.shift());
      },
    },
  });
  const suggestions: readonly PermissionUpdate[] = [{
    type: "addRules",
    rules,
    behavior: "allow",
    destination: "session",
  }, { type: "addDirectories", directories, destination: "session" }];
  const asked: JsonObject[] = [];
  const canUseTool: CanUseTool = (tool, input, context) => {
    if (answers.length > 0) {
      const { caughtUp, signal } = context;
      return ask(tool, input, { ...context, caughtUp, signal, suggestions });
    }
    asked.push(input);
    return { behavior: "deny", message: "Asked" };
  };
  const { items } = await collect(
    query("Go", { ...options, permissions: { canUseTool } }),
  );
  const [, list = ""] = shown;
  const sentences = list.split("\n").filter((row) => /^ +\d+ {2}/.test(row));
  assert.equal(sentences.length, granted.length);
  return { sentences, asked, calls: toolResults(items).slice(1).length };
}

/** A call behind each of these words, in a form that the shell accepts. */
const BEHIND: Readonly<Record<string, string>> = {
  timeout: "timeout 5 ",
  time: "time ",
  nice: "nice ",
  nohup: "nohup ",
  stdbuf: "stdbuf -o0 ",
  command: "command ",
  builtin: "builtin ",
  noglob: "noglob ",
  xargs: "echo more | xargs ",
};
/** Forms that no sentence names. */
const OTHERS = ["FOO=1 ", "PATH=/x ", "env ", "setsid ", "xargs -n1 "];
/** Forms that run by each rule: the sentence or the documents say so. */
const ALWAYS = ["", "NODE_ENV=p ", "! "];
const FORMS = [...ALWAYS, ...Object.values(BEHIND), ...OTHERS];
const COMMANDS: Readonly<Record<string, string>> = {
  "./prefix.sh staging:*": "./prefix.sh staging",
  "./exact.sh staging": "./exact.sh staging",
  "./pattern.sh * staging": "./pattern.sh -v staging",
};
const LINES = Object.values(COMMANDS).flatMap((command) =>
  FORMS.map((form) => form + command)
);

/** Scripts that the commands run. */
const SCRIPTS = [
  ...["prefix.sh", "exact.sh", "pattern.sh"],
  ...["star1", "exact1", "inner.sh", "key.sh", "star*", "exact*"],
];

/** Checks the sentences of {@link COMMANDS}; gives the lines that they do not name. */
function unnamedLines(sentences: readonly string[]): readonly string[] {
  return Object.values(COMMANDS).flatMap((command, at) => {
    const sentence = sentences[at] ?? "";
    assert.match(sentence, /also after variables such as NODE_ENV and/);
    const named = / behind ([\w, ]+)$/.exec(sentence)?.[1]?.split(", ") ?? [];
    const runs = named.map((word) => BEHIND[word]);
    return FORMS.slice(ALWAYS.length).filter((form) => !runs.includes(form))
      .map((form) => form + command);
  });
}

/** Commands that run or are asked about by the rule in front of them: stars, and keywords of the shell. */
const LITERALS: readonly (readonly [
  rule: string,
  runs: readonly string[],
  asks: readonly string[],
])[] = [
  [
    "./star\\* a *",
    ["./star* a", "./star* a b", "./star\\* a b"],
    ["./star1 a b", "./star\\1 a b"],
  ],
  ["./inner.sh * b:*", ["./inner.sh * b c"], ["./inner.sh a b c"]],
  [
    "./key.sh a:*",
    [
      "if ./key.sh a; then ./key.sh a; fi",
      "for one in 1 2; do ./key.sh a; done",
      "while ! ./key.sh a; do ./key.sh a; done",
    ],
    ["for one in 1 2; do ./key.sh b; done"],
  ],
  ["./exact\\* a", ["./exact\\* a"], ["./exact* a", "./exact1 a"]],
];

/** The sentences of their rules. */
const LITERAL_SENTENCES = [
  "`./star* a`, where * stands for itself, quoted or not",
  "`./inner.sh * b`, where * stands for itself, quoted or not",
  "`./key.sh a`",
  "`./exact\\* a` with any input",
];

/** Folders in the home folder that a rule or a directory covers, and others. */
const COVERED = [
  ...["kept", "KEPT", "odd [x]", "end*", "in*side", "one?", "ones"],
  ...["{a,b}", "!not", "back\\slash", "file*", "dir*", "dir?"],
];
/** The first two only by a CLI before 2.1.332, which takes an escaped star for any text. */
const UNCOVERED = [
  ...[
    "endless",
    "files",
    ".",
    "odd x",
    "odd \\[x\\]",
    "en",
    "inside",
    "one",
    "a",
    "not",
  ],
  ...["backslash", "fil", "dirs"],
];
const READ = [...COVERED, ...UNCOVERED];
/** Directories in the home folder, whose signs stand for themselves. */
const DIRECTORIES = ["dir*", "dir?"];
const SKILLS = ["docs", "docs-more", "notes", "notes-more"];

/** Rules for skills and files, with their sentences. */
const OTHER_RULES: readonly (readonly [PermissionRule, string])[] = [
  [
    { toolName: "Skill", ruleContent: "docs" },
    "allow the skill `docs` with any arguments",
  ],
  [
    { toolName: "Skill", ruleContent: "notes:*" },
    "allow every skill whose name begins with `notes`, with any arguments",
  ],
  [
    { toolName: "Edit", ruleContent: "made" },
    "allow changing files that match `<project>/**/made`, and files below folders that match, by Edit, Write, NotebookEdit and shell commands, and reading them by Read",
  ],
  [
    { toolName: "Edit", ruleContent: "~/kept/**" },
    "allow changing files below `~/kept`, by Edit, Write, NotebookEdit and shell commands, and reading them by Read",
  ],
  [
    { toolName: "Read", ruleContent: "~/odd \\[x\\]/**" },
    "allow reading files below `~/odd [x]`, by Read, by searches and by shell commands",
  ],
  ...([
    ["end\\*/**", "below folders that match `~/end*`"],
    ["in\\*side/**", "below `~/in*side`"],
    ["one?/**", "below folders that match `~/one?`"],
    ["{a,b}/**", "below `~/{a,b}`"],
    ["!not/**", "below `~/!not`"],
    ["back\\\\slash/**", "below `~/back\\slash`"],
    ["file\\*", "that match `~/file*`, and files below folders that match"],
  ] as const).map(([path, words]) =>
    [
      { toolName: "Read", ruleContent: `~/${path}` },
      `allow reading files ${words}, by Read, by searches and by shell commands`,
    ] as const
  ),
  [
    { toolName: "Edit", ruleContent: "all\\*" },
    "allow changing files that match `<project>/**/all*`, and files below folders that match, by Edit, Write, NotebookEdit and shell commands, and reading them by Read",
  ],
];

const COMMAND_LINES = [
  ...LINES,
  ...LITERALS.flatMap(([, runs, asks]) => [...runs, ...asks]),
  ...["made", "deep/made", "deep/allowed", "other"].map((path) =>
    `echo 1 > ${path}/one.txt`
  ),
];
const CALLS: readonly ModelToolCall[] = [
  ...COMMAND_LINES.map((command) => (
    { name: "Bash", input: { command, description: "run it" } }
  )),
  ...SKILLS.map((skill) => ({ name: "Skill", input: { skill } })),
  { name: "Skill", input: { skill: "docs", args: "all" } },
  ...READ.map((path) => (
    { name: "Read", input: { file_path: `~/${path}/one.txt` } }
  )),
];

async function writeFiles({ cwd, env }: RealCli): Promise<void> {
  const home = env["HOME"] ?? "";
  for (const file of SCRIPTS) {
    await writeFile(join(cwd, file), "#!/bin/sh\n", { mode: 0o755 });
  }
  const files: Record<string, string> = {};
  for (const name of SKILLS) {
    files[join(cwd, ".claude/skills", name, "SKILL.md")] =
      `---\nname: ${name}\ndescription: ${name}\nallowed-tools: Bash(touch *)\n---\nDo it\n`;
  }
  for (const path of READ) files[join(home, path, "one.txt")] = "1\n";
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  for (const folder of ["made", "deep/made", "deep/allowed", "other"]) {
    await mkdir(join(cwd, folder), { recursive: true });
  }
}

realTest(
  "the sentence of a grant names all that the CLI then allows without asking: forms of a command, literal stars and keywords, skills and files",
  [FIRST, { tools: CALLS }, "Done."],
  async (real) => {
    await writeFiles(real);
    const home = real.env["HOME"] ?? "";
    const directories = DIRECTORIES.map((name) => join(home, name));
    const literalRules = LITERALS.map(([rule]) => rule);
    const { asked, calls, sentences } = await grant(real, [
      ...[...Object.keys(COMMANDS), ...literalRules].map((ruleContent) => (
        { toolName: "Bash", ruleContent }
      )),
      ...OTHER_RULES.map(([rule]) => rule),
    ], directories);
    assert.equal(calls, CALLS.length);
    const ofCommands = Object.keys(COMMANDS).length;
    const literal = sentences.slice(ofCommands, ofCommands + LITERALS.length);
    assert.deepEqual(
      literal.map((row) => /`.*`[^,]*(?:, where[^,]*, [^,]*)?/.exec(row)?.[0]),
      LITERAL_SENTENCES,
    );
    assert.deepEqual(
      sentences.slice(ofCommands + LITERALS.length)
        .map((row) => row.replace(/^ +\d+ +/, "")),
      [
        ...OTHER_RULES.map(([, sentence]) => sentence),
        ...directories.map((path) =>
          `let tools and shell commands read in the directory ${path} without asking, and change files there as they may here`
        ),
      ],
    );
    assert.deepEqual(
      asked.map(({ command, file_path, skill }) =>
        command ?? file_path ?? skill
      ),
      [
        ...unnamedLines(sentences),
        ...LITERALS.flatMap(([, , asks]) => asks),
        "echo 1 > deep/allowed/one.txt",
        "echo 1 > other/one.txt",
        "docs-more",
        ...UNCOVERED.map((folder) => join(home, folder, "one.txt")),
      ],
    );
  },
);

realTest(
  "a saved grant counts in every worktree of the repository, as its row says",
  [bash("./deploy site one"), "Done.", bash("./deploy site two"), "Done."],
  async ({ cwd, options }) => {
    const repository = join(cwd, "main");
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-C", repository, ...args], { stdio: "ignore" });
    await mkdir(repository);
    git("init");
    git(
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@example.com",
      "commit",
      "--allow-empty",
      "-m",
      "first",
    );
    for (const name of ["one", "two"]) git("worktree", "add", `../${name}`);
    const shown: string[] = [];
    const answers = ["a", "1 save"];
    const canUseTool = promptPerson({
      terminal: {
        isPerson: true,
        ask(text) {
          shown.push(text);
          return Promise.resolve(answers.shift());
        },
      },
    });
    for (const name of ["one", "two"]) {
      await query("Go", {
        ...options,
        cwd: join(cwd, name),
        permissions: { canUseTool },
      }).text();
    }
    assert.equal(shown.length, 2, shown.join("\n"));
    assert.match(
      shown[1]?.replace(/\n +: /g, "") ?? "",
      /settings\.local\.json \(this folder, or the whole git repository with all its worktrees; you alone\)/,
    );
    assert.ok(existsSync(join(repository, ".claude/settings.local.json")));
  },
);
