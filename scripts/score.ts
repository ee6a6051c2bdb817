// Computes offline what JSR will score: 14 of the 18 points; the other four
// hang on the publishing workflow and on the settings page of the package.
import { hasText, readDocs } from "./docs.ts";
import {
  conclude,
  DENO,
  exists,
  readConfig,
  ROOT,
  run,
  say,
} from "./project.ts";

const DOCUMENTED_SHARE = 0.8;

const config = await readConfig();
const docs = await readDocs(config);
const readme = await exists("README.md")
  ? await Deno.readTextFile(new URL("README.md", ROOT))
  : "";
const root = docs.find(({ entry }) => entry === ".");
const declarations = docs.flatMap(({ symbols }) =>
  symbols.flatMap((symbol) => symbol.declarations)
);
const documented = declarations.filter(({ jsDoc }) => hasText(jsDoc)).length;
const share = documented / declarations.length;
const { code } = await run(DENO, ["publish", "--dry-run", "--allow-dirty"]);

const items: readonly (readonly [string, number, boolean])[] = [
  ["README or module doc", 2, readme !== "" || hasText(root?.moduleDoc)],
  [
    "example in README or main module doc",
    1,
    /^```/m.test(readme + (root?.moduleDoc?.doc ?? "")),
  ],
  ["module doc on every entry", 1, docs.every((one) => hasText(one.moduleDoc))],
  [
    `documented names (${(share * 100).toFixed(0)} %)`,
    5,
    share >= DOCUMENTED_SHARE,
  ],
  ["no slow types, publishable", 5, code === 0],
];
for (const [name, points, isMet] of items) {
  say(`${isMet ? points : 0} of ${points}  ${name}`);
}
const missed = items.filter(([, , isMet]) => !isMet).map(([name]) => name);
conclude(missed.map((name) => `Missed: ${name}`), "14 of 14 offline points");
