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
  "the first program of the README prints texts and calls, and no line for thoughts",
  async () => {
    const [first] = examples;
    assert.ok(first);
    const turn = [
      { think: "Where to look?" },
      "I will look.",
      { tool: "Read", input: { file_path: "a" } },
      "Two files.",
    ];
    const prints = ["Text: I will look.", "Tool: Read", "Text: Two files."]
      .map((line) => `\n// => ${line}`).join("");
    const code = first.code.replaceAll(/^\/\/ =>.*\n/gm, "") + prints + "\n";
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

test("README is a first screen: what it is, its state, one example with its output, two commands", () => {
  const text = readSource("README.md");
  assert.ok(text.split("\n").length <= 140, `${text.split("\n").length}`);
  const [screen = ""] = text.split("\n## ");
  assert.match(screen, /unofficial/);
  assert.match(screen, /not yet on npm or JSR/);
  const [, code = ""] = /\n```ts\n(.*?)```\n/s.exec(screen) ?? [];
  assert.ok(code.trimEnd().split("\n").length <= 14, code);
  assert.match(code, /^\/\/ => /m);
  assert.match(screen, /^npm run demo .*\nnpm test /m);
  const [, picture = ""] = /!\[[^\]]+\]\((\S+)\)/.exec(screen) ?? [];
  assert.ok(hasSource(picture), picture);
});

test("Each claim of the README links a test that runs", () => {
  const [, section = ""] = readSource("README.md").split("## What you get");
  const claims = section.split("\n## ")[0]?.split("\n- ").slice(1) ?? [];
  assert.ok(claims.length > 8);
  for (const claim of claims) {
    const [, path = ""] =
      /\]\(((?:fleet\/)?tests\/[^)]+_test\.ts)\)\s*$/.exec(claim) ?? [];
    assert.match(
      readSource(path),
      /from "node:assert\/strict"|\btestPrograms\(/,
      claim,
    );
  }
});
