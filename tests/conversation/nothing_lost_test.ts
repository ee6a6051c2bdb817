import { needsShell } from "../_children.ts";
import { lostRound } from "../endurance/lost.ts";
import { test } from "../_harness.ts";

/** `deno task endurance` does thousands. */
const ROUNDS = 12;

test(
  "nothing that a CLI sent is lost, whatever the pauses, the window and its end",
  async () => {
    for (let seed = 0; seed < ROUNDS; seed++) await lostRound(seed);
  },
  { ids: ["IO-05", "IO-09", "Q-10"], skip: needsShell },
);
