// Compares the description of the protocol with runs of the CLI, tries what each release of it can do, and compares the
// official types with those of a newer release.
import { stderr } from "node:process";
import { parseArgs } from "node:util";
import { MINIMUM_VERSION, TESTED_VERSION } from "../src/options/versions.ts";
import { type Difference, lineDifferences } from "./drift/lines.ts";
import { readRuns, type RecordedLine } from "./drift/runs.ts";
import { CLI_PACKAGE, cliOf } from "./install/cli.ts";
import { OFFICIAL } from "./install/official.ts";
import { newest, npm, readJson, ROOT, say } from "./project.ts";

const HELP = `Usage: deno task drift [FLAGS]

Validates the lines of recorded runs against protocol.schema.json. Exits with 1 when a line does not fit or its kind
is not described, unless protocol/exceptions.json has a reason. Fields that are not described are only reported.
That the types fit the pinned official package is a test (tests/compat/types_test.ts).

  --runs=FOLDER       more recorded runs than those of tests/fixtures/transcripts
  --fresh             plays the scenarios of scripts/drift/scenarios.ts on the real CLI, too; one that does not hold counts as
                      a difference
  --cli=A,B           the CLIs of --fresh: versions, "latest" or "oldest"; the pinned one by default. The lines of those
                      that are older than the description are not compared with it
  --official=VERSION  prints how the declarations of this release of the official package ("latest" for the newest)
                      differ from those of the pinned one, by npm diff, and exits with 1 if they do
  --json              prints one JSON object
  --help              prints this`;

/** A difference that is meant to stand. */
interface Exception {
  readonly path: string;
  readonly reason: string;
}

const { values: flags } = parseArgs({
  args: Deno.args.filter((one) => one !== "--"),
  options: {
    runs: { type: "string", multiple: true },
    fresh: { type: "boolean" },
    cli: { type: "string" },
    official: { type: "string" },
    json: { type: "boolean" },
    help: { type: "boolean" },
  },
});
if (flags.help) {
  say(HELP);
  Deno.exit(0);
}

const report = (line: string) => void stderr.write(`${line}\n`);
const broken: string[] = [];
const runs = await allRuns();
const exceptions = await readJson<readonly Exception[]>(
  "protocol/exceptions.json",
);
const differences = lineDifferences(
  await readJson("protocol.schema.json"),
  runs,
);
const isExcused = ({ path }: Difference) =>
  exceptions.some((one) => one.path === path);
const notes = differences.filter((one) => one.isNote && !isExcused(one));
const open = differences.filter((one) => !one.isNote && !isExcused(one));
const stale = exceptions.filter(({ path }) =>
  !differences.some((one) => one.path === path)
);
const declarations = flags.official === undefined
  ? ""
  : await declarationChanges(flags.official);

if (flags.json) {
  const runsCount = runs.size;
  say(
    JSON.stringify(
      { runs: runsCount, broken, open, notes, stale, declarations },
      null,
      2,
    ),
  );
} else {
  for (const one of broken) say(`broken   ${one}`);
  for (const one of open) say(`differs  ${shown(one)}`);
  for (const one of notes) say(`new      ${shown(one)}`);
  for (const { path } of stale) say(`stale    ${path}: no such difference`);
  if (declarations !== "") say(declarations);
  say(
    `Runs: ${runs.size}, differences: ${open.length}, new fields: ${notes.length}, excused: ${
      exceptions.length - stale.length
    }`,
  );
}
Deno.exit(
  broken.length + open.length + stale.length > 0 || declarations !== "" ? 1 : 0,
);

async function allRuns(): Promise<
  ReadonlyMap<string, readonly RecordedLine[]>
> {
  const folders = [
    new URL("tests/fixtures/transcripts/", ROOT),
    ...flags.runs ?? [],
  ];
  const recorded = await Promise.all(folders.map(readRuns));
  return new Map([
    ...recorded.flatMap((one) => [...one]),
    ...flags.fresh ? await freshRuns() : [],
  ]);
}

async function freshRuns(): Promise<
  readonly (readonly [string, readonly RecordedLine[]])[]
> {
  const { playAll } = await import("./drift/fresh.ts");
  const fresh: (readonly [string, readonly RecordedLine[]])[] = [];
  for (const wanted of (flags.cli ?? TESTED_VERSION).split(",")) {
    const version = wanted === "latest"
      ? await newest(CLI_PACKAGE)
      : wanted === "oldest"
      ? MINIMUM_VERSION
      : wanted;
    const path = await cliOf(version, `.versions/${version}`, report);
    for await (const { name, problem, lines } of playAll({ path, version })) {
      report(`${version}  ${name}: ${problem ?? "holds"}`);
      if (problem !== undefined) broken.push(`${version} ${name}: ${problem}`);
      fresh.push([`fresh/${version}/${name}`, lines]);
    }
  }
  return fresh;
}

async function declarationChanges(version: string): Promise<string> {
  const released = OFFICIAL.replace(/@[^@]*$/, `@${version}`);
  const flags = [OFFICIAL, released].map((one) => `--diff=${one}`);
  return (await npm(["diff", ...flags, "sdk.d.ts"])).trimEnd();
}

function shown({ path, what, where }: Difference): string {
  return `${path}: ${what} (${where})`;
}
