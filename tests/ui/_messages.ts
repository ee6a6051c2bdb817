import type { Message } from "@sluice/agent";

/** A tool call. */
export const CALL = {
  type: "tool_use",
  id: "t1",
  name: "Bash",
  input: { command: "ls" },
};
const IDENTITY = { uuid: "u1", session_id: "s1" };

/** A message of the model. */
export function assistant(
  content: readonly object[],
  more: object = {},
): Message {
  return {
    type: "assistant",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content,
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    parent_tool_use_id: null,
    ...IDENTITY,
    ...more,
  } as unknown as Message;
}

/** Results of tools. */
export function results(...content: readonly object[]): Message {
  return {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
    ...IDENTITY,
  } as Message;
}

/** The end of a turn. */
export function result(more: object = {}): Message {
  return {
    type: "result",
    subtype: "success",
    result: "Done.",
    is_error: false,
    num_turns: 1,
    duration_ms: 12,
    duration_api_ms: 10,
    stop_reason: "end_turn",
    total_cost_usd: 0.25,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 2,
    },
    modelUsage: {},
    permission_denials: [],
    ...IDENTITY,
    ...more,
  } as unknown as Message;
}
