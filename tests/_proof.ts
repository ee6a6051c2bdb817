// Proof by tests: each one that cites requirements notes how far it came, and the runner judges all of them together.
import { appendFileSync, mkdirSync } from "node:fs";
import process from "node:process";

/** How far a test came that cites requirements. */
export interface ProofLine {
  readonly test: string;
  readonly ids: readonly string[];
  readonly state: "skipped" | "began" | "passed";
}

/** One lane's lines. */
export interface LaneProof {
  readonly lane: string;
  readonly lines: readonly ProofLine[];
}

/** The tests that prove a requirement, and the lanes in which they passed. */
export type Proven = Readonly<
  Record<string, Readonly<Record<string, readonly string[]>>>
>;

/** The folder where lines go; set by the runner. */
export const PROOF_VARIABLE = "SLUICE_TEST_PROOF";

/** Notes how far a test came, if the runner asks for it. */
export function note(line: ProofLine): void {
  const folder = process.env[PROOF_VARIABLE];
  if (folder === undefined || line.ids.length === 0) return;
  mkdirSync(folder, { recursive: true });
  // A lane is several programs.
  appendFileSync(`${folder}/${process.pid}`, `${JSON.stringify(line)}\n`);
}

/** The lines of a file that {@link note} wrote. */
export function parseProof(text: string): readonly ProofLine[] {
  return text.split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** A test proves its requirements when it passed in one lane at least, and in each lane in which it began. */
export function provenBy(lanes: readonly LaneProof[]): Proven {
  const proven: Record<string, Record<string, string[]>> = {};
  const failed = new Set(lanes.flatMap(({ lines }) => openTests(lines)));
  for (const { lane, lines } of lanes) {
    for (const { test, ids, state } of lines) {
      if (state !== "passed" || failed.has(test)) continue;
      for (const id of ids) ((proven[id] ??= {})[test] ??= []).push(lane);
    }
  }
  return proven;
}

/** Tests that began more often than they passed. */
function openTests(lines: readonly ProofLine[]): readonly string[] {
  const open = new Map<string, number>();
  for (const { test, state } of lines) {
    const step = state === "began" ? 1 : state === "passed" ? -1 : 0;
    open.set(test, (open.get(test) ?? 0) + step);
  }
  return [...open].filter(([, count]) => count > 0).map(([test]) => test);
}
