// Measures the speed goals: this package, a minimal hand-written client with
// the same rules ("limit") and the official SDK, interleaved, on each runtime.
//
//   npm run bench                                  over twenty minutes
//   npm run bench -- --quick                       a first look, two minutes
//   npm run bench -- --rounds=9 --runtimes=node,deno --scenarios=small,stall
//   npm run bench -- --peers=limit,official --json=rows.json
import process from "node:process";
import {
  BUN,
  commandLine,
  DENO,
  exists,
  FLEET as FLEET_FOLDER,
  mustRun,
  readConfig,
  ROOT,
  ROOT_PATH,
  run,
  RUNTIME_PACKAGES,
  say,
} from "../scripts/project.ts";

/** Report of one run of a peer; milliseconds unless the name says otherwise. */
interface Row {
  readonly error?: string;
  readonly digest?: number;
  readonly failed?: number;
  readonly ms?: number;
  readonly wall_us?: number;
  readonly importMs?: number;
  readonly ownUs?: number;
  readonly ofMcp?: number;
  readonly byHandMs?: number;
  readonly firstMs?: number;
  readonly textMs?: number;
  readonly left?: number;
  /** Processor time of the process that was measured. */
  readonly cpu?: number;
  /** Its peak memory, in MB. */
  readonly rss?: number;
  readonly grownMb?: number;
  readonly mirrorPercent?: number;
  readonly otelPercent?: number;
  readonly appendUs?: number;
  readonly loadTimes?: number;
  readonly truncateMs?: number;
  readonly fleetMessageUs?: number;
  readonly fleetJobMs?: number;
  readonly subscriberUs?: number;
  readonly uiTimes?: number;
  readonly streamKb?: number;
  /** Why nothing was measured. */
  readonly skipped?: string;
  readonly emptyMs?: number;
  readonly addedMs?: number;
}

/** One of the goals, measured on each runtime. */
interface Goal {
  readonly scenario: string;
  readonly title: string;
  /** Program that measures it; `bench-peer.mjs`, with the scenario's name, unless given. */
  readonly script?: string;
  /** Runtimes on which it is measured; all unless given. */
  readonly runtimes?: readonly string[];
  /** Further arguments of Deno. */
  readonly denoFlags?: readonly string[];
  /** Further arguments of the script. */
  readonly argv: readonly string[];
  /** The same for a first look. */
  readonly quickArgv?: readonly string[];
  /** Measured value of a run. */
  value(row: Row): number | undefined;
  /** Unit of the value; milliseconds unless given. */
  readonly unit?: string;
  /** The least share of the limit's speed, how many times as fast as the official SDK at least, or the most of the unit. */
  readonly target:
    | { readonly ofLimit: number }
    | { readonly ofOfficial: number }
    | Most;
  /** Whose goal it is; that of `sluice` unless given. */
  readonly own?: "compat";
  /** Peers that are not measured here. */
  readonly without?: readonly string[];
  /** Peers for which one round has to do, since it takes them long. */
  readonly once?: readonly string[];
}

/** The most of a unit. */
interface Most {
  readonly max: number;
  /** Tells this machine from the one that the goal was set on: what is measured counts in proportion. */
  readonly yardstick?: Yardstick;
}

/** Something else that is measured in the same run. */
interface Yardstick {
  readonly title: string;
  readonly peer: string;
  value(row: Row): number | undefined;
  /** Values on the machine where the goal was set, by runtime. */
  readonly there: Readonly<Record<string, number>>;
}

/** All runs of one peer for one goal on one runtime. */
interface Cell {
  readonly goal: Goal;
  readonly runtime: string;
  readonly peer: string;
  readonly rows: Row[];
}

const SDK = "@anthropic-ai/claude-agent-sdk@0.3.332";
/** The official SDK takes zod shapes, the validation benchmark TypeBox as well. */
const BESIDE_SDK: readonly string[] = [
  "zod@4.6.7",
  "@sinclair/typebox@0.34.52",
];
const JOB_LIMIT_MS = 120_000;
const NOISE = 0.1;

