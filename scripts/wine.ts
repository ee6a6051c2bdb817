// Runs tests with the Windows builds of the three runtimes, under Wine: no Windows, but nearer to it than injected platforms.
//
//   deno task wine                          node, bun, deno; one line for each at the end
//   deno task wine -- node --filter=cli/    one runtime, files whose path holds the text
//   deno task wine -- --json                the counts, failures and skips as JSON, on stdout alone
//
// It needs Linux, root, debootstrap, and the first time Debian's packages and npm's. WINE_LANE_DIR names its folder,
// WINE_LANE_MIRROR another mirror of Debian.
import { stderr } from "node:process";
import { parseJunit, type TestCase } from "./test/lanes.ts";
import { compiledPath, PARTS, writeNodeTree } from "./test/node_lane.mjs";
import {
  commandLine,
  jsonText,
  listFiles,
  mustRun,
  readConfig,
  ROOT_PATH,
  RUNTIME_PACKAGES,
  say,
} from "./project.ts";
import {
  whyNoWine,
  WINE_RUNTIMES,
  type WineRoot,
  wineRoot,
} from "./wine/root.ts";

/** What is worth running there: everything that meets the system. */
const FILES =
  /^tests\/(cli|process|runtime|session)\/|^tests\/(windows|mcp\/stdio|mcp\/windows)_test\.ts$/;
/** The folder of the sources on drive C:, which is where they have to be. */
const TREE = "sluice";
/** One file, in milliseconds. */
const LIMIT_MS = 120_000;
/** What fails for what Wine does otherwise than Windows: test and reason; counted as skipped. */
const WINE_ALONE: Readonly<Record<string, string>> = Object.fromEntries(
  ["SIGTERM", "SIGKILL"].flatMap((signal) =>
    ["handle", "process id"].map((way) => [
      `${signal} by its ${way} ends a program that waits, on every system`,
      "Wine lets a process that is gone be ended once more while its handle is open",
    ])
  ),
);
/** Cannot be run here. */
const UNAVAILABLE = 69;

/** How each runtime runs a test file and writes a JUnit report. */
const ARGUMENTS: Readonly<
  Record<string, (file: string, report: string) => readonly string[]>
> = {
  node: (file, report) => [
    "--enable-source-maps",
    "--test-reporter=junit",
    `--test-reporter-destination=${report}`,
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    compiledPath(file),
  ],
  bun: (file, report) => [
    "test",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    `./${file}`,
  ],
  deno: (file, report) => [
    "test",
    "-A",
    "--no-check",
    "--no-lock",
    `--junit-path=${report}`,
    file,
  ],
};

/** How the tests of a runtime ended. */
interface LaneEnd {
  readonly runtime: string;
  readonly version: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly {
    readonly test: string;
    readonly text: string;
  }[];
  /** How many tests are skipped for a reason; a runtime that does not tell reasons has Node's. */
  readonly skips: Readonly<Record<string, number>>;
}

const { names, flags } = commandLine();
const filter = flags.get("filter") ?? "";
const isJson = flags.has("json");
const unknown = [
  ...names.filter((one) => !WINE_RUNTIMES.includes(one)),
  ...[...flags.keys()].filter((one) => !["filter", "json"].includes(one)),
];
if (unknown.length > 0) refuse(64, `No runtime or flag ${unknown.join(", ")}`);
const problem = await whyNoWine();
if (problem !== undefined) refuse(UNAVAILABLE, `Cannot run here: ${problem}`);

const runtimes = names.length === 0 ? WINE_RUNTIMES : names;
const root = await wineRoot(runtimes);
tell(`Wine ${root.wine} in ${root.drive}`);
await writeTrees(root);
const files = (await listFiles("tests", (path) => path.endsWith("_test.ts")))
  .filter((path) => FILES.test(path) && path.includes(filter));
const reasons = new Map<string, string>();
const ends: LaneEnd[] = [];
for (const runtime of runtimes) ends.push(await runLane(runtime));
await root.endAll();

