// Runs the tests on Deno, Bun and Node and ends with one line for each.
//
//   npm test                           all three
//   npm test -- bun node               these two
//   npm test -- deno --filter=stream/  files whose path holds the text
//   npm test -- --seed=42              the order of an earlier run
//   npm test -- --limit=600            seconds for each runtime, 420 unless given
//   npm test -- --verbose              the output of the runtimes as it comes
import { stdout } from "node:process";
import { stop as stopEsbuild } from "esbuild";
import { PROOF_VARIABLE } from "../tests/_proof.ts";
import { installCli } from "./install_cli.ts";
import { parseJunit, type TestCase } from "./junit.ts";
import { compiledPath, writeNodeTree } from "./node_lane.mjs";
import {
  BUN,
  DENO,
  exists,
  listFiles,
  mustRun,
  remove,
  ROOT_PATH,
  say,
} from "./project.ts";
import { judgeProof } from "./proof.ts";
import { supervise } from "./supervise.ts";

/** One runtime and how it runs test files. */
interface Lane {
  readonly name: string;
  /** Whether it runs several files at once, and so fills the machine by itself. */
  readonly isParallel?: boolean;
  /** Program and arguments; the run writes a JUnit report to the given file. */
  command(
    files: readonly string[],
    report: string,
  ): readonly [string, ...string[]];
  /** What must be there before. */
  prepare?(): Promise<void>;
}

/** How a lane ended. */
interface LaneEnd {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const DEFAULT_LIMIT_S = 420;
/** Milliseconds for one file on Node, which waits for handles that a test left open. */
const NODE_FILE_LIMIT_MS = 180_000;
const NODE_TREE = ".lane/all";

/** The developer's own agent must not reach a test. */
const PRIVATE_VARIABLES =
  /^(ANTHROPIC_|CLAUDE|NODE_OPTIONS$|NODE_TEST_CONTEXT$|DEBUG$)/;

const settings = new Map(
  Deno.args.filter((one) => one.startsWith("--")).map((one) => {
    const [key = "", value = ""] = one.slice(2).split("=", 2);
    return [key, value];
  }),
);
const limitS = Number(settings.get("limit") ?? DEFAULT_LIMIT_S);
const seed = Number(
  settings.get("seed") ?? Math.floor(Math.random() * 2 ** 31),
);

const lanes: readonly Lane[] = [
  {
    name: "deno",
    command: (files, report) => [
      DENO,
      "test",
      "-A",
      "--no-check",
      `--shuffle=${seed}`,
      `--junit-path=${report}`,
      ...files,
    ],
  },
  {
    name: "bun",
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
    isParallel: true,
    prepare: async () => {
      await remove(NODE_TREE);
      await writeNodeTree(ROOT_PATH + NODE_TREE);
      stopEsbuild();
    },
    command: (files, report) => [
      "node",
      "--enable-source-maps",
      "--test",
      `--test-concurrency=${Math.min(4, navigator.hardwareConcurrency)}`,
      `--test-timeout=${NODE_FILE_LIMIT_MS}`,
      "--test-reporter=junit",
      `--test-reporter-destination=${report}`,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      ...shuffle(files).map((file) => `${NODE_TREE}/${compiledPath(file)}`),
    ],
  },
];

const names = Deno.args.filter((one) => !one.startsWith("--"));
const chosen = names.length === 0
  ? lanes
  : lanes.filter(({ name }) => names.includes(name));
const files = await listFiles("tests", isChosenFile);
if (chosen.length === 0 || files.length === 0) {
  say(`Nothing to run: lanes ${names.join(", ")}, ${files.length} test files`);
  Deno.exit(64);
}

await installDependencies();
const env = await environment();
const scratch = await Deno.makeTempDir({ prefix: "test_reports_" });
// A lane that runs file after file waits more than it computes, so these share the machine.
const ends: LaneEnd[] = await Promise.all(
  chosen.filter(({ isParallel }) => !isParallel).map(runLane),
);
for (const lane of chosen) if (lane.isParallel) ends.push(await runLane(lane));
const open = isWhole() ? await judgeProof(proofFolders()) : [];
await Deno.remove(scratch, { recursive: true });

for (const { name, passed, failed, skipped } of ends) {
  say(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
}
Deno.exit(ends.every(isGreen) && open.length === 0 ? 0 : 1);

/** Whether nothing is left out that proves a requirement: other systems, and one without the real CLI, skip tests. */
function isWhole(): boolean {
  return !settings.has("filter") && Deno.build.os === "linux" &&
    env.SLUICE_TEST_CLI !== undefined;
}

/** Where the tests of each lane note what they prove. */
function proofFolders(): ReadonlyMap<string, string> {
  return new Map(chosen.map(({ name }) => [name, `${scratch}/proof_${name}`]));
}

function isChosenFile(path: string): boolean {
  return path.endsWith("_test.ts") && !path.startsWith("tests/package/") &&
    path.includes(settings.get("filter") ?? "");
}

/** After a fresh clone `deno task` has not made `node_modules` yet, and Bun and Node read nothing else. */
async function installDependencies(): Promise<void> {
  if (await exists("node_modules/bun")) return;
  say("Installing dependencies into node_modules/");
  await mustRun(DENO, ["install", "--frozen"]);
}

async function environment(): Promise<Record<string, string>> {
  const inherited = Object.entries(Deno.env.toObject())
    .filter(([name]) => !PRIVATE_VARIABLES.test(name));
  const env = Object.fromEntries(inherited);
  env.NO_COLOR = "1";
  if (env.SLUICE_TEST_CLI !== undefined) return env;
  const installed = await installCli();
  if ("path" in installed) env.SLUICE_TEST_CLI = installed.path;
  else say(`${installed.problem}\nTests of the real CLI are skipped`);
  return env;
}

async function runLane({ name, command, prepare }: Lane): Promise<LaneEnd> {
  await prepare?.();
  say(`${name}: running ${files.length} test files (--seed=${seed})`);
  const report = `${scratch}/${name}.xml`;
  const [program, ...args] = command(files, report);
  const end = await supervise({
    command: program,
    args,
    env: { ...env, [PROOF_VARIABLE]: proofFolders().get(name) ?? "" },
    limitMs: limitS * 1000,
    ...(settings.has("verbose") &&
      { onOutput: (bytes: Uint8Array) => void stdout.write(bytes) }),
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
    say(`${name}: ${how}, its last output:\n${lastLines(end.output, 60)}`);
  }
  return { name, passed, failed, skipped };
}

function sayFailure(lane: string, { name, text }: TestCase): void {
  const indented = text.split("\n").slice(0, 40).map((line) => `    ${line}`);
  say(`${lane}: FAILED ${name}\n${indented.join("\n")}`);
}

/** Node tells of a file that fails outside of its tests without saying why. */
function isWholeFile({ name }: TestCase): boolean {
  return name.endsWith("_test.js");
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}

function isGreen({ failed }: LaneEnd): boolean {
  return failed === 0;
}

/** The same order for the same seed: Node has no such flag. */
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
