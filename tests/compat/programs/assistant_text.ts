import type { Model, Program } from "../_program.ts";

export const model: Model = [{ thinking: "hm", text: "One" }];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  for await (const message of query({ prompt: "Think", options })) {
    if (message.type !== "assistant") continue;
    for (const block of message.message.content) {
      if (block.type === "text") print("text", block.text);
      else print(block.type);
    }
  }
};

export default program;
