import type { Model, Program } from "../_program.ts";

export const model: Model = ["never"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  try {
    for await (
      const message of query({
        prompt: "Go on",
        options: { ...options, resume: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11" },
      })
    ) {
      print(message.type, "subtype" in message ? message.subtype : "");
    }
  } catch (error) {
    print((error as Error).message);
  }
};

export default program;
