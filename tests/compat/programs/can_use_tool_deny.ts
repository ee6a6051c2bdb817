// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { CanUseTool, Model, Program } from "../_program.ts";

export const model: Model = [{
  tool: "Bash",
  input: { command: "touch made.txt", description: "make" },
}, "Done"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const canUseTool: CanUseTool = async () => ({
    behavior: "deny",
    message: "Not today",
  });
  for await (
    const message of query({
      prompt: "Make it",
      options: { ...options, canUseTool },
    })
  ) {
    if (message.type === "user") print(message.message.content);
    if (message.type === "result") {
      print(
        message.subtype,
        message.permission_denials.map(({ tool_name }) => tool_name),
      );
    }
  }
};

export default program;
