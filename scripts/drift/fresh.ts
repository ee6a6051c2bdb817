/** Plays the scenarios on a real CLI: whether each holds, and what went over the wire. */
import { settleWithin } from "../../src/async/deadline.ts";
import { systemClock } from "../../src/async/system_clock.ts";
import { query } from "../../src/query.ts";
import { localTransport } from "../../src/local_cli.ts";
import { isOlder, TESTED_VERSION } from "../../src/options/versions.ts";
import { record } from "../../src/testing/mod.ts";
import { withRealCli } from "../../tests/_real_cli.ts";
import type { RecordedLine } from "./runs.ts";
import { SCENARIOS } from "./scenarios.ts";

const LIMIT_MS = 60_000;

/** Outcome of a scenario. */
export interface Played {
  readonly name: string;
  /** Why it does not hold. */
  readonly problem?: string;
  /** Recorded lines; none for a CLI older than the description. */
  readonly lines: readonly RecordedLine[];
}

/** Plays all, one after the other; each in a folder and with a model of its own. */
export async function* playAll(
  { path, version }: { readonly path: string; readonly version: string },
): AsyncGenerator<Played> {
  for (const name of Object.keys(SCENARIOS)) {
    const lines: RecordedLine[] = [];
    // An older CLI gets other flags, which a transport that is given does not know of.
    const transport = isOlder(version, TESTED_VERSION) ? {} : {
      transport: record(localTransport({ cliPath: path }), (line) => {
        lines.push(JSON.parse(line));
      }),
    };
    const ended = await settleWithin(
      play(name, path, transport).then(() => "", errorText),
      LIMIT_MS,
      systemClock,
    );
    const problem = ended ?? `is not over after ${LIMIT_MS / 1_000} s`;
    yield { name, lines, ...problem !== "" && { problem } };
  }
}

async function play(name: string, path: string, more: object): Promise<void> {
  const { turns, options, use } = SCENARIOS[name]!;
  await withRealCli(turns, async (real) => {
    await Deno.writeTextFile(`${real.cwd}/a.txt`, "alpha\n");
    const all = { ...real.options, ...options, ...more };
    await (use ?? (({ options }) => query("Go", options).text()))({
      ...real,
      options: all,
    });
  }, path);
}

function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n").slice(0, 3).join(" ").slice(0, 300) || "It failed";
}
