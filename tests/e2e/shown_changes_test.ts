import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type CanUseTool, promptPerson, query } from "@sluice/agent";
import type { ModelRequest } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { bash, realTest, toolResults } from "./_real.ts";

interface Case {
  readonly name: string;
  readonly before: string;
  /** The text of a whole file, or an edit. */
  readonly call: string | readonly [old: string, after: string, all?: boolean];
}

/** Each shows a way in which the CLI writes more, less or something else than the input says. */
const CASES: readonly Case[] = [
  {
    name: "one word, with mostly CRLF around it",
    before: "a\r\nb\nthree\r\nd\r\n",
    call: ["three", "THREE"],
  },
  {
    name: "one word, with mostly LF around it",
    before: "a\r\nb\nthree\nd\n",
    call: ["three", "THREE"],
  },
  { name: "as much CRLF as LF", before: "a\r\nb\n", call: ["b", "B\nc"] },
  {
    name: "CRLF before a carriage return",
    before: "a\r\r\nb\r\nc\r\n",
    call: ["b", "B\r\nx\ny"],
  },
  {
    name: "LF where the CLI looks, CRLF below",
    before: `${"x".repeat(4_094)}\n\n${"y\r\nz\r\n".repeat(5)}end`,
    call: ["end", "END"],
  },
  {
    name: "CRLF where the CLI looks, LF below",
    before: `${"é".repeat(4_094)}\r\n${"y\nz\n".repeat(5)}end`,
    call: ["end", "END"],
  },
  {
    name: "CRLF cut where the CLI stops to look",
    before: `${"é".repeat(4_095)}\r\n${"y\r\nz\r\n".repeat(5)}end`,
    call: ["end", "END"],
  },
  {
    name: "deletes everywhere, but only at line ends",
    before: "curl -k a\ncurl b -k\ncurl -k c\n",
    call: [" -k", "", true],
  },
  {
    name: "deletes everywhere, with no line end",
    before: "curl -k a\ncurl -k b\n",
    call: [" -k", "", true],
  },
  { name: "deletes a line", before: "a\r\nb\r\nc\r\n", call: ["b", ""] },
  { name: "deletes a last line", before: "a\nb", call: ["b", ""] },
  { name: "deletes with a line end", before: "a\nb\n\nc\n", call: ["b\n", ""] },
  {
    name: "deletes overlapping texts",
    before: "aaaa\naa\na\n",
    call: ["aa", "", true],
  },
  {
    name: "every occurrence",
    before: "a b\nb a\n",
    call: ["a", "$& $1", true],
  },
  {
    name: "curly quotation marks",
    before: "say “hi”, ‘you’ don’t\n“hi”\n",
    call: ["say \"hi\", 'you'", "say (\"yes\"), 'it's'"],
  },
  {
    name: "a curly apostrophe",
    before: "don’t\n",
    call: ["don't", "it's \"a\" ('b' ['c' {'d' –'e' —'f'"],
  },
  {
    name: "only the first shape of quotation marks",
    before: "“x” a ”x“ b “x”\n",
    call: ['"x"', "", true],
  },
  { name: "an edit under a mark", before: "\ufeffa\nb\n", call: ["a", "A"] },
  {
    name: "every mark, also the one that stays",
    before: "\ufeffa\ufeff\nb\n",
    call: ["\ufeff", "x;", true],
  },
  {
    name: "a first line with its mark",
    before: "\ufeffa\nb\n\ufeffa\n",
    call: ["\ufeffa\n", "c\n", true],
  },
  {
    name: "removes every mark",
    before: "\ufeffa\ufeff\nb\n",
    call: ["\ufeff", "", true],
  },
  { name: "a file of blanks", before: " \r\n\r\n", call: ["", "new\nfile\n"] },
  { name: "an empty file", before: "", call: ["", "a\r\nb\n"] },
  { name: "writes into an empty file", before: "", call: "a\r\nb\n" },
  { name: "a mark alone", before: "\ufeff", call: ["", "\ufeffnew\n"] },
  { name: "half of a character", before: "a😀\n", call: ["\ud83d", "x\ud800"] },
  { name: "writes CRLF and LF", before: "a\r\nb\n", call: "a\nb\r\nc" },
  { name: "writes under a mark", before: "\ufeffa\nb\n", call: "a\nB\n" },
  { name: "writes a mark again", before: "\ufeffa\nb\n", call: "\ufeffa\nc" },
  { name: "writes nothing under a mark", before: "\ufeffa\n", call: "" },
  { name: "writes half of a character", before: "a\n", call: "a\ud800\n" },
];

/** The lines that a question shows. */
function shownLines(question: string): readonly string[] {
  return [...question.matchAll(/^ {2}\| (.*)$/gm)]
    .map(([, row = ""]) =>
      row
        .replace(
          /\\u\{([\da-f]+)\}/g,
          (_, code: string) => String.fromCodePoint(parseInt(code, 16)),
        )
        .replace(/·+$/, ({ length }) => " ".repeat(length))
    );
}

