import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CanUseTool,
  type JsonObject,
  type PermissionRule,
  type PermissionUpdate,
  promptPerson,
  query,
} from "@sluice/agent";
import { collect } from "../_collect.ts";
import type { RealCli } from "../_real_cli.ts";
import { bash, realTest, toolResults } from "./_real.ts";

const FIRST = bash("touch first");

/** Grants rules by the answer `a` to the first call; gives their sentences, and the inputs of later calls about which the CLI asked. */
async function grant(
  { options }: RealCli,
  rules: readonly PermissionRule[],
): Promise<{
  readonly sentences: readonly string[];
  readonly asked: readonly JsonObject[];
  readonly results: readonly { readonly isError: boolean }[];
}> {
  const shown: string[] = [];
  const answers = ["a", rules.map((_, at) => at + 1).join(" ")];
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
  }];
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
  assert.equal(sentences.length, rules.length);
  return { sentences, asked, results: toolResults(items).slice(1) };
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

realTest(
  "the sentence of a grant for a shell names all forms of a command that the CLI then runs without asking",
  [FIRST, ...LINES.map(bash), "Done."],
  async (real) => {
    for (const file of ["prefix.sh", "exact.sh", "pattern.sh"]) {
      await writeFile(join(real.cwd, file), "#!/bin/sh\n", { mode: 0o755 });
    }
    const { asked, results, sentences } = await grant(
      real,
      Object.keys(COMMANDS).map((ruleContent) => ({
        toolName: "Bash",
        ruleContent,
      })),
    );
    assert.equal(results.length, LINES.length);
    for (const [at, command] of Object.values(COMMANDS).entries()) {
      const sentence = sentences[at] ?? "";
      assert.match(sentence, /also after variables such as NODE_ENV and/);
      const named = / behind ([\w, ]+)$/.exec(sentence)?.[1]?.split(", ") ?? [];
      const runs = named.map((word) => BEHIND[word]);
      assert.deepEqual(
        asked.map((input) => String(input["command"]))
          .filter((one) => one.endsWith(command)),
        FORMS.slice(ALWAYS.length).filter((form) => !runs.includes(form))
          .map((form) => form + command),
      );
    }
  },
);

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

realTest(
  "a grant covers keywords around a command, and its sentence shows a literal star as the CLI compares it",
  [
    FIRST,
    ...LITERALS.flatMap(([, runs, asks]) => [...runs, ...asks].map(bash)),
    "Done.",
  ],
  async (real) => {
    for (
      const file of ["star1", "exact1", "inner.sh", "key.sh", "star*", "exact*"]
    ) {
      await writeFile(join(real.cwd, file), "#!/bin/sh\n", { mode: 0o755 });
    }
    const { asked, sentences } = await grant(
      real,
      LITERALS.map(([ruleContent]) => ({ toolName: "Bash", ruleContent })),
    );
    const shown = sentences.map((row) =>
      /`.*`[^,]*(?:, where[^,]*, [^,]*)?/.exec(row)
    );
    assert.deepEqual(shown.map((found) => found?.[0]), [
      "`./star* a`, where * stands for itself, quoted or not",
      "`./inner.sh * b`, where * stands for itself, quoted or not",
      "`./key.sh a`",
      "`./exact\\* a` with any input",
    ]);
    assert.deepEqual(
      asked.map(({ command }) => command),
      LITERALS.flatMap(([, , asks]) => asks),
    );
  },
);

/** Folders in the home folder; a rule covers the first three. */
const READ = ["kept", "KEPT", "odd [x]", ".", "odd x", "odd \\[x\\]"];
const SKILLS = ["docs", "docs-more", "notes", "notes-more"];

realTest(
  "the sentence of a grant for skills or files names all that the CLI then allows without asking",
  [
    FIRST,
    ...SKILLS.map((skill) => ({ tool: "Skill", input: { skill } })),
    { tool: "Skill", input: { skill: "docs", args: "all" } },
    bash("echo 1 > made/one.txt"),
    bash("echo 1 > deep/made/one.txt"),
    bash("echo 1 > other/one.txt"),
    ...READ.map((path) => ({
      tool: "Read",
      input: { file_path: `~/${path}/one.txt` },
    })),
    "Done.",
  ],
  async (real) => {
    for (const name of SKILLS) {
      const folder = join(real.cwd, ".claude/skills", name);
      await mkdir(folder, { recursive: true });
      await writeFile(
        join(folder, "SKILL.md"),
        `---\nname: ${name}\ndescription: ${name}\nallowed-tools: Bash(touch *)\n---\nDo it\n`,
      );
    }
    for (const folder of ["made", "deep/made", "other"]) {
      await mkdir(join(real.cwd, folder), { recursive: true });
    }
    for (const folder of READ) {
      const path = join(real.env["HOME"] ?? "", folder);
      await mkdir(path, { recursive: true });
      await writeFile(join(path, "one.txt"), "1\n");
    }
    const { asked, sentences } = await grant(real, [
      { toolName: "Skill", ruleContent: "docs" },
      { toolName: "Skill", ruleContent: "notes:*" },
      { toolName: "Edit", ruleContent: "made" },
      { toolName: "Edit", ruleContent: "~/kept/**" },
      { toolName: "Read", ruleContent: "~/odd \\[x\\]/**" },
    ]);
    assert.deepEqual(sentences.map((row) => row.replace(/^ +\d+ +/, "")), [
      "allow the skill `docs` with any arguments",
      "allow every skill whose name begins with `notes`, with any arguments",
      "allow changing files that match `<project>/**/made`, and files below folders that match, by Edit, Write, NotebookEdit and shell commands, and reading them by Read",
      "allow changing files below `~/kept`, by Edit, Write, NotebookEdit and shell commands, and reading them by Read",
      "allow reading files below `~/odd [x]`, by Read, by searches and by shell commands",
    ]);
    assert.deepEqual(
      asked.map(({ command, file_path, skill }) =>
        command ?? file_path ?? skill
      ),
      [
        "docs-more",
        "echo 1 > other/one.txt",
        ...READ.slice(3).map((folder) =>
          join(real.env["HOME"] ?? "", folder, "one.txt")
        ),
      ],
    );
  },
);
