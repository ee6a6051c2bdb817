// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program } from "../_program.ts";

export const model: Model = [{ tool: "mcp__calc__fail", input: {} }, "Sorry"];

const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
  const { options, print } = place;

  const fail = tool("fail", "Fails", {}, async () => {
    throw new Error("no luck");
  });
  const calc = createSdkMcpServer({ name: "calc", tools: [fail] });
  for await (
    const message of query({
      prompt: "Try",
      options: {
        ...options,
        mcpServers: { calc },
        allowedTools: ["mcp__calc__fail"],
      },
    })
  ) {
    if (message.type === "user") print(message.message.content);
  }
};

export default program;
