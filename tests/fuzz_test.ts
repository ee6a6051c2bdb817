import { framer } from "./fuzz/framer.ts";
import { names } from "./fuzz/names.ts";
import { parser } from "./fuzz/parser.ts";
import { sessions } from "./fuzz/sessions.ts";
import { test } from "./_harness.ts";
import { randomFrom } from "./options/_random.ts";

const CASES = 500;

for (const { name, tryOne } of [names, framer, parser, sessions]) {
  test(`the fuzz target "${name}" holds for its first ${CASES} inputs`, () => {
    for (let seed = 0; seed < CASES; seed++) {
      try {
        tryOne(randomFrom(seed));
      } catch (error) {
        throw new Error(`Failed with --seed=${seed}`, { cause: error });
      }
    }
  }, { ids: ["QA-12"] });
}
