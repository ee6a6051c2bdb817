import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  try {
    for await (
      const message of query({
        prompt: "Go",
        options: { ...options, pathToClaudeCodeExecutable: "/nowhere/claude" },
      })
    ) print(message.type);
  } catch (error) {
    print(
      (error as Error).constructor.name,
      (error as Error).message.slice(0, 54),
    );
  }
};

export default program;
