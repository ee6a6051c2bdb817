import type { Model, Program } from "../_program.ts";

export const model: Model = ["ok"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  let text = "";
  for await (
    const message of query({
      prompt: "Go",
      options: {
        ...options,
        debug: true,
        extraArgs: { "debug-to-stderr": null },
        stderr: (data) => void (text += data),
      },
    })
  ) {
    if (message.type === "result") print(message.subtype);
  }
  print(text.length > 100);
};

export default program;
