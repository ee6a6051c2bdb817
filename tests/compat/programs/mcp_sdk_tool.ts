// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program } from "../_program.ts";
import { z } from "zod";

export const model: Model = [
  { tool: "mcp__calc__add", input: { a: 1, b: 2 } },
  "3",
];

const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
  const { options, print } = place;

  const add = tool("add", "Adds two numbers", {
    a: z.number().describe("One"),
    b: z.number().optional(),
  }, async ({ a, b = 0 }) => ({
    content: [{ type: "text", text: `${a + b}` }],
  }), { annotations: { readOnlyHint: true } });
  const calc = createSdkMcpServer({
    name: "calc",
    version: "2.0.0",
    tools: [add],
  });
  print(calc.type, calc.name);
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
    if (message.type === "system" && message.subtype === "init") {
      print(
        message.mcp_servers,
        message.tools.filter((name) => name.startsWith("mcp__")),
      );
    }
    if (message.type === "user") print(message.message.content);
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
    }
  }
};

export default program;