const IMPORT = {
  argv: ["--fake=n=1"],
  value: ({ importMs }: Row) => importMs,
  target: {
    max: 10,
    yardstick: {
      title: "the official SDK",
      peer: "official",
      value: ({ importMs }: Row) => importMs,
      there: { node: 64, bun: 60, deno: 72 },
    },
  },
  without: ["limit"],
};

/** The program of the official SDK, with its one import changed. */
const OF_COMPAT = { own: "compat", without: ["limit"] } as const;

/** A hundred conversations in one process, each with a hundred messages, one every 50 ms. */
const MANY = {
  script: "bench-many.mjs",
  scenario: "many",
  argv: [],
  quickArgv: ["--fake=n=20"],
};

/** With the real CLI and a scripted model. */
const WARM = {
  script: "bench-warm.mjs",
  argv: ["--part=warm"],
  quickArgv: ["--part=warm", "--rounds=1"],
  without: ["limit"],
};

const RUN = {
  script: "bench-warm.mjs",
  argv: ["--part=run"],
  quickArgv: ["--part=run", "--prompts=40"],
  without: ["limit", "official"],
};

const SESSIONS = {
  script: "bench-sessions.mjs",
  scenario: "sessions",
  argv: [],
  quickArgv: ["--messages=20000", "--rounds=3"],
  without: ["limit", "official"],
};

const FLEET = {
  script: "bench-fleet.mjs",
  scenario: "fleet",
  argv: [],
  quickArgv: ["--messages=5000", "--jobs=20", "--rounds=1"],
  without: ["limit", "official"],
};

/** Streams for web pages, over a CLI in the same process. */
const UI = {
  script: "bench-ui.mjs",
  without: ["limit", "official"],
};

/** The program `sluice`, as npm installs it. */
const COMMAND = {
  script: "bench-command.mjs",
  runtimes: ["node"],
  without: ["limit", "official"],
};

/** An empty Node, where goals of the program were set. */
const EMPTY: Yardstick = {
  title: "an empty Node",
  peer: "sluice",
  value: ({ emptyMs }) => emptyMs,
  there: { node: 45 },
};

