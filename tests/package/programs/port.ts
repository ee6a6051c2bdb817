// A program of the official SDK, ported to Sluice.
// deno-lint-ignore-file no-console -- a program shows what happens
import { query, textOf } from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import { z } from "zod";

const stock = tool({
  name: "stock",
  description: "Tells how many packets of an article there are",
  input: z.object({ article: z.string() }),
  run: ({ article }) => `7 packets of ${article}`,
});

const abort = new AbortController();
const conversation = query("How much tea is there? Then delete tea.txt.", {
  signal: abort.signal,
  systemPrompt: { preset: "claude_code", append: "Be brief." },
  mcpServers: { shop: createMcpServer({ name: "shop", tools: [stock] }) },
  permissions: {
    approve: ["mcp__shop__stock", "Read"],
    canUseTool: (name) =>
      name === "Bash"
        ? { behavior: "deny", message: "No shell." }
        : { behavior: "allow" },
  },
  hooks: {
    PostToolUse: [{
      matcher: "mcp__shop__.*",
      hooks: [(input) => console.log(`Called: ${input.tool_name}`)],
    }],
  },
  onStderr: (line) => console.error(line),
});
for await (const message of conversation) {
  if (message.type === "assistant" && textOf(message) !== "") {
    console.log(textOf(message));
  }
  if (message.type === "result") {
    console.log(`${message.subtype}, ${message.num_turns} turns`);
  }
}
