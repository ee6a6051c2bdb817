import assert from "node:assert/strict";
import { needsShell } from "./_children.ts";
import {
  examplesOf,
  hasSource,
  isForHere,
  listSources,
  readSource,
  runExamples,
} from "./_examples.ts";
import { test } from "./_harness.ts";

const examples = examplesOf("README.md");

for (const example of examples.filter(isForHere)) {
  test(
    `README example runs: ${example.title} ${example.kind}`,
    () => runExamples([example]),
    { skip: needsShell },
  );
}

test(
  "the first program of the README prints what is said, and no line for thoughts and calls",
  async () => {
    const [first] = examples;
    assert.ok(first);
    const turn = [
      { think: "Where to look?" },
      "I will look.",
      { tool: "Read", input: { file_path: "a" } },
      "Two files.",
    ];
    const prints = "\n// => I will look.\n// => Two files.\n";
    const code = first.code + prints;
    await runExamples([{ ...first, script: [turn], code }]);
  },
  { skip: needsShell },
);

test("no page tells to install what is not published", () => {
  const pages = [
    ...listSources("docs").filter((path) => path.endsWith(".md")),
    "README.md",
    "examples/README.md",
    "CONTRIBUTING.md",
  ];
  const orders = pages.flatMap((page) =>
    readSource(page).split("\n").filter((line) =>
      /(?:install|add|npx|bunx)\b[^\n`]* (?:jsr:)?@sluice\/|jsr:@sluice/.test(
        line,
      )
    ).map((line) => `${page}: ${line}`)
  );
  assert.deepEqual(orders, []);
}, { skip: hasSource("CONTRIBUTING.md") ? undefined : "needs all pages" });

test("README is a first screen: a line, a picture, ten lines of code, and proof", () => {
  const text = readSource("README.md");
  assert.ok(text.split("\n").length <= 110, `${text.split("\n").length}`);
  const [, picture = "", code = "", rest = ""] =
    /^# Sluice\n\n[^\n]+\n\n!\[[^\]]+\]\((\S+)\)\n\n```ts\n(.*?)```\n(.*)/s
      .exec(text) ?? [];
  assert.ok(hasSource(picture), picture);
  assert.ok(code.trimEnd().split("\n").length <= 10, code);
  assert.match(rest, /npm run demo/);
});

test("Each row of what others do not have links a test that runs", () => {
  const [, section = ""] = readSource("README.md")
    .split("## What others do not have");
  const rows = section.split("\n## ")[0]?.match(/^\| \*\*.*$/gm) ?? [];
  assert.ok(rows.length > 8);
  for (const row of rows) {
    const [, path = ""] =
      /\]\(((?:fleet\/)?tests\/[^)]+_test\.ts)\) *\|$/.exec(row) ?? [];
    assert.match(
      readSource(path),
      /from "node:assert\/strict"|\btestPrograms\(/,
      row,
    );
  }
});