const GOALS: readonly Goal[] = [
  {
    scenario: "small",
    title: "250 B deltas, for await",
    argv: ["--fake=n=200000"],
    quickArgv: ["--fake=n=60000"],
    value: ({ ms }) => ms,
    target: { ofLimit: 0.85 },
  },
  {
    scenario: "perm64",
    title: "permissions, 64 in flight",
    argv: ["--fake=n=25000"],
    quickArgv: ["--fake=n=8000"],
    value: ({ wall_us }) => toMs(wall_us),
    target: { ofLimit: 0.6 },
  },
  {
    scenario: "permbusy",
    title: "permissions behind 1 MB, consumer asleep",
    argv: ["--fake=n=3000,lead=3000,size=333"],
    value: ({ wall_us }) => toMs(wall_us),
    target: { max: 600 },
  },
  {
    scenario: "stall",
    title: "3 s stall, then drain 200k deltas",
    argv: ["--fake=n=200000"],
    quickArgv: ["--fake=n=60000"],
    value: ({ ms }) => ms,
    target: { ofLimit: 0.7 },
    once: ["official"],
  },
  {
    scenario: "start",
    title: "import of the root entry",
    ...IMPORT,
  },
  {
    // A setting that README recommends to users of Deno.
    scenario: "start",
    title: "the same, imports that may come later left to later",
    runtimes: ["deno"],
    denoFlags: ["--unstable-lazy-dynamic-imports"],
    ...IMPORT,
  },
  {
    scenario: "mcp64",
    title: "calls of an in-process tool, 64 in flight",
    argv: ["--fake=n=30000"],
    quickArgv: ["--fake=n=8000"],
    value: ({ wall_us }) => toMs(wall_us),
    target: { ofLimit: 0.55 },
  },
  {
    scenario: "hub_call",
    title: "hub.call() over the MCP SDK's own request",
    script: "bench-mcp.mjs",
    argv: ["--part=call"],
    quickArgv: ["--part=call", "--calls=2000", "--rounds=5"],
    value: ({ ownUs }) => ownUs,
    unit: "us",
    target: { max: 5 },
    without: ["limit", "official"],
  },
  {
    scenario: "hub_connect",
    title: "16 stdio servers that take 300 ms to start",
    script: "bench-mcp.mjs",
    // Rounds are made here.
    argv: ["--part=connect", "--servers=16", "--delay=300", "--rounds=1"],
    value: ({ ms }) => ms,
    target: {
      max: 600,
      yardstick: {
        title: "plain code",
        peer: "sluice",
        value: ({ byHandMs }) => byHandMs,
        there: { node: 487, bun: 487, deno: 487 },
      },
    },
    without: ["limit", "official"],
  },
  {
    scenario: "mirror",
    title: "a copy of 100,000 entries in a store, of the stream's time",
    script: "bench-mirror.mjs",
    argv: ["--entries=100000"],
    quickArgv: ["--entries=40000", "--rounds=5"],
    value: ({ mirrorPercent }) => mirrorPercent,
    unit: "%",
    target: { max: 5 },
    without: ["limit", "official"],
  },
  {
    scenario: "otel",
    title: "spans and metrics of a stream of 400,000 deltas, of its time",
    script: "bench-otel.mjs",
    argv: ["--messages=400000"],
    quickArgv: ["--messages=150000", "--rounds=5"],
    value: ({ otelPercent }) => otelPercent,
    unit: "%",
    target: { max: 3 },
    without: ["limit", "official"],
  },
  {
    scenario: "no_mcp",
    title: "files of MCP that a query() without it loads",
    script: "bench-loaded.mjs",
    argv: [],
    value: ({ ofMcp }) => ofMcp,
    unit: "files",
    target: { max: 0 },
    without: ["limit", "official"],
  },
  {
    scenario: "small",
    title: "./compat: 250 B deltas",
    argv: ["--fake=n=200000"],
    quickArgv: ["--fake=n=60000"],
    value: ({ ms }) => ms,
    target: { ofOfficial: 1.5 },
    ...OF_COMPAT,
  },
  {
    scenario: "perm64",
    title: "./compat: permissions, 64 in flight",
    argv: ["--fake=n=25000"],
    quickArgv: ["--fake=n=8000"],
    value: ({ wall_us }) => toMs(wall_us),
    target: { ofOfficial: 2 },
    ...OF_COMPAT,
  },
  {
    scenario: "mcp64",
    title: "./compat: calls of an in-process tool, 64 in flight",
    argv: ["--fake=n=30000"],
    quickArgv: ["--fake=n=8000"],
    value: ({ wall_us }) => toMs(wall_us),
    target: { ofOfficial: 2 },
    ...OF_COMPAT,
  },
  {
    scenario: "start",
    title: "./compat: import",
    argv: ["--fake=n=1"],
    value: ({ importMs }) => importMs,
    target: { ofOfficial: 3 },
    ...OF_COMPAT,
  },
  {
    ...MANY,
    title: "100 conversations at once: all have their first message",
    value: ({ firstMs }) => firstMs,
    target: { ofOfficial: 1 },
  },
  {
    ...MANY,
    title: "100 conversations, 100 messages each: processor time",
    value: ({ cpu }) => cpu,
    target: { ofOfficial: 1 },
  },
  {
    ...MANY,
    title: "the same: peak memory",
    value: ({ rss }) => rss,
    unit: "MB",
    target: { max: 81 },
  },
  {
    scenario: "warm_first",
    title: "first text, warm process, CLI that answers at once",
    ...WARM,
    argv: ["--part=added", "--rounds=9"],
    quickArgv: ["--part=added"],
    value: ({ textMs }) => textMs,
    target: {
      max: 5,
      yardstick: {
        title: "the official SDK",
        peer: "official",
        value: ({ textMs }) => textMs,
        there: { node: 1.1, bun: 1.1, deno: 0.9 },
      },
    },
  },
  {
    scenario: "warm_text",
    // The official startup() adds next to nothing to the time of the CLI.
    title: "first text, warm process, beside the official startup()",
    ...WARM,
    value: ({ textMs }) => textMs,
    target: { ofOfficial: 1 },
  },
  {
    scenario: "warm_text",
    title: "the same, warmed up",
    ...WARM,
    argv: [...WARM.argv, "--warm-up"],
    quickArgv: [...WARM.quickArgv, "--warm-up"],
    value: ({ textMs }) => textMs,
    target: { ofOfficial: 1 / 0.9 },
  },
  {
    scenario: "cold_text",
    title: "first text, cold",
    ...WARM,
    argv: ["--part=cold"],
    quickArgv: ["--part=cold", "--rounds=1"],
    value: ({ textMs }) => textMs,
    target: { ofOfficial: 1 },
  },
  {
    scenario: "pool_run",
    title: "processes left by 200 prompts of pool.run(), 8 at once",
    ...RUN,
    value: ({ left }) => left,
    unit: "processes",
    target: { max: 0 },
  },
  {
    scenario: "pool_run",
    title: "memory that the same grew by from its second quarter to its last",
    ...RUN,
    value: ({ grownMb }) => grownMb,
    unit: "MB",
    target: { max: 8 },
  },
  {
    ...SESSIONS,
    title: "a message of a chat appended, without sync",
    value: ({ appendUs }) => appendUs,
    unit: "us",
    target: { max: 20 },
  },
  {
    ...SESSIONS,
    title: "a chat loaded, beside a plain read and JSON.parse()",
    value: ({ loadTimes }) => loadTimes,
    unit: "times",
    target: { max: 1.5 },
  },
  {
    ...SESSIONS,
    title: "100,000 messages cut to a budget",
    quickArgv: ["--rounds=3"],
    value: ({ truncateMs }) => truncateMs,
    target: { max: 50 },
  },
  {
    ...FLEET,
    title: "a message of 250 B through a fleet, over a plain query()",
    value: ({ fleetMessageUs }) => fleetMessageUs,
    unit: "us",
    target: { max: 100 },
  },
  {
    ...FLEET,
    title: "a job of one message through a fleet, over a plain query()",
    value: ({ fleetJobMs }) => fleetJobMs,
    target: { max: 50 },
  },
  {
    ...FLEET,
    title: "100 subscribers on one job, each message of each",
    value: ({ subscriberUs }) => subscriberUs,
    unit: "us",
    target: { max: 20 },
  },
  {
    ...UI,
    scenario: "ui_chunks",
    title: "aiSdkChunks(), beside for await over the same messages",
    argv: ["--messages=200000"],
    quickArgv: ["--messages=60000", "--rounds=3"],
    value: ({ uiTimes }) => uiTimes,
    unit: "times",
    target: { max: 1 / 0.7 },
  },
  {
    ...UI,
    scenario: "ui_streams",
    title: "200 open streams with 1,000 deltas each, memory of one",
    argv: ["--streams=200"],
    value: ({ streamKb }) => streamKb,
    unit: "KB",
    target: { max: 700 },
  },
  {
    ...COMMAND,
    scenario: "help",
    title: "sluice --help",
    argv: ["--part=help"],
    value: ({ ms }) => ms,
    target: { max: 120, yardstick: EMPTY },
  },
  {
    ...COMMAND,
    scenario: "doctor",
    title: "sluice doctor, one CLI",
    argv: ["--part=doctor", "--rounds=3"],
    value: ({ ms }) => ms,
    target: { max: 2_000, yardstick: EMPTY },
  },
  {
    ...COMMAND,
    scenario: "run",
    title: "what sluice run adds to a bare query()",
    argv: ["--part=run"],
    value: ({ addedMs }) => addedMs,
    target: { max: 60 },
  },
  {
    ...COMMAND,
    scenario: "inspect",
    title: "a cassette of 50 MB, as a page, opens in Chromium",
    argv: ["--part=inspect"],
    value: ({ ms }) => ms,
    target: { max: 3_000, yardstick: EMPTY },
  },
];

