import type { Model, Program } from "../_program.ts";

export const model: Model = ["ok", "ok", "ok"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  for (
    const systemPrompt of [
      "You are a pirate.",
      undefined,
      { type: "preset", preset: "claude_code", append: "Be brief." } as const,
    ]
  ) {
    for await (
      const message of query({
        prompt: "Hi",
        options: { ...options, ...systemPrompt && { systemPrompt } },
      })
    ) {
      if (message.type === "result") print(message.subtype);
    }
  }
};

export default program;
