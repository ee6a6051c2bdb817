import { needsShell } from "./_children.ts";
import {
  examplesOf,
  isForHere,
  listSources,
  runExamples,
} from "./_examples.ts";
import { test } from "./_harness.ts";

const pages = listSources("docs");

for (const page of pages) {
  const examples = examplesOf(page).filter(isForHere);
  if (examples.length === 0) continue;
  test(
    `examples of ${page} run and print what they say`,
    () => runExamples(examples),
    { skip: needsShell },
  );
}
