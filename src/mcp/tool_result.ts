import { McpProtocolError } from "../errors/mcp.ts";
import { isObject, show } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type {
  CallToolResult,
  ToolContent,
  ToolResult,
} from "../types/mcp_tool.ts";

/** The result of a tool as users get it: everything the server sent, with missing members empty. */
export function readResult(server: string, answer: JsonValue): ToolResult {
  // Blocks of unknown kinds stay.
  const { content, structuredContent, isError, _meta } = objectIn(
    server,
    answer,
  ) as Partial<CallToolResult & JsonObject>;
  return {
    content: readContent(content),
    ...(structuredContent ?? undefined) !== undefined && { structuredContent },
    isError: isError === true,
    ...isObject(_meta) && { meta: _meta },
  };
}

/** The object that a server answered; `{}` for nothing, an error for any other value. */
export function objectIn(
  server: string,
  answer: JsonValue | undefined,
): JsonObject {
  if (isObject(answer)) return answer;
  if (answer === null || answer === undefined) return {};
  throw new McpProtocolError({
    message: `MCP server "${server}" answered with no object: ${show(answer)}`,
    server,
    details: { result: answer },
  });
}

function readContent(content: unknown): readonly ToolContent[] {
  if (Array.isArray(content)) return content;
  if (content === null || content === undefined) return [];
  if (isObject(content)) return [content as unknown as ToolContent];
  const text = typeof content === "string" ? content : show(content);
  return [{ type: "text", text }];
}
