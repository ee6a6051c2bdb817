// An MCP server over stdin and stdout with one tool, which echoes its input.
import process from "node:process";
import { createInterface } from "node:readline";

const TOOL = {
  name: "echo",
  description: "Says it again",
  inputSchema: {
    type: "object",
    properties: { message: { type: "string" } },
    required: ["message"],
  },
};

function answer({ method, params }) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "echo", version: "1.0.0" },
      };
    case "tools/list":
      return { tools: [TOOL] };
    case "tools/call":
      return { content: [{ type: "text", text: params.arguments.message }] };
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  if (request.id === undefined) return;
  const { id } = request;
  const message = { jsonrpc: "2.0", id, result: answer(request) };
  process.stdout.write(JSON.stringify(message) + "\n");
});
