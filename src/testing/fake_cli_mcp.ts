import { isObject } from "../errors/is_object.ts";
import type { JsonObject } from "../types/json.ts";
import type { FakeWire } from "./fake_cli_wire.ts";

/** What a tool gave: its text, and whether that is an error. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
}

/** Does what the CLI does with an in-process server before it answers `initialize`. */
export async function shakeHands(
  wire: FakeWire,
  server: string,
): Promise<void> {
  await wire.rpc(server, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "claude-code", version: "2.1.328" },
  }, {});
  await wire.rpc(server, "notifications/initialized", undefined, {
    isNotification: true,
  });
  await wire.rpc(server, "tools/list", {}, {});
}

/** Calls a tool of an in-process server. */
export async function callTool(
  wire: FakeWire,
  { server, tool }: { server: string; tool: string },
  input: JsonObject,
  toolUseId: string,
): Promise<ToolOutcome> {
  const answer = await wire.rpc(server, "tools/call", {
    name: tool,
    arguments: input,
    _meta: { "claudecode/toolUseId": toolUseId },
  }, {});
  if (!answer.ok) return { text: answer.error, isError: true };
  const reply = answer.response?.["mcp_response"];
  if (!isObject(reply)) return { text: "No mcp_response", isError: true };
  const { result, error } = reply;
  if (!isObject(result)) {
    const text = isObject(error) ? String(error["message"]) : "No result";
    return { text, isError: true };
  }
  return {
    text: textOf(result),
    isError: result["isError"] === true,
  };
}

/** Structured content replaces the text, as with the real CLI. */
function textOf(result: JsonObject): string {
  const { structuredContent, content } = result;
  if (isObject(structuredContent)) return JSON.stringify(structuredContent);
  const blocks = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => isObject(block) ? block["text"] ?? "" : "")
    .join("");
}
