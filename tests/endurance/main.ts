// One section of `deno task endurance`, in the runtime that runs now: `main.ts SECTION ROUNDS SEED`.
import process from "node:process";
import { lostRound } from "./lost.ts";

/** What a section does with one seed: throws when something does not hold, else gives figures that are added up. */
type Round = (seed: number) => Promise<Readonly<Record<string, number>>>;

const SECTIONS: Readonly<Record<string, Round>> = {
  /** Messages that vanish between the CLI and the consumer. */
  async lost(seed) {
    const { messages, hasFailed } = await lostRound(seed);
    return { messages, "exits with an error": hasFailed ? 1 : 0 };
  },
};

const [name = "", rounds = "1", first = "0"] = process.argv.slice(2);
const round = SECTIONS[name];
if (round === undefined) {
  const known = Object.keys(SECTIONS).join(", ");
  process.stderr.write(`Section is unknown: "${name}", there is ${known}\n`);
  process.exit(64);
}

const began = performance.now();
const totals: Record<string, number> = {};
let failed = 0;
for (let n = 0; n < Number(rounds); n++) {
  const seed = Number(first) + n;
  try {
    for (const [figure, value] of Object.entries(await round(seed))) {
      totals[figure] = (totals[figure] ?? 0) + value;
    }
  } catch (error) {
    failed++;
    const text = error instanceof Error ? error.stack : String(error);
    process.stdout.write(`FAILED, again with --seed=${seed}: ${text}\n`);
  }
}
const seconds = Math.round((performance.now() - began) / 1_000);
const figures = { rounds: Number(rounds), failed, ...totals, seconds };
const said = Object.entries(figures).map(([key, value]) => `${value} ${key}`);
process.stdout.write(`${name}: ${said.join(", ")}\n`);
process.exit(failed === 0 ? 0 : 1);
