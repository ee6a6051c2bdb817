import type { HookCallback, Model, Program } from "../_program.ts";

export const model: Model = [{
  tool: "Bash",
  input: { command: "echo hi", description: "say" },
}, "Done"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const broken: HookCallback = () => Promise.reject(new Error("broken hook"));
  for await (
    const message of query({
      prompt: "Go",
      options: {
        ...options,
        hooks: {
          PreToolUse: [{ hooks: [broken], onFailure: "block", timeout: 5 }],
        },
        allowedTools: ["Bash"],
      },
    })
  ) {
    if (message.type === "user") print(message.message.content);
    if (message.type === "result") print(message.subtype);
  }
};

export default program;
