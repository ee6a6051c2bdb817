import type { Model, Program, SDKUserMessage } from "../_program.ts";

export const model: Model = ["one", "two"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const content of ["first", "second"]) {
      yield {
        type: "user",
        message: { role: "user", content },
        parent_tool_use_id: null,
        session_id: "",
      };
      await answered.shift()?.promise;
    }
  }
  const answered = [0, 1].map(() => {
    let settle = () => {};
    const promise = new Promise<void>((resolve) => settle = resolve);
    return { promise, settle };
  });
  const waiting = [...answered];
  for await (const message of query({ prompt: prompts(), options })) {
    if (message.type !== "result") continue;
    print(message.subtype === "success" && message.result);
    waiting.shift()?.settle();
  }
};

export default program;
