import type { TranscriptEntry } from "./store.ts";

/** How the CLI begins the lines of a command that ran without the model. Source: official SDK 0.3.330. */
const BEGINNINGS:
  readonly (readonly [string, "record" | "output" | "caveat"])[] = [
    ["<command-name>", "record"],
    ["<local-command-stdout>", "output"],
    ["<local-command-stderr>", "output"],
    ["<local-command-caveat>", "caveat"],
  ];

/** Lines of commands that ran without the model, and of their output: each group stands behind a caveat. */
export function localCommandsIn(
  lines: readonly TranscriptEntry[],
): ReadonlySet<TranscriptEntry> {
  const found = new Set<TranscriptEntry>();
  for (const [at, line] of lines.entries()) {
    if (line.isMeta && kindOf(line) === "caveat") {
      for (const one of groupAfter(lines, at)) found.add(one);
    }
  }
  return found;
}

/** A record and its outputs behind a caveat. */
function* groupAfter(
  lines: readonly TranscriptEntry[],
  at: number,
): Generator<TranscriptEntry> {
  let expected = "record";
  for (const line of lines.slice(at + 1)) {
    if (line.type === "assistant") return;
    if (line.type !== "user" || line.isMeta) continue;
    if (kindOf(line) !== expected) return;
    expected = "output";
    yield line;
  }
}

function kindOf({ type, message, promptSource }: TranscriptEntry) {
  if (type !== "user" || promptSource !== undefined) return undefined;
  const { content } = Object(message);
  const text = Array.isArray(content)
    ? content.map(Object).findLast((block) => block.type === "text")?.text
    : content;
  if (typeof text !== "string") return undefined;
  return BEGINNINGS.find(([beginning]) => text.startsWith(beginning))?.[1];
}
