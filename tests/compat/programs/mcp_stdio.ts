import type { Model, Program } from "../_program.ts";

export const model: Model = [
  { tool: "mcp__own__echo", input: { message: "hi" } },
  "Done",
];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  for await (
    const message of query({
      prompt: "Echo",
      options: {
        ...options,
        mcpServers: { own: place.stdioServer },
        allowedTools: ["mcp__own"],
      },
    })
  ) {
    if (message.type === "system" && message.subtype === "init") {
      print(message.mcp_servers);
    }
    if (message.type === "user") print(message.message.content);
    if (message.type === "result") print(message.subtype);
  }
};

export default program;
