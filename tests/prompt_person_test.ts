import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type JsonObject,
  type PermissionContext,
  type PermissionDecision,
  type PermissionUpdate,
  promptPerson,
  type Terminal,
} from "@sluice/agent";
import { test } from "./_harness.ts";
import { about, person } from "./_person.ts";

const RULES: readonly PermissionUpdate[] = [{
  type: "addRules",
  rules: [{ toolName: "Bash" }],
  behavior: "allow",
  destination: "session",
}];
const INPUT: JsonObject = { command: "ls" };
/** The end of each sentence about a rule of Bash. */
const BEHIND =
  "also after variables such as NODE_ENV and behind timeout, time, nice, nohup, stdbuf, command, builtin, noglob";

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** Lines that differ. */
function numbered(count: number): string {
  return Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");
}

/** Columns of a row, where all beyond ASCII but marks of ours takes two. */
function wide(row: string): number {
  return [...row].reduce((sum, one) => sum + (one > "\u2e80" ? 2 : 1), 0);
}

test("promptPerson() accepts yes, no, always and a reason, and asks again for anything else", async () => {
  const cases: readonly [
    lines: string[],
    decision: object,
    suggestions?: readonly PermissionUpdate[],
  ][] = [
    [["y"], { behavior: "allow" }],
    [[" YES "], { behavior: "allow" }],
    [["n"], { behavior: "deny", message: "The person said no" }],
    [["not now"], { behavior: "deny", message: "not now" }],
    [["", "y"], { behavior: "allow" }],
    [["always", "no"], { behavior: "deny", message: "The person said no" }],
    [["a", "", "1"], { behavior: "allow", updatedPermissions: RULES }, RULES],
    [["a", "b", "y"], { behavior: "allow" }, RULES],
  ];
  for (const [lines, decision, suggestions] of cases) {
    const { terminal, shown } = person(...lines);
    const decide = promptPerson({ terminal });
    const context = about(suggestions && { suggestions });
    assert.deepEqual(await decide("Bash", INPUT, context), decision);
    assert.equal(shown.length, lines.length);
    assert.equal(/always/.test(shown[0] ?? ""), suggestions !== undefined);
    assert.match(shown[0] ?? "", /Bash\?\n {2}command: ls\n/);
    assert.equal(decide.timeoutMs, Infinity);
  }
});

test("promptPerson() ends by an abort though the terminal answers at once, again and again, with what counts for nothing", async () => {
  const QUESTION = {
    questions: [{ question: "Which?", options: [{ label: "A" }] }],
  };
  const again: readonly [string, JsonObject, string, Partial<Terminal>?][] = [
    ["Bash", INPUT, "y", { needsWord: () => true }],
    ["Bash", INPUT, "y", { size: () => ({ columns: 19, rows: 24 }) }],
    ["Bash", INPUT, "y", { size: () => ({ columns: 80, rows: 7 }) }],
    ["Bash", INPUT, ""],
    ["Bash", INPUT, "\ufffd"],
    ["Bash", { command: numbered(60) }, "all"],
    ["Bash", INPUT, "a"],
    ["AskUserQuestion", QUESTION, ""],
    ["AskUserQuestion", QUESTION, "7"],
  ];
  for (const [tool, input, answer, more] of again) {
    const { signal, abort } = abortable();
    let left = 20_000;
    const terminal: Terminal = {
      isPerson: true,
      // The end of the person ends this test.
      ask: () => Promise.resolve(left-- > 0 ? answer : undefined),
      ...more,
    };
    const timer = setTimeout(abort, 20);
    await assert.rejects(
      async () => {
        const context = about({ signal, suggestions: RULES });
        await promptPerson({ terminal })(tool, input, context);
      },
      { name: "AbortError" },
      `${tool}: ${answer}`,
    );
    clearTimeout(timer);
  }
});

