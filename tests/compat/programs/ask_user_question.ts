// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { CanUseTool, Model, Program } from "../_program.ts";

export const model: Model = [{
  tool: "AskUserQuestion",
  input: {
    questions: [{
      question: "Tea?",
      header: "Tea",
      multiSelect: false,
      options: [{ label: "Yes", description: "a" }, {
        label: "No",
        description: "b",
      }],
    }],
  },
}, "Tea it is"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const canUseTool: CanUseTool = async (name, input) => {
    print(name, Object.keys(input));
    return {
      behavior: "allow",
      updatedInput: { ...input, answers: { "Tea?": "Yes" } },
    };
  };
  for await (
    const message of query({
      prompt: "Ask",
      options: { ...options, canUseTool },
    })
  ) {
    if (message.type === "user") print(message.message.content);
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
    }
  }
};

export default program;
