import type { Model, Program } from "../_program.ts";

export const model: Model = [{
  tool: "Bash",
  input: { command: "echo found", description: "say" },
}, "Done"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  for await (
    const message of query({
      prompt: "Look",
      options: { ...options, allowedTools: ["Bash"] },
    })
  ) {
    if (
      message.type === "user" && typeof message.message.content !== "string"
    ) {
      for (const block of message.message.content) {
        if (block.type === "tool_result") print(block.content, block.is_error);
      }
    }
    if (message.type === "result" && message.subtype === "success") {
      print(message.result, message.num_turns);
    }
  }
};

export default program;
