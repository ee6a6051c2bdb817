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
    message: "Stop it",
    interrupt: true,
  });
  try {
    for await (
      const message of query({
        prompt: "Make it",
        options: { ...options, canUseTool },
      })
    ) {
      print(message.type, "subtype" in message ? message.subtype : "");
    }
  } catch (error) {
    print("thrown", (error as Error).message.slice(0, 60));
  }
};

export default program;
