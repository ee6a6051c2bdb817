import { cut, printable } from "../errors/text.ts";
import type { Terminal } from "../ports/terminal.ts";
import type { JsonObject } from "../types/json.ts";
import type { PermissionContext } from "../types/permissions.ts";
import type { PermissionDecision } from "../protocol/permissions.ts";

/** Of each field of the input so many characters are shown. */
const LONGEST_FIELD = 500;
/** So many fields are shown. */
const MOST_FIELDS = 20;

/** Asks whether a tool may be used, until there is an answer; a denial where nobody is to be asked. */
export async function askPerson(
  terminal: Terminal,
  tool: string,
  input: JsonObject,
  { signal, suggestions = [], title }: PermissionContext,
): Promise<PermissionDecision> {
  if (!terminal.isPerson) {
    return deny("Nobody sits at a terminal to be asked");
  }
  const hasAlways = suggestions.length > 0;
  const choices = hasAlways
    ? "y = yes, a = always, n = no, or why not: "
    : "y = yes, n = no, or why not: ";
  const shown = [
    "",
    `May the agent use ${plain(tool)}?`,
    ...title === undefined ? [] : [`  ${plain(title)}`],
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

/** Printable, and cut where it is long, which it says. */
function plain(text: string): string {
  const more = text.length - LONGEST_FIELD;
  return printable(
    more > 0 ? `${cut(text, LONGEST_FIELD)} (${more} more characters)` : text,
  );
}
