import { createMcpServer } from "../mcp/server.ts";
import { tool } from "../mcp/tool.ts";
import type { Message } from "../protocol/messages_other.ts";
import { query } from "../query.ts";
import { fakeCli } from "../testing/fake_cli.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { AgentOptions } from "../types/options.ts";

const PROMPT =
  "Look up the weather in Oslo, then write it into weather.txt with Bash.";

/** Shows the events of the demo, line by line. */
export interface DemoListener {
  prompt(text: string): Promise<void>;
  message(message: Message): Promise<void>;
  /** A part of this program: it was asked, called back, looked something up. */
  note(kind: string, text: string): Promise<void>;
}

/** An agent at work, driven by `query()`: streaming text, a permission, a hook, a tool of this very program. */
export async function playDemo(
  connection: AgentOptions,
  cwd: string,
  { message: show, note, prompt }: DemoListener,
): Promise<void> {
  /** Tools whose hooks ran: a hook may come in the middle of a text that is still being shown. */
  const hooked: string[] = [];
  const noteHooked = async () => {
    for (const name of hooked.splice(0)) {
      await note("hook", `${name} is about to run`);
    }
  };
  const weather = tool({
    name: "weather",
    description: "Returns the weather of a city",
    input: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
    run: async ({ city }) => {
      await note("tool", `weather of ${city} was looked up in this program`);
      return "4 degrees, snow from the north-west";
    },
  });
  await prompt(PROMPT);
  const conversation = query(PROMPT, {
    ...connection,
    cwd,
    includePartialMessages: true,
    mcpServers: {
      demo: {
        type: "sdk",
        instance: createMcpServer({ name: "demo", tools: [weather] }),
      },
    },
    permissions: {
      canUseTool: async (name, input, { caughtUp }) => {
        await caughtUp;
        await noteHooked();
        const call = JSON.stringify(input);
        await note("asked", `may it use ${name}? Yes: ${call}`);
        return { behavior: "allow" };
      },
    },
    hooks: {
      PreToolUse: [{
        hooks: [({ tool_name }) => {
          hooked.push(tool_name);
          return {};
        }],
      }],
    },
  });
  for await (const message of conversation) {
    await show(message);
    if (message.type !== "stream_event") await noteHooked();
  }
}

/** The connection to a real CLI whose model is a script; nothing of this machine's own reaches it but PATH. */
export async function withScriptedModel(
  { cliPath, home, path }: {
    readonly cliPath: string | readonly string[] | undefined;
    readonly home: string;
    readonly path: string;
  },
  use: (connection: AgentOptions) => Promise<void>,
): Promise<void> {
  const command = "echo '4 degrees, snow' > weather.txt && cat weather.txt";
  const model = await scriptedModel([
    {
      text: "I will look up the weather first.",
      tool: "mcp__demo__weather",
      input: { city: "Oslo" },
    },
    {
      text: "Snow in Oslo. Now I write that down.",
      tool: "Bash",
      input: { command },
    },
    { text: "Done: weather.txt now says that Oslo has 4 degrees and snow." },
  ].map((answer) => ({ ...answer, chunks: 8, delayMs: 40 })));
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
