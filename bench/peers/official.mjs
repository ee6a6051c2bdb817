// deno-lint-ignore-file explicit-module-boundary-types -- plain JavaScript
// Peer adapter: the official TypeScript SDK (@anthropic-ai/claude-agent-sdk).
// See README.md, "Adding a peer", for the contract.
import process from "node:process";
import { importFrom } from "../lib/common.mjs";

const t = performance.now();
const sdk = await importFrom("@anthropic-ai/claude-agent-sdk", "sdk.mjs");
export const importMs = performance.now() - t;
export const name = "official";

export function open(
  { cli, env, cwd, prompt, partial, canUseTool, hook, mcp, stderr },
) {
  const options = {
    pathToClaudeCodeExecutable: cli,
    cwd,
    settingSources: [],
    includePartialMessages: partial ?? false,
    env: { ...process.env, ...env },
  };
  if (canUseTool) {
    options.canUseTool = (tool, input) =>
      Promise.resolve(canUseTool(tool, input));
  }
  if (hook) {
    options.hooks = {
      PreToolUse: [{ hooks: [(input) => Promise.resolve(hook(input))] }],
    };
  }
  if (stderr) options.stderr = stderr;
  if (mcp) options.mcpServers = { [mcp.server]: mcp.build() };
  const q = sdk.query({ prompt, options });
  return {
    messages: q,
    close: async () => {
      await q.return?.();
      q.close?.();
    },
  };
}

// Its in-process tools take a zod shape; zod comes from beside the SDK, as its users have it.
const z = process.argv.some((a) => a.startsWith("--scenario=mcp"))
  ? (await importFrom("zod", "index.js")).z
  : undefined;
export const mcpServer = ({ server, tool, call }) => ({
  server,
  build: () =>
    sdk.createSdkMcpServer({
      name: server,
      version: "1",
      tools: [
        sdk.tool(tool, "Echoes its argument", { text: z.string() }, (a) =>
          Promise.resolve(call(a))),
      ],
    }),
});