const HELP = `Usage: npm run bench [-- FLAGS]

Measures the speed goals beside the official SDK and a minimal client ("limit"), in turns; over twenty minutes.

  --quick           one round
  --rounds=N        5 by default
  --runtimes=A,B    of node, bun, deno
  --peers=A,B       of limit, official, sluice, compat
  --scenarios=A,B   of ${
  [...new Set(GOALS.map(({ scenario }) => scenario))].join(", ")
}
  --json=FILE       writes every single run
  --help            prints this`;
const FLAGS = [
  "quick",
  "rounds",
  "runtimes",
  "peers",
  "scenarios",
  "json",
  "help",
];

const { names, flags: settings } = commandLine();
const unknown = [
  ...names,
  ...[...settings.keys()].filter((key) => !FLAGS.includes(key))
    .map((key) => `--${key}`),
];
if (unknown.length > 0 || settings.has("help")) {
  if (unknown.length > 0) say(`Unknown: ${unknown.join(" ")}\n`);
  say(HELP);
  process.exit(unknown.length > 0 ? 64 : 0);
}
const isQuick = settings.has("quick");
const rounds = Number(settings.get("rounds") ?? (isQuick ? 1 : 5));
const wanted = pick("peers", ["limit", "official", "sluice", "compat"]);
const goals = pick("scenarios", [...new Set(GOALS.map((one) => one.scenario))])
  .flatMap((name) => GOALS.filter(({ scenario }) => scenario === name))
  .filter(({ own }) =>
    own === undefined
      ? wanted.includes("sluice") || wanted.includes("limit")
      : wanted.includes(own)
  );

