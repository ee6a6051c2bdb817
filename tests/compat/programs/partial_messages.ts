import type { Model, Program } from "../_program.ts";

export const model: Model = [{ text: "One two three", chunks: 3 }];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  let text = "";
  for await (
    const message of query({
      prompt: "Count",
      options: { ...options, includePartialMessages: true },
    })
  ) {
    if (message.type !== "stream_event") continue;
    const { event } = message;
    print(event.type);
    if (
      event.type === "content_block_delta" && event.delta.type === "text_delta"
    ) text += event.delta.text;
  }
  print(text);
};

export default program;
