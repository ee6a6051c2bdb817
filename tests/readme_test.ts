import assert from "node:assert/strict";
import { needsShell } from "./_children.ts";
import {
  examplesOf,
  hasSource,
  isForHere,
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
    const [, path = ""] = /\]\((tests\/[^)]+_test\.ts)\) *\|$/.exec(row) ?? [];
    assert.match(
      readSource(path),
      /from "node:assert\/strict"|\btestPrograms\(/,
      row,
    );
  }
});