const peers = await prepare(wanted);
// The harness reads its places from the environment when it is loaded.
Object.assign(process.env, { DENO, BUN });
const { haveRuntimes, median, runJob } = await import("./lib/jobs.mjs");
const runtimes: readonly string[] = haveRuntimes(
  pick("runtimes", ["node", "bun", "deno"]),
);

const groups = goals.flatMap((goal) =>
  runtimesOf(goal).map((runtime) =>
    peers.filter((peer) => takesPart(goal, peer))
      .map((peer): Cell => ({ goal, runtime, peer, rows: [] }))
  )
);
const cells = groups.flat();
for (let round = 1; round <= rounds; round++) {
  say(`Round ${round} of ${rounds}`);
  for (const group of groups) {
    for (const cell of rotated(group, round)) await measure(cell, round);
  }
}
printTable();
const file = settings.get("json");
if (file !== undefined) await Deno.writeTextFile(file, toJson());
const problems = cells.flatMap(problemsOf);
for (const problem of problems) say(problem);
for (const line of new Set(cells.flatMap(skipsOf))) say(line);
// Missed goals are printed, not punished: a busy machine misses them too.
// Not Deno.exit(): the harness tidies up in an exit handler of node:process.
process.exit(problems.length === 0 ? 0 : 1);

/** Of the two that are ours, a goal is about one. */
function takesPart({ own, without }: Goal, peer: string): boolean {
  const other = own === "compat" ? "sluice" : "compat";
  return peer !== other && !without?.includes(peer);
}

function runtimesOf(goal: Goal): readonly string[] {
  return runtimes.filter((one) => goal.runtimes?.includes(one) ?? true);
}

function pick(key: string, all: readonly string[]): readonly string[] {
  const given = settings.get(key)?.split(",") ?? all;
  const unknown = given.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `--${key} knows ${all.join(", ")}: "${unknown.join(", ")}"`,
    );
  }
  return given;
}

/** Builds and installs what the peers need, and returns those that can run. */
async function prepare(names: readonly string[]): Promise<readonly string[]> {
  if (!await exists("node_modules/bun")) {
    say("Installing dependencies into node_modules/");
    await mustRun(DENO, ["install", "--frozen"]);
  }
  if (names.includes("sluice") || names.includes("compat")) {
    say("Building npm/");
    await mustRun(DENO, ["run", "-A", "scripts/build_npm.ts"]);
    await writeUserConfig();
  }
  if (names.includes("official") && !await installOfficial()) {
    return names.filter((name) => name !== "official");
  }
  return names;
}

