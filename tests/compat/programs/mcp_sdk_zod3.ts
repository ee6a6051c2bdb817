// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program } from "../_program.ts";
import { z as z4 } from "zod";
import { z } from "zod/v3";

export const model: Model = [
  {
    tool: "mcp__shop__order",
    input: { items: [{ name: "tea", count: 2 }], express: true },
  },
  { tool: "mcp__shop__order", input: { items: "tea" } },
  "Ordered",
];

const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
  const { options, print } = place;

  const order = tool(
    "order",
    "Orders",
    {
      items: z.array(
        z.object({
          name: z.string().min(1).describe("What"),
          count: z.number().int().min(1).default(1),
        }).strict(),
      ).max(9),
      express: z.boolean().optional(),
      size: z.enum(["small", "large"]).default("small"),
      note: z.union([z.string(), z.null()]).optional(),
      prices: z.record(z.number()).optional(),
    },
    async (args) => {
      const size: "small" | "large" = args.size;
      print(size);
      return { content: [{ type: "text", text: JSON.stringify(args) }] };
    },
  );
  try {
    const shape = { old: z.string(), young: z4.string() };
    // No type of theirs allows it.
    const mixed = tool(
      "mixed",
      "",
      shape as unknown as { old: z.ZodString },
      async () => ({ content: [] }),
    );
    createSdkMcpServer({ name: "mixed", tools: [mixed] });
  } catch (error) {
    print((error as Error).message);
  }
  const shop = createSdkMcpServer({ name: "shop", tools: [order] });
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
