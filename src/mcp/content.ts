import { textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { CallToolResult } from "../types/mcp.ts";

/**
 * What a tool returned, as it travels.
 *
 * Never refuses: a value that is neither a text nor an object goes as its JSON text, nothing at all as an empty answer.
 * The tool has run, and an error would make the model run it again.
 */
export function toResult(returned: unknown): CallToolResult {
  if (typeof returned === "string") return textResult(returned);
  if (returned === undefined || returned === null) return { content: [] };
  if (typeof returned === "object" && !Array.isArray(returned)) {
    if ("content" in returned && Array.isArray(returned.content)) {
      // It has the one member that the wire asks for.
      return returned as CallToolResult;
    }
    const structuredContent = returned as JsonObject;
    return { ...textResult(JSON.stringify(returned)), structuredContent };
  }
  return textResult(JSON.stringify(returned) ?? String(returned));
}

/** A failed answer: the model reads why. */
export function failedResult(text: string): CallToolResult {
  return { ...textResult(text), isError: true };
}

/** What a tool threw, as a failed answer. */
export function thrownResult(error: unknown): CallToolResult {
  return failedResult(textOfError(error));
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
