// Compares the description of the protocol with runs of the CLI, and the official types with those of a newer release.
import { stderr } from "node:process";
import { parseArgs } from "node:util";
import { TESTED_VERSION } from "../src/options/versions.ts";
import { type Difference, lineDifferences } from "./drift/lines.ts";
import { readRuns, type RecordedLine } from "./drift/runs.ts";
import { CLI_PACKAGE, cliOf } from "./install/cli.ts";
import { newest, readJson, ROOT, say } from "./project.ts";

const HELP = `Usage: deno task drift [FLAGS]

Validates the lines of recorded runs against protocol.schema.json. Exits with 1 when a line does not fit or its kind
is not described, unless protocol/exceptions.json has a reason. Fields that are not described are only reported.
That the types fit the pinned official package is a test (tests/compat/types_test.ts).

  --runs=FOLDER       more recorded runs than those of tests/fixtures/transcripts
  --fresh             runs the real CLI over the scenarios of scripts/drift/fresh.ts, too
  --cli=VERSION       the CLI of --fresh: a version, "latest" or a path; the pinned one by default
  --official=VERSION  prints how the declarations of this release of the official package ("latest" for the newest)
                      differ from those of the pinned one, comments aside, and exits with 1 if they do
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
  : await (await import("./drift/declarations.ts"))
    .declarationChanges(flags.official);

if (flags.json) {
  const runsCount = runs.size;
  say(
    JSON.stringify(
      { runs: runsCount, open, notes, stale, declarations },
      null,
      2,
    ),
  );
} else {
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
Deno.exit(open.length + stale.length > 0 || declarations !== "" ? 1 : 0);

async function allRuns(): Promise<
  ReadonlyMap<string, readonly RecordedLine[]>
> {
  const folders = [
    new URL("tests/fixtures/transcripts/", ROOT),
    ...flags.runs ?? [],
  ];
  const recorded = await Promise.all(folders.map(readRuns));
  const fresh = flags.fresh
    ? await (await import("./drift/fresh.ts")).freshRuns(await cliPath())
    : [];
  return new Map([...recorded.flatMap((one) => [...one]), ...fresh]);
}

async function cliPath(): Promise<string> {
  const wanted = flags.cli ?? TESTED_VERSION;
  if (/[\\/]/.test(wanted)) return wanted;
  const version = wanted === "latest" ? await newest(CLI_PACKAGE) : wanted;
  const report = (line: string) => void stderr.write(`${line}\n`);
  return await cliOf(version, `.cli/drift-${version}`, report);
}

function shown({ path, what, where }: Difference): string {
  return `${path}: ${what} (${where})`;
}
