import { createMcpServer } from "../mcp/server.ts";
import { tool } from "../mcp/tool.ts";
import { query } from "../query.ts";
import { fakeCli } from "../testing/fake_cli.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { McpServerInstance } from "../types/mcp.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { AgentOptions } from "../types/options.ts";

const PROMPT =
  "Look up the weather in Oslo, then write it into weather.txt with Bash.";

/** Tells what happens in the demo, line by line. */
export interface DemoListener {
  /** What was said first. */
  prompt(text: string): Promise<void>;
  /** A message of the agent. */
  message(message: Message): Promise<void>;
  /** Something that this program did: asked, called back, looked up. */
  note(kind: string, text: string): Promise<void>;
}

/** An agent at work, driven by `query()`: streaming text, a permission, a hook, a tool of this very program. */
export async function playDemo(
  connection: AgentOptions,
  cwd: string,
  listener: DemoListener,
): Promise<void> {
  await listener.prompt(PROMPT);
  const conversation = query(PROMPT, {
    ...connection,
    cwd,
    includePartialMessages: true,
    mcpServers: {
      demo: { type: "sdk", instance: weatherServer(listener) },
    },
    permissions: {
      canUseTool: async (name, input, { caughtUp }) => {
        await caughtUp;
        await listener.note(
          "asked",
          `may it use ${name}? Yes: ${JSON.stringify(input)}`,
        );
        return { behavior: "allow" };
      },
    },
    hooks: {
      PreToolUse: [{
        hooks: [async (input) => {
          await listener.note("hook", `${input.tool_name} is about to run`);
          return {};
        }],
      }],
    },
  });
  for await (const message of conversation) await listener.message(message);
}

/** A tool of this program that the agent may call. */
function weatherServer({ note }: DemoListener): McpServerInstance {
  return createMcpServer({
    name: "demo",
    tools: [tool({
      name: "weather",
      description: "Tells the weather of a city",
      input: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      },
      run: async ({ city }) => {
        await note("tool", `weather of ${city} was looked up in this program`);
        return "4 degrees, snow from the north-west";
      },
    })],
  });
}

/** The connection to a real CLI whose model is a script; nothing of this machine's own reaches it but PATH. */
export async function withScriptedModel(
  { cliPath, home, path }: {
    readonly cliPath: string | readonly string[] | undefined;
    /** An empty folder. */
    readonly home: string;
    /** The variable PATH. */
    readonly path: string;
  },
  use: (connection: AgentOptions) => Promise<void>,
): Promise<void> {
  const model = await scriptedModel([
    {
      text: "I will look up the weather first.",
      tool: "mcp__demo__weather",
      input: { city: "Oslo" },
      chunks: 8,
      delayMs: 40,
    },
    {
      text: "Snow in Oslo. Now I write that down.",
      tool: "Bash",
      input: {
        command: "echo '4 degrees, snow' > weather.txt && cat weather.txt",
      },
      chunks: 8,
      delayMs: 40,
    },
    {
      text: "Done: weather.txt now says that Oslo has 4 degrees and snow.",
      chunks: 12,
      delayMs: 40,
    },
  ]);
  try {
    await use({
      cliPath,
      envPolicy: "replace",
      env: { PATH: path, HOME: home, ...model.env },
    });
  } finally {
    await model.close();
  }
}

/** The same story without any CLI. */
export async function withStandIn(
  use: (connection: AgentOptions) => Promise<void>,
): Promise<void> {
  const fake = fakeCli([[
    { say: "I will write the weather down.", delayMs: 40 },
    { tool: "Bash", input: { command: "echo snow > weather.txt" } },
    { say: "Done: weather.txt now says snow.", delayMs: 40 },
  ]]);
  try {
    await use({ cliPath: fake.cliPath });
  } finally {
    await fake.close();
  }
}
