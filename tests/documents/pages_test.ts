import assert from "node:assert/strict";
import { needsShell } from "../_children.ts";
import {
  examplesOf,
  isForHere,
  listSources,
  readSource,
  runExamples,
} from "../_examples.ts";
import { test } from "../_harness.ts";

const PAGES = listSources("docs").filter((path) => path.endsWith(".md"));

for (const page of PAGES) {
  const examples = examplesOf(page);
  const here = examples.filter(isForHere);
  if (here.length > 0) {
    test(
      `examples of ${page} run and print what they say`,
      () => runExamples(here),
      { skip: needsShell },
    );
  }
  const programs = examples.filter(({ kind }) => kind === "program");
  if (programs.length > 0) {
    test(`programs of ${page} are those that npm run check runs`, () => {
      for (const { title, before, code } of programs) {
        const [, file = ""] = /<!-- file: (\S+) -->\s*$/.exec(before) ?? [];
        assert.match(file, /^tests\/package\/programs\//, title);
        const source = readSource(file).replace(/^\/\/ deno-lint-.*\n/m, "");
        assert.equal(code, source, `${title} is to be ${file}`);
      }
    });
  }
  const unrun = examples.filter(({ kind }) => kind === "ignore");
  if (unrun.length > 0) {
    test(`examples of ${page} that do not run have a reason`, () => {
      for (const { title, before } of unrun) {
        const [paragraph = ""] = before.trimEnd().split("\n\n").slice(-1);
        assert.match(paragraph, /not run/i, title);
      }
    });
  }
}
