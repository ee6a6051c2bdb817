import type { Model, Program } from "../_program.ts";

export const model: Model = ["First", "Second", "Third"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  let id = "";
  for await (const message of query({ prompt: "One", options })) {
    if (message.type === "result") id = message.session_id;
  }
  for (const more of [{ resume: id }, { resume: id, forkSession: true }]) {
    for await (
      const message of query({
        prompt: "Go on",
        options: { ...options, ...more },
      })
    ) {
      if (message.type === "result") {
        print(message.subtype, message.session_id === id);
      }
    }
  }
};

export default program;
