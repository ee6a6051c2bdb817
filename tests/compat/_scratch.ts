import { createSdkMcpServer, query, tool } from "../../src/compat/mod.ts";
import { withRealCli } from "../_real_cli.ts";
import { z } from "zod";
await withRealCli(
  [{ tool: "mcp__calc__add", input: { a: 1, b: 2 } }, "Hello"],
  async ({ cliPath, env, cwd, model }) => {
    const add = tool(
      "add",
      "Adds",
      { a: z.number(), b: z.number() },
      async ({ a, b }) => ({ content: [{ type: "text", text: `${a + b}` }] }),
    );
    const t = Date.now();
    const q = query({
      prompt: "Say hi",
      options: {
        pathToClaudeCodeExecutable: cliPath,
        env,
        cwd,
        mcpServers: {
          calc: createSdkMcpServer({ name: "calc", tools: [add] }),
        },
        canUseTool: async (n, i, o) => {
          console.log("ask", n, i, Object.keys(o));
          return { behavior: "allow", updatedInput: i };
        },
        hooks: {
          PreToolUse: [{
            hooks: [async (i) => {
              console.log("hook", i.hook_event_name);
              return {};
            }],
          }],
        },
      },
    });
    for await (const m of q) {
      console.log(
        m.type,
        (m as any).subtype ?? "",
        JSON.stringify((m as any).message?.content ?? (m as any).result ?? "")
          .slice(0, 150),
      );
    }
    console.log(Date.now() - t);
  },
);