/** Deno as in a project that uses this package: its own settings are for developing it. */
async function writeUserConfig(): Promise<void> {
  const { imports, exports, name } = await readConfig();
  const fleet = await readConfig(FLEET_FOLDER);
  const used = [
    ...RUNTIME_PACKAGES.map((one) => [one, imports[one]]),
    ...Object.entries(fleet.imports),
    // Packages that the fleet's sources import by name.
    ...Object.entries(exports).map((
      [entry, path],
    ) => [name + entry.slice(1), new URL(path, ROOT).href]),
  ];
  await Deno.mkdir(new URL(".bench/", ROOT), { recursive: true });
  await Deno.writeTextFile(
    new URL(".bench/deno.json", ROOT),
    JSON.stringify({ imports: Object.fromEntries(used) }) + "\n",
  );
  // Fetches everything first, so that no measured run waits for it.
  const entries = ["cache", "--config", ".bench/deno.json"];
  await mustRun(DENO, [...entries, ...Object.values(exports)]);
}

/** Without its optional dependencies, which hold a whole CLI. */
async function installOfficial(): Promise<boolean> {
  const manifest =
    ".bench/node_modules/@anthropic-ai/claude-agent-sdk/package.json";
  if (await exists(manifest)) return true;
  say(`Installing ${SDK} into .bench/ (about 70 MB, once)`);
  await Deno.mkdir(new URL(".bench/", ROOT), { recursive: true });
  const args = ["install", "--prefix", `${ROOT_PATH}.bench`];
  const flags =
    "--no-save --omit=optional --ignore-scripts --no-audit --no-fund";
  const { code, stderr } = await run(
    "npm",
    [...args, ...flags.split(" "), SDK, ...BESIDE_SDK],
  );
  if (code !== 0) say(`Cannot install ${SDK}, left out: ${stderr.trim()}`);
  return code === 0;
}

/** The first of a group runs up to a tenth slower, so each peer is first in turn. */
function rotated(group: readonly Cell[], by: number): readonly Cell[] {
  const at = by % Math.max(group.length, 1);
  return [...group.slice(at), ...group.slice(0, at)];
}

async function measure(
  { goal, runtime, peer, rows }: Cell,
  round: number,
): Promise<void> {
  if (round > 1 && goal.once?.includes(peer)) return;
  const { scenario, script = "bench-peer.mjs", argv, quickArgv = argv } = goal;
  const { denoFlags } = goal;
  const more = isQuick ? quickArgv : argv;
  rows.push(
    await runJob({
      rt: runtime,
      denoFlags,
      script,
      argv: [`--peer=${peer}`, `--scenario=${scenario}`, ...more],
      fake: "",
      timeoutMs: JOB_LIMIT_MS,
    }) as Row,
  );
}

function printTable(): void {
  const head = [
    "goal",
    "runtime",
    ...peers.map((peer) => `${peer} ms`),
    "of limit",
    "x official",
    "wanted",
    "verdict",
  ];
  say(`\n| ${head.join(" | ")} |\n|${" --- |".repeat(head.length)}`);
  for (const goal of goals) {
    for (const runtime of runtimesOf(goal)) {
      say(`| ${line(goal, runtime).join(" | ")} |`);
    }
  }
  say(
    "\nMedians of runs in turns. of limit: share of its speed, 1 is as fast; " +
      "x official: times as fast; near: missed by less than the tenth to which a ratio is good. " +
      "Compare ratios, never milliseconds of two runs.",
  );
}

function line(goal: Goal, runtime: string): readonly string[] {
  const times = new Map(
    peers.map((peer) => [peer, timeOf(goal, runtime, peer)]),
  );
  const own = times.get(goal.own ?? "sluice") ?? NaN;
  const ofLimit = timesFaster(goal, runtime, "limit");
  const ofOfficial = timesFaster(goal, runtime, "official");
  const { target, unit = "ms" } = goal;
  const value = "ofLimit" in target
    ? ofLimit
    : "ofOfficial" in target
    ? ofOfficial
    : own * machineFactor(goal, target, runtime);
  return [
    goal.title,
    runtime,
    ...peers.map((peer) => quantity(times.get(peer) ?? NaN, unit)),
    figure(ofLimit, 2),
    figure(ofOfficial, 2),
    "ofLimit" in target
      ? `>= ${target.ofLimit} of limit`
      : "ofOfficial" in target
      ? `>= ${target.ofOfficial.toFixed(2)} x official`
      : `<= ${Number(target.max.toFixed(2))} ${unit}${where(target, runtime)}`,
    verdict(target, value),
  ];
}