/** The text of the file as the question shows it: lines that stay and lines that come. */
function shownAfter(question: string): string {
  const [, change = ""] = question.split(
    "\n* changes of the file that is there:",
  );
  return shownLines(change)
    .filter((line) => !line.startsWith("-"))
    .map((line) => line.slice(1))
    .join("\n");
}

const CELL = { cell_type: "markdown", id: "a", metadata: {}, source: ["x\n"] };
const CODE = { ...CELL, cell_type: "code", execution_count: 1, outputs: [{}] };

/** Calls of `NotebookEdit`, and what their questions say beside the cell. */
const NOTEBOOKS: readonly {
  readonly before: string;
  readonly mode?: "insert" | "delete";
  readonly title: string;
  readonly after: RegExp;
}[] = [
  {
    before: `\ufeff${notebook([CELL]).replaceAll("\n", "\r\n")}`,
    title: "changes of a cell:",
    after: /^\ufeff\{\r\n "cells": [^]* "source": "new"\r\n/,
  },
  {
    before: notebook([CODE]),
    title: "changes of a cell, whose outputs and execution count go:",
    after: /"execution_count": null,\n {3}"outputs": \[\]\n/,
  },
  {
    before: notebook([{ ...CODE, outputs: [] }]),
    title: "changes of a cell, whose execution count goes:",
    after: /"execution_count": null,\n {3}"outputs": \[\]\n/,
  },
  {
    before: notebook([{ ...CODE, execution_count: null }]),
    title: "changes of a cell, whose outputs go:",
    after: /"execution_count": null,\n {3}"outputs": \[\]\n/,
  },
  {
    before: notebook([CODE], 2),
    title:
      "changes of a cell, whose outputs and execution count go, and the whole notebook is formatted anew:",
    after: /^\{\n "cells": \[\n {2}\{\n/,
  },
  {
    before: notebook([CELL, CODE], 0),
    mode: "insert",
    title: "a new cell, and the whole notebook is formatted anew:",
    after: /^\{\n "cells": \[\n {2}\{\n/,
  },
  {
    before: `${notebook([CELL, CODE])}\n\n`,
    mode: "delete",
    title: "removes a cell, and the whole notebook is formatted anew:",
    after: /[^\n]\n$/,
  },
];

function notebook(cells: readonly object[], indent = 1): string {
  const all = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
  return JSON.stringify(all, null, indent);
}

const texts = CASES.map((_, at) => `${at}.txt`);
const notebooks = NOTEBOOKS.map((_, at) => `${at}.ipynb`);

realTest(
  "promptPerson() shows exactly the file that the CLI then writes, and what else it does to a notebook",
  [
    {
      tools: [...texts, ...notebooks].map((path) => ({
        name: "Read",
        input: { file_path: path },
      })),
    },
    {
      tools: [
        ...CASES.map(({ call }, at) => ({
          name: typeof call === "string" ? "Write" : "Edit",
          input: {
            file_path: texts[at] ?? "",
            ...typeof call === "string" ? { content: call } : {
              old_string: call[0],
              new_string: call[1],
              replace_all: call[2] === true,
            },
          },
        })),
        ...NOTEBOOKS.map(({ mode }, at) => ({
          name: "NotebookEdit",
          input: {
            notebook_path: notebooks[at] ?? "",
            cell_id: "a",
            new_source: "new",
            ...mode && { edit_mode: mode, cell_type: "code" },
          },
        })),
      ],
    },
    "Done",
  ],
  async ({ cwd, options }) => {
    for (const [at, { before }] of CASES.entries()) {
      await writeFile(join(cwd, `${at}.txt`), before);
    }
    for (const [at, { before }] of NOTEBOOKS.entries()) {
      await writeFile(join(cwd, `${at}.ipynb`), before);
    }
    const shown = new Map<string, string>();
    const canUseTool: CanUseTool = async (tool, input, context) => {
      const answers = ["all", "y"];
      let text = "";
      const decision = await promptPerson({
        terminal: {
          isPerson: true,
          size: () => ({ columns: 10_000, rows: 100 }),
          ask(question) {
            text = question;
            return Promise.resolve(answers.shift());
          },
        },
      })(tool, input, context);
      const path = input["file_path"] ?? input["notebook_path"];
      shown.set(basename(String(path)), text);
      return decision;
    };
    await collect(query("Go", { ...options, permissions: { canUseTool } }));
    for (const [at, { before, name }] of CASES.entries()) {
      const question = shown.get(`${at}.txt`) ?? "";
      const written = await readFile(join(cwd, `${at}.txt`), "utf8");
      assert.notEqual(written, before, name);
      assert.match(question, /\n\* changes of the file that is there:\n/, name);
      assert.equal(shownAfter(question), written, `${name}\n${question}`);
    }
    for (const [at, { after, title }] of NOTEBOOKS.entries()) {
      const question = shown.get(`${at}.ipynb`) ?? "";
      assert.ok(question.includes(`\n* ${title}\n`), question);
      assert.match(await readFile(join(cwd, `${at}.ipynb`), "utf8"), after);
    }
  },
);

/** The file that the CLI names for the plan. */
function planFileIn({ body }: ModelRequest): string {
  const [path = ""] = /[^\s"\\]+\/plans\/[\w-]+\.md/
    .exec(JSON.stringify(body)) ?? [];
  return path;
}

/** A byte of another encoding, cut and overlong characters, half of one, and signs that an editor hides. */
const PLAN = Buffer.concat([
  Buffer.from(
    "\xef\xbb\xbf# r\xe9sum\xe9 \xe2\x82 \xc0\xaf \xed\xa0\x80 \xf0\x9f\x98",
    "latin1",
  ),
  Buffer.from(" é\0\r\n2. \u202eend \n"),
]);

for (const plan of [PLAN, undefined]) {
  realTest(
    `promptPerson() shows exactly the plan that the CLI then approves, ${
      plan ? "in a file that is no UTF-8" : "also if its file is gone"
    }`,
    [
      (request) => ({
        tool: "Write",
        input: { file_path: planFileIn(request), content: "1. Look.\n" },
      }),
      { tool: "ExitPlanMode", input: {} },
      "Done",
    ],
    async ({ options }) => {
      const shown: string[] = [];
      const canUseTool: CanUseTool = (tool, input, context) => {
        if (tool !== "ExitPlanMode") return { behavior: "allow" };
        const path = String(input["planFilePath"]);
        return promptPerson({
          terminal: {
            isPerson: true,
            async ask(question) {
              shown.push(question);
              await (plan === undefined
                ? rm(path, { force: true })
                : writeFile(path, plan));
              return "y";
            },
          },
        })(tool, input, context);
      };
      const { items } = await collect(
        query("Go", { ...options, permissions: { mode: "plan", canUseTool } }),
      );
      const [first = "", second = ""] = shown;
      assert.deepEqual(shownLines(first), ["1. Look.", ""]);
      const { text = "" } = toolResults(items).at(-1) ?? {};
      const [, approved] =
        /## Approved Plan(?: \(edited by user\))?:\n([^]*)$/.exec(text) ?? [];
      if (plan !== undefined) {
        assert.equal(approved, shownLines(second).join("\n"));
        assert.match(approved ?? "", /r\ufffdsum/);
      } else {
        assert.equal(approved, undefined);
        assert.match(text, /^User has approved/);
        assert.match(second, /\n\* no plan: its file is missing or empty\n/);
        assert.deepEqual(shownLines(second), []);
      }
    },
  );
}

let planFile = "";

realTest(
  "promptPerson() approves no plan that is written while it asks about a call without one",
  [
    (request) => {
      planFile = planFileIn(request);
      return { tool: "ExitPlanMode", input: {} };
    },
    "Done",
  ],
  async ({ options }) => {
    const canUseTool = promptPerson({
      terminal: {
        isPerson: true,
        async ask() {
          await mkdir(dirname(planFile), { recursive: true });
          await writeFile(planFile, "1. Leap.");
          return "y";
        },
      },
    });
    const { items } = await collect(
      query("Go", { ...options, permissions: { mode: "plan", canUseTool } }),
    );
    const [{ text } = { text: "" }] = toolResults(items);
    assert.match(text, /^User has approved/);
    assert.doesNotMatch(text, /Leap/);
  },
);

realTest(
  "promptPerson() shows the description of a skill as a text of the project",
  [{ tool: "Skill", input: { skill: "tidy" } }, "Done"],
  async ({ cwd, options }) => {
    const folder = join(cwd, ".claude/skills/tidy");
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "SKILL.md"),
      '---\nname: tidy\ndescription: "Tidies\\n* note: it uses no tools"\nallowed-tools: Bash(touch *)\n---\nTidy.\n',
    );
    let shown = "";
    const canUseTool = promptPerson({
      terminal: {
        isPerson: true,
        ask(question) {
          shown = question;
          return Promise.resolve("n");
        },
      },
    });
    await collect(query("Go", { ...options, permissions: { canUseTool } }));
    const notes = shown.split("\n").filter((row) => row.startsWith("*"));
    assert.deepEqual(notes, [
      "* about:",
      "* note: tools that this skill allows run unasked until the turn ends",
    ]);
    assert.match(shown, /\n {2}\| Tidies\s[^*]*\* note: it uses no tools\n/);
  },
);

realTest(
  "promptPerson() names what the CLI changes in a command",
  [bash("printf '%s' 'a >nul b' > out.txt"), "Done"],
  async ({ cwd, options }) => {
    const shown: string[] = [];
    const canUseTool = promptPerson({
      terminal: {
        isPerson: true,
        ask(question) {
          shown.push(question);
          return Promise.resolve("y");
        },
      },
    });
    await query("Go", { ...options, permissions: { canUseTool } }).text();
    assert.match(
      shown[0] ?? "",
      /\n\* note: the CLI turns >nul into >\/dev\/null/,
    );
    assert.equal(
      await readFile(join(cwd, "out.txt"), "utf8"),
      "a >/dev/null b",
    );
  },
);
