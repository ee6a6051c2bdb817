// Runs the tests on Deno, Bun and Node and ends with one line for each.
// It runs without deno.json, so that it can say what it does before anything is installed.
import { Gate } from "./test/gate.ts";
import { PROOF_VARIABLE } from "../tests/_proof.ts";
import {
  plainEnvironment,
  skippedLine,
  type TestEnvironment,
  testEnvironment,
} from "./test/environment.ts";
import { type Counts, LANES, NODE_FOLDER, runPart } from "./test/lanes.ts";
import {
  commandLine,
  DENO,
  exists,
  listFiles,
  mustRun,
  remove,
  say,
} from "./project.ts";
import { judgeProof } from "./test/proof.ts";
import { isDealt, isSlow, SLOW, unknownIn } from "./test/slow.ts";
import { deal, partsOf, shuffle } from "./test/deal.ts";

const HELP = `Usage: npm test [-- [deno] [bun] [node] [flags]]

Runs the tests on Deno, Bun and Node, side by side, and ends with one line for each.

  deno, bun, node  these runtimes alone
  --quick          without the slow tests: those of the real CLI, those that start many programs, a few more
  --everywhere     slow tests on each runtime; else each of their files on one of those that run, by the seed
  --filter=TEXT    files whose path holds the text; those of tests/documents/ run only if the text begins so
  --seed=N         the order of an earlier run; each run prints its seed
  --limit=SECONDS  for each program of a runtime, 1500 unless given
  --jobs=N         programs at once, twice as many as there are cores unless given
  --help           prints this`;

const DEFAULT_LIMIT_S = 1_500;

/** Examples of the documents, a step of `npm run check`. */
const DOCUMENTS = "tests/documents/";

const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

const FLAGS: readonly string[] = [
  "everywhere",
  "filter",
  "help",
  "jobs",
  "limit",
  "quick",
  "seed",
];

const { names, flags: settings } = commandLine();
const limitS = Number(settings.get("limit") ?? DEFAULT_LIMIT_S);
const seed = Number(
  settings.get("seed") ?? Math.floor(Math.random() * 2 ** 31),
);

refuseUnknown();
const chosen = Object.keys(LANES)
  .filter((name) => names.length === 0 || names.includes(name));
const all = [
  ...await listFiles("tests", isTestFile),
  ...await listFiles("fleet/tests", isTestFile),
];
const filter = settings.get("filter") ?? "";
const wanted = all.filter((path) =>
  path.includes(filter) &&
  (filter.startsWith(DOCUMENTS) || !path.startsWith(DOCUMENTS))
);
const unknown = unknownIn(all);
if (unknown.length > 0) {
  refuse(`scripts/test/slow.ts names what is not there: ${unknown.join(" ")}`);
}
const files = shuffle(
  settings.has("quick") ? wanted.filter((path) => !isSlow(path)) : wanted,
  seed,
);
const dealt = settings.has("everywhere") || settings.has("filter")
  ? []
  : files.filter(isDealt);
const hands = deal(dealt, chosen.length);
if (files.length === 0) refuse("No test file is chosen");

await installDependencies();
const { env, skipped } = await environment();
const scratch = await Deno.makeTempDir({ prefix: "test_reports_" });
say(`Running ${files.length} test files (--seed=${seed})`);
if (dealt.length > 0 && chosen.length > 1) {
  say(
    `Of them ${dealt.length} slow ones, on one runtime each; on all with --everywhere`,
  );
}
if (files.length < wanted.length) {
  const why = Object.keys(SLOW).join("; ");
  say(`Left out for npm test alone: ${wanted.length - files.length} (${why})`);
}
const gate = new Gate(
  // File after file, a program waits about as long as it computes.
  Number(settings.get("jobs") ?? 2 * navigator.hardwareConcurrency),
);
const began = performance.now();
for (const name of chosen) await LANES[name]?.prepare?.();
const ends = new Map<string, Counts>();
await runAll();
const open = isWhole() ? await judgeProof(proofFolders()) : [];
await Deno.remove(scratch, { recursive: true });
await remove(NODE_FOLDER);

