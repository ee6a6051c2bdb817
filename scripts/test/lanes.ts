/** The runtimes: how each runs test files, and what its report says. */
import { BUN, DENO, mustRun, ROOT_PATH } from "../project.ts";
import { supervise } from "./supervise.ts";

/** One runtime. */
interface Lane {
  /** Program and arguments. */
  command(files: readonly string[], seed: number): readonly string[];
  /** Pattern of the test counts in its report, each in a group; the last match counts. */
  readonly counts: Readonly<Record<keyof Counts, RegExp>>;
  /** Beginning of the part of its output about failures. */
  readonly failures: RegExp;
  /** Preparation before the first of its programs starts. */
  prepare?(): Promise<unknown>;
}

/** Counts of test outcomes. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Folder with all files as JavaScript, for the tests of Node. */
export const NODE_FOLDER: string = `.lane/${Deno.pid}`;
const NODE_TREE = `--tree=${NODE_FOLDER}`;
/** Of an output without a part that tells of failures. */
const LAST_LINES = 60;
const MOST_LINES = 400;

/** The runtimes by name. */
export const LANES: Readonly<Record<string, Lane>> = {
  deno: {
    command: () => [DENO, "test", "-A", "--no-check", "scripts/test/part.mjs"],
    counts: {
      passed: / (\d+) passed/g,
      failed: / (\d+) failed/g,
      skipped: / (\d+) ignored/g,
    },
    failures: /^ ERRORS $/m,
  },
  bun: {
    command: (files, seed) => [
      ...[BUN, "test", "--randomize", `--seed=${seed}`, "--only-failures"],
      ...files.map((file) => `./${file}`),
    ],
    counts: {
      passed: /^ +(\d+) pass$/gm,
      failed: /^ +(\d+) fail$/gm,
      skipped: /^ +(\d+) skip$/gm,
    },
    failures: /^/,
  },
  node: {
    command: (
      files,
    ) => ["node", "scripts/node_test.mjs", NODE_TREE, ...files],
    counts: {
      passed: /^ℹ pass (\d+)$/gm,
      failed: /^ℹ (?:fail|cancelled) ([1-9]\d*)$/gm,
      skipped: /^ℹ skipped (\d+)$/gm,
    },
    failures: /^✖ failing tests:$/m,
    prepare: () => mustRun("node", ["scripts/node_test.mjs", NODE_TREE]),
  },
};

/** Files to run in one program of a lane, and how. */
interface Part {
  readonly lane: string;
  readonly files: readonly string[];
  readonly seed: number;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly limitS: number;
}

/** Runs files in one program; gives the counts, and of a program that failed what it said. */
export async function runPart(
  { lane, files, seed, env, limitS }: Part,
): Promise<Counts & { readonly said?: string }> {
  const { command, counts, failures } = LANES[lane]!;
  const [program = "", ...args] = command(files, seed);
  const paths = files.map((file) => ROOT_PATH + file);
  const { code, output, isOverrun } = await supervise({
    command: program,
    args,
    env: { ...env, SLUICE_TEST_FILES: JSON.stringify(paths) },
    limitMs: limitS * 1000,
  });
  const last = (key: keyof Counts) =>
    [...output.matchAll(counts[key])].at(-1)?.[1];
  const passed = Number(last("passed") ?? 0);
  const skipped = Number(last("skipped") ?? 0);
  const failed = Number(last("failed") ?? 0);
  // An error outside of a test shows in the exit code alone, and no report may mean no run.
  const isBroken = isOverrun || code !== 0 || last("passed") === undefined;
  if (!isBroken) return { passed, failed, skipped };
  const told = failures.exec(output);
  const lines = output.slice(told?.index ?? 0).trimEnd().split("\n");
  const how = isOverrun
    ? `was killed after ${limitS} s`
    : `exited with ${code}`;
  const said = told === null || isOverrun
    ? lines.slice(-LAST_LINES)
    : lines.slice(0, MOST_LINES);
  return {
    passed,
    skipped,
    failed: Math.max(1, failed),
    said: `${lane}: ${how}\n${said.join("\n")}`,
  };
}
