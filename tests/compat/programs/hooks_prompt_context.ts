// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { HookCallback, Model, Program } from "../_program.ts";

export const model: Model = ["Noted"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const add: HookCallback = async () => ({
    hookSpecificOutput: {
      hookEventName: "UserPromptSubmit",
      additionalContext: "It is Tuesday.",
    },
  });
  for await (
    const message of query({
      prompt: "What day?",
      options: { ...options, hooks: { UserPromptSubmit: [{ hooks: [add] }] } },
    })
  ) {
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
    }
  }
};

export default program;
