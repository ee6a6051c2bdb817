import { TESTED_VERSION } from "../../options/versions.ts";
import type { JsonObject } from "../../types/json.ts";
import { messageOf } from "../blocks.ts";
import type { FakeAnswer } from "../fake_cli_script.ts";
import { PARTS, REPLIES } from "../generated/replies.ts";
import { type FakeContext, modelOf } from "./context.ts";

const TOOLS = ["Bash", "Edit", "Read", "Task", "WebFetch", "Write"];

const ASKING_TOOLS = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

/** Fields that `system/init` and the reply to `initialize` share. */
const COMMON: JsonObject = {
  claude_code_version: TESTED_VERSION,
  output_style: "default",
  fast_mode_state: "off",
};

export function initLine(
  context: FakeContext,
  prompts: readonly string[],
): JsonObject {
  return {
    ...PARTS.InitMessage,
    ...COMMON,
    uuid: crypto.randomUUID(),
    session_id: context.sessionId,
    cwd: context.cwd,
    tools: [...TOOLS, ...context.isAsking ? ASKING_TOOLS : []],
    mcp_servers: context.servers.map((name) => (
      { name, status: "connected", source: "sdk" }
    )),
    model: context.model,
    permissionMode: context.permissionMode,
    slash_commands: ["compact"],
    capabilities: ["interrupt_receipt_v1", "msg_lifecycle_v1"],
    ...prompts.length > 0 && { user_message_uuids: prompts },
  };
}

/** An assistant line: an API message with one block. */
export function assistantLine(
  model: string,
  id: string,
  block: JsonObject,
  prompts: readonly string[],
): JsonObject {
  return {
    type: "assistant",
    message: messageOf(model, id, [block]),
    parent_tool_use_id: null,
    timestamp: new Date().toISOString(),
    request_id: `req_${id.slice(4)}`,
    ...promptLink(prompts),
  };
}

/** A user line, such as a tool's result. */
export function userLine(content: JsonObject, extra: JsonObject): JsonObject {
  return {
    type: "user",
    message: { role: "user", content: [content] },
    parent_tool_use_id: null,
    ...extra,
  };
}

/** Names the prompts that a line answers. */
export function promptLink(prompts: readonly string[]): JsonObject {
  return prompts.length === 0
    ? {}
    : { user_message_uuid: prompts[0], user_message_uuids: prompts };
}

export function initializeReply(context: FakeContext): JsonObject {
  return {
    ...REPLIES["initialize"],
    ...COMMON,
    commands: [{ name: "compact", description: "", argumentHint: "" }],
    models: [{
      value: "default",
      displayName: "Default",
      resolvedModel: modelOf(undefined),
      description: "Model of the fake CLI",
    }],
    account: { apiKeySource: "ANTHROPIC_API_KEY", apiProvider: "firstParty" },
    pid: context.pid,
    current_permission_mode: context.permissionMode,
    hook_on_failure_supported: true,
    hooks_when_unanswered_kept: 0,
    other_hook_ask_outranks_host: true,
    session_state: "idle",
    capabilities: ["mcp_call_check_permissions_v1"],
  };
}

export function defaultAnswer(request: JsonObject): FakeAnswer {
  const subtype = String(request["subtype"]);
  if (subtype === "end_session") return "void";
  const reply = Object.hasOwn(REPLIES, subtype) ? REPLIES[subtype] : undefined;
  if (reply === null) return "void";
  return reply === undefined
    ? {
      error: `Unsupported control request subtype: ${subtype}`,
      error_code: "unsupported_request",
    }
    : { ...reply, ...DETAILS[subtype]?.(request) };
}

/** Fields that make the smallest reply plausible. */
const DETAILS: Readonly<Record<string, (request: JsonObject) => JsonObject>> = {
  set_permission_mode: ({ mode }) => ({ mode: mode ?? "default" }),
  set_model: ({ model }) => ({ model: model ?? "default" }),
  mcp_set_servers: ({ servers }) => ({ added: Object.keys(servers ?? {}) }),
  mcp_call: () => ({ content: [{ type: "text", text: "ok" }] }),
  mcp_read_resource: ({ uri }) => ({ contents: [{ uri, text: "ok" }] }),
  get_context_usage: () => ({ maxTokens: 1_000_000, rawMaxTokens: 1_000_000 }),
  get_session_cost: () => ({ text: "Total cost: $0.0008" }),
  get_binary_version: () => ({ version: TESTED_VERSION }),
  read_file: ({ path }) => ({ absPath: path }),
  rewind_files: () => ({ canRewind: true }),
  cancel_async_message: ({ message_uuid }) => ({ message_uuid }),
  register_repo_root: ({ directory }) => ({ directory }),
};
