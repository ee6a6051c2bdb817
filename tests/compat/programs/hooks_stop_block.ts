// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { HookCallback, Model, Program } from "../_program.ts";

export const model: Model = ["First", "Second"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  let stops = 0;
  const again: HookCallback = async () =>
    stops++ === 0 ? { decision: "block", reason: "One more" } : {};
  for await (
    const message of query({
      prompt: "Go",
      options: { ...options, hooks: { Stop: [{ hooks: [again] }] } },
    })
  ) {
    if (message.type === "assistant") {
      print(
        message.message.content.map((block) =>
          block.type === "text" && block.text
        ),
      );
    }
    if (message.type === "result") print(message.subtype, stops);
  }
};

export default program;
