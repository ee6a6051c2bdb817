import type { Model, Program } from "../_program.ts";

export const model: Model = ["Hello"];

/** Told when the address of the model has been looked up, which it may be late for. */
const SOMETIMES = ["served_by_anthropic"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  for await (const message of query({ prompt: "Say hello", options })) {
    print(
      message.type,
      "subtype" in message ? message.subtype : "",
      Object.keys(message).filter((key) => !SOMETIMES.includes(key)).sort()
        .join(" "),
    );
  }
};

export default program;
