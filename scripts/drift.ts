// Compares the description of the protocol with what is there.
import { stderr } from "node:process";
import { TESTED_VERSION } from "../src/options/versions.ts";
import type { RecordedLine, Seen } from "./drift/lines.ts";
import {
  type Compared,
  compareProtocol,
  OPAQUE,
  type ProtocolSchema,
} from "./drift/protocol.ts";
import type { Difference } from "./drift/shapes.ts";
import { PAGE, withParts } from "./protocol/page.ts";
import { CLI_PACKAGE, cliOf } from "./install/cli.ts";
import {
  exists,
  mustRun,
  newest,
  npm,
  readJson,
  remove,
  ROOT,
  ROOT_PATH,
  say,
} from "./project.ts";

const HELP = `Usage: deno task drift [FLAGS]

Compares protocol.schema.json with the type declarations of the official package
@anthropic-ai/claude-agent-sdk and with recorded runs of the CLI. Ends with 1 when
something published is missing or differs, a recorded line does not fit, or a kind
is not described, and protocol/exceptions.json has no reason for it. New fields of
lines are told and no fault.

  --official=VERSION  the release to compare with; "latest" for the newest, "none"
                      for no release (the one of the schema's CLI unless given)
  --runs=FOLDER       recorded runs beside those of tests/fixtures/transcripts
  --fresh             runs the real CLI over the scenarios of scripts/drift/fresh.ts
  --cli=VERSION       the CLI of --fresh: a version, "latest" or a path (the pinned
                      one unless given)
  --if-there          says so and ends with 0 when the release is neither in
                      .official/ nor to be had
  --page              writes what was found with the pinned release into docs/protocol.md
  --json              prints everything as JSON
  --help              prints this`;

const PACKAGE = "@anthropic-ai/claude-agent-sdk";
const SCHEMA = "protocol.schema.json";
const EXCEPTIONS = "protocol/exceptions.json";
const RECORDED = "tests/fixtures/transcripts";

/** A difference that stands, with the reason. */
export interface Exception {
  /** What differs from the description. */
  readonly in: "official" | "runs";
  /** The path of the difference; `*` at the end stands for any rest. */
  readonly path: string;
  /** The kind of difference; any unless given. */
  readonly change?: Difference["change"];
  readonly reason: string;
}

/** Differences with what they differ from. */
interface Part {
  readonly in: Exception["in"];
  readonly title: string;
  readonly differences: readonly (Difference | Seen)[];
  readonly compared: Compared;
}

/** What differences mean. */
interface Judgement {
  /** Nothing excuses them. */
  readonly open: readonly Difference[];
  /** Fields that only the wire has: worth describing, and no fault. */
  readonly notes: readonly Difference[];
  /** An exception has the reason. */
  readonly excused: readonly Difference[];
  /** Exceptions that excuse nothing. */
  readonly stale: readonly Exception[];
}

/** Sorts differences by what they mean. */
export function judge(
  parts: readonly Pick<Part, "in" | "differences">[],
  exceptions: readonly Exception[],
): Judgement {
  const used = new Set<Exception>();
  const open: Difference[] = [];
  const notes: Difference[] = [];
  const excused: Difference[] = [];
  for (const part of parts) {
    for (const difference of part.differences) {
      const reasons = exceptions.filter((one) =>
        one.in === part.in && excuses(one, difference)
      );
      for (const one of reasons) used.add(one);
      if (reasons.length > 0) excused.push(difference);
      else (isNote(part.in, difference) ? notes : open).push(difference);
    }
  }
  const here = new Set(parts.map((part) => part.in));
  return {
    open,
    notes,
    excused,
    stale: exceptions.filter((one) => here.has(one.in) && !used.has(one)),
  };
}

function isNote(from: Part["in"], { change, what }: Difference): boolean {
  return from === "runs" && change === "new" && what.startsWith("field");
}

function excuses(
  { path, change }: Exception,
  difference: Difference,
): boolean {
  if (change !== undefined && change !== difference.change) return false;
  return path.endsWith("*")
    ? difference.path.startsWith(path.slice(0, -1))
    : difference.path === path;
}

/** The release that speaks for a CLI: 0.3.N for 2.1.N. */
export function officialVersion({ $id }: Pick<ProtocolSchema, "$id">): string {
  const patch = /:2\.1\.(\d+)$/.exec($id)?.[1];
  if (patch === undefined) throw new Error(`No version of 2.1 in "${$id}"`);
  return `0.3.${patch}`;
}

