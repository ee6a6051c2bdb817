import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type Outcome, programRunner, type Runner } from "../compat/_runner.ts";
import { moduleOf, PROGRAMS, take } from "../compat/_side_by_side.ts";
import { test } from "../_harness.ts";
import { reasonWithoutCli } from "../_real_cli.ts";

/** Output of each program on the official package; written by `deno task compat --write`. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL("../compat/expected.json", import.meta.url), "utf8"),
);
const AT_ONCE = 2;
const IN_A_TEST = 13;

/** How many files the programs are spread over: a run deals files out, so that each program runs in each run. */
const FILES = 3;

/** Tests with the programs of one of the files, counted from 0. */
export function testPrograms(file: number): void {
  const own = PROGRAMS.filter((_, index) => index % FILES === file);
  for (let from = 0; from < own.length; from += IN_A_TEST) {
    const names = own.slice(from, from + IN_A_TEST);
    test(
      `programs of the official SDK print what they print there: ${
        names.join(", ")
      }`,
      () => checkAll(names),
      { skip: reasonWithoutCli, timeoutMs: 200_000 },
    );
  }
}

/** Tests that each program is in one of the files. */
export function testNames(): void {
  test("there are programs for all parts of the official API", () => {
    assert.ok(PROGRAMS.length >= 40, `${PROGRAMS.length} programs`);
    assert.deepEqual(Object.keys(EXPECTED), PROGRAMS);
  });
}

async function checkAll(names: readonly string[]): Promise<void> {
  const waiting = [...names];
  const work = async () => {
    const runner = programRunner();
    let end: Outcome | undefined;
    try {
      for (let name = waiting.shift(); name; name = waiting.shift()) {
        await check(name, runner);
      }
    } finally {
      end = await runner.end();
    }
    // No program keeps it from ending.
    assert.deepEqual(end, { code: 0, output: "" });
  };
  // One that fails leaves none behind that runs into the next test.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

async function check(name: string, runner: Runner): Promise<void> {
  const { differs } = await moduleOf(name);
  const { printed, code, left } = await take(name, { runner });
  const expected = differs?.parts.includes("printed")
    ? printed
    : EXPECTED[name];
  assert.deepEqual(
    { name, printed, code, left },
    { name, printed: expected, code: 0, left: 0 },
  );
}
