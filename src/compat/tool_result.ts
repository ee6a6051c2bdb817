import { isObject, typeOf } from "../errors/text.ts";
import { JsonRpcError } from "../mcp/failure.ts";
import { INVALID_PARAMS } from "../mcp/jsonrpc.ts";
import type { JsonObject } from "../types/json.ts";
import { type Issue, textOf } from "./zod_arguments.ts";

/** The answer to a call: the handler's result, or throws for one that would make the CLI wait for ever. */
export function answerOf(returned: unknown): JsonObject {
  const issues = issuesOf(returned);
  if (issues.length > 0) {
    const message = `MCP error ${INVALID_PARAMS}: Invalid tools/call result: ${
      textOf(issues)
    }`;
    throw new JsonRpcError(INVALID_PARAMS, message);
  }
  const { content = [] } = returned as JsonObject;
  return { ...returned as JsonObject, content };
}

/** Type errors of a tool's result, in the words of Zod; the CLI checks the blocks. */
function issuesOf(result: unknown): readonly Issue[] {
  const issue = (value: unknown, expected: string, ...path: string[]) => ({
    expected,
    code: "invalid_type",
    path,
    message: `Invalid input: expected ${expected}, received ${typeOf(value)}`,
  });
  if (!isObject<unknown>(result)) return [issue(result, "object")];
  const { content, structuredContent, isError, _meta } = result;
  const issues: Issue[] = [];
  if (_meta !== undefined && !isObject(_meta)) {
    issues.push(issue(_meta, "object", "_meta"));
  }
  if (content !== undefined && !Array.isArray(content)) {
    issues.push(issue(content, "array", "content"));
  }
  if (structuredContent !== undefined && !isObject(structuredContent)) {
    issues.push(issue(structuredContent, "record", "structuredContent"));
  }
  if (isError !== undefined && typeof isError !== "boolean") {
    issues.push(issue(isError, "boolean", "isError"));
  }
  return issues;
}

/** The result of a call that failed. */
export function failed(text: string): JsonObject {
  return { content: [{ type: "text", text }], isError: true };
}
