// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program, SDKUserMessage } from "../_program.ts";

export const model: Model = ["ok"];
export const isUnordered: boolean = true;

const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
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
  const ping = tool(
    "ping",
    "Pings",
    {},
    async () => ({ content: [{ type: "text", text: "pong" }] }),
  );
  const run = query({ prompt: prompts(), options });
  for await (const message of run) {
    if (message.type !== "result") continue;
    print(
      await run.setMcpServers({
        late: createSdkMcpServer({ name: "late", tools: [ping] }),
      }),
    );
    print((await run.mcpServerStatus()).map(({ name }) => name));
    print(await run.setMcpServers({}));
    end();
  }
};

export default program;
