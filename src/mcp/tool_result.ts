import { cut, isObject, textOfError } from "../errors/text.ts";
import { McpProtocolError } from "../errors/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { CallToolResult, ToolResult } from "../types/mcp.ts";
import type { Route } from "./catalog.ts";

/** The answer of a server as users get it: nothing is taken away, what is missing is empty. */
export function readResult(answer: JsonValue | undefined): ToolResult {
  if (!isObject(answer)) return { content: [], isError: false };
  // What the pieces are is up to the server; kinds that nobody knows stay.
  const { content, structuredContent, isError, _meta } = answer as Partial<
    CallToolResult & JsonObject
  >;
  return {
    content: Array.isArray(content) ? content : [],
    ...(isPresent(structuredContent) ? { structuredContent } : {}),
    isError: isError === true,
    ...(isObject(_meta) ? { meta: _meta } : {}),
  };
}

/** The same as it travels. */
export function writeResult(
  { content, structuredContent, isError, meta }: ToolResult,
): JsonObject {
  return {
    // What a server sent is JSON, whatever its kind.
    content: content as readonly unknown[] as readonly JsonValue[],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError ? { isError } : {}),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** Throws when the structured content is not what the tool says of it; a failed result needs none. */
export function checkResult(result: ToolResult, route: Route): void {
  if (result.isError) return;
  const problem = route.problemOf(result.structuredContent);
  if (problem === undefined) return;
  const { server, tool } = route.tool;
  throw new McpProtocolError({
    message:
      `Structured content of tool "${tool}" of MCP server "${server}" does not fit its output schema: ${
        cut(problem)
      }`,
    server,
    details: { tool, problem, result },
  });
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

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
