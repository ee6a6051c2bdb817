// Changes the source, one fault at a time, and tells which changes no test notices.
import { judgeMutants, type Outcome, type Verdict } from "./mutants/judge.ts";
import { changedText, readRows, type Row } from "./mutants/rows.ts";
import { commandLine, conclude, ROOT_PATH, say } from "./project.ts";
import { testEnvironment } from "./test/environment.ts";

const HELP = `Usage: deno task mutants [-- flags]

Applies each change of tests/mutants/<room>.json to a copy of the tree and runs its tests on Deno.

  --room=A,B   these lists alone
  --only=TEXT  mutants whose file or description holds the text
  --jobs=N     mutants at once, 2 unless given
  --least=N    exits with 1 when fewer percent are killed, 95 unless given
  --check      runs no tests, only looks for stale mutants
  --help       prints this

A mutant is killed when a test fails or hangs, alive when all pass. It is stale when its text is not found exactly once,
and red when its tests fail without it or the changed file does not load; both are errors, exit code 1.`;

const FLAGS = ["room", "only", "jobs", "least", "check", "help"];
const OUTCOMES = ["killed", "alive", "stale", "red"] as const;

const { names, flags } = commandLine();
if (flags.has("help")) {
  say(HELP);
  Deno.exit(0);
}
const unknown = [
  ...names,
  ...[...flags.keys()].filter((key) => !FLAGS.includes(key))
    .map((key) => `--${key}`),
];
if (unknown.length > 0) refuse(`Unknown argument: ${unknown.join(", ")}`);
const jobs = Number(flags.get("jobs") ?? 2);
const least = Number(flags.get("least") ?? 95);
if (!(Number.isInteger(jobs) && jobs > 0)) {
  refuse("--jobs must be a whole number above 0");
}
if (!(least >= 0 && least <= 100)) refuse("--least must be from 0 to 100");

const all = await readRows(ROOT_PATH);
const rooms = flags.get("room")?.split(",");
const only = flags.get("only") ?? "";
const missing = rooms?.find((room) => !all.some((row) => row.room === room));
if (missing !== undefined) refuse(`No list tests/mutants/${missing}.json`);
const rows = all.filter(({ room, file, what }) =>
  (rooms === undefined || rooms.includes(room)) &&
  (file.includes(only) || what.includes(only))
);
if (rows.length === 0) refuse("No mutant is chosen");
if (flags.has("check")) await check();

const verdicts = await judgeMutants({
  root: ROOT_PATH.replace(/[\\/]$/, ""),
  rows,
  jobs,
  env: (await testEnvironment()).env,
  onVerdict: sayVerdict,
});
say("");
for (const verdict of verdicts) {
  if (verdict.outcome === "alive") sayVerdict(verdict);
}
const [killed, alive, ...unsound] = OUTCOMES.map(count);
const percent = killed === 0 ? 0 : 100 * killed! / (killed! + alive!);
const counts = OUTCOMES.map((outcome) => `${count(outcome)} ${outcome}`);
say(`mutants: ${counts.join(", ")} (${percent.toFixed(1)} %)`);
Deno.exit(unsound.every((n) => n === 0) && percent >= least ? 0 : 1);

function refuse(why: string): never {
  say(`${why}; see deno task mutants -- --help`);
  Deno.exit(64);
}

async function check(): Promise<never> {
  const problems: string[] = [];
  for (const row of rows) {
    await changedText(ROOT_PATH, row).catch((error: Error) =>
      problems.push(`stale ${nameOf(row)}: ${error.message}`)
    );
  }
  return conclude(problems, `${rows.length} mutants fit the tree`);
}

function sayVerdict({ row, outcome, why }: Verdict): void {
  say(
    `${outcome.padEnd(6)} ${nameOf(row)}${why === "" ? "" : `\n       ${why}`}`,
  );
}

function nameOf({ room, file, what }: Row): string {
  return `${room} ${file}: ${what}`;
}

function count(outcome: Outcome): number {
  return verdicts.filter((one) => one.outcome === outcome).length;
}