const counts = chosen.map((lane) => ends.get(lane) ?? NONE);
for (const [index, { passed, failed, skipped }] of counts.entries()) {
  say(
    `${chosen[index]}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
  );
}
const left = skippedLine(skipped);
if (left !== undefined) say(left);
const isGreen = counts.every(({ failed }) => failed === 0);
Deno.exit(isGreen && open.length === 0 ? 0 : 1);

/** Whether nothing is left out that proves a requirement: other systems, and one without the real CLI, skip tests. */
function isWhole(): boolean {
  return !settings.has("filter") && !settings.has("quick") &&
    Deno.build.os === "linux" &&
    env.SLUICE_TEST_CLI !== undefined;
}

/** Folders, by lane, in which tests note proven rows. */
function proofFolders(): ReadonlyMap<string, string> {
  return new Map(chosen.map((name) => [name, `${scratch}/proof_${name}`]));
}

/** Prints the usage for --help; an unknown word must not run everything. */
function refuseUnknown(): void {
  if (settings.has("help")) {
    say(HELP);
    Deno.exit(0);
  }
  for (const name of names) {
    if (!(name in LANES)) refuse(`No runtime "${name}"`);
  }
  for (const key of settings.keys()) {
    if (!FLAGS.includes(key)) refuse(`No flag "--${key}"`);
  }
}

function refuse(why: string): never {
  say(`${why}; see npm test -- --help`);
  Deno.exit(64);
}

function isTestFile(path: string): boolean {
  return path.endsWith("_test.ts") && !path.startsWith("tests/package/");
}

/** Bun and Node read `node_modules` as it is, even if outdated; Deno needs no network if it is up to date. */
async function installDependencies(): Promise<void> {
  if (!await exists("node_modules/bun")) {
    say("Installing dependencies into node_modules/ (about 440 MB, once)");
  }
  await mustRun(DENO, ["install", "--frozen", "--quiet"]);
}

function environment(): Promise<TestEnvironment> {
  return settings.has("quick")
    ? Promise.resolve({ env: quickEnvironment(), skipped: [] })
    : testEnvironment();
}

/** The few tests of the real CLI that are left are skipped, which they refuse in CI. */
function quickEnvironment(): Record<string, string> {
  const { SLUICE_TEST_CLI: _cli, CI: _ci, ...env } = plainEnvironment();
  return env;
}

/** Runs the files of all lanes, in several programs at once. */
async function runAll(): Promise<void> {
  // The short ones end a run, when a core may have no work. Node takes longest with slow files, Deno with the others: it has the scripts.
  const parts = [false, true].flatMap((isShort) =>
    (isShort ? chosen : chosen.toReversed()).flatMap((lane) =>
      partsOf(filesOf(lane), isShort).map((files) => ({ lane, files }))
    )
  );
  let left = parts.length;
  await Promise.all(parts.map(({ lane, files }) =>
    gate.run(async () => {
      const { said, ...counts } = await runPart({
        lane,
        files,
        seed,
        limitS,
        env: { ...env, [PROOF_VARIABLE]: proofFolders().get(lane) ?? "" },
      });
      ends.set(lane, sumOf(ends.get(lane) ?? NONE, counts));
      if (said !== undefined) say(said);
      const seconds = Math.round((performance.now() - began) / 1_000);
      say(`${lane}: ${files.length} files after ${seconds} s, left: ${--left}`);
    })
  ));
}

function sumOf(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

/** All files, and of those that are dealt out the lane's own. */
function filesOf(lane: string): readonly string[] {
  const own = hands[chosen.indexOf(lane)] ?? [];
  return files.filter((file) => !dealt.includes(file) || own.includes(file));
}
