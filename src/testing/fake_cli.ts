import { commandFor } from "../runtime/rerun.ts";
import { toPlan } from "./fake_cli/check.ts";
import { fakeCliOf } from "./fake_cli/handle.ts";
import type { FakeCliScript } from "./fake_cli_script.ts";
import type { FakeCli } from "./fake_cli_record.ts";

/**
 * Creates a fake CLI that follows a script: real processes and pipes, but no CLI, no model, no network.
 *
 * The script is one text (the answer to every prompt), a list with one turn for each prompt, or a whole
 * {@link FakeCliPlan}. A turn is a text, a step or a list of steps: say something, call a tool, request a
 * permission, call hooks and MCP servers, send malformed lines, stall, exit, ... The rest happens as with the real
 * CLI: it answers `initialize` and other control requests, begins a turn with `system/init` and ends it with a
 * result, honours interrupts, and exits when stdin ends.
 *
 * Nothing is started here. Each run of `cliPath` starts a process; {@link FakeCli.transport} plays the same script
 * in this process, in a few milliseconds.
 *
 * @param script Its behaviour
 * @returns The command for the option `cliPath`, the transport, and the record
 * @throws {ConfigError} If the script has an unknown key or step, or a wrong value
 *
 * @example A plain answer
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello, Ada!");
 * assert.equal(await query("Say hello", { cliPath }).text(), "Hello, Ada!");
 * ```
 *
 * @example Answer by the text of the prompt, and check the decisions
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const fake = fakeCli({
 *   match: [
 *     { prompt: /weather/i, turn: "Rain." },
 *     { prompt: "clean", turn: [{ tool: "Bash", input: { command: "rm -rf build" } }, "Done."] },
 *   ],
 * });
 * const { cliPath } = fake;
 * const permissions = { canUseTool: () => ({ behavior: "allow" } as const) };
 * assert.equal(await query("Please clean up", { cliPath, permissions }).text(), "Done.");
 * assert.equal(await query("Weather?", { cliPath }).text(), "Rain.");
 *
 * const [first] = fake.decisions;
 * assert.ok(first?.kind === "permission");
 * assert.deepEqual([first.tool, first.decision?.behavior], ["Bash", "allow"]);
 * ```
 */
export function fakeCli(script: FakeCliScript): FakeCli {
  const main = new URL("./fake_cli/fake_cli_main.ts", import.meta.url);
  return fakeCliOf(
    toPlan(script),
    (folder) => [...commandFor(main), folder],
  );
}
