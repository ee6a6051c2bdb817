// Runs the programs of tests/compat/programs on the official package and on ours, with the real CLI, and prints where
// they differ.
//
//   deno task compat                 all programs
//   deno task compat hello abort     these
//   deno task compat --write         and keeps what they printed on the official package, and its names, for the tests
import {
  differences,
  moduleOf,
  PROGRAMS,
  take,
} from "../tests/compat/_side_by_side.ts";
import { officialNames } from "./official_names.ts";
import { exists, mustRun, ROOT, say, writeJson } from "./project.ts";

const OFFICIAL = "@anthropic-ai/claude-agent-sdk@0.3.330";
const FOLDER = new URL(".official/", ROOT);
const EXPECTED = "tests/compat/expected.json";
const NAMES = "tests/compat/official_exports.json";
const AT_ONCE = 2;

const names = Deno.args.filter((one) => !one.startsWith("--"));
const isWriting = Deno.args.includes("--write");
const cli = Deno.env.get("SLUICE_TEST_CLI") ??
  new URL(".cli/node_modules/.bin/claude", ROOT).pathname;
const official = await install();

const waiting = [...names.length === 0 ? PROGRAMS : names];
const expected: Record<string, readonly string[]> = {};
let differing = 0;
await Promise.all(Array.from({ length: AT_ONCE }, work));
if (isWriting) {
  const before = await exists(EXPECTED)
    ? JSON.parse(await Deno.readTextFile(new URL(EXPECTED, ROOT)))
    : {};
  const all = Object.entries({ ...before, ...expected });
  all.sort(([a], [b]) => a < b ? -1 : 1);
  await writeJson(EXPECTED, Object.fromEntries(all));
  await writeJson(NAMES, {
    package: OFFICIAL,
    entries: await officialNames(new URL("./", official)),
  });
}
say(
  differing === 0
    ? "All programs do the same on both packages"
    : `${differing} programs differ`,
);
if (differing > 0) Deno.exitCode = 1;

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const theirs = await take(name, official, cli, true);
    const own = await take(name, "", cli, true);
    expected[name] = theirs.printed;
    const { differs } = await moduleOf(name);
    const found = differences(theirs, own, differs?.parts);
    if (found.length > 0) differing++;
    const left = `left ${theirs.left}/${own.left}`;
    say(
      `${name.padEnd(28)} ${
        found.length > 0 ? "DIFFERS" : differs === undefined ? "same" : "other"
      }  ${left}`,
    );
    if (differs !== undefined) say(`  ${differs.why}`);
    for (const one of found) say(`  ${one}`);
  }
}

/** The official package, in a folder that git does not see. */
async function install(): Promise<string> {
  const path = "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs";
  if (!await exists(`.official/${path}`)) {
    await Deno.mkdir(FOLDER, { recursive: true });
    const flags = ["--omit=optional", "--no-audit", "--no-fund", "--silent"];
    await mustRun("npm", [
      "install",
      "--prefix",
      FOLDER.pathname,
      ...flags,
      OFFICIAL,
    ]);
  }
  return new URL(path, FOLDER).href;
}
