import { isObject } from "../errors/text.ts";
import { isSessionId } from "./places.ts";
import type { TranscriptEntry } from "./store.ts";
import { isText } from "./summary.ts";

const HYBRID = "hybrid-organization";

/** Lines of a copy that are no messages. */
export interface ForkNotes {
  /** Lines in front of the messages. */
  readonly before: readonly TranscriptEntry[];
  /** Lines behind the messages. */
  readonly behind: readonly TranscriptEntry[];
}

/** Lines in which the CLI keeps facts about a session, such as shortened results of tools, for its copy. Source: official SDK 0.3.330. */
export function notesOf(
  entries: readonly TranscriptEntry[],
  { from, sessionId, timestamp }: {
    readonly from: string;
    readonly sessionId: string;
    readonly timestamp: string;
  },
): ForkNotes {
  const own = entries.filter((entry) => entry.sessionId === from);
  const noted = (type: string, fields: object | false): TranscriptEntry[] =>
    fields ? [{ ...{ type, sessionId }, ...fields }] : [];
  const suppressed = valuesOf(entries, "history-suppression", "type");
  const organizations = valuesOf(entries, HYBRID, "organizationUuid")
    .filter(isSessionId).map((id) => id.toLowerCase());
  const replacements = valuesOf(own, "content-replacement", "replacements")
    .flatMap((all) => Array.isArray(all) ? all.filter(isObject) : []);
  const atis = valuesOf(own, "atis-latch", "atis").findLast(isVisible);
  const tools = valuesOf(own, "tools-used", "tools").findLast(Array.isArray);
  const relocatedCwd = valuesOf(own, "relocated", "relocatedCwd")
    .findLast(isText);
  const uuid = crypto.randomUUID();
  return {
    before: [
      ...noted(
        "history-suppression",
        suppressed.length > 0 && { cause: "fork_inherit", ts: timestamp },
      ),
      ...[...new Set(organizations)].flatMap((organizationUuid) =>
        noted(HYBRID, { organizationUuid })
      ),
    ],
    behind: [
      ...noted(
        "content-replacement",
        replacements.length > 0 && { replacements, uuid, timestamp },
      ),
      ...noted("atis-latch", atis !== undefined && { atis }),
      ...noted("tools-used", tools ? { tools: tools.filter(isText) } : false),
      ...noted("relocated", relocatedCwd ? { relocatedCwd } : false),
    ],
  };
}

/** Values of a field in lines of a type, the oldest first. */
function valuesOf(
  lines: readonly TranscriptEntry[],
  type: string,
  field: string,
): readonly unknown[] {
  return lines.filter((line) => line.type === type).map((line) => line[field]);
}

/** Whether a value can stand in a header. */
function isVisible(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]*$/.test(value);
}
