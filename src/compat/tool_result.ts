import { isObject, typeOf } from "../errors/text.ts";
import { JsonRpcError } from "../mcp/failure.ts";
import { INVALID_PARAMS } from "../mcp/jsonrpc.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { type Issue, textOf } from "./zod_arguments.ts";

/** Fields of blocks of content, by type. Source: @modelcontextprotocol/sdk 1.32.2. */
const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["text"]],
  ["image", ["data", "mimeType"]],
  ["audio", ["data", "mimeType"]],
  ["resource", ["resource"]],
  [
    "resource_link",
    ["uri", "name", "title", "description", "mimeType", "size", "icons"],
  ],
]);
const RESOURCE_FIELDS = ["uri", "mimeType", "text", "blob", "_meta"];

/** The answer to a call: the handler's result, or throws for one that would make the CLI wait for ever. */
export function answerOf(returned: unknown): JsonObject {
  const issues = issuesOf(returned);
  if (issues.length > 0) {
    const message = `MCP error ${INVALID_PARAMS}: Invalid tools/call result: ${
      textOf(issues)
    }`;
    throw new JsonRpcError(INVALID_PARAMS, message);
  }
  const { content = [], ...others } = returned as JsonObject;
  return { ...others, content: (content as JsonValue[]).map(knownPart) };
}

/** A block without fields that its type does not have: JSON may be unable to write them. */
function knownPart(block: JsonValue): JsonValue {
  if (!isObject(block)) return block;
  const fields = FIELDS.get(block.type);
  if (fields === undefined) return block;
  const { resource } = block;
  return picked({
    ...block,
    ...isObject(resource) && { resource: picked(resource, RESOURCE_FIELDS) },
  }, ["type", "annotations", "_meta", ...fields]);
}

function picked(from: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(from).filter(([name]) => fields.includes(name)),
  );
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
