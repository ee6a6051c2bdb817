// Tools of this program, each with another schema library, and a foreign server, all as one hub.
// deno-lint-ignore-file no-console -- a program shows what happens
import process from "node:process";
import { Type } from "@sinclair/typebox";
import { query } from "@sluice/agent";
import { createMcpServer, McpHub, tool } from "@sluice/agent/mcp";
import { type } from "arktype";
import { z } from "zod";

const shop = createMcpServer({
  name: "shop",
  tools: [
    tool({
      name: "stock",
      description: "Tells how many packets of an article there are",
      input: z.object({ article: z.enum(["tea", "coffee"]) }),
      run: ({ article }) => ({ article, packets: article === "tea" ? 7 : 0 }),
    }),
    tool({
      name: "price",
      description: "Tells what some packets cost, in cents",
      input: type({ packets: "number.integer > 0" }),
      run: ({ packets }) => packets * 350,
    }),
    tool({
      name: "order",
      description: "Orders packets, and tells when they come",
      input: Type.Object({
        packets: Type.Integer({ minimum: 1 }),
        day: Type.Optional(Type.String()),
      }),
      run: ({ packets, day = "tomorrow" }) => `${packets} packets, ${day}`,
    }),
  ],
});

const everything =
  "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
const hub = new McpHub({
  shop,
  everything: { command: "node", args: [everything], inheritEnv: false },
});
try {
  const { byServer } = await hub.connect();
  for (const [server, tools] of Object.entries(byServer)) {
    console.log(`${server}: ${tools.length > 0 ? "ready" : "no tools"}`);
  }
  const [prompt = "How much tea is there?"] = process.argv.slice(2);
  const answer = await query(prompt, {
    mcpServers: { home: hub.asMcpServer() },
    permissions: { approve: ["mcp__home"] },
  }).text();
  console.log(answer);
} finally {
  await hub.close();
}
