import type { AgentError } from "../errors/base.ts";
import type { LogFields } from "../types/logger.ts";

/** Texts of the CLI and of the model have no place in a log line. */
const TEXTS: ReadonlySet<string> = new Set(["stderrTail", "rawData"]);

/** The plain facts of an error, for a log line: whatever is no text of the CLI and no object. */
export function factsOf(error: AgentError): LogFields {
  return Object.fromEntries(
    Object.entries(error).filter(([name, value]) =>
      value !== undefined && !TEXTS.has(name) &&
      (typeof value !== "object" || value === null)
    ),
  );
}
