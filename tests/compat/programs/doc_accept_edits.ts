// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, PermissionResult, Program } from "../_program.ts";

export const model: Model = [
  { tool: "Write", input: { file_path: "a.txt", content: "a" } },
  { tool: "Write", input: { file_path: "b.txt", content: "b" } },
  {
    tool: "AskUserQuestion",
    input: {
      questions: [{
        question: "Which colour?",
        header: "Colour",
        multiSelect: false,
        options: [
          { label: "Red", description: "Warm" },
          { label: "Blue", description: "Cold" },
        ],
      }],
    },
  },
  "Written",
];

/** "Yes, and do not ask again for edits", and questions of the model answered in the same callback. */
const program: Program = async ({ query }, place) => {
  const { options, print } = place;
  const canUseTool = async (
    toolName: string,
    input: Record<string, unknown>,
    { suggestions, toolUseID, decisionReason, signal, ...rest }: {
      signal: AbortSignal;
      suggestions?: unknown[];
      toolUseID: string;
      decisionReason?: string;
    },
  ): Promise<PermissionResult> => {
    print("asked", toolName, typeof toolUseID, decisionReason ?? "no reason");
    print(signal.aborted, suggestions ?? "none", Object.keys(rest).sort());
    if (toolName === "AskUserQuestion") {
      return {
        behavior: "allow",
        updatedInput: { ...input, answers: { "Which colour?": "Blue" } },
      };
    }
    return {
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: [{
        type: "setMode",
        mode: "acceptEdits",
        destination: "session",
      }],
    };
  };
  for await (
    const message of query({
      prompt: "Write two files",
      options: { ...options, canUseTool, permissionMode: "default" },
    })
  ) {
    if (message.type === "system" && message.subtype === "status") {
      print("status", message.permissionMode);
    }
    if (message.type === "user" && Array.isArray(message.message.content)) {
      for (const block of message.message.content) {
        if (block.type === "tool_result") {
          print(block.is_error ?? false, block.content);
        }
      }
    }
    if (message.type === "result") {
      print(message.subtype, message.num_turns, message.permission_denials);
    }
  }
};

export default program;