/** The release is not here and cannot be had. */
class FetchError extends Error {}

/** Declarations of a release in .official/, fetched once: path and version. */
async function fetchOfficial(
  wanted: string,
): Promise<{ readonly path: string; readonly version: string }> {
  const version = wanted === "latest" ? await newest(PACKAGE) : wanted;
  const folder = `.official/${version}`;
  const path = `${ROOT_PATH}${folder}/sdk.d.ts`;
  if (await exists(`${folder}/sdk.d.ts`)) return { path, version };
  note(`Fetching ${PACKAGE}@${version} into .official/ (6 MB, once)`);
  const staging = `.official/fetch-${Deno.pid}`;
  await Deno.mkdir(new URL(`${staging}/`, ROOT), { recursive: true });
  try {
    const cwd = new URL(`${staging}/`, ROOT);
    const printed = await npm(["pack", `${PACKAGE}@${version}`], { cwd })
      .catch((cause) => {
        throw new FetchError(`cannot fetch ${PACKAGE}@${version}`, { cause });
      });
    // Its last line is the name of the file.
    const file = printed.trim().split("\n").at(-1) ?? "";
    await mustRun("tar", [
      "-xzf",
      file,
      "--strip-components=1",
      "package/sdk.d.ts",
      "package/package.json",
      "package/README.md",
    ], { cwd });
    await remove(`${staging}/${file}`);
    await remove(folder);
    await Deno.rename(cwd, new URL(`${folder}/`, ROOT));
  } finally {
    await remove(staging);
  }
  return { path, version };
}

/** Says what takes long, beside what is printed as a result. */
function note(text: string): void {
  stderr.write(`${text}\n`);
}

/** The CLI of fresh runs: the pinned one, a path, or a version that is installed for it. */
async function cliPath(wanted: string = TESTED_VERSION): Promise<string> {
  if (/[\\/]/.test(wanted)) return wanted;
  const version = wanted === "latest" ? await newest(CLI_PACKAGE) : wanted;
  return await cliOf(version, `.cli/drift-${version}`, note);
}

/** Everything that is asked for, compared. */
async function compareAll(flags: Flags): Promise<readonly Part[]> {
  const schema = await readJson<ProtocolSchema>(SCHEMA);
  const parts: Part[] = [];
  if (flags.official !== "none") {
    const { path, version } = await fetchOfficial(
      flags.official ?? officialVersion(schema),
    );
    // With the compiler of TypeScript, which takes a second to load.
    const { readDeclarations } = await import("./drift/official.ts");
    parts.push({
      in: "official",
      title: `${PACKAGE}@${version}`,
      ...compareProtocol(readDeclarations(path, OPAQUE), schema),
    });
  }
  const { lineChecker, readRuns } = await import("./drift/lines.ts");
  const folders = [new URL(`${RECORDED}/`, ROOT), ...flags.runs];
  const recorded = await Promise.all(folders.map(readRuns));
  const fresh = flags.isFresh ? await runFresh(flags.cli) : [];
  const checker = lineChecker(schema);
  let count = 0;
  for (
    const [name, lines] of [...recorded.flatMap((one) => [...one]), ...fresh]
  ) {
    checker.check(name, lines);
    count++;
  }
  parts.push({
    in: "runs",
    title: flags.isFresh ? "recorded and fresh runs" : "recorded runs",
    differences: checker.found(),
    compared: { runs: count, lines: checker.checked() },
  });
  return parts;
}

async function runFresh(
  cli: string | undefined,
): Promise<ReadonlyMap<string, readonly RecordedLine[]>> {
  const { freshRuns } = await import("./drift/fresh.ts");
  return await freshRuns(await cliPath(cli));
}

/** What the command line asks for. */
interface Flags {
  readonly official: string | undefined;
  readonly runs: readonly string[];
  readonly cli: string | undefined;
  readonly isFresh: boolean;
}

function flagsOf(args: readonly string[]): Flags {
  const values = (name: string) =>
    args.filter((one) => one.startsWith(`--${name}=`))
      .map((one) => one.slice(name.length + 3));
  const known = /^--(fresh|if-there|page|json|(official|runs|cli)=.+)$/;
  const unknown = args.filter((one) => !known.test(one));
  if (unknown.length > 0) {
    throw new Error(`No such flag: ${unknown.join(" ")}\n\n${HELP}`);
  }
  return {
    official: values("official").at(-1),
    runs: values("runs"),
    cli: values("cli").at(-1),
    isFresh: args.includes("--fresh"),
  };
}