if (isJson) {
  const { wine } = root;
  say(JSON.stringify({ wine, files: files.length, lanes: ends }, null, 2));
}
for (const { runtime, failures, skips } of ends) {
  for (const { test, text } of failures) {
    tell(`wine ${runtime}: FAILED ${test}\n${indented(text)}`);
  }
  for (const [reason, count] of Object.entries(skips)) {
    tell(`wine ${runtime}: ${count} skipped: ${reason}`);
  }
}
for (const { runtime, passed, failed, skipped } of ends) {
  tell(
    `wine ${runtime}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
  );
}
Deno.exit(ends.every(({ failed }) => failed === 0) ? 0 : 1);

async function runLane(runtime: string): Promise<LaneEnd> {
  const version = root.versions[runtime] ?? "";
  tell(`${runtime} ${version}: ${files.length} files`);
  const cases: TestCase[] = [];
  for (const file of files) cases.push(...await runFile(runtime, file));
  const skips: Record<string, number> = {};
  for (const { name, outcome, text } of cases) {
    if (outcome !== "skipped") continue;
    if (text !== "") reasons.set(name, text);
    const reason = reasons.get(name) ?? "for a reason that is not told";
    skips[reason] = (skips[reason] ?? 0) + 1;
  }
  const count = (outcome: TestCase["outcome"]) =>
    cases.filter((one) => one.outcome === outcome).length;
  return {
    runtime,
    version,
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("skipped"),
    failures: cases.filter(({ outcome }) => outcome === "failed")
      .map(({ name, text }) => ({ test: name, text })),
    skips,
  };
}

/** Runs one file in a program of its own; its output goes to a file, since Wine's pipes are none of Linux. */
async function runFile(
  runtime: string,
  file: string,
): Promise<readonly TestCase[]> {
  const tree = runtime === "node" ? `${TREE}/.lane` : TREE;
  const name = `${runtime}-${file.replaceAll(/\W+/g, "_")}`;
  const reports = `${root.drive}/reports`;
  const args = ARGUMENTS[runtime]?.(file, `C:\\reports\\${name}.xml`) ?? [];
  const [command, ...rest] = root.command([
    `C:\\runtimes\\${runtime}\\${runtime}.exe`,
    ...args,
  ], tree);
  const child = new Deno.Command("sh", {
    args: [
      "-c",
      'out=$1; shift; exec "$@" >"$out" 2>&1 </dev/null',
      "sh",
      `${reports}/${name}.txt`,
      command,
      ...rest,
    ],
    cwd: ROOT_PATH,
  }).spawn();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, LIMIT_MS);
  const { code } = await child.status;
  clearTimeout(timer);
  if (isLate) await root.endAll();
  const report = await read(`${reports}/${name}.xml`);
  const cases = parseJunit(report).map(judged);
  const isBroken = code !== 0 &&
    parseJunit(report).every(({ outcome }) => outcome !== "failed");
  tell(
    `  ${file}: ${cases.length} tests${isBroken || isLate ? ", broken" : ""}`,
  );
  if (!isBroken && !isLate) return cases;
  const output = await read(`${reports}/${name}.txt`);
  const how = isLate ? `took over ${LIMIT_MS} ms` : `exited with ${code}`;
  const text = `${how}:\n${output.trimEnd().split("\n").slice(-30).join("\n")}`;
  return [...cases, { name: file, outcome: "failed", text, seconds: 0 }];
}

function judged(one: TestCase): TestCase {
  const text = WINE_ALONE[one.name];
  return one.outcome === "failed" && text !== undefined
    ? { ...one, outcome: "skipped", text }
    : one;
}

/** The sources as Deno and Bun run them, and below them as Node does; what npm installed stays. */
async function writeTrees({ drive }: WineRoot): Promise<void> {
  const target = `${drive}/${TREE}`;
  const old = [...PARTS, ".lane"].map((part) => `${target}/${part}`);
  await mustRun("rm", ["-rf", `${drive}/reports`, ...old]);
  await mustRun("mkdir", ["-p", `${drive}/reports`, `${target}/.lane`]);
  await mustRun("cp", ["-r", ...PARTS, target]);
  await writeNodeTree(`${target}/.lane`);
  const { imports, ...config } = await readConfig();
  const { name, exports } = config;
  const versions = [...RUNTIME_PACKAGES, "@sinclair/typebox"].map((one) => [
    one,
    imports[one]?.replace(`npm:${one}@`, "") ?? "*",
  ]);
  // Nothing is fetched there.
  const deno = {
    ...config,
    nodeModulesDir: "manual",
    lock: false,
    workspace: undefined,
  };
  await Deno.writeTextFile(`${target}/deno.json`, jsonText(deno));
  const dependencies = Object.fromEntries(versions);
  const manifest = jsonText({ name, type: "module", exports, dependencies });
  const file = `${target}/package.json`;
  if (await read(file) === manifest) return;
  tell("Installing npm packages, flat");
  await Deno.writeTextFile(file, manifest);
  await mustRun("npm", [
    "install",
    "--silent",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--install-strategy=hoisted",
  ], { cwd: target });
}

async function read(path: string): Promise<string> {
  return await Deno.readTextFile(path).catch(() => "");
}

function indented(text: string): string {
  return text.split("\n").slice(0, 30).map((line) => `    ${line}`).join("\n");
}

/** Says it where it is no part of the JSON. */
function tell(text: string): void {
  if (isJson) stderr.write(`${text}\n`);
  else say(text);
}

function refuse(code: number, why: string): never {
  tell(`wine: ${why}`);
  Deno.exit(code);
}