test("promptPerson() shows nothing that a terminal would obey, and a line break as one", async () => {
  const { terminal, shown } = person("n");
  await promptPerson({ terminal })("Ba\x1b[2Jsh", {
    command: "ls\n\x1b]0;title\x07\u202e\x9b\rx",
    "na\nme": "a\u00a0b\u3164c\ufe0f\u2800",
    tabs: "\tx  ",
    marks: "\u0e01\u0e34\u0e34\u0e34\u0e34",
    far: `ls${" ".repeat(300)}; rm`,
  }, about({ title: "T\r\x1b[1A\ny = yes: " }));
  const [text = ""] = shown;
  assert.equal(/[^\P{C}\n]/u.test(text), false, JSON.stringify(text));
  assert.match(
    text,
    /^\nMay the agent use Ba\\u\{1b\}\[2Jsh\?\n\* title:\n {2}\| T\\u/,
  );
  assert.ok(
    text.includes(
      "  command:\n  | ls\n  | \\u{1b}]0;title\\u{7}\\u{202e}\\u{9b}\\u{d}x\n",
    ),
    text,
  );
  assert.ok(
    text.includes('  "na\\u{a}me": a\\u{a0}b\\u{3164}c\\u{fe0f}\\u{2800}\n'),
  );
  assert.ok(text.includes("  tabs: →   x··\n"));
  assert.ok(text.includes("\u0e01\u0e34\u0e34\u0e34\\u{e34}\n"));
  assert.ok(text.includes("  far: ls⟨300 spaces⟩; rm\n"));
  // No line of the input looks like a question of ours.
  assert.equal(text.match(/^y = yes/gm)?.length, 1);
});

test("promptPerson() allows nothing before all of a long call was shown", async () => {
  const end = "; rm -rf ~";
  const calls: readonly JsonObject[] = [
    { command: `echo ${"x".repeat(9_000)}${end}` },
    { command: `${numbered(400)}\n${end}` },
    {
      command: "ls",
      ...Object.fromEntries(numbered(60).split("\n").map((one) => [one, 1])),
      end,
    },
    { deep: { list: [{ text: `${numbered(90)}\n${end}` }] } },
    { wide: `${"好".repeat(3_000)}${end}` },
  ];
  for (const input of calls) {
    const { terminal, shown } = person(...Array(1_000).fill("y"));
    const decision = await promptPerson({ terminal })("Tool", input, about());
    assert.deepEqual(decision, { behavior: "allow" });
    assert.ok(shown.length > 2);
    for (const [at, text] of shown.entries()) {
      const rows = text.split("\n");
      assert.ok(rows.length <= 24, text);
      assert.ok(rows.slice(0, -1).every((row) => wide(row) <= 80), text);
      // Only below the last page there is a yes to say.
      assert.equal(/y = yes/.test(text), at === shown.length - 1);
      if (at > 0) assert.match(text, /^Not taken as an answer: \d+ lines were/);
    }
    const whole = shown.join("\n").replaceAll(/\n {2}[:|] /g, "");
    assert.ok(whole.includes(end), whole.slice(-300));
  }
});

test("promptPerson() turns pages by Enter, shows all at once, and takes a refusal on any page", async () => {
  const input = { command: numbered(100) };
  const refused = person("", "too long");
  assert.deepEqual(
    await promptPerson({ terminal: refused.terminal })("Bash", input, about()),
    { behavior: "deny", message: "too long" },
  );
  assert.match(
    refused.shown[0] ?? "",
    /\n\((\d+) of 102 lines\) Enter = more, all = the rest, n = no, or why not: $/,
  );
  assert.match(refused.shown[1] ?? "", /^ {2}\| line/);
  const all = person("all", "y");
  const decide = promptPerson({
    terminal: { ...all.terminal, size: () => ({ columns: 60, rows: 12 }) },
  });
  assert.deepEqual(await decide("Bash", input, about()), { behavior: "allow" });
  assert.equal(all.shown.length, 2);
  assert.ok((all.shown[0] ?? "").split("\n").length <= 12);
  assert.equal(all.shown.join("\n").match(/\| line \d+$/gm)?.length, 100);
  const again = person("all", "n");
  await promptPerson({ terminal: again.terminal })("Bash", INPUT, about());
  assert.equal(again.shown[1], again.shown[0]);
});

test("promptPerson() counts lines that repeat instead of hiding what follows them", async () => {
  const { terminal, shown } = person("y");
  const command = `ls\n${"\n".repeat(10_000)}rm -rf ~`;
  await promptPerson({ terminal })("Bash", { command }, about());
  assert.equal(shown.length, 1);
  assert.match(
    shown[0] ?? "",
    /\| ls\n( {2}\| \n){3} {2}\(this line 9997 more times\)\n {2}\| rm -rf ~/,
  );
});

test("promptPerson() shows why the CLI asks, where, and for whom", async () => {
  const { terminal, shown } = person("n");
  await promptPerson({ terminal })(
    "mcp__db__drop",
    {},
    about({
      title: "Claude wants to drop",
      description: "Drops a table\n* note: it is safe",
      decisionReason: "A hook wants to know",
      blockedPath: "/etc/passwd",
      agentId: "a1",
      mcpServer: { name: "db", source: "project" },
    }),
  );
  assert.equal(
    shown[0],
    `
May the agent use mcp__db__drop?
* title:
  | Claude wants to drop
* about:
  | Drops a table
  | * note: it is safe
* reason:
  | A hook wants to know
* blocked path:
  | /etc/passwd
* MCP server:
  | db (project)
* subagent:
  | a1
y = yes, n = no, or why not: `,
  );
});

test("promptPerson() shows nested input as a tree, with its texts line by line", async () => {
  const { terminal, shown } = person("all", "n");
  let deep: JsonObject = { end: "x" };
  for (let at = 0; at < 30; at++) deep = { deep };
  await promptPerson({ terminal })("mcp__a__b", {
    body: { rows: [{ id: 1, text: "two\nlines" }, [], "1"], none: null },
    empty: {},
    deep,
  }, about());
  assert.ok(
    (shown[0] ?? "").includes(`
  body (object):
  | "rows":
  |   -
  |     "id": 1
  |     "text" (text):
  |       two
  |       lines
  |   - []
  |   - "1"
  | "none": null
  empty (object):
  | {}
`),
    shown[0],
  );
  assert.match(shown.join(""), /"end":"x"/);
});

test("promptPerson() shows a nested text of several lines as a text, whatever its lines look like", async () => {
  const questions: string[] = [];
  for (
    const step of [
      { dry_run: true, note: "run" },
      '"dry_run": true\n"note": "run"',
    ]
  ) {
    const { terminal, shown } = person("all", "n");
    await promptPerson({ terminal })("mcp__a__b", { steps: [step] }, about());
    questions.push(shown[0] ?? "");
  }
  assert.match(questions[0] ?? "", /\| -\n {2}\| {3}"dry_run": true/);
  assert.match(questions[1] ?? "", /\| - \(text\)\n {2}\| {3}"dry_run": true/);
});

test("promptPerson() compares what an edit and a written file change", async () => {
  const folder = await mkdtemp(join(tmpdir(), "prompt-"));
  const path = join(folder, "a.txt");
  const before = numbered(30);
  const after = before.replace("line 15", "line 15 and more");
  await writeFile(path, before);
  const show = async (tool: string, input: JsonObject) => {
    const { terminal, shown } = person(...Array(50).fill("y"));
    const size = () => ({ columns: 200, rows: 24 });
    const wide = { ...terminal, size };
    await promptPerson({ terminal: wide })(tool, input, about());
    return shown.join("\n");
  };
  const changed = `
  (11 unchanged lines; "all" shows them)
  |  line 12
  |  line 13
  |  line 14
  | -line 15
  | +line 15 and more
  |  line 16
  |  line 17
  |  line 18
  (12 unchanged lines; "all" shows them)
`;
  try {
    const written = await show("Write", { file_path: path, content: after });
    assert.ok(
      written.includes(`* changes of the file that is there:${changed}`),
      written,
    );
    const made = join(folder, "none.txt");
    assert.match(
      await show("Write", { file_path: made, content: "a\nb" }),
      /a new file:\n {2}\| \+a\n {2}\| \+b\n/,
    );
    const large = join(folder, "large.txt");
    await writeFile(large, "x".repeat(2_000_001));
    const utf16 = join(folder, "utf16.txt");
    await writeFile(utf16, new Uint8Array([0xff, 0xfe, 0x61, 0]));
    const uncompared = [
      [large, "larger than 2 MB"],
      [folder, "no plain file"],
      ["relative.txt", "its path is relative"],
      ["/dev/zero", "no plain file"],
      ["/proc/kmsg", "the CLI may find another file"],
      [utf16, "not UTF-8"],
    ] as const;
    for (const [file_path, why] of uncompared) {
      const whole = await show("Write", { file_path, content: "a" });
      assert.ok(
        whole.includes(
          `\n* the whole file, not compared with what is there (${why}), whose encoding stays:\n  | +a\n`,
        ),
        whole,
      );
      const edited = await show("Edit", {
        file_path,
        old_string: "a",
        new_string: "b\ud800",
      });
      assert.ok(
        edited.includes(
          `\n* changes, not compared with the file that is there (${why}), characters outside of ASCII may become escapes such as \\u00e9, and line ends of other lines may change:\n  | -a\n  | +b\ufffd\n`,
        ),
        edited,
      );
    }
    const edited = await show("Edit", {
      file_path: path,
      old_string: before,
      new_string: after,
      replace_all: true,
    });
    assert.ok(
      edited.includes(
        `  replace_all: true\n* changes of the file that is there:${changed}`,
      ),
      edited,
    );
    assert.equal(/old_string|new_string/.test(edited), false);
    // The file is not there, or has changed: the row says what cannot be shown.
    const notes: readonly [fields: JsonObject, note: string][] = [
      [{ old_string: "b", new_string: "a" }, ","],
      [{ old_string: "b\n", new_string: "" }, ","],
      [
        { old_string: "b", new_string: "" },
        ", and a line end right behind it goes, too,",
      ],
      [
        { old_string: "b", new_string: "a", replace_all: true },
        ", wherever this stands,",
      ],
      [
        { old_string: "b", new_string: "", replace_all: true },
        ", wherever this stands, but only at line ends, which go, too, if it stands at any,",
      ],
      [
        { old_string: 'b = "', new_string: "b = 'c'" },
        ", straight quotes may become curly,",
      ],
      [
        { old_string: "b”", new_string: "“c’" },
        ", characters outside of ASCII may become escapes such as \\u00e9,",
      ],
      [{ old_string: "b", new_string: '"c"' }, ","],
    ];
    for (const file_path of [made, path]) {
      for (const [fields, note] of notes) {
        const shown = await show("Edit", { file_path, ...fields });
        const why = file_path === made
          ? " (no such file)"
          : " (no single match)";
        const row =
          `\n* changes, not compared with the file that is there${why}${note} and line ends of other lines may change:\n`;
        assert.ok(shown.includes(row), shown);
      }
    }
    assert.match(
      await show("Edit", { file_path: made, old_string: "", new_string: "a" }),
      /\* a new file:\n {2}\| \+a\n/,
    );
    // Of another shape it is shown as it is.
    assert.match(
      await show("Edit", { old_string: 1, new_string: "b" }),
      /old_string: 1\n {2}new_string: b/,
    );
    const notebook = join(folder, "n.ipynb");
    await writeFile(
      notebook,
      JSON.stringify(
        {
          cells: [{ id: "c1", source: ["x = 1\n", "y = 2"] }, { source: "z" }],
        },
        null,
        1,
      ),
    );
    const cell = {
      notebook_path: notebook,
      cell_id: "c1",
      new_source: "x = 1\ny = 3",
    };
    assert.match(
      await show("NotebookEdit", cell),
      /changes of a cell:\n {2}\| {2}x = 1\n {2}\| -y = 2\n {2}\| \+y = 3\n/,
    );
    assert.match(
      await show("NotebookEdit", { ...cell, cell_id: "cell-1" }),
      /\| -z\n/,
    );
    assert.match(
      await show("NotebookEdit", { ...cell, edit_mode: "delete" }),
      /new_source:\n {2}\| x = 1\n {2}\| y = 3\n {2}edit_mode: delete\n\* removes a cell:\n {2}\| -x = 1\n {2}\| -y = 2\n/,
    );
    assert.match(
      await show("NotebookEdit", { ...cell, edit_mode: "insert" }),
      /a new cell:\n {2}\| \+x = 1\n/,
    );
    assert.match(
      await show("NotebookEdit", { ...cell, cell_id: "no" }),
      /the whole cell, not compared with what is there \(no such cell\), .*count go:\n {2}\| \+x = 1\n/,
    );
    assert.match(
      await show("NotebookEdit", { ...cell, notebook_path: path }),
      /the whole cell, not compared with what is there \(no notebook\),/,
    );
    assert.match(
      await show("NotebookEdit", { ...cell, notebook_path: "n.ipynb" }),
      /the whole cell, .* and the whole notebook may be formatted anew:\n/,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("promptPerson() compares with the file as it is when the call is shown again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "again-"));
  const path = join(folder, "a.txt");
  await writeFile(path, "one");
  const { terminal, shown } = person("", "y");
  try {
    await promptPerson({
      terminal: {
        ...terminal,
        async ask(text: string, signal: AbortSignal) {
          await writeFile(path, "two");
          return await terminal.ask(text, signal);
        },
      },
    })("Write", { file_path: path, content: "three" }, about());
  } finally {
    await rm(folder, { recursive: true });
  }
  assert.match(shown[0] ?? "", /\| -one\n/);
  assert.match(shown[1] ?? "", /\| -two\n/);
});

test("promptPerson() shows a call again when the file changed before the answer", async () => {
  const folder = await mkdtemp(join(tmpdir(), "swap-"));
  const path = join(folder, "a.txt");
  await writeFile(path, "one");
  const { terminal, shown } = person("y", "y");
  try {
    const decision = await promptPerson({
      terminal: {
        ...terminal,
        async ask(text: string, signal: AbortSignal) {
          const answer = await terminal.ask(text, signal);
          await writeFile(path, "two");
          return answer;
        },
      },
    })("Write", { file_path: path, content: "three" }, about());
    assert.deepEqual(decision, { behavior: "allow" });
  } finally {
    await rm(folder, { recursive: true });
  }
  assert.equal(shown.length, 2);
  assert.match(shown[1] ?? "", /\| -two\n/);
});

test("promptPerson() shows a change of line ends as a change, in a command and a question as well", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ends-"));
  const shell = join(folder, "a.sh");
  const notebook = join(folder, "n.ipynb");
  await writeFile(shell, ": <<'END'\nls\nEND\r\n");
  await writeFile(
    notebook,
    JSON.stringify({ cells: [{ id: "c1", source: "END\nls" }] }),
  );
  const cases: readonly [tool: string, input: JsonObject, shown: string][] = [
    [
      "Edit",
      { file_path: shell, old_string: "END\nls", new_string: "END\r\nls" },
      "  | -END\n  | +END\\u{d}\n  |  ls\n",
    ],
    [
      "Write",
      { file_path: shell, content: ": <<'END'\r\nls\nEND\n" },
      "  | -: <<'END'\n  | +: <<'END'\\u{d}\n  |  ls\n  | -END\\u{d}\n  | +END\n  | ·\n",
    ],
    [
      "NotebookEdit",
      { notebook_path: notebook, cell_id: "c1", new_source: "END\r\nls" },
      "  | -END\n  | +END\\u{d}\n  |  ls\n",
    ],
    [
      "Bash",
      { command: "cat <<END\nEND\r\nEND" },
      "  | END\\u{d}\n  | END\n",
    ],
  ];
  try {
    for (const [tool, input, expected] of cases) {
      const { terminal, shown } = person("n");
      await promptPerson({ terminal })(tool, input, about());
      const [text = ""] = shown;
      assert.ok(text.includes(expected), text);
      assert.doesNotMatch(text, /unchanged lines/);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("promptPerson() shows a plan as text", async () => {
  const { terminal, shown } = person("only the first step");
  const plan = "# Plan\n\n1. Read.\n2. Write.";
  const decision = await promptPerson({ terminal })(
    "ExitPlanMode",
    { plan },
    about(),
  );
  assert.ok(
    (shown[0] ?? "").includes(
      "  | # Plan\n  | \n  | 1. Read.\n  | 2. Write.\n",
    ),
    shown[0],
  );
  assert.deepEqual(decision, {
    behavior: "deny",
    message: "only the first step",
  });
});

/** Puts texts into a plan file, one after each answer of `y`; gives what was shown and decided. */
async function planned(texts: readonly (string | Uint8Array | undefined)[]) {
  const folder = await mkdtemp(join(tmpdir(), "plan-"));
  const planFilePath = join(folder, "plan.md");
  const { terminal, shown } = person(...texts.map(() => "y"));
  const left = [...texts];
  const put = async () => {
    const next = left.shift();
    await (next === undefined
      ? rm(planFilePath, { force: true })
      : writeFile(planFilePath, next));
  };
  try {
    await put();
    const decision = await promptPerson({
      terminal: {
        ...terminal,
        async ask(text: string, signal: AbortSignal) {
          const answer = await terminal.ask(text, signal);
          if (left.length > 0) await put();
          return answer;
        },
      },
    })("ExitPlanMode", { plan: "zero", planFilePath }, about());
    return { decision, planFilePath, shown };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function planOf(decision: PermissionDecision): unknown {
  assert.ok(decision.behavior === "allow");
  return (decision.updatedInput as JsonObject | undefined)?.["plan"];
}

test("promptPerson() shows the plan that is in its file, as the CLI reads it, and shows it again if it changed before the answer", async () => {
  const { decision, shown } = await planned([
    "one",
    "two",
    new Uint8Array([0x74, 0xe9, 0x6f]),
    " \n",
    undefined,
  ]);
  assert.equal(planOf(decision), "");
  const title = "its plan, which it would begin with:";
  const none = "no plan: its file is missing or empty";
  const texts = [
    ...["one", "two", "t\ufffdo"].map((plan) => `${title}\n  | ${plan}`),
    none,
  ];
  assert.equal(shown.length, texts.length);
  for (const [at, text] of shown.entries()) {
    assert.ok(text.includes(`\n* ${texts[at]}\n`), text);
    assert.doesNotMatch(text, /zero/);
  }
});

test("promptPerson() approves the plan that it showed, with a text that differs from that of the call", async () => {
  for (const [inFile, plan] of [["zero", "zero\n"], ["one", "one"]] as const) {
    const { decision } = await planned([inFile]);
    assert.equal(planOf(decision), plan);
  }
});

test("promptPerson() hands over the empty plan where there is none, so that none is approved that is written meanwhile", async () => {
  const { terminal, shown } = person("y");
  const decision = await promptPerson({ terminal })(
    "ExitPlanMode",
    { other: 1 },
    about(),
  );
  assert.match(shown[0] ?? "", /\n\* no plan\n/);
  assert.deepEqual(decision, {
    behavior: "allow",
    updatedInput: { other: 1, plan: "" },
  });
});

test("promptPerson() allows no plan that it cannot show", async () => {
  const large = "x".repeat(2_000_001);
  for (const texts of [["one", large], [large]]) {
    const { decision, planFilePath, shown } = await planned(texts);
    assert.deepEqual(decision, {
      behavior: "deny",
      message:
        `No person can see the plan in ${planFilePath} (larger than 2 MB). Write a plain text below 2 MB there, which this program can read`,
    });
    assert.equal(shown.length, texts.length - 1);
  }
  const { terminal, shown } = person("y");
  const planFilePath = "plan.md";
  const decision = await promptPerson({ terminal })(
    "ExitPlanMode",
    { plan: "zero", planFilePath },
    about(),
  );
  assert.equal(decision.behavior, "deny");
  assert.deepEqual(shown, []);
});

const SUGGESTED: readonly PermissionUpdate[] = [
  { type: "setMode", mode: "acceptEdits", destination: "session" },
  {
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent: "touch:*" }, {
      toolName: "Bash",
      ruleContent: "ls\n-l",
    }],
    behavior: "allow",
    destination: "localSettings",
  },
  { type: "addDirectories", directories: ["/a"], destination: "session" },
  // Never offered: they change what a file keeps, whatever is said about saving.
  ...(["removeRules", "replaceRules"] as const).map((type) => ({
    type,
    rules: [{ toolName: "Read" }],
    behavior: "deny" as const,
    destination: "userSettings" as const,
  })),
  {
    type: "removeDirectories",
    directories: ["/a"],
    destination: "localSettings",
  },
];

test("promptPerson() lists what always means, and grants what is chosen, for the session unless it is to be saved", async () => {
  const [mode, rules, directories] = SUGGESTED as [
    PermissionUpdate,
    Extract<PermissionUpdate, { rules: unknown }>,
    PermissionUpdate,
  ];
  const own = { ...rules, destination: "session" };
  const cases: readonly [
    answers: string[],
    granted: readonly object[] | undefined,
  ][] = [
    // Enter alone grants nothing.
    [["a", "", "2 3"], [own]],
    [["a", "2"], [{ ...own, rules: [rules.rules[0]] }]],
    [["a", "3 1"], [{ ...own, rules: [rules.rules[1]] }, mode]],
    [["a", "4,2,2"], [directories, { ...own, rules: [rules.rules[0]] }]],
    [["a", "save", "2 3 save"], [rules]],
    [["a", "2 save"], [{ ...rules, rules: [rules.rules[0]] }]],
    [["a", "1 save"], [mode]],
    // An invalid choice grants nothing.
    [["a", "0", "5", "2 5", "x", "y", "b", "y"], undefined],
    [["a", "n", "y"], undefined],
  ];
  for (const [answers, granted] of cases) {
    const { terminal: narrow, shown } = person(...answers);
    const terminal = { ...narrow, size: () => ({ columns: 260, rows: 40 }) };
    const decision = await promptPerson({ terminal })(
      "Bash",
      INPUT,
      about({ suggestions: SUGGESTED }),
    );
    assert.deepEqual(decision, {
      behavior: "allow",
      ...granted && { updatedPermissions: granted },
    }, answers.join());
    assert.equal(shown.length, answers.length);
    assert.equal(
      shown[1],
      `
Allow from now on, in this session:
  These may not be enough for this very call: the CLI then asks about it again.
  1  switch to the mode acceptEdits: edits of files and shell commands that change files here (rm, mv, cp, mkdir, touch, sed -i, redirections ...) run without asking
  2  allow Bash commands that begin with \`touch\`, in any folder, ${BEHIND}, xargs
       with "save": written to .claude/settings.local.json (this folder, or the whole git repository with all its worktrees; you alone)
  3  allow the Bash command \`ls
  | -l\` with any input, in any folder, ${BEHIND}
       with "save": written to .claude/settings.local.json (this folder, or the whole git repository with all its worktrees; you alone)
  4  let tools and shell commands read in the directory /a without asking, and change files there as they may here
Numbers such as 1 2 = grant those, with save behind = beyond the session too, b = back: `,
    );
  }
});

test("promptPerson() says what a rule of a shell allows", async () => {
  const anyScript = "in any folder, which may run any script it is given";
  const cases: readonly (readonly [
    rule: string,
    words: string,
    toolName?: string,
  ])[] = [
    [
      "npm test",
      `the Bash command \`npm test\` with any input, in any folder, ${BEHIND}`,
    ],
    [
      "npm:*",
      `Bash commands that begin with \`npm\`, in any folder, ${BEHIND}, xargs`,
    ],
    [
      "rm *.log",
      `Bash commands that match \`rm *.log\`, where each * stands for any text, in any folder, ${BEHIND}`,
    ],
    [
      "git * main:*",
      `Bash commands that begin with \`git * main\`, where * stands for itself, quoted or not, in any folder, ${BEHIND}, xargs`,
    ],
    [
      "git * main *",
      `Bash commands that match \`git * main *\`, where each * stands for any text, in any folder, ${BEHIND}`,
    ],
    [
      "./foo\\* \\\\ *",
      `Bash commands that begin with \`./foo* \\\`, where * stands for itself, quoted or not, in any folder, ${BEHIND}, xargs`,
    ],
    [
      "./foo\\*:*",
      `Bash commands that begin with \`./foo\\*\`, where * stands for itself, quoted or not, in any folder, ${BEHIND}, xargs`,
    ],
    [
      "./foo\\* bar",
      `the Bash command \`./foo\\* bar\` with any input, in any folder, ${BEHIND}`,
    ],
    ...[
      "python3 -",
      "bash",
      "sudo bash",
      "ssh host",
      "env A=1 sh",
      "xargs rm",
      "bash -s a",
      "FOO=1 bash",
      "A='b c' B=\"d\" python3 -",
      "'bash'",
      "command bash",
      "stdbuf -o0 bash",
      "runuser -u root bash",
      "/usr/bin/flock /tmp/l run",
      "make -f -",
      "make > out.txt",
      "python3 >o.py 2>&1",
      "bash < a.sh",
    ].map((rule) =>
      [
        rule,
        `the Bash command \`${rule}\` with any input, ${anyScript}, ${BEHIND}`,
      ] as const
    ),
    [
      "python3 a.py",
      `the Bash command \`python3 a.py\` with any input, in any folder, ${BEHIND}`,
    ],
    [
      "script.sh x",
      `the Bash command \`script.sh x\` with any input, in any folder, ${BEHIND}`,
    ],
    [
      "python3 a.py > out",
      `the Bash command \`python3 a.py > out\` with any input, in any folder, ${BEHIND}`,
    ],
    [
      "sh -c ls",
      `the Bash command \`sh -c ls\` with any input, in any folder, ${BEHIND}`,
    ],
    [" *", "every use of Bash"],
    [
      "bash",
      `the Monitor command \`bash\` with any input, ${anyScript}, ${BEHIND}`,
      "Monitor",
    ],
    [
      "bash * x",
      `Bash commands that match \`bash * x\`, where each * stands for any text, in any folder, which can run any script they are given, ${BEHIND}`,
    ],
    [
      "sudo:*",
      `Bash commands that begin with \`sudo\`, in any folder, which can run any script they are given, ${BEHIND}, xargs`,
    ],
    [
      "Get-Item:*",
      "PowerShell commands that begin with `Get-Item`, in any folder, also by its aliases",
      "PowerShell",
    ],
    ...([
      ["//etc/**", "reading files below `/etc`"],
      ["//**", "reading files below `/`"],
      ["//a \\[x\\] \\*\\\\/**", "reading files below `/a [x] *\\`"],
      ["//a\\*/b/**", "reading files below `/a*/b`"],
      // The CLI ignores the backslash of a star at the end.
      ["//a/b\\*/**", "reading files below folders that match `/a/b*`"],
      ["//\\*/**", "reading files below folders that match `/*`"],
      ["//a [x]/**", "reading files below folders that match `/a [x]`"],
      ["/src/**", "reading files below `<project>/src`"],
      ["src/**", "reading files below `<project>/src`"],
      ["**", "reading files below `<project>`"],
      ...([
        ["~/*.txt", "~/*.txt"],
        ["//a/b\\*", "/a/b*"],
        ["//etc", "/etc"],
        ["*.env", "<project>/**/*.env"],
        ["lib/", "<project>/**/lib/"],
        ["a/b.txt", "<project>/a/b.txt"],
      ] as const).map(([rule, path]) =>
        [
          rule,
          `reading files that match \`${path}\`, and files below folders that match`,
        ] as const
      ),
    ] as const).map(([rule, words]) =>
      [
        rule,
        `${words}, by Read, by searches and by shell commands`,
        "Read",
      ] as const
    ),
    [
      "//tmp/**",
      "changing files below `/tmp`, by Edit, Write, NotebookEdit and shell commands, and reading them by Read",
      "Edit",
    ],
    ["docs", "the skill `docs` with any arguments", "Skill"],
    ...["docs:*", "docs *"].map((rule) =>
      [
        rule,
        "every skill whose name begins with `docs`, with any arguments",
        "Skill",
      ] as const
    ),
    ["domain:a.com", "WebFetch of the host a.com", "WebFetch"],
    [
      "domain:*.com",
      "WebFetch of every host that matches `*.com`, where * stands for any text",
      "WebFetch",
    ],
  ];
  for (const [ruleContent, words, toolName = "Bash"] of cases) {
    const suggestions: readonly PermissionUpdate[] = [{
      type: "addRules",
      rules: [{ toolName, ruleContent }],
      behavior: "allow",
      destination: "session",
    }];
    const { terminal, shown } = person("a", "", "1");
    const wide = { ...terminal, size: () => ({ columns: 260, rows: 40 }) };
    const decision = await promptPerson({ terminal: wide })(
      "Bash",
      INPUT,
      about({ suggestions }),
    );
    assert.deepEqual(decision, {
      behavior: "allow",
      updatedPermissions: suggestions,
    });
    assert.ok(shown[1]?.includes(`  1  allow ${words}\n`), shown[1]);
    // Enter alone was no choice.
    assert.equal(shown.length, 3, ruleContent);
  }
});

test("promptPerson() counts two columns for all that some terminal draws so", async () => {
  // Letters with accents, Greek, Cyrillic, boxes, symbols, Hangul, CJK, full width, emoji.
  const all = [
    ..."\u00e9\u03b1\u0436\u2502\u2605\u231a\u2630\u1100\u2e80\uac00\uff21\u{1f300}",
  ];
  const { terminal, shown } = person("y");
  await promptPerson({
    terminal: { ...terminal, size: () => ({ columns: 24, rows: 9_999 }) },
  })("Bash", {
    command: all.map((one) => one.repeat(30)).join("\n"),
  }, about());
  const rows = (shown[0] ?? "").split("\n").filter((row) => /[|:]/.test(row));
  for (const one of all) {
    const most = Math.max(
      ...rows.map((row) => row.split(one).length - 1),
    );
    assert.equal(most, 10, one.codePointAt(0)?.toString(16));
  }
});

test("promptPerson() leaves out suggestions that are malformed or have no exact sentence, and asks all the same", async () => {
  const suggestions = [
    null,
    "text",
    { type: "addRules" },
    { type: "addRules", rules: "x" },
    { type: "addRules", rules: [null] },
    { type: "addRules", rules: [{ toolName: "Bash" }], behavior: "maybe" },
    { type: "addDirectories", directories: "x" },
    { type: "addRules", rules: [{ toolName: "Bash", ruleContent: 7 }] },
    { type: "addDirectories", directories: ["/a/b "] },
    ...[
      "//a/\\[x\\]",
      "//*/\\[x\\]/**",
      "\\*.env",
      // Only the last star stands for any text.
      "//a\\*b/c\\*/**",
      "//a/\\*\\*/**",
      "//a/b\\\\\\*/**",
      "//a/b\\\\*/**",
      // The CLI cuts blanks at the end.
      "//a/b\\ /**",
      "//a/b /**",
    ].map((ruleContent) => ({
      type: "addRules",
      behavior: "allow",
      rules: [{ toolName: "Read", ruleContent }],
    })),
    // No sentence tells its two kinds of stars apart.
    {
      type: "addRules",
      behavior: "allow",
      rules: [{ toolName: "Bash", ruleContent: "./foo\\* * bar" }],
    },
    { type: "setMode" },
    { type: "x" },
    ...RULES,
  ] as unknown as readonly PermissionUpdate[];
  const { terminal, shown } = person("a", "1");
  const decision = await promptPerson({ terminal })(
    "Bash",
    INPUT,
    about({ suggestions }),
  );
  assert.deepEqual(decision, { behavior: "allow", updatedPermissions: RULES });
  assert.match(
    shown[1] ?? "",
    /\n {2}1 {2}allow every use of Bash\n1 = grant it, b = back: $/,
  );
});

test("promptPerson() ends a question that is taken back on a terminal that knows no signals, and asks the next", async () => {
  const asked: string[] = [];
  const never = new Promise<string>(() => {});
  const ask = promptPerson({
    terminal: {
      isPerson: true,
      ask(text: string) {
        asked.push(text);
        return asked.length === 1 ? never : Promise.resolve("y");
      },
    },
  });
  const { signal, ...controller } = abortable();
  const first = Promise.resolve(ask("Bash", INPUT, about({ signal })));
  while (asked.length === 0) await nextTurn();
  const second = ask("Bash", INPUT, about());
  controller.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.deepEqual(await second, { behavior: "allow" });
});

test("promptPerson() grants no mode by Enter, nothing that was not shown, and no rule where the CLI wants none offered", async () => {
  const mode = SUGGESTED.slice(0, 1);
  const only = person("a", "", "b", "n");
  await promptPerson({ terminal: only.terminal })(
    "Bash",
    INPUT,
    about({ suggestions: mode }),
  );
  assert.match(only.shown[1] ?? "", /\n1 = grant it, b = back: $/);
  assert.equal(only.shown.length, 4);
  const rules = numbered(60).split("\n").map((one) => ({
    toolName: "Bash",
    ruleContent: one,
  }));
  const many: PermissionUpdate = {
    type: "addRules",
    rules,
    behavior: "allow",
    destination: "session",
  };
  const long = person("a", ...Array.from({ length: 20 }, () => "60"));
  const decision = await promptPerson({ terminal: long.terminal })(
    "Bash",
    INPUT,
    about({ suggestions: [many] }),
  );
  assert.deepEqual(decision, {
    behavior: "allow",
    updatedPermissions: [{ ...many, rules: rules.slice(59) }],
  });
  assert.ok(long.shown.length > 3);
  const left = person("a", undefined);
  assert.deepEqual(
    await promptPerson({ terminal: left.terminal })(
      "Bash",
      INPUT,
      about({ suggestions: mode }),
    ),
    { behavior: "deny", message: "The person left without an answer" },
  );
  const none = person("y");
  await promptPerson({ terminal: none.terminal })(
    "Bash",
    INPUT,
    about({ suggestions: RULES, raw: { suppress_always_allow_rule: true } }),
  );
  assert.equal(/always/.test(none.shown[0] ?? ""), false);
});

test("promptPerson() shows everything again when the screen has changed, and takes no answer from before", async () => {
  const shown: string[] = [];
  let change = () => {};
  let size = { columns: 80, rows: 40 };
  const terminal = {
    isPerson: true,
    size: () => size,
    onChange(listener: () => void) {
      change = listener;
      return () => change = () => {};
    },
    ask(text: string, signal: AbortSignal): Promise<string> {
      shown.push(text);
      if (shown.length === 1) {
        size = { columns: 30, rows: 12 };
        queueMicrotask(change);
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      }
      return Promise.resolve(/ y = yes|^y = yes/m.test(text) ? "y" : "");
    },
  };
  const decision = await promptPerson({ terminal })(
    "Bash",
    { command: numbered(20) },
    about(),
  );
  assert.deepEqual(decision, { behavior: "allow" });
  assert.match(shown[0] ?? "", /line 20\n/);
  // The first page of the smaller screen.
  assert.match(shown[1] ?? "", /^\nMay the agent use Bash\?\n/);
  assert.match(shown[1] ?? "", /lines\) Enter = more/);
  assert.match(shown.slice(1).join("\n"), /line 20\n/);
  change();
});

test("promptPerson() asks one question at a time at one terminal, also for several callbacks", async () => {
  const shown: string[] = [];
  let open = 0;
  const terminal = {
    isPerson: true,
    async ask(text: string) {
      assert.equal(++open, 1);
      shown.push(text);
      await nextTurn();
      open--;
      return shown.length === 1 ? "y" : "n";
    },
  };
  const [first, second] = await Promise.all([
    promptPerson({ terminal })("Bash", { command: "one" }, about()),
    promptPerson({ terminal })("Bash", { command: "two" }, about()),
  ]);
  assert.equal(first.behavior, "allow");
  assert.equal(second.behavior, "deny");
  assert.match(shown[1] ?? "", /command: two/);
});

test("promptPerson() shows the call again before the list of grants, or b, takes an answer after a change of the screen", async () => {
  let change = () => {};
  const shown: string[] = [];
  const answers = ["a", undefined, "b"];
  const terminal = {
    isPerson: true,
    size: () => ({ columns: 80, rows: 24 }),
    onChange(listener: () => void) {
      change = listener;
      return () => {};
    },
    ask(text: string) {
      shown.push(text);
      const answer = answers.shift();
      if (answer === undefined) change();
      return Promise.resolve(answer ?? "1");
    },
  };
  const decision = await promptPerson({ terminal })(
    "Bash",
    INPUT,
    about({ suggestions: RULES }),
  );
  // After the change "b" was a reason why not.
  assert.deepEqual(decision, { behavior: "deny", message: "b" });
  assert.match(shown[1] ?? "", /^\nAllow from now on/);
  assert.match(shown[2] ?? "", /^\nMay the agent use Bash\?/);
  const back = person("a", "b", "", "y");
  await promptPerson({ terminal: back.terminal })(
    "Bash",
    INPUT,
    about({ suggestions: RULES }),
  );
  assert.equal(back.shown.length, 4);
  for (const at of [0, 2, 3]) {
    assert.match(back.shown[at] ?? "", /^\nMay the agent use Bash\?/);
  }
});

test("promptPerson() takes no answer on a screen of another size, also if the terminal reports no change", async () => {
  const question = {
    questions: [{ question: "Which?", options: [{ label: "A" }] }],
  };
  const calls: readonly [
    tool: string,
    input: JsonObject,
    /** The size changes during the last of them. */
    before: readonly string[],
    after: readonly string[],
    decision: object,
  ][] = [
    ["Bash", { command: numbered(9) }, ["y"], ["", "y"], { behavior: "allow" }],
    ["Bash", { command: numbered(9) }, ["no"], ["", "y"], {
      behavior: "allow",
    }],
    // The list of grants, behind which the call is shown again.
    ["Bash", INPUT, ["a", "1"], ["n"], {
      behavior: "deny",
      message: "The person said no",
    }],
    ["AskUserQuestion", question, ["1"], ["-"], {
      behavior: "deny",
      message: "The person does not want to answer",
    }],
  ];
  for (const [tool, input, before, after, decision] of calls) {
    const { terminal, shown } = person(...before, ...after);
    let size = { columns: 80, rows: 24 };
    const resized = {
      ...terminal,
      size: () => size,
      ask(text: string, signal: AbortSignal) {
        const answer = terminal.ask(text, signal);
        if (shown.length === before.length) size = { columns: 80, rows: 12 };
        return answer;
      },
    };
    const decide = promptPerson({ terminal: resized });
    const context = about({ suggestions: RULES });
    assert.deepEqual(await decide(tool, input, context), decision);
    // From its first page.
    assert.equal(shown.length, before.length + after.length);
    assert.match(
      shown[before.length] ?? "",
      /^\n(?:May the agent use|The agent asks)/,
    );
  }
});

test("promptPerson() takes no line that came together with a change of the screen, and shows once what changes often", async () => {
  let change = () => {};
  const shown: string[] = [];
  const terminal = {
    isPerson: true,
    onChange(listener: () => void) {
      change = listener;
      return () => {};
    },
    ask(text: string) {
      shown.push(text);
      if (shown.length > 1) return Promise.resolve("n");
      // As after a suspension: the keys are heard before the signal.
      setTimeout(() => {
        change();
        for (let at = 1; at < 5; at++) setTimeout(() => change(), 40 * at);
      });
      return Promise.resolve("y");
    },
  };
  const decision = await promptPerson({ terminal })("Bash", INPUT, about());
  assert.equal(decision.behavior, "deny");
  assert.deepEqual(shown, [shown[0], shown[0]]);
});

test("promptPerson() takes turns where the terminal has them, and ends its turn whatever becomes of the question", async () => {
  const turns: string[] = [];
  const takeTurn = (signal: AbortSignal) => {
    signal.throwIfAborted();
    turns.push("begins");
    return Promise.resolve(() => void turns.push("ends"));
  };
  const yes = { ...person("y").terminal, takeTurn };
  await promptPerson({ terminal: yes })("Bash", INPUT, about());
  const broken = {
    isPerson: true,
    takeTurn,
    ask: () => Promise.resolve("y"),
    onChange: () => () => {
      throw new Error("broken");
    },
  };
  const failed = promptPerson({ terminal: broken })("Bash", INPUT, about());
  await assert.rejects(Promise.resolve(failed), /broken/);
  assert.deepEqual(turns, ["begins", "ends", "begins", "ends"]);
  const rejects = () => Promise.reject(new Error("no lock"));
  const asynchronous = [
    { ...yes, ask: broken.ask, takeTurn: () => Promise.resolve(rejects) },
    { ...yes, ask: broken.ask, onChange: () => rejects },
  ];
  for (const terminal of asynchronous) {
    const decision = promptPerson({ terminal })("Bash", INPUT, about());
    await assert.rejects(Promise.resolve(decision), /no lock/);
  }
});

test("promptPerson() opens what stays of an edit by all, and shows a text of equal strings", async () => {
  const before = numbered(40);
  const edit = { old_string: before, new_string: `${before}\nend` };
  const { terminal, shown } = person("all", "y");
  await promptPerson({
    terminal: { ...terminal, size: () => ({ columns: 80, rows: 60 }) },
  })("Edit", edit, about());
  assert.match(shown[0] ?? "", /\(37 unchanged lines; "all" shows them\)/);
  assert.match(shown[1] ?? "", /\| {2}line 1\n/);
  assert.match(shown[1] ?? "", /\| \+end\n/);
  const same = person("y");
  await promptPerson({ terminal: same.terminal })("Edit", {
    old_string: "same",
    new_string: "same",
  }, about());
  assert.match(same.shown[0] ?? "", /\| {2}same\n/);
});

test("promptPerson() takes no strange blanks for a yes, and shows what poses as something else", async () => {
  for (const answer of ["\u00a0y", "y\u2028", "y\u3000"]) {
    const { terminal } = person(answer);
    const decision = await promptPerson({ terminal })("Bash", INPUT, about());
    assert.equal(decision.behavior, "deny");
  }
  const { terminal, shown } = person("y");
  await promptPerson({ terminal })(
    "B\u0430sh",
    { a: "null", b: "5", c: "plain", d: null },
    about(),
  );
  assert.match(shown[0] ?? "", /not only plain letters: B\\u\{430\}sh\n/);
  assert.match(
    shown[0] ?? "",
    /a: "null"\n {2}b: "5"\n {2}c: plain\n {2}d: null\n/,
  );
});

test("promptPerson() does not show files that the system makes up", async () => {
  const { terminal, shown } = person("y");
  await promptPerson({ terminal })("Write", {
    file_path: "/proc/self/environ",
    content: "x",
  }, about());
  assert.match(shown[0] ?? "", /not compared with what is there|a new file/);
  assert.doesNotMatch(shown[0] ?? "", /PATH=/);
});

test("promptPerson() compares no file above 2 MB", async () => {
  const folder = await mkdtemp(join(tmpdir(), "large-"));
  const { terminal, shown } = person("n");
  try {
    const path = join(folder, "a.txt");
    await writeFile(path, "x".repeat(2_000_001));
    const input = { file_path: path, content: "y" };
    await promptPerson({ terminal })("Write", input, about());
  } finally {
    await rm(folder, { recursive: true });
  }
  assert.match(shown[0] ?? "", /\n\* the whole file, not compared/);
});

test(
  "promptPerson() compares no file whose path means another one in the CLI",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "own-"));
    try {
      await writeFile(join(folder, "a.txt"), "one\n");
      await mkdir(join(folder, "sub"));
      const links = {
        direct: "/proc/self/root",
        thread: "/proc/thread-self/root",
        indirect: "sub/../direct",
        file: `/proc/self/root${folder}/a.txt`,
        up: "../../../../../../../../proc/self/root",
        fd: "/dev/fd",
        stdin: "/dev/stdin",
        loop: "loop",
        "sub/back": "../plain",
        plain: folder,
      };
      for (const [name, target] of Object.entries(links)) {
        await symlink(target, join(folder, name));
      }
      const title = async (path: string) => {
        const { terminal, shown } = person("n");
        const input = { file_path: path, content: "two\n" };
        const size = () => ({ columns: 200, rows: 24 });
        const wide = { ...terminal, size };
        await promptPerson({ terminal: wide })("Write", input, about());
        return /^\* (.*):$/m.exec(shown[0] ?? "")?.[1];
      };
      for (
        const path of [
          `/proc/self/root${folder}/a.txt`,
          `/proc/self/root${folder}/missing`,
          `/proc/self/cwd/missing`,
          "/dev/fd/missing",
          `${folder}/direct${folder}/a.txt`,
          `${folder}/direct${folder}/missing`,
          `${folder}/thread${folder}/a.txt`,
          `${folder}/indirect${folder}/missing`,
          `${folder}/up${folder}/a.txt`,
          `${folder}/file`,
          `${folder}/fd/missing`,
          `${folder}/stdin`,
          `${folder}/loop/missing`,
        ]
      ) {
        assert.equal(
          await title(path),
          "the whole file, not compared with what is there (the CLI may find another file), whose encoding stays",
          path,
        );
      }
      for (
        const [path, expected] of [
          [`${folder}/sub/back/a.txt`, "changes of the file that is there"],
          [
            `${folder}/direct/../a.txt`,
            "changes of the file that is there",
          ],
          [`${folder}/plain/missing`, "a new file"],
          [`${folder}/missing/too`, "a new file"],
        ] as const
      ) assert.equal(await title(path), expected, path);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  { skip: process.platform === "linux" ? undefined : "needs Linux" },
);

test("promptPerson() takes no yes while a single line was not shown, on a screen of any height", async () => {
  for (let rows = 8; rows < 45; rows++) {
    const { terminal, shown } = person(...Array(40).fill("y"));
    const small = { ...terminal, size: () => ({ columns: 80, rows }) };
    await promptPerson({ terminal: small })(
      "Bash",
      { command: numbered(30) },
      about(),
    );
    assert.match(shown.join("\n"), /\bline 30\n/, `${rows} rows`);
  }
});

test("promptPerson() shows everything at once on a screen without an end", async () => {
  for (
    const size of [
      { columns: 80, rows: Infinity },
      { columns: Infinity, rows: Infinity },
      { columns: Number.MAX_VALUE, rows: Number.MAX_VALUE },
    ]
  ) {
    const { terminal, shown } = person("y");
    const decision = await promptPerson({
      terminal: { ...terminal, size: () => size },
    })("Bash", { command: numbered(60) }, about());
    assert.deepEqual(decision, { behavior: "allow" });
    assert.match(shown[0] ?? "", /\| line 60\n/);
  }
  // Rows end where the screen does.
  const { terminal, shown } = person("y");
  const size = () => ({ columns: Infinity, rows: 24 });
  await promptPerson({ terminal: { ...terminal, size } })("Bash", {
    command: "a\nb",
  }, about());
  assert.match(shown[0] ?? "", /\| a\n {2}\| b\ny = yes/);
});

test("promptPerson() fits pages to a small screen, and takes no single key for a yes on a tiny one", async () => {
  const small = { columns: 24, rows: 10 };
  const { terminal, shown } = person(...Array(99).fill(""), "y");
  await promptPerson({
    terminal: {
      ...terminal,
      size: () => small,
      ask: (text, signal) =>
        /y = yes/.test(text)
          ? Promise.resolve("y")
          : terminal.ask(text, signal),
    },
  })("Bash", { command: numbered(30) }, about());
  assert.ok(shown.length > 3);
  for (const text of shown) {
    const rows = text.split("\n")
      .reduce((sum, row) => sum + Math.max(1, Math.ceil(wide(row) / 24)), 0);
    assert.ok(rows <= small.rows, text);
  }
  for (const size of [{ columns: 20, rows: 5 }, { columns: 8, rows: 30 }]) {
    const tiny = person("all", "y", "a", "Y", "yes");
    const decision = await promptPerson({
      terminal: { ...tiny.terminal, size: () => size },
    })("Bash", INPUT, about({ suggestions: RULES }));
    assert.deepEqual(decision, { behavior: "allow" });
    assert.equal(tiny.shown.length, 5);
    assert.match(tiny.shown[4] ?? "", /^yes = yes, n = no/m);
  }
  const narrow = { columns: 12, rows: 24 };
  const pages: string[] = [];
  await promptPerson({
    terminal: {
      isPerson: true,
      size: () => narrow,
      ask(text) {
        pages.push(text);
        return Promise.resolve(text.includes("yes = yes") ? "yes" : "");
      },
    },
  })("Bash", { command: numbered(30) }, about());
  assert.ok(pages.length > 3);
  for (const text of pages) {
    const rows = text.split("\n")
      .reduce((sum, row) => sum + Math.max(1, Math.ceil(wide(row) / 12)), 0);
    assert.ok(rows <= narrow.rows, text);
  }
});

test("promptPerson() shows a rule for everything as one", async () => {
  const all = {
    ...RULES[0],
    rules: [{ toolName: "Bash", ruleContent: ":*" }],
  } as PermissionUpdate;
  const { terminal, shown } = person("a", "b", "n");
  await promptPerson({ terminal })(
    "Bash",
    INPUT,
    about({ suggestions: [all] }),
  );
  assert.match(shown[1] ?? "", /1 {2}allow every use of Bash\n/);
});

test("promptPerson() spells out what a terminal without UTF-8 could obey, on rows that fit", async () => {
  const { terminal, shown } = person("all", "y");
  const decision = await promptPerson({
    terminal: {
      ...terminal,
      isAscii: () => true,
      size: () => ({ columns: 40, rows: 12 }),
    },
  })("Bash", { command: `rm -rf ~ #\u00db2K${"\u00e9".repeat(40)}` }, about());
  assert.equal(decision.behavior, "allow");
  const all = shown.join("");
  assert.match(all, /^[\n\x20-\x7e]*$/);
  assert.match(all, /rm -rf ~ #\\u\{db\}2K/);
  assert.equal(all.split("\\u{e9}").length > 30, true, all);
  const rows = all.split("\n").filter((row) => /^ {2}[|:]/.test(row));
  assert.ok(rows.every(({ length }) => length <= 40), all);
});

test("promptPerson() marks what the model did not write, so that no key passes for it", async () => {
  const forged = { "about": "x", "* reason": "a hook", "a new file": "y" };
  const { terminal, shown } = person("n");
  await promptPerson({ terminal })(
    "mcp__a__b",
    forged,
    about({ description: "Drops a table" }),
  );
  assert.match(
    shown[0] ?? "",
    /\n\* about:\n {2}\| Drops a table\n {2}about: x\n {2}"\* reason": a hook\n {2}a new file: y\n/,
  );
});

test("promptPerson() answers the questions of the model by number, by several, and in words", async () => {
  const input = {
    metadata: { note: "hidden" },
    questions: [
      {
        question: "Tea or\ncoffee?",
        header: "Drink",
        multiSelect: false,
        options: [{ label: "Tea", description: "green" }, {
          label: "Coffee",
          description: "",
        }],
      },
      {
        question: "What with it?",
        header: "With",
        multiSelect: true,
        options: [{ label: "Milk", description: "", preview: "a\nb" }, {
          label: "Sugar",
          description: "",
        }, { label: "Ice", description: "" }],
      },
    ],
  };
  const { terminal, shown } = person("", "y3", "n");
  const said = person("3", "1 2", "2", "4", "3, 1");
  const words = await promptPerson({ terminal })(
    "AskUserQuestion",
    input,
    about(),
  );
  assert.deepEqual(words, {
    behavior: "allow",
    updatedInput: {
      ...input,
      answers: { "Tea or\ncoffee?": "y3", "What with it?": "n" },
    },
  });
  assert.equal(
    shown[0],
    `
The agent asks (1 of 2)
  metadata (object):
  | "note": "hidden"
  header: Drink
  | Tea or
  | coffee?
  1  Tea
  | green
  2  Coffee
Number, or your own words; - = no answer, and no more questions: `,
  );
  assert.match(shown[2] ?? "", /\nNumbers.*; - = no answer: $/);
  assert.match(shown[2] ?? "", /1 {2}Milk\n {5}preview:\n {2}\| a\n {2}\| b\n/);
  const numbers = await promptPerson({ terminal: said.terminal })(
    "AskUserQuestion",
    input,
    about(),
  );
  assert.deepEqual(numbers, {
    behavior: "allow",
    updatedInput: {
      ...input,
      answers: { "Tea or\ncoffee?": "Coffee", "What with it?": "Ice, Milk" },
    },
  });
  assert.equal(said.shown.length, 5);
  const declined: readonly [lines: string[], message: string][] = [
    [["-"], String.raw`The person does not want to answer "Tea or\ncoffee?"`],
    [
      ["1", "-"],
      String
        .raw`The person does not want to answer "What with it?", but answered: "Tea or\ncoffee?"="Tea"`,
    ],
  ];
  for (const [lines, message] of declined) {
    const decision = await promptPerson({
      terminal: person(...lines).terminal,
    })(
      "AskUserQuestion",
      input,
      about(),
    );
    assert.deepEqual(decision, { behavior: "deny", message });
  }
  const left = person("1", undefined);
  assert.deepEqual(
    await promptPerson({ terminal: left.terminal })(
      "AskUserQuestion",
      input,
      about(),
    ),
    { behavior: "deny", message: "The person left without an answer" },
  );
  const twice = await promptPerson({ terminal: person("1", "2").terminal })(
    "AskUserQuestion",
    { questions: [input.questions[0] ?? {}, input.questions[0] ?? {}] },
    about(),
  );
  assert.deepEqual(twice, {
    behavior: "deny",
    message: "Two questions have the same text: give each its own",
  });
  const odd = person("n");
  await promptPerson({ terminal: odd.terminal })("AskUserQuestion", {
    questions: [{ question: 1 }],
  }, about());
  assert.match(odd.shown[0] ?? "", /May the agent use AskUserQuestion/);
});

test("promptPerson() takes an option that is labelled - for an answer", async () => {
  const question = {
    question: "Which?",
    header: "",
    multiSelect: false,
    options: [{ label: "-", description: "" }, { label: "x", description: "" }],
  };
  const input = { questions: [question] };
  const { terminal } = person("1");
  assert.deepEqual(
    await promptPerson({ terminal })("AskUserQuestion", input, about()),
    {
      behavior: "allow",
      updatedInput: { ...input, answers: { "Which?": "-" } },
    },
  );
});

test("promptPerson() quotes a key that could pass for a part of the value above it", async () => {
  const { terminal, shown } = person("n");
  await promptPerson({ terminal })("mcp__x__run", {
    command: "a",
    ": --dry-run": "y",
    "  | more": "z",
    usual_key: 1,
  }, about());
  assert.match(
    shown[0] ?? "",
    /\n {2}command: a\n {2}": --dry-run": y\n {2}" {2}\| more": z\n {2}usual_key: 1\n/,
  );
  // Nor for an option of a question.
  const asked = person("1");
  await promptPerson({ terminal: asked.terminal })("AskUserQuestion", {
    questions: [{
      question: "Which?",
      "1  Keep all": "recommended",
      options: [{ label: "Delete all" }],
    }],
  }, about());
  assert.match(
    asked.shown[0] ?? "",
    /\n {2}"1 {2}Keep all": recommended\n {2}\| Which\?\n {2}1 {2}Delete all\n/,
  );
});

test("promptPerson() asks one question at a time, and none that was taken back", async () => {
  const { terminal, shown } = person();
  const decide = promptPerson({ terminal });
  const controllers = [1, 2, 3].map(() => new AbortController());
  const decisions = controllers.map(({ signal }, at) =>
    Promise.resolve(decide(`Tool${at}`, {}, about({ signal })))
      .catch((error: unknown) => error)
  );
  while (shown.length === 0) await nextTurn();
  controllers[1]?.abort("second");
  controllers[0]?.abort("first");
  assert.deepEqual(await Promise.all(decisions.slice(0, 2)), [
    "first",
    "second",
  ]);
  while (shown.length === 1) await nextTurn();
  assert.match(shown[1] ?? "", /Tool2/);
  controllers[2]?.abort("third");
  assert.equal(await decisions[2], "third");
});

test("promptPerson() denies without a person at the terminal, and when the person leaves", async () => {
  const { terminal } = person(undefined);
  const left = await promptPerson({ terminal })("Bash", INPUT, about());
  assert.deepEqual(left, {
    behavior: "deny",
    message: "The person left without an answer",
  });
  const unattended = { ...terminal, isPerson: false };
  const alone = await promptPerson({ terminal: unattended })(
    "Bash",
    {},
    about(),
  );
  assert.deepEqual(alone, {
    behavior: "deny",
    message: "There is no person at a terminal to ask",
  });
});

test("promptPerson() shows no two texts alike, and doubles the backslash of a text that reads like a code", async () => {
  const cases: readonly (readonly [
    text: string,
    shown: string,
    ascii: string,
  ])[] = [
    ["\x1b", "\\u{1b}", "\\u{1b}"],
    ["\\u{1b}", "\\\\u{1b}", "\\\\u{1b}"],
    ["\\\x1b", "\\\\\\u{1b}", "\\\\\\u{1b}"],
    ["C:\\new\\u1b", "C:\\new\\u1b", "C:\\new\\u1b"],
    ["a\tb", "a→   b", "a\\u{9}   b"],
    ["a→   b", "a\\u{2192}   b", "a\\u{2192}   b"],
    ["\\\tb", "\\→   b", "\\\\\\u{9}   b"],
    ["a ", "a·", "a\\u{20}"],
    ["a·", "a\\u{b7}", "a\\u{b7}"],
    // Of texts that are drawn alike, only the one in NFC stays as it is.
    ["caf\u00e9", "caf\u00e9", "caf\\u{e9}"],
    ["cafe\u0301", "cafe\\u{301}", "cafe\\u{301}"],
    ["\\\u0301", "\\\\\\u{301}", "\\\\\\u{301}"],
    ["e\\\u037e", "e\\\\\\u{37e}", "e\\\\\\u{37e}"],
    ["\u212a", "\\u{212a}", "\\u{212a}"],
    ["\u2126", "\\u{2126}", "\\u{2126}"],
    ["<\u0338", "<\\u{338}", "<\\u{338}"],
    ["q\u0323\u0307", "q\\u{323}\\u{307}", "q\\u{323}\\u{307}"],
    ["q\u0307\u0323", "q\\u{307}\\u{323}", "q\\u{307}\\u{323}"],
    ["a\u0301\u0323b", "a\\u{301}\\u{323}b", "a\\u{301}\\u{323}b"],
    [
      "\u1112\u1161\u11ab",
      "\u1112\\u{1161}\\u{11ab}",
      "\\u{1112}\\u{1161}\\u{11ab}",
    ],
    // Their fonts draw nothing for these.
    ...["1107f", "13441", "13442", "16fe4", "1d159"].map((code) =>
      [
        `rm${String.fromCodePoint(parseInt(code, 16))}`,
        `rm\\u{${code}}`,
        `rm\\u{${code}}`,
      ] as const
    ),
    ["\u0958", "\\u{958}", "\\u{958}"],
    ["⟨40 spaces⟩", "\\u{27e8}40 spaces⟩", "\\u{27e8}40 spaces\\u{27e9}"],
  ];
  for (const [command, shown, ascii] of cases) {
    for (const isAscii of [false, true]) {
      const one = person("n");
      const terminal = { ...one.terminal, isAscii: () => isAscii };
      await promptPerson({ terminal })("Bash", { command }, about());
      const row = `\n  command: ${isAscii ? ascii : shown}\n`;
      assert.ok(one.shown[0]?.includes(row), one.shown[0]);
    }
  }
  // Texts of the CLI may contain words of others.
  const { terminal, shown } = person("n");
  const context = about({ decisionReason: "a\n\x1b ⏎ \\u{1b}" });
  await promptPerson({ terminal })("B\u0430sh", INPUT, context);
  assert.ok(
    shown[0]?.includes(
      "\n* not only plain letters: B\\u{430}sh\n* reason:\n  | a\n  | \\u{1b} \\u{23ce} \\\\u{1b}\n",
    ),
    shown[0],
  );
});

test("promptPerson() names letters that may look like others, in an input and in what is granted", async () => {
  const { terminal, shown } = person("a", "b", "n");
  await promptPerson({
    terminal: { ...terminal, size: () => ({ columns: 260, rows: 40 }) },
  })(
    "Bash",
    {
      command: "./p\u0430ypal \u0444\u0430\u0439\u043b.txt",
      deep: [{ a: "\u03bfk" }],
    },
    about({
      suggestions: [{
        type: "addRules",
        rules: ["./\u0430.sh *", "ls", "\u0430\u0431\u0432\u0433\u0434\u0435 *"]
          .map((ruleContent) => ({
            toolName: "Bash",
            ruleContent,
          })),
        behavior: "allow",
        destination: "session",
      }, {
        type: "addDirectories",
        directories: ["/\u0435"],
        destination: "session",
      }],
    }),
  );
  assert.ok(
    shown[0]?.includes(
      "\n* letters of two scripts in one word: p\\u{430}ypal \\u{3bf}k\n",
    ),
    shown[0],
  );
  assert.match(shown[1] ?? "", /xargs, not only plain letters: U\+430\n/);
  assert.match(
    shown[1] ?? "",
    /letters: U\+430 U\+431 U\+432 U\+433 U\+434 \.\.\.\n/,
  );
  assert.match(
    shown[1] ?? "",
    /as they may here, not only plain letters: U\+435\n/,
  );
  assert.match(shown[1] ?? "", /`ls` .*noglob\n/);
});

test("promptPerson() names a redirection that the CLI rewrites", async () => {
  for (
    const [tool, command, isNamed] of [
      ["Bash", "ls >nul", true],
      ["Bash", "awk 'NR >NUL {print}' a", true],
      ["Monitor", "ls 2> nul", true],
      ["Bash", "ls > null.txt; echo nul", false],
      ["mcp__shell__run", "ls >nul", false],
    ] as const
  ) {
    const { terminal, shown } = person("n");
    await promptPerson({ terminal })(tool, { command }, about());
    assert.equal(
      shown[0]?.includes(
        "\n* note: the CLI turns >nul into >/dev/null, also inside of quotes\n",
      ),
      isNamed,
      command,
    );
  }
});

test("promptPerson() says of a skill that its tools need no further yes", async () => {
  const { terminal, shown } = person("n");
  await promptPerson({ terminal })("Skill", { skill: "docs" }, about());
  assert.match(
    shown[0] ?? "",
    /\n\* note: tools that this skill allows run unasked until the turn ends\n {2}skill: docs\n/,
  );
});

test("promptPerson() asks no question of the model that has no clear answer, and shows an odd one as any call", async () => {
  const option = { label: "A", description: "" };
  const ask = async (question: JsonObject, ...lines: readonly string[]) => {
    const { shown, terminal } = person(...lines);
    const input = { questions: [{ question: "Which?", ...question }] };
    const decide = promptPerson({ terminal });
    const decision = await decide("AskUserQuestion", input, about());
    const { answers } =
      (decision as { updatedInput?: JsonObject }).updatedInput ?? {};
    return { decision, shown, answers };
  };
  const refused: readonly [options: JsonObject[], message: RegExp][] = [
    [[option, option], /same label/],
    [[option, { label: " " }], /empty label/],
    [[{ label: "A, B" }, option, { label: "B" }], /"A, B" reads like several/],
  ];
  for (const [options, message] of refused) {
    const { decision, shown } = await ask({ options, multiSelect: true }, "1");
    assert.ok(decision?.behavior === "deny");
    assert.match(decision.message, message);
    assert.deepEqual(shown, []);
  }
  const odd: readonly JsonObject[] = [
    { header: 5, options: [option] },
    { multiSelect: "no", options: [option] },
    { options: [{ label: "A", description: { a: 1 } }] },
    { options: [{ label: "A", description: "", preview: ["x"] }] },
  ];
  for (const question of odd) {
    const { decision, shown } = await ask(question, "no");
    assert.match(shown[0] ?? "", /May the agent use AskUserQuestion\?/);
    assert.equal(decision?.behavior, "deny");
  }
  const more = await ask(
    {
      options: [{ ...option, cost: 5 }],
      until: "noon",
    },
    "2",
    "1",
  );
  assert.match(more.shown[0] ?? "", /\n {2}until: noon\n/);
  assert.match(more.shown[0] ?? "", /\n {2}1 {2}A\n {2}option 1 cost: 5\n/);
  assert.match(
    more.shown[1] ?? "",
    /^Not taken as an answer: .* from 1 to 1\.\n/,
  );
  assert.deepEqual(more.answers, { "Which?": "A" });
  // A number without options is an answer in words.
  const words = await ask({ options: [] }, "42");
  assert.match(words.shown[0] ?? "", /\nYour own words; - = no answer: $/);
  assert.deepEqual(words.answers, { "Which?": "42" });
});

test("promptPerson() tells the number of an option from a label that is a number", async () => {
  const input = {
    questions: [{
      question: "How many?",
      header: "",
      multiSelect: false,
      options: ["2", "4", "1"].map((label) => ({ label, description: "" })),
    }],
  };
  for (
    const [typed, answer] of [["#3", "1"], ["1", "1"], ["4", "4"]] as const
  ) {
    const { shown, terminal } = person(typed);
    assert.deepEqual(
      await promptPerson({ terminal })("AskUserQuestion", input, about()),
      {
        behavior: "allow",
        updatedInput: { ...input, answers: { "How many?": answer } },
      },
    );
    assert.match(shown[0] ?? "", /\n {2}#2 {2}4\n[^]*\nNumber such as #1, /);
  }
});

test("promptPerson() takes no line that is not UTF-8", async () => {
  const { shown, terminal } = person("caf\ufffd", "n\ufffd", "y");
  assert.deepEqual(await promptPerson({ terminal })("Bash", INPUT, about()), {
    behavior: "allow",
  });
  assert.equal(shown.length, 3);
  assert.match(shown[2] ?? "", /^Not taken as an answer: .*UTF-8\.\ny = yes/);
});

test("promptPerson() denies an input that JSON does not hold, and shows one that changes as it was", async () => {
  const held: Record<string, unknown> = {};
  held["self"] = [held, held];
  let deep: JsonObject = {};
  for (let level = 0; level < 20_000; level++) deep = { deep };
  const inputs: readonly unknown[] = [
    held,
    deep,
    { a: 1n },
    { a: NaN },
    { a: () => {} },
    { a: new Date(0) },
    { a: new Map() },
    { a: { rm: "-rf", toJSON: () => "ls" } },
    Object.create({ a: 1 }),
    Object.defineProperty({}, "a", { value: 1 }),
    {
      get a() {
        throw new Error("unreadable");
      },
    },
    null,
    ["ls"],
    "ls",
    undefined,
  ];
  for (const input of inputs) {
    const { shown, terminal } = person("y");
    const decide = promptPerson({ terminal });
    assert.deepEqual(await decide("X", input as JsonObject, about()), {
      behavior: "deny",
      message:
        "The input is no plain JSON, or too deep, so the person was not asked",
    });
    assert.deepEqual(shown, []);
  }
  let reads = 0;
  const changing = {
    get a() {
      return reads++;
    },
  };
  const { shown, terminal } = person("y");
  const decide = promptPerson({ terminal });
  assert.deepEqual(await decide("X", changing, about()), { behavior: "allow" });
  assert.match(shown[0] ?? "", /\n {2}a: 0\n/);
});

test("promptPerson() asks with a context that has only a signal, and rejects one without", async () => {
  const { signal } = about();
  const { terminal, shown } = person("a", "1");
  const decide = promptPerson({ terminal });
  const some = (fields?: Partial<PermissionContext>) =>
    fields as PermissionContext;
  assert.deepEqual(
    await decide("Bash", INPUT, some({ signal, suggestions: RULES })),
    { behavior: "allow", updatedPermissions: RULES },
  );
  for (const context of [some(), some({}), { ...about(), signal: null }]) {
    await assert.rejects(
      Promise.resolve(decide("Bash", INPUT, context as PermissionContext)),
      { name: "TypeError", message: /context\.signal, which a copy .* raw$/ },
    );
  }
  assert.equal(shown.length, 2);
});
