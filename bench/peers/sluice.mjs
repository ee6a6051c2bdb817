// deno-lint-ignore-file explicit-module-boundary-types -- plain JavaScript
// Peer adapter: this project's package, by its public API only.
//   SLUICE_MODULE   the root entry: mod.ts for Deno and Bun, the npm build's entry for Node
//   SLUICE_MCP      the ./mcp entry, needed by the mcp scenarios
// SLUICE_MODULE_NODE, _BUN, _DENO (and SLUICE_MCP_NODE, ...) win over them in
// that runtime. Each is a path or a URL.
import process from "node:process";
import { loadOwn } from "../lib/common.mjs";

const t = performance.now();
const { query } = await loadOwn("SLUICE_MODULE");
export const importMs = performance.now() - t;
export const name = "sluice";
const tools = process.argv.some((a) => a.startsWith("--scenario=mcp"))
  ? await loadOwn("SLUICE_MCP")
  : undefined;

export function open(
  {
    cli,
    env,
    cwd,
    prompt,
    partial,
    canUseTool,
    hook,
    mcp,
    stderr,
    shutdown,
    maxMessageBytes,
  },
) {
  const options = {
    cliPath: cli,
    cwd,
    env,
    settingSources: [],
    includePartialMessages: partial ?? false,
  };
  if (canUseTool) options.permissions = { canUseTool };
  if (hook) options.hooks = { PreToolUse: [{ hooks: [hook] }] };
  if (mcp) {
    options.mcpServers = {
      [mcp.server]: { type: "sdk", instance: mcp.build() },
    };
  }
  if (stderr) options.onStderr = stderr;
  if (shutdown) options.shutdown = shutdown;
  if (maxMessageBytes) options.limits = { maxMessageBytes };
  const c = query(prompt, options);
  return {
    messages: c,
    get batches() {
      return c.batches;
    },
    get stream() {
      return c.messages;
    },
    close: () => c.close(),
  };
}
export const mcpServer = ({ server, tool, call }) => ({
  server,
  build: () =>
    tools.createMcpServer({
      name: server,
      version: "1",
      tools: [tools.tool({
        name: tool,
        description: "Echoes its argument",
        input: {
          type: "object",
          properties: { text: { type: "string" } },
          required: ["text"],
        },
        run: (a) => call(a),
      })],
    }),
});
