// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program, SDKUserMessage } from "../_program.ts";
import { z } from "zod";

export const model: Model = [
  {
    tool: "mcp__shop__stock",
    input: { article: "tea" },
  },
  "Seven",
  "Bye",
];

const program: Program = async (sdk, place) => {
  const { prewarm, tool, createSdkMcpServer } = sdk;
  const { options: { cwd, ...options }, print } = place;

  const stock = tool(
    "stock",
    "How many",
    { article: z.string() },
    async ({ article }) => ({
      content: [{ type: "text", text: `7 of ${article}` }],
    }),
  );
  const shop = createSdkMcpServer({ name: "shop", tools: [stock] });
  const spare = await prewarm({
    options: { ...options, mcpServers: { shop }, allowedTools: ["mcp__shop"] },
  });
  let next = () => {};
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const content of ["How much tea?", "Thanks"]) {
      yield {
        type: "user",
        message: { role: "user", content },
        parent_tool_use_id: null,
      };
      await new Promise<void>((resolve) => next = resolve);
    }
  }
  const run = spare.claim({ prompt: prompts(), options: { cwd } });
  for await (const message of run) {
    if (message.type === "user") print(message.message.content);
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
      next();
    }
  }
};

export default program;
