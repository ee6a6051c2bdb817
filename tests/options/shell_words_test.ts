import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  commandParts,
  possibleCommands,
} from "../../src/options/shell_command.ts";
import { test } from "../_harness.ts";
import { randomFrom, textOf } from "./_random.ts";

const CUT: readonly [line: string, parts: readonly string[]][] = [
  ["git status", ["git status"]],
  ["  git status\t", ["git status"]],
  ["", []],
  ["git add . && git commit -m 'a; b && c'", [
    "git add .",
    "git commit -m 'a; b && c'",
  ]],
  ['git log | grep "x | y" || true; ls', [
    "git log",
    'grep "x | y"',
    "true",
    "ls",
  ]],
  ["a\nb\n\nc", ["a", "b", "c"]],
  ["git add a\\;b", ["git add a\\;b"]],
  ["git show HEAD@{1} a#b", ["git show HEAD@{1} a#b"]],
  ['echo "a \\" ; b"', ['echo "a \\" ; b"']],
  ["echo '$(x) `y` > z'", ["echo '$(x) `y` > z'"]],
  ["git add *.ts ~/x [ab]?", ["git add *.ts ~/x [ab]?"]],
];

/** Expansions, substitutions, redirections, brackets, groups, operators, comments, quotes, line ends. */
const UNCLEAR = [
  "git $(rm x)",
  "git $HOME",
  "git ${x}",
  "git $'x'",
  'git "$(rm x)"',
  'git "`rm x`"',
  "git `rm x`",
  "git log > /etc/passwd",
  "git log 2>&1",
  "git apply < x",
  "git diff <(rm x)",
  "(rm x)",
  "git() { rm x; }",
  "{ rm x; }",
  "git status & rm x",
  "git status |& rm x",
  "git ;; x",
  "git status # it's\nrm -rf /\n#'",
  "# git",
  "git 'x",
  'git "x',
  "git x\\",
  "git x\\\nrm y",
  "git x\rrm y",
];

test("commandParts() cuts lines at separators, and does not guess at others", () => {
  for (const [line, parts] of CUT) assert.deepEqual(commandParts(line), parts);
  for (const line of UNCLEAR) {
    assert.equal(commandParts(line), undefined, line);
  }
});

const noBash =
  spawnSync("bash", ["-c", "((BASH_VERSINFO[0] > 3))"]).status === 0
    ? undefined
    : "there is no bash that reports missing commands";

/** Runs each line and says, past any redirection, which commands it called; no program can be found. */
const WATCH = `
PATH=/nowhere
exec 3>&1
command_not_found_handle() { printf '%s\\0' "other" >&3; }
for word in one two; do eval "$word() { printf '%s\\\\0' $word >&3; }"; done
while IFS= read -r -d '' line; do
  ( eval "$line" ) >/dev/null 2>&1 </dev/null
  printf 'end\\0'
done
`;

const PIECES = [
  ..."; & | $ ` ' \" \\ # ( ) { } < ! = ~".split(" "),
  ...["\n", " ", " ", "one", "one ", "one ", "two ", "bad", " && ", " || "],
  // Whole constructs: single characters hardly ever meet to make one.
  ...["$(bad)", "`bad`", '"$(bad)"', '"`bad`"', "<(bad)", "(bad)", "{ bad; }"],
  ...["\nbad\n", "; bad", "& bad", " # '", "#'", '\\"', "\\'", "\\\n", "'\n'"],
  ...[
    "one 'bad'",
    'one "bad"',
    "${x:-$(bad)}",
    "$'\\''",
    "then ",
    "<<x\nbad\nx\n",
  ],
];

test("commandParts() overlooks no command that a shell would run", () => {
  const random = randomFrom(3);
  const seen = new Set<string>();
  while (seen.size < 1_500) {
    const line = `one ${textOf(random, PIECES, 7)}`;
    const split = commandParts(line);
    const allAllowed = split?.every((part) =>
      /^(?:one|two)(?:[ \t].*)?$/s.test(part)
    ) === true;
    if (allAllowed && split.length > 0) seen.add(line);
  }
  const lines = [...seen];
  const { stdout, status } = spawnSync("bash", ["--norc", "-c", WATCH], {
    input: lines.map((line) => `${line}\0`).join(""),
    maxBuffer: 2 ** 26,
  });
  assert.equal(status, 0);
  const runs = stdout.toString().split("end\0");
  assert.equal(runs.length, lines.length + 1);
  lines.forEach((line, at) => {
    assert.ok(
      !runs[at]?.includes("other"),
      `Ran something else: ${JSON.stringify(line)}`,
    );
  });
  // The watch sees what runs, else the test would prove nothing.
  assert.ok(runs.filter((run) => run.includes("one\0")).length > 500);
}, { skip: noBash });

test("the watch over commandParts() notices a command", () => {
  const { stdout } = spawnSync("bash", ["--norc", "-c", WATCH], {
    input: "one; bad\0two\0",
  });
  assert.equal(stdout.toString(), "one\0other\0end\0two\0end\0");
}, { skip: noBash });

test(
  "a long command line is taken apart in linear time: quadratic time takes longer than a test may",
  async () => {
    for (const piece of ["a ", "a/b ", "A=1 ", "'a' ", "/", "A="]) {
      for (const end of ["", ">", " | sh"]) {
        const line = piece.repeat(200_000 / piece.length) + end;
        assert.ok(possibleCommands(line).length > 0);
        // Lets the limit of the test through.
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
  },
  { timeoutMs: 60_000 },
);
