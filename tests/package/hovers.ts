// Where somebody looks at a name, which is to read so, or asks what may be written, which is to be among it.
import { Client, isToolUse, query } from "@sluice/agent";
import { tool } from "@sluice/agent/mcp";

const outputSchema = {
  type: "object",
  properties: { title: { type: "string" }, size: { type: "number" } },
  required: ["title"],
} as const;

// looks: const open: Conversation<unknown>
const open = query("Hi");
// looks: const planned: Conversation<{ title: string; size?: number; }>
const planned = query("Hi", { outputSchema });
// looks: const plan: { title: string; size?: number; }
const plan = await planned.output();
// looks: const result: ResultMessage
const result = await open.result();
// looks: const client: Client<{ title: string; size?: number; }>
const client = new Client({ outputSchema });
// looks: const bare: Client<unknown>
const bare = new Client();
// looks: const answer: { title: string; size?: number; }
const answer = await client.output("Hi");
// looks: const text: string
const text = await client.text("Hi");
// looks: const add: Tool
const add = tool({
  name: "add",
  description: "Adds",
  input: outputSchema,
  // looks: (parameter) args: { title: string; size?: number; }
  run: (args) => args.title,
});

query("Hi", {
  hooks: {
    PreToolUse: [{
      // looks: (parameter) input: PreToolUseHookInput
      hooks: [(input) => {
        if (!isToolUse(input, "Bash")) return;
        // looks: const command: string
        const command = input.tool_input.command;
        return { reason: command };
      }],
    }],
    // offers: PostToolUse Stop SessionStart
  },
  settings: {
    // offers: permissions env hooks model sandbox
  },
  permissions: {
    // offers: mode canUseTool approve
  },
  // offers: model cwd allowedTools mcpServers outputSchema signal
});

export const seen: readonly unknown[] = [plan, result, bare, answer, text, add];
