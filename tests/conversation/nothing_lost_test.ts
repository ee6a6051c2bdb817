import process from "node:process";
import { needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { ROUNDS, ROUNDS_TIMEOUT_MS } from "../_rounds.ts";
import { lostRound } from "./_lost.ts";

const COUNT = 12 * ROUNDS;
const FIRST = Number(process.env["SLUICE_SEED"] ?? 0);

test(
  "nothing that a CLI sent is lost, whatever the pauses, the window and its end",
  async () => {
    for (let seed = FIRST; seed < FIRST + COUNT; seed++) await lostRound(seed);
  },
  {
    ids: ["IO-05", "IO-09", "Q-10"],
    skip: needsShell,
    timeoutMs: ROUNDS_TIMEOUT_MS,
  },
);
