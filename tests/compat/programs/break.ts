import type { Model, Program } from "../_program.ts";

export const model: Model = [{ text: "First", delayMs: 10 }];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  for await (const message of query({ prompt: "Hi", options })) {
    print(message.type);
    if (message.type === "assistant") break;
  }
  print("left");
};

export default program;
