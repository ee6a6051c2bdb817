// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program } from "../_program.ts";
import { z } from "zod";

export const model: Model = [
  { tool: "mcp__calc__add", input: { a: "one" } },
  "Sorry",
];

const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
  const { options, print } = place;

  const add = tool(
    "add",
    "Adds",
    { a: z.number(), b: z.number() },
    async ({ a, b }) => ({ content: [{ type: "text", text: `${a + b}` }] }),
  );
  const calc = createSdkMcpServer({ name: "calc", tools: [add] });
  for await (
    const message of query({
      prompt: "1 + 2",
      options: {
        ...options,
        mcpServers: { calc },
        allowedTools: ["mcp__calc__add"],
      },
    })
  ) {
    if (message.type === "user") print(message.message.content);
  }
};

export default program;
