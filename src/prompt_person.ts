import { cut } from "./errors/text.ts";
import type { Terminal } from "./ports/terminal.ts";
import type { JsonObject } from "./types/json.ts";
import type {
  CanUseTool,
  PermissionContext,
  PermissionDecision,
} from "./types/permissions.ts";

/** Of each field of the input so many characters are shown. */
const LONGEST_FIELD = 500;
/** So many fields are shown. */
const MOST_FIELDS = 20;

/** Settings of {@link promptPerson}. */
export interface PromptPersonOptions {
  /** Where the person is; the terminal of this program. */
  readonly terminal?: Terminal;
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
    if (!at.isPerson) return deny("Nobody sits at a terminal to be asked");
    return await ask(at, tool, input, context);
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

async function ask(
  terminal: Terminal,
  tool: string,
  input: JsonObject,
  { signal, suggestions = [], ...about }: PermissionContext,
): Promise<PermissionDecision> {
  const hasAlways = suggestions.length > 0;
  const choices = hasAlways
    ? "y = yes, a = always, n = no, or why not: "
    : "y = yes, n = no, or why not: ";
  const shown = [
    "",
    `May the agent use ${plain(tool)}?`,
    ...about.title === undefined ? [] : [`  ${plain(about.title)}`],
    ...fieldsOf(input),
    choices,
  ].join("\n");
  for (let text = shown;; text = choices) {
    const line = await terminal.ask(text, signal);
    if (line === undefined) return deny("The person left without an answer");
    const answer = line.trim();
    switch (answer.toLowerCase()) {
      case "y":
      case "yes":
        return { behavior: "allow" };
      case "a":
      case "always":
        if (!hasAlways) continue;
        return { behavior: "allow", updatedPermissions: suggestions };
      case "n":
      case "no":
        return deny("The person said no");
      case "":
        continue;
      default:
        return deny(answer);
    }
  }
}

function deny(message: string): PermissionDecision {
  return { behavior: "deny", message };
}

function fieldsOf(input: JsonObject): readonly string[] {
  const fields = Object.entries(input);
  const lines = fields.slice(0, MOST_FIELDS).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `  ${plain(name)}: ${plain(text ?? "")}`;
  });
  const more = fields.length - lines.length;
  return more > 0 ? [...lines, `  (${more} more)`] : lines;
}

/** A text that can do nothing to a terminal: control and invisible characters are spelled out, what is long is cut and says so. */
function plain(text: string): string {
  const more = text.length - LONGEST_FIELD;
  const head = more > 0
    ? `${cut(text, LONGEST_FIELD)} (${more} more characters)`
    : text;
  return head.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
}
