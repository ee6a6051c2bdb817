import type { Terminal } from "./ports/terminal.ts";
import type { JsonObject } from "./types/json.ts";
import type { CanUseTool, PermissionContext } from "./types/permissions.ts";
import type { PermissionDecision } from "./protocol/permissions.ts";

/** Settings of {@link promptPerson}. */
export interface PromptPersonOptions {
  /** Where the person is; the terminal of this program. */
  readonly terminal?: Terminal | undefined;
}

/**
 * Asks the person at the terminal about each tool call, one after the other, without a limit of time.
 *
 * Shows the tool and its input, cut and without control characters, when the reader of the messages has caught up. Takes
 * `y`, `n`, a reason why not, and `a` (always) where the CLI suggests rules for that. Where nobody sits at a terminal, or
 * the input ends, the call is denied with that reason. Questions go to stderr; nothing else should read stdin meanwhile.
 *
 * @param options Another terminal
 * @returns The callback
 *
 * @example A person that says no
 * ```ts
 * import { promptPerson, query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli([[{ tool: "Bash", input: { command: "rm -rf /" } }, "Pity."]]);
 * // Left out, it is the terminal of this program.
 * const terminal = { isPerson: true, ask: () => Promise.resolve("never do that") };
 * const result = await query("Tidy up.", {
 *   cliPath,
 *   permissions: { canUseTool: promptPerson({ terminal }) },
 * }).result();
 * assert.equal(result.permission_denials[0]?.tool_name, "Bash");
 * ```
 */
export function promptPerson(options: PromptPersonOptions = {}): CanUseTool {
  let last: Promise<unknown> = Promise.resolve();
  async function decide(
    tool: string,
    input: JsonObject,
    context: PermissionContext,
  ): Promise<PermissionDecision> {
    await context.caughtUp;
    const at = options.terminal ??
      (await import("./runtime/terminal.ts")).terminal();
    const { askPerson } = await import("./callbacks/ask_person.ts");
    return await askPerson(at, tool, input, context);
  }
  const canUseTool = (
    tool: string,
    input: JsonObject,
    context: PermissionContext,
  ): Promise<PermissionDecision> => {
    // One question at a time; one that was taken back meanwhile is not shown.
    const decision = last.then(() => {
      context.signal.throwIfAborted();
      return decide(tool, input, context);
    });
    last = decision.catch(() => {});
    return decision;
  };
  return Object.assign(canUseTool, { timeoutMs: Infinity });
}
