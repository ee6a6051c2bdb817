import { needsShell } from "../_children.ts";
import { lostRound, pythonCli, scriptCli } from "../endurance/lost.ts";
import { test } from "../_harness.ts";

/** `deno task endurance` does thousands. */
const ROUNDS = 8;

for (
  const [language, cli] of [["Python", pythonCli], [
    "JavaScript",
    scriptCli,
  ]] as const
) {
  test(
    `nothing that a CLI in ${language} sent is lost, whatever the pauses, the window and its end`,
    async () => {
      for (let seed = 0; seed < ROUNDS; seed++) {
        await lostRound(seed, cli ?? []);
      }
    },
    {
      ids: ["IO-05", "IO-09", "Q-10"],
      skip: needsShell ?? (cli === undefined ? "needs python3" : undefined),
    },
  );
}
