// An MCP server over stdin and stdout, written with the MCP SDK. It knows nothing about agents.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "units", version: "1.0.0" });
server.registerTool("celsius", {
  description: "Converts degrees Fahrenheit to degrees Celsius",
  inputSchema: { fahrenheit: z.number() },
  annotations: { readOnlyHint: true },
}, ({ fahrenheit }) => {
  const degrees = Math.round((fahrenheit - 32) * 50 / 9) / 10;
  return { content: [{ type: "text", text: `${degrees} degrees Celsius` }] };
});
await server.connect(new StdioServerTransport());
