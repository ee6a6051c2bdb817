// A run that has everything to look at: a subagent, hooks, permissions, a tool of the host, a failure.
import { Client } from "../../src/client.ts";
import { localTransport } from "../../src/local_cli.ts";
import { createMcpServer } from "../../src/mcp/server.ts";
import { tool } from "../../src/mcp/tool.ts";
import { record } from "../../src/testing/record.ts";
import { scriptedModel } from "../../src/testing/scripted_model.ts";
import type { AgentOptions } from "../../src/types/options.ts";

/** What is said, turn by turn. */
export const PROMPTS: readonly string[] = [
  "Which tests are slow, and why?",
  "Then clean the build folder.",
];

/** Runs it with the real CLI, and writes down what went over the wire. */
export async function recordTour(
  cli: string,
  folder: string,
  file: string,
): Promise<void> {
  const [home, cwd] = [`${folder}/home`, `${folder}/shop`];
  for (const path of [home, cwd]) await Deno.mkdir(path);
  await Deno.writeTextFile(`${cwd}/slow_test.ts`, "// waits 4 s\n");
  const model = await scriptedModel([
    {
      thinking: "Somebody else can read the tests meanwhile.",
      text: "I will have the tests read, and ask for their times.",
      tool: "Agent",
      input: {
        description: "Read the tests",
        prompt: "Find what the tests wait for.",
        subagent_type: "general-purpose",
        run_in_background: false,
      },
      usage: { input_tokens: 9_400 },
    },
    {
      tool: "Bash",
      input: { command: "grep -n waits *_test.ts" },
      usage: { input_tokens: 3_100 },
    },
    {
      text: "slow_test.ts waits 4 s for a clock.",
      usage: { input_tokens: 3_600 },
    },
    {
      tool: "mcp__ci__durations",
      input: { suite: "unit" },
      usage: { input_tokens: 11_900 },
    },
    {
      text:
        "slow_test.ts takes 4.1 of 6.3 seconds: it waits for a clock. A fake one would do.",
      usage: { input_tokens: 14_300, output_tokens: 180 },
    },
    {
      tool: "Bash",
      input: { command: "rm -r build" },
      usage: { input_tokens: 15_200 },
    },
    {
      text: "There is no build folder, so nothing was removed.",
      usage: { input_tokens: 15_900, output_tokens: 40 },
    },
  ]);
  const options: AgentOptions = {
    cliPath: cli,
    cwd,
    envPolicy: "replace",
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: home,
      ...model.env,
    },
  };
  const lines: string[] = [];
  const client = new Client({
    ...options,
    transport: record(
      localTransport(options),
      (line) => void lines.push(line),
    ),
    mcpServers: {
      ci: {
        type: "sdk",
        instance: createMcpServer({
          name: "ci",
          tools: [tool({
            name: "durations",
            description: "Tells how long tests took",
            input: { type: "object", properties: {} },
            run: () => "slow_test.ts 4.1 s, all others 2.2 s",
          })],
        }),
      },
    },
    permissions: {
      canUseTool: async () => {
        // A person takes a while.
        await new Promise((resolve) => setTimeout(resolve, 1_700));
        return { behavior: "allow" };
      },
    },
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [() => ({})] }] },
  });
  try {
    await client.connect();
    for (const prompt of PROMPTS) await client.text(prompt);
  } finally {
    await client.close();
    await model.close();
  }
  // The page tells where it ran.
  const text = lines.join("").replaceAll(folder, "/home/ada");
  await Deno.writeTextFile(file, text);
}
