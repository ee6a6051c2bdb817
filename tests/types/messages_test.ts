import assert from "node:assert/strict";
import type {
  ContentBlock,
  ContentBlockInput,
  InitMessage,
  Message,
  MessageOf,
  MessageOrigin,
  MessageType,
  ModelInfo,
  ResultFailure,
  ResultSuccess,
  StreamEvent,
  SystemMessage,
  SystemMessageOf,
  TaskUsage,
  ToolUseMeta,
  UnknownBlock,
  UserMessageInput,
} from "@sluice/agent";
import { test } from "../_harness.ts";
import { holds, type Same } from "./_same.ts";

const IDENTITY = { uuid: "u1", session_id: "s1" };
const USAGE = { input_tokens: 100, output_tokens: 20 };
const RESULT = {
  ...IDENTITY,
  type: "result",
  duration_ms: 104,
  duration_api_ms: 29,
  num_turns: 1,
  stop_reason: "end_turn",
  total_cost_usd: 0.0008,
  usage: {
    ...USAGE,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: {
      ephemeral_1h_input_tokens: 0,
      ephemeral_5m_input_tokens: 0,
    },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: "standard",
  },
  modelUsage: {},
  permission_denials: [],
} as const;

function labelOfMessage(message: Message): string {
  switch (message.type) {
    case "assistant":
      return message.message.content.map(labelOfBlock).join();
    case "user":
      return message.isReplay
        ? `replay of ${message.uuid}`
        : `user ${message.uuid ?? "without uuid"}`;
    case "result":
      return message.subtype === "success"
        ? `success: ${message.result}`
        : `${message.subtype}: ${message.errors.join()}`;
    case "stream_event":
      return labelOfEvent(message.event);
    case "system":
      return labelOfSystem(message);
    case "tool_progress":
      return `${message.tool_name} ${message.elapsed_time_seconds} s`;
    case "tool_use_summary":
      return message.summary;
    case "auth_status":
      return message.output.join();
    case "rate_limit_event":
      return message.rate_limit_info.status;
    case "prompt_suggestion":
      return message.suggestion;
    case "conversation_reset":
      return message.new_conversation_id;
    case "active_goal":
      return message.value?.condition ?? "no goal";
    case "command_lifecycle":
      return `${message.command_uuid} ${message.state}`;
    case "unknown":
      return `${message.originalType}/${message.originalSubtype ?? ""}`;
    default:
      return message satisfies never;
  }
}

function labelOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "redacted_thinking":
      return block.data;
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return `${block.name} ${Object.keys(block.input).join()}`;
    case "tool_result":
    case "mcp_tool_result":
      return typeof block.content === "string"
        ? block.content
        : (block.content ?? []).map(labelOfBlock).join();
    case "web_search_tool_result":
      return block.tool_use_id;
    case "image":
    case "document":
      return block.source.type;
    case "unknown":
      return block.originalType;
    default:
      return block satisfies never;
  }
}

function labelOfEvent(event: StreamEvent): string {
  switch (event.type) {
    case "message_start":
      return event.message.id;
    case "content_block_start":
      return `${event.index} ${labelOfBlock(event.content_block)}`;
    case "content_block_delta":
      switch (event.delta.type) {
        case "text_delta":
          return event.delta.text;
        case "thinking_delta":
          return event.delta.thinking;
        case "signature_delta":
          return event.delta.signature;
        case "input_json_delta":
          return event.delta.partial_json;
        case "citations_delta":
          return Object.keys(event.delta.citation).join();
        default:
          return event.delta satisfies never;
      }
    case "content_block_stop":
      return `${event.index}`;
    case "message_delta":
      return `${event.delta.stop_reason} ${event.usage.output_tokens}`;
    case "message_stop":
    case "ping":
      return event.type;
    default:
      return event satisfies never;
  }
}

function labelOfSystem(message: SystemMessage): string {
  switch (message.subtype) {
    case "init":
      return `${message.model} ${message.tools.length}`;
    case "status":
      return message.status ?? "none";
    case "session_state_changed":
      return message.state;
    case "api_retry":
      return `${message.error} ${message.attempt}`;
    case "control_request_progress":
      return message.request_id;
    case "compact_boundary":
      return message.compact_metadata.trigger;
    case "informational":
    case "local_command_output":
    case "model_refusal_fallback":
    case "model_refusal_no_fallback":
    case "model_fallback":
      return message.content;
    case "notification":
      return message.text;
    case "permission_denied":
      return message.tool_name;
    case "hook_started":
    case "hook_progress":
    case "hook_response":
      return message.hook_name;
    case "plugin_install":
      return message.status;
    case "task_started":
    case "task_progress":
      return message.description;
    case "task_updated":
      return message.patch.status ?? "as it was";
    case "task_notification":
      return `${message.summary} ${message.usage?.tool_uses ?? 0}`;
    case "background_tasks_changed":
      return message.tasks.map((task) => task.task_id).join();
    case "thinking_tokens":
      return `${message.estimated_tokens}`;
    case "commands_changed":
      return message.commands.map((command) => command.name).join();
    case "files_persisted":
      return message.files.map((file) => file.filename).join();
    case "memory_recall":
      return message.memories.map((memory) => memory.path).join();
    case "elicitation_complete":
      return message.elicitation_id;
    case "mirror_error":
      return message.key.sessionId;
    case "session_writes_lost":
      return message.lost.join();
    case "worker_shutting_down":
      return message.reason;
    case "session_title_changed":
      return message.title;
    case "ui_invalidate":
      return message.event;
    default:
      return message satisfies never;
  }
}

