// Runs the tests on Deno, Bun and Node and ends with one line for each.
// It runs without deno.json, so that it can say what it does before anything is installed.
import { stdout } from "node:process";
import { Gate } from "../src/async/gate.ts";
import { PROOF_VARIABLE } from "../tests/_proof.ts";
import {
  plainEnvironment,
  skippedLine,
  type TestEnvironment,
  testEnvironment,
} from "./test/environment.ts";
import {
  isWholeFile,
  parseJunit,
  type Progress,
  showProgress,
  supervise,
  type TestCase,
} from "./test/lanes.ts";
import {
  BUN,
  commandLine,
  DENO,
  exists,
  listFiles,
  mustRun,
  remove,
  ROOT_PATH,
  say,
} from "./project.ts";
import { judgeProof } from "./test/proof.ts";
import { isDealt, isSlow, SLOW, unknownIn } from "./test/slow.ts";

const HELP = `Usage: npm test [-- [deno] [bun] [node] [flags]]

Runs the tests on Deno, Bun and Node, side by side, and ends with one line for each.

  deno, bun, node  these runtimes alone
  --quick          without the slow tests: those of the real CLI, those that start many programs, a few more
  --everywhere     slow tests on each runtime; else each of their files on one of those that run, by the seed
  --filter=TEXT    files whose path holds the text
  --seed=N         the order of an earlier run; each run prints its seed
  --limit=SECONDS  for each runtime, 900 unless given
  --jobs=N         programs at once, twice as many as there are cores unless given
  --slowest=N      names the N slowest tests of each runtime
  --verbose        the output of the runtimes as it comes
  --help           prints this`;

/** One runtime and how it runs test files. */
interface Lane {
  readonly name: string;
  /** The line of its output that says that a file begins. */
  readonly begins: RegExp;
  /** Program and arguments; the run writes a JUnit report to the given file. */
  command(
    files: readonly string[],
    report: string,
  ): readonly [string, ...string[]];
  /** What it needs before the first of its programs starts. */
  prepare?(): Promise<unknown>;
}

/** How a lane ended. */
interface LaneEnd {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cases: readonly TestCase[];
}

const DEFAULT_LIMIT_S = 900;
/** Into how many programs the files of a runtime go: with many small ones no core is left without work at the end. */
const MOST_PARTS = 6;
/** Files for which a program of their own is worth its start. */
const FILES_OF_PART = 30;

/** Where the tests of Node find all files as JavaScript. */
const NODE_FOLDER = `.lane/${Deno.pid}`;
const NODE_TREE = `--tree=${NODE_FOLDER}`;

const FLAGS: readonly string[] = [
  "everywhere",
  "filter",
  "help",
  "jobs",
  "limit",
  "quick",
  "seed",
  "slowest",
  "verbose",
];

const { names, flags: settings } = commandLine();
const limitS = Number(settings.get("limit") ?? DEFAULT_LIMIT_S);
const seed = Number(
  settings.get("seed") ?? Math.floor(Math.random() * 2 ** 31),
);

const lanes: readonly Lane[] = [
  {
    name: "deno",
    begins: /^begins /,
    command: (_files, report) => [
      DENO,
      "test",
      "-A",
      "--no-check",
      `--junit-path=${report}`,
      "scripts/test/part.mjs",
    ],
  },
  {
    name: "bun",
    begins: /^(?:fleet\/)?tests\/\S+_test\.ts:$/,
    command: (files, report) => [
      BUN,
      "test",
      "--randomize",
      `--seed=${seed}`,
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...files.map((file) => `./${file}`),
    ],
  },
  {
    name: "node",
    begins: /^begins /,
    prepare: () => mustRun("node", ["scripts/node_test.mjs", NODE_TREE]),
    command: (files, report) => [
      "node",
      "scripts/node_test.mjs",
      NODE_TREE,
      "--test-reporter=junit",
      `--test-reporter-destination=${report}`,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      ...files,
    ],
  },
];

refuseUnknown();
const chosen = names.length === 0
  ? lanes
  : lanes.filter(({ name }) => names.includes(name));
const all = [
  ...await listFiles("tests", isTestFile),
  ...await listFiles("fleet/tests", isTestFile),
];
const wanted = all.filter((path) =>
  path.includes(settings.get("filter") ?? "")
);
const unknown = unknownIn(all);
if (unknown.length > 0) {
  refuse(`scripts/test/slow.ts names what is not there: ${unknown.join(" ")}`);
}
const files = shuffle(
  settings.has("quick") ? wanted.filter((path) => !isSlow(path)) : wanted,
);
const dealt = settings.has("everywhere") || settings.has("filter")
  ? []
  : files.filter(isDealt);
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
const progress: Progress = showProgress(
  new Map(
    chosen.map((lane) => [
      lane.name,
      { begins: lane.begins, files: filesOf(lane).length },
    ]),
  ),
);
const gate = new Gate(
  // File after file, a program waits about as long as it computes.
  Number(settings.get("jobs") ?? 2 * navigator.hardwareConcurrency),
);
for (const lane of chosen) await lane.prepare?.();
// Node takes longest, so that its programs are the first.
const running = chosen.toReversed().map(runLane);
const ends: LaneEnd[] = (await Promise.all(running)).toReversed();
progress.stop();
const open = isWhole() ? await judgeProof(proofFolders()) : [];
await Deno.remove(scratch, { recursive: true });
await remove(NODE_FOLDER);

