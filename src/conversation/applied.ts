import { ProtocolError } from "../errors/protocol.ts";
import type { Log } from "../observe/log.ts";
import type { JsonObject } from "../types/json.ts";

/** Fields of `initialize` and the field of the reply that says whether they were taken. Source: protocol reference, section initialize. */
const APPLIED: readonly (readonly [field: string, applied: string])[] = [
  ["hooks", "hooks_applied"],
  ["plugins", "plugins_applied"],
  ["mcpServers", "mcp_servers_applied"],
  ["settings", "settings_applied"],
  ["disallowedTools", "disallowed_tools_applied"],
];
/** What stands between the model and harm: a CLI that does not take these must not go on. */
const GUARDS: ReadonlySet<string> = new Set(["hooks", "disallowedTools"]);

/** Looks whether the CLI took what it was sent: it ignores unknown fields silently. */
export function checkApplied(
  fields: JsonObject,
  reply: JsonObject,
  log: Log,
): void {
  for (const [field, applied] of APPLIED) {
    if (fields[field] === undefined || reply[applied] !== false) continue;
    if (GUARDS.has(field)) {
      throw new ProtocolError({
        message:
          `CLI did not take "${field}" of initialize, and without it nothing would be guarded`,
        category: "protocol",
        subtype: "initialize",
        fatal: true,
      });
    }
    log.warn("CLI did not take a field of initialize", { field });
  }
}
