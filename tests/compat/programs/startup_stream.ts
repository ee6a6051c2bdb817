import type { Model, Program, SDKUserMessage } from "../_program.ts";

export const model: Model = ["One", "Two"];

const program: Program = async ({ startup }, place) => {
  const { options, print } = place;

  const warm = await startup({
    options: { ...options, permissionMode: "plan" },
  });
  let next = () => {};
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const content of ["first", "second"]) {
      const answered = new Promise<void>((resolve) => next = resolve);
      yield {
        type: "user",
        message: { role: "user", content },
        parent_tool_use_id: null,
      };
      await answered;
    }
  }
  for await (const message of warm.query(prompts())) {
    if (message.type !== "result") continue;
    print(message.subtype);
    next();
  }
};

export default program;
