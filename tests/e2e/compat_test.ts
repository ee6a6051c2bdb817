import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { host } from "../../src/runtime/host.ts";
import { moduleOf, PROGRAMS, take } from "../compat/_side_by_side.ts";
import { test } from "../_harness.ts";
import { reasonWithoutCli } from "../_real_cli.ts";

/** What each program printed on the official package; written by `deno task compat --write`. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL("../compat/expected.json", import.meta.url), "utf8"),
);
const AT_ONCE = 2;
const IN_A_TEST = 8;

test("there are programs for all parts of the official API", () => {
  assert.ok(PROGRAMS.length >= 40, `${PROGRAMS.length} programs`);
  assert.deepEqual(Object.keys(EXPECTED), PROGRAMS);
});

/** Each takes seconds of the real CLI: each runs in one of the three lanes. */
const { name: runtime } = await host();
const lane = ["deno", "bun", "node"].indexOf(runtime);
const own = PROGRAMS.filter((_, index) => index % 3 === lane);

for (let from = 0; from < own.length; from += IN_A_TEST) {
  const names = own.slice(from, from + IN_A_TEST);
  test(
    `programs of the official SDK print what they print there: ${
      names.join(", ")
    }`,
    async () => {
      const waiting = [...names];
      const work = async () => {
        for (let name = waiting.shift(); name; name = waiting.shift()) {
          await check(name);
        }
      };
      // One that fails leaves none behind that runs into the next test.
      const ends = await Promise.allSettled(
        Array.from({ length: AT_ONCE }, work),
      );
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
    { skip: reasonWithoutCli, timeoutMs: 200_000 },
  );
}

async function check(name: string): Promise<void> {
  const { differs } = await moduleOf(name);
  const { printed, code, left } = await take(name);
  const expected = differs?.parts.includes("printed")
    ? printed
    : EXPECTED[name];
  assert.deepEqual(
    { name, printed, code, left },
    { name, printed: expected, code: 0, left: 0 },
  );
}
