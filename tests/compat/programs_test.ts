import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "../_harness.ts";
import { reasonWithoutCli } from "../_real_cli.ts";
import { moduleOf, PROGRAMS, take } from "./_side_by_side.ts";

/** What each program printed on the official package; written by `deno task compat --write`. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL("./expected.json", import.meta.url), "utf8"),
);

test("there are programs for all parts of the API", () => {
  assert.ok(PROGRAMS.length >= 40, `${PROGRAMS.length} programs`);
  assert.deepEqual(PROGRAMS.filter((name) => !(name in EXPECTED)), []);
});

for (const name of PROGRAMS) {
  test(
    `program "${name}" prints what it prints on the official package`,
    async () => {
      const { differs } = await moduleOf(name);
      const { printed, code, left } = await take(name);
      if (!differs?.parts.includes("printed")) {
        assert.deepEqual(printed, EXPECTED[name]);
      }
      assert.deepEqual([code, left], [0, 0]);
    },
    { skip: reasonWithoutCli, timeoutMs: 120_000 },
  );
}
