import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { TESTED_VERSION } from "../src/options/versions.ts";
import {
  type ModelTurn,
  type ScriptedModel,
  scriptedModel,
} from "@sluice/agent/testing";

/** The release of the CLI that the tests run. */
export { TESTED_VERSION };

/** Path of the installed CLI; set by the test runner. */
const CLI_PATH = process.env["SLUICE_TEST_CLI"];

const NO_CLI =
  `No CLI: run \`npm test\`, or set SLUICE_TEST_CLI to the path of @anthropic-ai/claude-code@${TESTED_VERSION}`;

/**
 * Its engine compiles and collects for hours of work; for the second of a test that is a fifth of all it computes. The
 * authorities of the system, which it reads at each start, are another twenty-fifth.
 */
export const ENGINE: Readonly<Record<string, string>> = {
  CLAUDE_CODE_CERT_STORE: "bundled",
  BUN_GC_TIMER_DISABLE: "1",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "100000",
  BUN_JSC_useConcurrentGC: "0",
};

/** Why tests with the real CLI are left out, for `skip`; undefined where it is installed, and in CI, where they must not be left out. */
export const reasonWithoutCli: string | undefined =
  CLI_PATH === undefined && process.env["CI"] === undefined
    ? NO_CLI
    : undefined;

/** The real CLI for one test: nothing of the developer's own reaches it. */
export interface RealCli {
  /** For the option of this name. */
  readonly cliPath: string;
  /** The whole environment, for `envPolicy: "replace"`: PATH, an empty HOME, the model. */
  readonly env: Readonly<Record<string, string>>;
  /** An empty working directory. */
  readonly cwd: string;
  /** The model that it talks to. */
  readonly model: ScriptedModel;
  /** The four options that a conversation with it needs. */
  readonly options: {
    readonly cliPath: string;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly envPolicy: "replace";
  };
}

/** Runs a test body with the real CLI, or the one named, and a scripted model, and removes everything afterwards. */
export async function withRealCli(
  turns: readonly ModelTurn[],
  use: (cli: RealCli) => Promise<void>,
  cliPath: string | undefined = CLI_PATH,
): Promise<void> {
  if (cliPath === undefined) throw new Error(NO_CLI);
  const folder = await mkdtemp(join(tmpdir(), "real-cli-"));
  const model = await scriptedModel(turns);
  try {
    const [home, cwd, tmp] = ["home", "cwd", "tmp"]
      .map((name) => join(folder, name)) as [string, string, string];
    for (const path of [home, cwd, tmp]) await mkdir(path);
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      TMPDIR: tmp,
      ...ENGINE,
      ...model.env,
    };
    await use({
      cliPath,
      env,
      cwd,
      model,
      options: { cliPath, cwd, env, envPolicy: "replace" },
    });
  } finally {
    await model.close();
    // Children of the CLI may still write for a moment.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
