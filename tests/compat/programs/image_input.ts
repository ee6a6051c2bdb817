import type { Model, Program, SDKUserMessage } from "../_program.ts";

export const model: Model = ["A dot"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const data =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    yield {
      type: "user",
      message: {
        role: "user",
        content: [{
          type: "image",
          source: { type: "base64", media_type: "image/png", data },
        }, { type: "text", text: "What is it?" }],
      },
      parent_tool_use_id: null,
    };
  }
  for await (const message of query({ prompt: prompts(), options })) {
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
    }
  }
};

export default program;