for (const end of ends) saySlowest(end);
for (const { name, passed, failed, skipped } of ends) {
  say(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
}
const left = skippedLine(skipped);
if (left !== undefined) say(left);
Deno.exit(ends.every(isGreen) && open.length === 0 ? 0 : 1);

/** Whether nothing is left out that proves a requirement: other systems, and one without the real CLI, skip tests. */
function isWhole(): boolean {
  return !settings.has("filter") && !settings.has("quick") &&
    Deno.build.os === "linux" &&
    env.SLUICE_TEST_CLI !== undefined;
}

/** Where the tests of each lane note what they prove. */
function proofFolders(): ReadonlyMap<string, string> {
  return new Map(chosen.map(({ name }) => [name, `${scratch}/proof_${name}`]));
}

/** Says the usage when it is asked for; a word that nobody knows must not run everything. */
function refuseUnknown(): void {
  if (settings.has("help")) {
    say(HELP);
    Deno.exit(0);
  }
  for (const name of names) {
    if (!lanes.some((one) => one.name === name)) refuse(`No runtime "${name}"`);
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

/** Bun and Node read `node_modules` as it is, however old; Deno asks nobody when it is right. */
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

/** Runs the files of a lane in several programs at once. */
async function runLane(lane: Lane): Promise<LaneEnd> {
  const parts = deal(filesOf(lane));
  const ends = await Promise.all(parts.map((part, index) => {
    const report = `${scratch}/${lane.name}_${index}.xml`;
    return gate.run(() => runPart(lane, part, report), undefined);
  }));
  progress.end(lane.name);
  const sum = (key: "passed" | "failed" | "skipped") =>
    ends.reduce((count, end) => count + end[key], 0);
  return {
    name: lane.name,
    passed: sum("passed"),
    failed: sum("failed"),
    skipped: sum("skipped"),
    cases: ends.flatMap(({ cases }) => cases),
  };
}

async function runPart(
  { name, command }: Lane,
  part: readonly string[],
  report: string,
): Promise<LaneEnd> {
  const [program, ...args] = command(part, report);
  const end = await supervise({
    command: program,
    args,
    env: {
      ...env,
      [PROOF_VARIABLE]: proofFolders().get(name) ?? "",
      SLUICE_TEST_FILES: JSON.stringify(part.map((file) => ROOT_PATH + file)),
    },
    limitMs: limitS * 1000,
    onOutput: (bytes) => {
      if (settings.has("verbose")) stdout.write(bytes);
      else progress.hear(name, bytes);
    },
  });
  const cases = parseJunit(await Deno.readTextFile(report).catch(() => ""));
  const failures = cases.filter(({ outcome }) => outcome === "failed");
  for (const failure of failures) sayFailure(name, failure);
  const count = (outcome: TestCase["outcome"]) =>
    cases.filter((one) => one.outcome === outcome).length;
  const passed = count("passed");
  const skipped = count("skipped");
  let failed = failures.length;
  // An error outside of a test shows in the exit code alone, and no report may mean no run.
  const isBroken = failed === 0 && (end.code !== 0 || cases.length === 0);
  if (isBroken || end.isOverrun) failed++;
  if (isBroken || end.isOverrun || failures.some(isWholeFile)) {
    const how = end.isOverrun
      ? `was killed after ${limitS} s`
      : `exited with ${end.code}`;
    progress.say(
      `${name}: ${how}, its last output:\n${lastLines(end.output, 60)}`,
    );
  }
  return { name, passed, failed, skipped, cases };
}

/** All files, and of those that are dealt out the lane's own. */
function filesOf(lane: Lane): readonly string[] {
  const own = chosen.indexOf(lane);
  return files.filter((file) => {
    const card = dealt.indexOf(file);
    return card === -1 || card % chosen.length === own;
  });
}

/** Like cards, so that neighbours in the order do not end up in one hand. */
function deal(items: readonly string[]): readonly (readonly string[])[] {
  const count = Math.min(MOST_PARTS, Math.ceil(items.length / FILES_OF_PART));
  return Array.from(
    { length: count },
    (_, hand) => items.filter((_item, index) => index % count === hand),
  );
}

function saySlowest({ name, cases }: LaneEnd): void {
  const count = Number(settings.get("slowest") ?? 0);
  const slowest = cases.toSorted((a, b) => b.seconds - a.seconds);
  for (const { seconds, name: test } of slowest.slice(0, count)) {
    say(`${name}: ${seconds.toFixed(1)} s ${test}`);
  }
}

function sayFailure(lane: string, { name, text }: TestCase): void {
  const indented = text.split("\n").slice(0, 40).map((line) => `    ${line}`);
  progress.say(`${lane}: FAILED ${name}\n${indented.join("\n")}`);
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}

function isGreen({ failed }: LaneEnd): boolean {
  return failed === 0;
}

/** The same order for the same seed. */
function shuffle<T>(items: readonly T[]): readonly T[] {
  let state = seed;
  return items
    .map((item) => {
      // A linear congruential generator is random enough for an order.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return { item, key: state };
    })
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
