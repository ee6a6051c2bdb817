import type { JsonObject } from "./types/json.ts";
import type { CanUseTool, PermissionContext } from "./types/permissions.ts";
import type { PermissionDecision } from "./protocol/permissions.ts";
import type { Terminal } from "./ports/terminal.ts";

/** Settings of {@link promptPerson}. */
export interface PromptPersonOptions {
  /** The terminal to ask at; that of this program by default. */
  readonly terminal?: Terminal | undefined;
}

/**
 * Creates a `canUseTool` callback that asks the person at the terminal about each tool call, one after the other,
 * without a timeout.
 *
 * Shows the tool and its whole input, page by page, when the reader of the messages has caught up: edits as a
 * comparison, plans as text, hidden characters spelled out. Accepts `y` once everything was shown, `n`, a reason for
 * a denial, and `a` (always) if the CLI suggests rules, which are listed to choose from. Questions of
 * `AskUserQuestion` are answered by number or in words. Without a person at a terminal, at the end of the input, or
 * in a worker thread, the call is denied with that reason. It asks on the screen above the keyboard; nothing else should read stdin
 * meanwhile.
 *
 * @param options Another terminal
 * @returns The callback; it rejects with a `TypeError` for a context without `signal`
 *
 * @example Deny a call at the terminal
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
  const place = options.terminal ?? OF_PROGRAM;
  async function decide(
    tool: string,
    input: JsonObject,
    context: PermissionContext,
  ): Promise<PermissionDecision> {
    await context.caughtUp;
    const terminal = options.terminal ??
      (await import("./runtime/terminal.ts")).terminal();
    const { askPerson } = await import("./callbacks/ask_person.ts");
    const { shownFile } = await import("./runtime/shown_file.ts");
    return await askPerson(terminal, tool, input, context, shownFile);
  }
  const canUseTool = (
    tool: string,
    input: JsonObject,
    context: PermissionContext,
  ): Promise<PermissionDecision> => {
    // Callers without types pass copies, which have no getters.
    const { signal } = (context ?? {}) as Partial<PermissionContext>;
    if (!(signal instanceof AbortSignal)) {
      return Promise.reject(
        new TypeError(
          "promptPerson() needs context.signal, which a copy such as { ...context } leaves out: pass the context itself, or add signal, caughtUp and raw",
        ),
      );
    }
    // One question at a time; one that was taken back meanwhile is not shown.
    const decision = (lastAt.get(place) ?? Promise.resolve()).then(() => {
      signal.throwIfAborted();
      return decide(tool, input, context);
    });
    lastAt.set(place, decision.catch(() => {}));
    return decision;
  };
  return Object.assign(canUseTool, { timeoutMs: Infinity });
}

/** The terminal of this program. */
const OF_PROGRAM = {};
/** The newest question at each terminal. */
const lastAt = new WeakMap<object, Promise<unknown>>();