/** One difference as a line of the table. */
function row(difference: Difference | Seen): string {
  const where = "where" in difference
    ? `  (${difference.where}; lines: ${difference.count})`
    : "";
  return `${
    difference.change.padEnd(8)
  } ${difference.path}: ${difference.what}${where}`;
}

/** What the page of the protocol says of the comparison with the pinned release and the recorded runs. */
function pageSection(
  parts: readonly Part[],
  exceptions: readonly Exception[],
): string {
  const of = (part: Part) => `${part.title} (${counts(part)})`;
  const all = parts.reduce((sum, part) => sum + part.differences.length, 0);
  const known = exceptions.map(({ in: from, path, change, reason }) =>
    `| \`${path.replaceAll("|", "\\|")}\` | ${
      [from === "official" ? "types" : "runs", change].filter(Boolean)
        .join(", ")
    } | ${reason.replaceAll("|", "\\|")} |`
  );
  return [
    `The description is compared with ${parts.map(of).join(", and with ")}: ` +
    `${all} differences, ${
      known.length === 0 ? "none of them" : "all"
    } known. ` +
    "Shapes of the Messages API and of MCP, which the package takes from others, are not compared.",
    ...known.length === 0 ? [] : [
      "",
      "Each has its reason:",
      "",
      "| where | in | why |",
      "| --- | --- | --- |",
      ...known,
    ],
  ].join("\n");
}

function counts({ compared }: Part): string {
  return Object.entries(compared)
    .map(([name, count]) => `${count} ${PLURALS[name] ?? name}`).join(", ");
}

const PLURALS: Readonly<Record<string, string>> = {
  "line": "kinds of lines",
  "stdin": "prompt",
  "request": "requests",
  "reply": "replies",
  "hook input": "hook inputs",
  "hook output": "hook outputs",
};

/** Prints what was found; gives what has to be mended. */
function report(
  parts: readonly Part[],
  { open, excused, stale }: Judgement,
): readonly string[] {
  for (const part of parts) {
    const { title, differences } = part;
    const shown = differences.filter((one) => !excused.includes(one));
    say(`${title} (${counts(part)}): ${shown.length} differences`);
    for (const one of shown) {
      say(`  ${open.includes(one) ? "!" : " "} ${row(one)}`);
    }
  }
  for (const { path, reason } of stale) {
    say(`  ! stale    ${path}: no such difference any more (${reason})`);
  }
  say(`${excused.length} known differences have reasons in ${EXCEPTIONS}`);
  return [
    ...open.length > 0 ? [`Differences to be mended: ${open.length}`] : [],
    ...stale.length > 0
      ? [`Exceptions that excuse nothing: ${stale.length}`]
      : [],
  ];
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    say(HELP);
    return 0;
  }
  const flags = flagsOf(args);
  let isSkipped = false;
  const parts = await compareAll(flags).catch((error) => {
    if (!args.includes("--if-there") || !(error instanceof FetchError)) {
      throw error;
    }
    say(`Skipped the official types: ${error.message}`);
    isSkipped = true;
    return compareAll({ ...flags, official: "none" });
  });
  const exceptions = await readJson<readonly Exception[]>(EXCEPTIONS);
  const judged = judge(parts, exceptions);
  if (args.includes("--json")) {
    say(JSON.stringify({ parts, ...judged }, null, 2));
    return judged.open.length + judged.stale.length > 0 ? 1 : 0;
  }
  const faults = [...report(parts, judged)];
  const isWhole = !isSkipped && !flags.isFresh && flags.runs.length === 0 &&
    flags.official === undefined;
  if (isWhole) {
    const before = await Deno.readTextFile(new URL(PAGE, ROOT));
    const section = pageSection(parts, exceptions);
    const after = withParts(before, new Map([["drift", section]]));
    if (args.includes("--page")) {
      await Deno.writeTextFile(new URL(PAGE, ROOT), after);
    } else if (before !== after) {
      faults.push(
        `${PAGE} tells of another comparison: run \`deno task drift --page\``,
      );
    }
  }
  for (const fault of faults) say(fault);
  return faults.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
