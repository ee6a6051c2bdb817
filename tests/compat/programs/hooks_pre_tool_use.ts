// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { HookCallback, Model, Program } from "../_program.ts";

export const model: Model = [{
  tool: "Bash",
  input: { command: "echo hi", description: "say" },
}, "Done"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const hook: HookCallback = async (input, toolUseID, { signal }) => {
    if (input.hook_event_name !== "PreToolUse") return {};
    print(input.tool_name, input.tool_input, typeof toolUseID, signal.aborted);
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "No shell",
      },
    };
  };
  for await (
    const message of query({
      prompt: "Go",
      options: {
        ...options,
        hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] },
      },
    })
  ) {
    if (message.type === "user") print(message.message.content);
    if (message.type === "result") print(message.subtype);
  }
};

export default program;
