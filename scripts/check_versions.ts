// What is written in several places has to be the same in all of them.
import { CLI_VERSION } from "./install_cli.ts";
import { conclude, exists, listFiles, readConfig, ROOT } from "./project.ts";

const config = await readConfig();
const problems: string[] = [];

const [deno = "none"] = await find("scripts/with_deno.mjs", /"deno@([\d.]+)"/g);
const bun = config.imports.bun?.replace("npm:bun@", "") ?? "none";

await expect("jsr.json", /"version": "([^"]+)"/g, config.version);
await expect("CHANGELOG.md", /^## (\d[^\s,]*)/m, config.version);
await expect("deno.json", /"npm:bun@([^"]+)"/g, bun);
await expect("CONTRIBUTING.md", /claude-code@([\d.]+\d)/g, CLI_VERSION);
for (const file of await listFiles(".github/workflows")) {
  const pins = await find(file, /deno-version: "?v?([\d.]+)/g);
  if (pins.length > 0) await expect(file, /deno-version: "?v?([\d.]+)/g, deno);
}
if (await exists("npm/package.json")) {
  await expect("npm/package.json", /"version": "([^"]+)"/g, config.version);
}
conclude(
  problems,
  `Versions agree: ${config.version}, Deno ${deno}, Bun ${bun}, CLI ${CLI_VERSION}`,
);

/** Every place that the pattern finds has to hold the value, and there has to be one. */
async function expect(
  file: string,
  pattern: RegExp,
  value: string,
): Promise<void> {
  const found = await find(file, pattern);
  if (found.length === 0) problems.push(`${file} has no ${pattern.source}`);
  for (const one of found.filter((text) => text !== value)) {
    problems.push(`${file} says ${one} instead of ${value}`);
  }
}

/** The first groups: of all matches of a global pattern, else of the first. */
async function find(file: string, pattern: RegExp): Promise<string[]> {
  const text = await Deno.readTextFile(new URL(file, ROOT));
  const matches = pattern.global
    ? [...text.matchAll(pattern)]
    : [pattern.exec(text)];
  return matches.flatMap((one) => one?.[1] === undefined ? [] : [one[1]]);
}
