// Tries what matters on many releases of the CLI, with the scripted model, and prints a table of what each can do.
//
//   deno task versions                           the oldest, some between, and the tested one
//   deno task versions -- --only=2.1.261,2.1.300  these releases; latest is the newest one
//   deno task versions -- --scenario=settings    these scenarios
import { CLI_PACKAGE, cliOf } from "./install/cli.ts";
import { commandLine, newest, npm, remove, say } from "./project.ts";
import { type Scenario, SCENARIOS } from "./versions/scenarios.ts";
import { settleWithin } from "../src/async/deadline.ts";
import { systemClock } from "../src/async/system_clock.ts";
import {
  isOlder,
  MINIMUM_VERSION,
  TESTED_VERSION,
} from "../src/options/versions.ts";
import { withRealCli } from "../tests/_real_cli.ts";

const USAGE = `deno task versions [-- flags]

  --only=2.1.300,latest  these releases; unless given the oldest supported one, one
                         of every thirty after it, and the tested one
  --scenario=allow,hook  these scenarios: ${
  SCENARIOS.map(({ name }) => name).join(", ")
}
  --limit=60             seconds for one scenario
  --json                 the table as JSON
  --keep                 leaves the releases in .versions/, 60 to 360 MB each`;

/** How many releases lie between two of the table. */
const STEP = 30;
const FLAGS: readonly string[] = ["only", "scenario", "limit", "json", "keep"];

/** What became of one scenario. */
interface Outcome {
  readonly scenario: string;
  /** `ok`, `refused` = by an error that names the version, `differs`, or `hangs`. */
  readonly state: "ok" | "refused" | "differs" | "hangs";
  /** What was said, where it is not `ok`. */
  readonly said?: string;
}

/** One release of the table. */
interface Row {
  readonly version: string;
  readonly outcomes: readonly Outcome[];
}

const { names, flags } = commandLine();
const unknown = [...names, ...flags.keys()].filter((one) =>
  !FLAGS.includes(one)
);
const named = listOf("scenario");
const wrong = named.filter((name) =>
  !SCENARIOS.some((one) => one.name === name)
);
const limitMs = Number(flags.get("limit") ?? 60) * 1_000;
if (flags.has("help") || unknown.length + wrong.length > 0 || !(limitMs > 0)) {
  say(USAGE);
  Deno.exit(flags.has("help") ? 0 : 2);
}

const rows: Row[] = [];
for (const version of await versionsOf(listOf("only"))) {
  rows.push(await tryVersion(version));
}
say(flags.has("json") ? JSON.stringify(rows, null, 2) : table(rows));
const isSound = rows.every(({ outcomes }) =>
  outcomes.every(({ state }) => state === "ok" || state === "refused")
);
Deno.exit(isSound ? 0 : 1);

function listOf(flag: string): readonly string[] {
  return flags.get(flag)?.split(",").filter((one) => one !== "") ?? [];
}

/** The releases to try, the oldest first. */
async function versionsOf(
  only: readonly string[],
): Promise<readonly string[]> {
  if (only.length > 0) {
    return await Promise.all(
      only.map((one) => /^\d/.test(one) ? one : newest(CLI_PACKAGE, one)),
    );
  }
  const text = await npm(["view", CLI_PACKAGE, "versions", "--json"]);
  const all = (JSON.parse(text) as readonly string[]).filter((one) =>
    !isOlder(one, MINIMUM_VERSION) && isOlder(one, TESTED_VERSION)
  );
  const last = Number(TESTED_VERSION.split(".")[2]);
  const steps = Array.from({ length: 10 }, (_, index) => {
    const limit = last - STEP * (index + 1) + 1;
    return all.findLast((one) =>
      Number(one.split(".")[2]) < limit && one.startsWith("2.1.")
    );
  });
  const chosen = [MINIMUM_VERSION, ...steps.toReversed(), TESTED_VERSION];
  return [...new Set(chosen.filter((one) => one !== undefined))];
}

async function tryVersion(version: string): Promise<Row> {
  const report = (line: string) => {
    if (!flags.has("json")) say(line);
  };
  const path = await cliOf(version, `.versions/${version}`, report);
  const outcomes: Outcome[] = [];
  try {
    for (const scenario of SCENARIOS) {
      if (named.length > 0 && !named.includes(scenario.name)) continue;
      const outcome = await tryScenario(scenario, path);
      outcomes.push(outcome);
      const { state, said = "" } = outcome;
      report(`${version}  ${scenario.name.padEnd(14)}  ${state}  ${said}`);
    }
  } finally {
    const isOurs = version !== TESTED_VERSION && !flags.has("keep");
    if (isOurs) await remove(`.versions/${version}`);
  }
  return { version, outcomes };
}

async function tryScenario(
  scenario: Scenario,
  path: string,
): Promise<Outcome> {
  const { name, turns } = scenario;
  const tried = withRealCli(turns, (real) => {
    // The old ones need many seconds on a machine that is busy.
    const options = { ...real.options, timeouts: { connectMs: limitMs } };
    return scenario.run({ ...real, options });
  }, path).then(
    (): Outcome => ({ scenario: name, state: "ok" }),
    (error): Outcome => {
      const said = firstLine(error);
      const isRefused = error?.code === "config" &&
        /is 2\.\d+\.\d+; /.test(said);
      return { scenario: name, state: isRefused ? "refused" : "differs", said };
    },
  );
  return await settleWithin(tried, limitMs, systemClock) ??
    { scenario: name, state: "hangs" };
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n").slice(0, 3).join(" ").slice(0, 300);
}

/** The table for `docs/versions.md`: a line for each scenario, a column for each release. */
function table(rows: readonly Row[]): string {
  const head = ["", ...rows.map(({ version }) => version)];
  const names = rows[0]?.outcomes.map(({ scenario }) => scenario) ?? [];
  const lines = names.map((name, index) => [
    name,
    ...rows.map(({ outcomes }) => outcomes[index]?.state ?? ""),
  ]);
  return [head, head.map(() => "---"), ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
