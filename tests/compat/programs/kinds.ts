import type { Model, Program } from "../_program.ts";

export const model: Model = ["Hello"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  for await (const message of query({ prompt: "Say hello", options })) {
    print(
      message.type,
      "subtype" in message ? message.subtype : "",
      Object.keys(message).sort().join(" "),
    );
  }
};

export default program;
