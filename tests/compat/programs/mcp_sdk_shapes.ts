// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program } from "../_program.ts";
import { z } from "zod";

export const model: Model = [{
  tool: "mcp__shop__order",
  input: { items: [{ name: "tea", count: 2 }], express: true },
}, "Ordered"];

const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
  const { options, print } = place;

  const order = tool(
    "order",
    "Orders",
    {
      items: z.array(
        z.object({
          name: z.string(),
          count: z.number().int().min(1).default(1),
        }),
      ),
      express: z.boolean().optional(),
      size: z.enum(["small", "large"]).default("small"),
      note: z.union([z.string(), z.null()]).optional(),
    },
    async (args) => ({
      content: [{ type: "text", text: JSON.stringify(args) }],
    }),
    { searchHint: "buy", alwaysLoad: true },
  );
  const shop = createSdkMcpServer({
    name: "shop",
    tools: [order],
    instructions: "Buy things",
  });
  for await (
    const message of query({
      prompt: "Order",
      options: {
        ...options,
        mcpServers: { shop },
        allowedTools: ["mcp__shop"],
      },
    })
  ) {
    if (message.type === "user") print(message.message.content);
  }
};

export default program;
