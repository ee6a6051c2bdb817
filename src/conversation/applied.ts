import { ProtocolError } from "../errors/protocol.ts";
import { fieldsNotApplied } from "../options/initialize.ts";
import type { JsonObject } from "../types/json.ts";

/** Refuses a CLI that did not take what it was sent: it ignores unknown fields silently. Source: protocol reference, section initialize. */
export function checkApplied(sent: JsonObject, reply: JsonObject): void {
  const ignored = [...fieldsNotApplied(sent, reply)];
  // Not every CLI that calls hooks says so; one that says no guards nothing.
  if (sent.hooks !== undefined && reply.hooks_applied === false) {
    ignored.push("hooks");
  }
  if (ignored.length === 0) return;
  throw new ProtocolError({
    message: `CLI did not take these fields of initialize: ${
      ignored.join(", ")
    }`,
    category: "protocol",
    subtype: "initialize",
    fatal: true,
  });
}
