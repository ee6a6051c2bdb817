import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  try {
    for await (
      const message of query({
        prompt: "Go",
        options: { ...options, extraArgs: { "no-such-flag": null } },
      })
    ) print(message.type);
  } catch (error) {
    print((error as Error).message.slice(0, 41));
  }
};

export default program;
