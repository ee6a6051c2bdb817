// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { CanUseTool, Model, Program } from "../_program.ts";

export const model: Model = [
  { tool: "Bash", input: { command: "touch a.txt", description: "a" } },
  { tool: "Bash", input: { command: "touch a.txt", description: "b" } },
  "Done",
];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  let asked = 0;
  const canUseTool: CanUseTool = async (_name, input, { suggestions = [] }) => {
    asked++;
    return {
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: [...suggestions, {
        type: "addRules",
        rules: [{ toolName: "Bash" }],
        behavior: "allow",
        destination: "session",
      }],
    };
  };
  for await (
    const message of query({
      prompt: "Make it",
      options: { ...options, canUseTool },
    })
  ) {
    if (message.type === "result") print(message.subtype, "asked", asked);
  }
};

export default program;
