/** Runs the tests of mutants and judges whether they notice. */
import { DENO } from "../project.ts";
import { supervise } from "../test/supervise.ts";
import { changedText, type Row } from "./rows.ts";
import { copyTree, type Tree } from "./tree.ts";

/**
 * `killed`: a test failed or hung. `alive`: all passed. `stale`: the row no longer fits the tree. `red`: a test fails
 * without the change, or the changed code does not load; neither is a kill.
 */
export type Outcome = "killed" | "alive" | "stale" | "red";

/** A row and how it ended. */
export interface Verdict {
  readonly row: Row;
  readonly outcome: Outcome;
  /** Why it is stale or red; how it was killed. */
  readonly why: string;
}

/** What to judge, and how. */
interface Trial {
  /** The tree; it is not changed. */
  readonly root: string;
  readonly rows: readonly Row[];
  /** Mutants at once. */
  readonly jobs: number;
  /** Environment of the tests. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds for test files beside four times what they took without a change; 20 000 unless given. */
  readonly patienceMs?: number;
  /** Called with each verdict when it is there. */
  readonly onVerdict?: (verdict: Verdict) => void;
}

/** How a run of tests ended. */
interface Run {
  readonly isGreen: boolean;
  readonly isOverrun: boolean;
  readonly ms: number;
  readonly output: string;
}

/** Of the whole tests without a change. */
const BASELINE_LIMIT_MS = 600_000;
const PATIENCE_MS = 20_000;
/** Without such a line no test began: code that does not load says nothing about tests. */
const BEGAN = /^running \d+ tests? from /m;

/** Judges all rows, in their order. Each worker has a copy of the tree, so that mutants do not meet. */
export async function judgeMutants(trial: Trial): Promise<readonly Verdict[]> {
  const { root, rows, jobs } = trial;
  const verdicts = new Map<Row, Verdict>();
  const give = (row: Row, outcome: Outcome, why = "") => {
    const verdict = { row, outcome, why };
    verdicts.set(row, verdict);
    trial.onVerdict?.(verdict);
  };
  const texts = new Map<Row, string>();
  for (const row of rows) {
    try {
      texts.set(row, await changedText(root, row));
    } catch (error) {
      give(row, "stale", error instanceof Error ? error.message : `${error}`);
    }
  }
  const fresh = rows.filter((row) => texts.has(row));
  const scratch = await Deno.makeTempDir({ prefix: "m_" });
  try {
    const trees: Tree[] = [];
    for (let at = 0; at < Math.min(jobs, fresh.length); at++) {
      trees.push(await copyTree(root, `${scratch}/${at}`));
    }
    const files = [...new Set(fresh.flatMap(({ tests }) => tests))];
    const clean = new Map<string, Run>();
    await deal(trees, files, async (tree, file) => {
      clean.set(file, await runTests(tree, [file], BASELINE_LIMIT_MS, trial));
    });
    await deal(trees, fresh, async (tree, row) => {
      const before = row.tests.map((file) => [file, clean.get(file)] as const);
      const red = before.find(([, run]) => run?.isGreen !== true);
      if (red !== undefined) {
        const output = lastLines(red[1]?.output ?? "");
        return give(row, "red", `${red[0]} fails without it:\n${output}`);
      }
      const cleanMs = before.reduce((sum, [, run]) => sum + (run?.ms ?? 0), 0);
      const limitMs = (trial.patienceMs ?? PATIENCE_MS) + 4 * cleanMs;
      const run = await withText(
        `${tree.root}/${row.file}`,
        texts.get(row) ?? "",
        () => runTests(tree, row.tests, limitMs, trial),
      );
      if (run.isOverrun) {
        give(row, "killed", `hung for ${Math.round(limitMs)} ms`);
      } else if (run.isGreen) give(row, "alive");
      else if (!BEGAN.test(run.output)) {
        give(row, "red", `the change does not load:\n${lastLines(run.output)}`);
      } else give(row, "killed", firstFailure(run.output));
    });
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
  return rows.flatMap((row) => verdicts.get(row) ?? []);
}

/** Deals items to trees, one at a time to each. */
async function deal<T>(
  trees: readonly Tree[],
  items: readonly T[],
  work: (tree: Tree, item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  await Promise.all(trees.map(async (tree) => {
    for (const item of rest) await work(tree, item);
  }));
}

async function withText<T>(
  path: string,
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  const before = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text);
  try {
    return await work();
  } finally {
    await Deno.writeTextFile(path, before);
  }
}

async function runTests(
  { root, temporary, clear }: Tree,
  files: readonly string[],
  limitMs: number,
  { env }: Trial,
): Promise<Run> {
  const start = performance.now();
  const { code, isOverrun, output } = await supervise({
    command: DENO,
    args: ["test", "-A", "--no-check", "--fail-fast", ...files],
    cwd: root,
    env: { ...env, TMPDIR: temporary, TMP: temporary, TEMP: temporary },
    limitMs,
  });
  await clear();
  const ms = performance.now() - start;
  return { isGreen: code === 0 && !isOverrun, isOverrun, ms, output };
}

/** The name of the first test that failed. */
function firstFailure(output: string): string {
  return /^(.*) \.\.\. FAILED/m.exec(output)?.[1] ?? "the tests broke off";
}

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-20).join("\n");
}
