/**
 * The program `sluice`: checks the installation, runs and records agents at the terminal, and shows recordings.
 *
 * In a project that has the package it runs as `npx sluice doctor`, `bunx sluice doctor` or
 * `deno run -A @sluice/agent/command doctor`.
 * A program can call it as a function, too:
 *
 * ```ts
 * import { sluice } from "@sluice/agent/command";
 * import assert from "node:assert/strict";
 *
 * assert.equal(await sluice(["--version"]), 0);
 * ```
 *
 * @module
 */
import { leaveLostTerminal, program } from "../runtime/program.ts";
import { HUNG_UP, TERMINATED } from "./exit_codes.ts";

/**
 * Runs the program `sluice` in this process, with its stdin, stdout and stderr.
 *
 * Listens to SIGINT and SIGTERM while a command runs. Failures are reported on stderr; nothing is thrown. In the background of a terminal
 * SIGTERM and SIGHUP end this process itself, so that the shell keeps its terminal.
 *
 * @param args The arguments after the program's name; those of this process by default
 * @returns The exit code: 0 done, 1 failed, 2 wrong usage, 129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM
 *
 * @example Get the exit code of an unknown command
 * ```ts
 * import { sluice } from "@sluice/agent/command";
 * import assert from "node:assert/strict";
 *
 * assert.equal(await sluice(["docter"]), 2);
 * ```
 */
export async function sluice(args?: readonly string[]): Promise<number> {
  let loaded: typeof import("./main.ts");
  try {
    loaded = await import("./main.ts");
  } catch (error) {
    // Deno refuses what the packages behind it read while they load.
    if (!/--allow-\w+/.test(String(error))) throw error;
    const { message } = error as Error;
    await program().writeError(`error: ${message}, or with -A\n`);
    return 1;
  }
  const code = await loaded.main(args);
  if (leaveLostTerminal()) return HUNG_UP;
  if (code === TERMINATED || code === HUNG_UP) {
    const { endInBackground } = await import("../runtime/terminal_job.ts");
    await endInBackground(code === HUNG_UP ? "SIGHUP" : "SIGTERM");
  }
  return code;
}

// Without a top-level await, which would keep `require()` from this entry.
if (import.meta.main) void sluice().then(program().exit);
