import type { Model, Program } from "../_program.ts";

export const model: Model = ["First", "Second"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const ids = new Set<string>();
  for (const more of [{}, { continue: true }]) {
    for await (
      const message of query({
        prompt: "Go on",
        options: { ...options, ...more },
      })
    ) {
      if (message.type === "result") ids.add(message.session_id);
    }
  }
  print(ids.size);
};

export default program;
