import { TESTED_VERSION } from "../../options/versions.ts";
import type { JsonObject } from "../../types/json.ts";
import { openMessage } from "../message_blocks.ts";
import type { FakeContext } from "./context.ts";
import type { Turn } from "./turn.ts";

const TOOLS = "Task Bash CronCreate CronDelete CronList Edit EnterWorktree " +
  "ExitWorktree ListAgents Monitor NotebookEdit Read ReportFindings " +
  "ScheduleWakeup SendMessage Skill TaskStop ToolSearch WebFetch WebSearch " +
  "Workflow Write";

const ASKING_TOOLS = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

/** Names of slash commands. */
export const COMMANDS: readonly string[] = [
  "compact",
  "context",
  "init",
  "review",
];

/** The line that begins a turn. */
export function initLine(
  context: FakeContext,
  prompts: readonly string[],
): JsonObject {
  return {
    type: "system",
    subtype: "init",
    cwd: context.cwd,
    tools: [...TOOLS.split(" "), ...(context.isAsking ? ASKING_TOOLS : [])],
    mcp_servers: context.servers.map((name) => ({
      name,
      status: "connected",
      source: "sdk",
    })),
    model: context.model,
    permissionMode: context.permissionMode,
    slash_commands: COMMANDS,
    apiKeySource: "ANTHROPIC_API_KEY",
    claude_code_version: TESTED_VERSION,
    output_style: "default",
    agents: ["claude", "Explore"],
    skills: [],
    plugins: [],
    capabilities: ["interrupt_receipt_v1", "msg_lifecycle_v1"],
    fast_mode_state: "off",
    fast_mode_disabled_reason: "sdk_opt_in_required",
    ...(prompts.length > 0 ? { user_message_uuids: prompts } : {}),
  };
}

/** An API message with one block, as it stands in an assistant line. */
export function assistantLine(
  model: string,
  id: string,
  block: JsonObject,
  prompts: readonly string[],
): JsonObject {
  return {
    type: "assistant",
    message: { ...openMessage(model, id), content: [block] },
    parent_tool_use_id: null,
    timestamp: new Date().toISOString(),
    request_id: `req_${id.slice(4)}`,
    ...promptLink(prompts),
  };
}

/** The result of a tool, as the CLI tells it. */
export function toolResultLine(
  toolUseId: string,
  content: string,
  isError: boolean,
): JsonObject {
  return {
    type: "user",
    message: {
      role: "user",
      content: [{
        type: "tool_result",
        tool_use_id: toolUseId,
        content,
        is_error: isError,
      }],
    },
    parent_tool_use_id: null,
    timestamp: new Date().toISOString(),
    tool_use_result: isError ? `Error: ${content}` : { stdout: content },
  };
}

/**
 * The end of a turn.
 *
 * @param turn The turn
 * @param index Its place among the results of the session, from 0
 * @param earlierMessages API messages of the turns before
 */
export function resultLine(
  turn: Turn,
  index: number,
  earlierMessages: number,
): JsonObject {
  const { failure, messages } = turn;
  const { model } = turn.wire.context;
  const durationMs = Math.max(1, Date.now() - turn.startedAt);
  const { input, output } = tokensOf(messages);
  // What it all has cost counts on over the turns, as on the real wire; "usage" is of this turn.
  const modelUsage = modelUsageOf(model, earlierMessages + messages);
  return {
    duration_ms: durationMs,
    duration_api_ms: durationMs,
    num_turns: Math.max(1, messages),
    total_cost_usd: modelUsage[model]?.costUSD ?? 0,
    usage: {
      input_tokens: input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: output,
      output_tokens_details: { thinking_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: "standard",
      cache_creation: {
        ephemeral_1h_input_tokens: 0,
        ephemeral_5m_input_tokens: 0,
      },
    },
    modelUsage,
    model_usage_since_last_result: modelUsageOf(model, messages),
    permission_denials: turn.denials,
    fast_mode_state: "off",
    fast_mode_disabled_reason: "sdk_opt_in_required",
    queued_turn_count: 0,
    result_index: index,
    ...promptLink(turn.prompts),
    ...failure === undefined
      ? {
        subtype: "success",
        is_error: false,
        stop_reason: "end_turn",
        terminal_reason: "completed",
        api_error_status: null,
        result: turn.text,
      }
      : {
        subtype: "error_during_execution",
        is_error: true,
        stop_reason: null,
        terminal_reason: failure,
        errors: [`Turn of the fake CLI ended: ${failure}`],
      },
    // Not the first key, as on the real wire.
    type: "result",
  };
}

function tokensOf(messages: number): { input: number; output: number } {
  return { input: 100 * messages, output: 20 * messages };
}

function modelUsageOf(model: string, messages: number) {
  const { input, output } = tokensOf(messages);
  return {
    [model]: {
      inputTokens: input,
      outputTokens: output,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      webSearchRequests: 0,
      costUSD: (input * 4 + output * 20) / 1_000_000,
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
    },
  };
}

function promptLink(prompts: readonly string[]): JsonObject {
  return prompts.length === 0
    ? {}
    : { user_message_uuid: prompts[0], user_message_uuids: prompts };
}