test(
  "Message narrows by type, subtype and event when a switch covers all of them",
  () => {
    const cases: readonly (readonly [Message, string])[] = [
      [
        {
          ...IDENTITY,
          type: "assistant",
          parent_tool_use_id: null,
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "claude-opus-5-5",
            content: [
              { type: "text", text: "Hello" },
              { type: "thinking", thinking: "Hm", signature: "x" },
              {
                type: "tool_use",
                id: "t1",
                name: "Bash",
                input: { command: "" },
              },
              { type: "unknown", originalType: "hologram", raw: {} },
            ],
            stop_reason: null,
            stop_sequence: null,
            usage: USAGE,
          },
        },
        "Hello,Hm,Bash command,hologram",
      ],
      [
        {
          type: "user",
          parent_tool_use_id: null,
          message: {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "t1" }],
          },
        },
        "user without uuid",
      ],
      [
        {
          ...IDENTITY,
          type: "user",
          parent_tool_use_id: null,
          message: { role: "user", content: "replay me" },
          isReplay: true,
        },
        "replay of u1",
      ],
      [
        { ...RESULT, subtype: "success", is_error: false, result: "Done" },
        "success: Done",
      ],
      [
        {
          ...RESULT,
          subtype: "error_max_turns",
          is_error: true,
          errors: ["Reached maximum number of turns (2)"],
        },
        "error_max_turns: Reached maximum number of turns (2)",
      ],
      [
        {
          ...IDENTITY,
          type: "stream_event",
          parent_tool_use_id: null,
          event: {
            type: "content_block_delta",
            index: 0,
            delta: { type: "text_delta", text: "One " },
          },
        },
        "One ",
      ],
      [
        {
          ...IDENTITY,
          type: "system",
          subtype: "status",
          status: null,
        },
        "none",
      ],
      [
        {
          ...IDENTITY,
          type: "command_lifecycle",
          command_uuid: "c1",
          state: "queued",
        },
        "c1 queued",
      ],
      [
        {
          type: "unknown",
          originalType: "system",
          originalSubtype: "vcs_state_changed",
          raw: { type: "system", subtype: "vcs_state_changed" },
        },
        "system/vcs_state_changed",
      ],
    ];
    for (const [message, label] of cases) {
      assert.equal(labelOfMessage(message), label);
    }
  },
  { ids: ["PA-09"] },
);

test("MessageOf and SystemMessageOf pick one kind when given its name", () => {
  holds<Same<MessageOf<"result">, ResultSuccess | ResultFailure>>();
  holds<Same<SystemMessageOf<"init">, InitMessage>>();
  holds<Same<Extract<ContentBlock, { type: "unknown" }>, UnknownBlock>>();
  holds<
    Same<
      NonNullable<SystemMessageOf<"task_notification">["usage"]>,
      TaskUsage
    >
  >();
  // Every type is there once: a kind left out, or one too many, does not compile.
  const seen: Readonly<Record<MessageType, true>> = {
    active_goal: true,
    assistant: true,
    auth_status: true,
    command_lifecycle: true,
    conversation_reset: true,
    prompt_suggestion: true,
    rate_limit_event: true,
    result: true,
    stream_event: true,
    system: true,
    tool_progress: true,
    tool_use_summary: true,
    unknown: true,
    user: true,
  };
  assert.equal(Object.keys(seen).length, 14);
});

test("UserMessageInput takes the wire's user line when only type and message are given", () => {
  const blocks: readonly ContentBlockInput[] = [
    { type: "text", text: "What is this?" },
    {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "aGk=" },
    },
    { type: "document", source: { type: "url", url: "https://example.com/a" } },
    { type: "tool_result", tool_use_id: "t1", content: "done" },
  ];
  const line: UserMessageInput = {
    type: "user",
    message: { role: "user", content: blocks },
  };
  // @ts-expect-error The CLI ends with exit code 1 for another role.
  const wrong: UserMessageInput["message"] = { role: "assistant", content: "" };
  assert.deepEqual(Object.keys(line), ["type", "message"]);
  assert.notEqual(wrong.role, line.message.role);
});

test("types: models, origins and timings are as the wire has them", () => {
  const model: ModelInfo = {
    value: "m",
    displayName: "M",
    description: "",
    supportedEffortLevels: ["low", "max"],
  };
  assert.equal(model.supportedEffortLevels?.[1], "max");
  // Words that are known are offered, any other is taken.
  const known: ResultSuccess["first_stream_post_queued_behind"] = "other";
  const later: ResultSuccess["first_text_post_queued_behind"] = "a new word";
  assert.notEqual(known, later);
  const meta: ToolUseMeta = { id: "toolu_1", display_name: "Echo" };
  assert.equal(meta.tool_name, undefined);
  const origin: MessageOrigin = {
    kind: "task-notification",
    subkind: "external-event",
  };
  assert.equal(origin.kind, "task-notification");
});
