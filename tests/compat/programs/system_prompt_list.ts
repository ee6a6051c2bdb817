import type { Model, Program } from "../_program.ts";

export const model: Model = ["ok"];

const program: Program = async (
  { query, SYSTEM_PROMPT_DYNAMIC_BOUNDARY },
  place,
) => {
  const { options, print } = place;

  const systemPrompt = [
    "Always the same.",
    SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
    "Today it rains.",
  ];
  for await (
    const message of query({
      prompt: "Hi",
      options: { ...options, systemPrompt },
    })
  ) {
    if (message.type === "result") print(message.subtype);
  }
};

export default program;
