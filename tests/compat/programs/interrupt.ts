import type { Model, Program, SDKUserMessage } from "../_program.ts";

export const model: Model = [
  { text: "a b c d e f g h", chunks: 8, delayMs: 2000 },
  "Next",
];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  let end = () => {};
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    yield {
      type: "user",
      message: { role: "user", content: "Go on" },
      parent_tool_use_id: null,
    };
    await new Promise<void>((resolve) => end = resolve);
  }
  const run = query({
    prompt: prompts(),
    options: { ...options, includePartialMessages: true },
  });
  let isInterrupted = false;
  try {
    for await (const message of run) {
      if (message.type === "stream_event" && !isInterrupted) {
        isInterrupted = true;
        print(await run.interrupt());
      }
      if (message.type !== "result") continue;
      print(message.subtype, message.is_error);
      end();
    }
  } catch (error) {
    print("thrown", (error as Error).message);
  }
};

export default program;
