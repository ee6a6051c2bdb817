import { canonicalText } from "../errors/canonical.ts";
import { isObject, parsedJson } from "../errors/text.ts";
import type { TranscriptEntry } from "./store.ts";

/** Type of the entry about a subagent; the CLI keeps it in a file beside the subagent's lines. */
export const AGENT_METADATA = "agent_metadata";

/** All lines in one text, each with its newline. */
export function textOf(entries: readonly TranscriptEntry[]): string {
  return entries.map((entry) => JSON.stringify(entry) + "\n").join("");
}

/** The lines in a text; what is no line of a session, or was cut off by a crash, is left out. */
export function entriesIn(text: string): TranscriptEntry[] {
  return text.split("\n").map((line): unknown => parsedJson(line))
    .filter(isEntry);
}

/** Whether a value is a line of a session. */
export function isEntry(value: unknown): value is TranscriptEntry {
  return isObject<unknown>(value) && typeof value.type === "string";
}

/** The lines that a store returns, without `null` and other values that hold nothing. */
export function presentIn(
  entries: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  return entries.filter(isObject);
}

/**
 * Those of the first list that are not in the second. Lines without an id, such as titles, may rightly come again: they
 * are counted.
 */
export function missingIn(
  entries: readonly TranscriptEntry[],
  others: readonly TranscriptEntry[],
): TranscriptEntry[] {
  const ids = new Set<string>();
  const counts = new Map<string, number>();
  for (const entry of others) {
    const { uuid } = entry;
    if (typeof uuid === "string") ids.add(uuid);
    else {
      const text = canonicalText(entry);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return entries.filter((entry) => {
    if (typeof entry.uuid === "string") return !ids.has(entry.uuid);
    const text = canonicalText(entry);
    const left = counts.get(text) ?? 0;
    if (left > 0) counts.set(text, left - 1);
    return left === 0;
  });
}
