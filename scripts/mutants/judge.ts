/** Runs the tests of mutants and judges whether they notice. */
import { Gate } from "../test/gate.ts";
import { DENO } from "../project.ts";
import { supervise } from "../test/supervise.ts";
import { changedText, type Row } from "./rows.ts";
import { copyTree } from "./tree.ts";

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

/** Mutants to judge, and settings. */
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

/** Outcome of a run of tests. */
interface Run {
  readonly isGreen: boolean;
  readonly isOverrun: boolean;
  readonly ms: number;
  readonly output: string;
}

type Judgement = Omit<Verdict, "row">;

/** Of the whole tests without a change. */
const BASELINE_LIMIT_MS = 600_000;
const PATIENCE_MS = 20_000;
/** Without such a line no test began: code that does not load says nothing about tests. */
const BEGAN = /^running \d+ tests? from /m;

/** Judges all rows, in their order. Each worker has a copy of the tree, so that mutants do not meet. */
export async function judgeMutants(trial: Trial): Promise<readonly Verdict[]> {
  const { root, rows, jobs, env, patienceMs = PATIENCE_MS } = trial;
  const scratch = await Deno.makeTempDir({ prefix: "m_" });
  const free = Array.from({ length: jobs }, (_, at) => `${scratch}/${at}`);
  const gate = new Gate(jobs);
  const inTree = <T>(work: (tree: string) => Promise<T>) =>
    gate.run(async () => {
      const tree = free.pop()!;
      try {
        return await work(tree);
      } finally {
        free.push(tree);
      }
    });
  const clean = new Map<string, Promise<Run>>();
  const cleanRun = (file: string) => {
    const run = clean.get(file) ??
      inTree((tree) => runTests(tree, [file], BASELINE_LIMIT_MS, env));
    clean.set(file, run);
    return run;
  };
  const judge = async (row: Row): Promise<Judgement> => {
    const text = await changedText(root, row).catch((error: Error) => error);
    if (text instanceof Error) return { outcome: "stale", why: text.message };
    const before = await Promise.all(row.tests.map(cleanRun));
    const red = before.findIndex(({ isGreen }) => !isGreen);
    if (red !== -1) {
      const output = lastLines(before[red]?.output ?? "");
      const why = `${row.tests[red]} fails without it:\n${output}`;
      return { outcome: "red", why };
    }
    const limitMs = patienceMs +
      4 * before.reduce((sum, { ms }) => sum + ms, 0);
    return await inTree(async (tree) => {
      const path = `${tree}/${row.file}`;
      const unchanged = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, text);
      const run = await runTests(tree, row.tests, limitMs, env);
      await Deno.writeTextFile(path, unchanged);
      return judged(run, limitMs);
    });
  };
  try {
    await Promise.all(free.map((tree) => copyTree(root, tree)));
    return await Promise.all(rows.map(async (row) => {
      const verdict = { row, ...await judge(row) };
      trial.onVerdict?.(verdict);
      return verdict;
    }));
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

function judged(
  { isGreen, isOverrun, output }: Run,
  limitMs: number,
): Judgement {
  if (isOverrun) {
    return { outcome: "killed", why: `hung for ${Math.round(limitMs)} ms` };
  }
  if (isGreen) return { outcome: "alive", why: "" };
  if (!BEGAN.test(output)) {
    const why = `the change does not load:\n${lastLines(output)}`;
    return { outcome: "red", why };
  }
  const [, name = "the tests broke off"] =
    /^(.*) \.\.\. FAILED/m.exec(output) ?? [];
  return { outcome: "killed", why: name };
}

async function runTests(
  cwd: string,
  files: readonly string[],
  limitMs: number,
  env: Readonly<Record<string, string>>,
): Promise<Run> {
  const start = performance.now();
  const { code, isOverrun, output } = await supervise({
    command: DENO,
    args: ["test", "-A", "--no-check", "--fail-fast", ...files],
    cwd,
    env,
    limitMs,
  });
  const ms = performance.now() - start;
  return { isGreen: code === 0 && !isOverrun, isOverrun, ms, output };
}

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-20).join("\n");
}
