import type { Model, Program, SDKUserMessage } from "../_program.ts";

export const model: Model = ["ok"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  let end = () => {};
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    yield {
      type: "user",
      message: { role: "user", content: "Hi" },
      parent_tool_use_id: null,
    };
    await new Promise<void>((resolve) => end = resolve);
  }
  const run = query({ prompt: prompts(), options });
  for await (const message of run) {
    if (message.type !== "result") continue;

    for (
      const call of [
        () => run.rewindFiles("nothing"),
        () => run.stopTask("nothing"),
        () => run.reconnectMcpServer("nothing"),
        () => run.toggleMcpServer("nothing", true),
      ]
    ) {
      try {
        print(await call());
      } catch (error) {
        print((error as Error).constructor.name, (error as Error).message);
      }
    }
    print(await run.readFile("/nowhere/at/all"));
    end();
  }
};

export default program;
