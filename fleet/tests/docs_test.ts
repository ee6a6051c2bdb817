import process from "node:process";
import { needsShell } from "../../tests/_children.ts";
import { examplesOf, listSources, runExamples } from "../../tests/_examples.ts";
import { test } from "./_fleet.ts";

const PAGES = listSources("docs").filter((path) => path.endsWith(".md"));

for (const example of PAGES.flatMap((page) => examplesOf(page))) {
  if (example.kind !== "fleet") continue;
  test(
    `${example.title} runs and prints what it says`,
    async ({ url }) => {
      process.env["NATS_URL"] = url;
      await runExamples([example]);
    },
    { skip: needsShell },
  );
}