/** A ratio is good to a tenth: what is nearer than that to its goal may lie on either side. */
function verdict(target: Goal["target"], value: number): string {
  if (Number.isNaN(value)) return "-";
  const [most, least] = "max" in target
    ? [target.max, value]
    : [value, "ofLimit" in target ? target.ofLimit : target.ofOfficial];
  if (most >= least) return "met";
  return most >= least * (1 - NOISE) ? "near" : "MISSED";
}

/** Speed relative to another peer; runs of one round are compared, since a machine is busy for longer than a run. */
function timesFaster(goal: Goal, runtime: string, peer: string): number {
  const [other = [], own = []] = [peer, goal.own ?? "sluice"].map((one) =>
    soundRows(goal, runtime, one).map((row) => goal.value(row) ?? NaN)
  );
  return other.length === own.length
    ? median(other.map((time, round) => time / (own[round] ?? NaN)))
    : median(other) / median(own);
}

/** From this machine to the one that a goal in milliseconds was set on; 1 when that is not known. */
function machineFactor(
  goal: Goal,
  { yardstick }: Most,
  runtime: string,
): number {
  if (yardstick === undefined) return 1;
  const { peer, value, there } = yardstick;
  const factor = (there[runtime] ?? NaN) / timeOf(goal, runtime, peer, value);
  return Number.isNaN(factor) ? 1 : factor;
}

function where({ yardstick }: Most, runtime: string): string {
  return yardstick === undefined
    ? ""
    : ` where ${yardstick.title} takes ${yardstick.there[runtime]}`;
}

function timeOf(
  goal: Goal,
  runtime: string,
  peer: string,
  value: (row: Row) => number | undefined = goal.value,
): number {
  return median(soundRows(goal, runtime, peer).map((row) => value(row)));
}

function soundRows(
  goal: Goal,
  runtime: string,
  peer: string,
): readonly Row[] {
  const cell = cells.find((one) =>
    one.goal === goal && one.runtime === runtime && one.peer === peer
  );
  return cell?.rows.filter((row) => !isBroken(row)) ?? [];
}

function problemsOf(cell: Cell): readonly string[] {
  const { goal, runtime, peer, rows } = cell;
  const label = `${peer} on ${runtime}, ${goal.title}`;
  const broken = rows.find(isBroken);
  if (broken !== undefined) {
    return [`${label}: ${broken.error ?? `${broken.failed} wrong answers`}`];
  }
  const base = cells.find((one) =>
    one.goal === goal && one.runtime === runtime
  );
  return base?.rows[0]?.digest === rows[0]?.digest
    ? []
    : [`${label}: other messages than ${base?.peer}`];
}

function skipsOf({ goal, rows }: Cell): readonly string[] {
  const { skipped } = rows[0] ?? {};
  return skipped === undefined ? [] : [`${goal.title}: left out, ${skipped}`];
}

/** A peer that answers wrongly is not fast. */
function isBroken({ error, failed }: Row): boolean {
  return error !== undefined || (failed ?? 0) > 0;
}

function toJson(): string {
  const plain = cells.map(({ goal, runtime, peer, rows }) => ({
    scenario: goal.scenario,
    runtime,
    peer,
    rows,
  }));
  return JSON.stringify(plain, null, 1) + "\n";
}

/** The columns say milliseconds. */
function quantity(value: number, unit: string): string {
  const text = figure(value, unit === "files" ? 0 : 1);
  return unit === "ms" || text === "-" ? text : `${text} ${unit}`;
}

function figure(value: number, digits: number): string {
  return Number.isNaN(value) ? "-" : value.toFixed(digits);
}

function toMs(us: number | undefined): number | undefined {
  return us === undefined ? undefined : us / 1000;
}
