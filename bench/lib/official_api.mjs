// deno-lint-ignore-file explicit-module-boundary-types -- plain JavaScript
// A peer by the official API: one program for every package with these functions.
import process from "node:process";
import { importFrom } from "./common.mjs";

/** `open` and `mcpServer` of a peer; see README.md, "Adding a peer". */
export async function byOfficialApi(sdk) {
  // Its in-process tools take a zod shape; zod comes from beside the SDK, as its users have it.
  const z = process.argv.some((a) => a.startsWith("--scenario=mcp"))
    ? (await importFrom("zod", "index.js")).z
    : undefined;
  return {
    open: (options) => open(sdk, options),
    mcpServer: (options) => mcpServer(sdk, z, options),
  };
}

function open(
  sdk,
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

function mcpServer(sdk, z, { server, tool, call }) {
  return {
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
  };
}
