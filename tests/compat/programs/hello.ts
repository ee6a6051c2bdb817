import type { Model, Program } from "../_program.ts";

export const model: Model = ["Hello, Ada!"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  for await (const message of query({ prompt: "Say hello", options })) {
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
    }
  }
};

export default program;
