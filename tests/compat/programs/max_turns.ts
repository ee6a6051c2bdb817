import type { Model, Program } from "../_program.ts";

export const model: Model = [
  { tool: "Bash", input: { command: "echo 1", description: "say" } },
  { tool: "Bash", input: { command: "echo 2", description: "say" } },
  "Done",
];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  try {
    for await (
      const message of query({
        prompt: "Go",
        options: { ...options, maxTurns: 1, allowedTools: ["Bash"] },
      })
    ) {
      if (message.type === "result") print(message.subtype, message.is_error);
    }
  } catch (error) {
    print((error as Error).message);
  }
};

export default program;
