import assert from "node:assert/strict";
import { leftOver } from "../../src/process/left_over.ts";
import { test } from "../_harness.ts";

/** A process as a row: id, parent, marks. */
type Row = readonly [pid: number, parent: number, marks?: string];

/** Ids of what is left over among these. */
function left(rows: readonly Row[]): readonly number[] {
  return leftOver({
    processes: () => rows.map(([pid, parent]) => ({ pid, parent, began: "1" })),
    environmentOf: (pid) => {
      const marks = rows.find(([one]) => one === pid)?.[2];
      return marks === undefined ? "A=1\0" : `A=1\0SLUICE_FAMILY=${marks}\0`;
    },
  }).map(({ pid }) => pid);
}

test("Processes of a program that is gone are left over, with what is below them", () => {
  assert.deepEqual(
    left([[1, 0], [20, 1, "a.500.1."], [21, 20, "a.500.1."], [22, 1]]),
    [20, 21],
  );
});

test("Nothing of a program is left over as long as one of its children has a parent outside of the family", () => {
  assert.deepEqual(
    left([[1, 0], [10, 1], [20, 10, "a.500.1."], [21, 1, "a.500.2."]]),
    [],
  );
});

test("A parent that no longer runs cares for nobody", () => {
  assert.deepEqual(left([[1, 0], [20, 19, "a.500.1."]]), [20]);
});

test("The innermost of nested programs is the one that counts", () => {
  const rows: readonly Row[] = [
    [1, 0],
    [10, 1],
    [20, 10, "a.500.1."],
    [30, 1, "a.500.1. b.500.1."],
  ];
  assert.deepEqual(left(rows), [30]);
});
