import { createMcpServer } from "../mcp/server.ts";
import { tool } from "../mcp/tool.ts";
import { textOf } from "../parse/read.ts";
import { Pool } from "../pool.ts";
import type { Message } from "../protocol/messages_other.ts";
import { query } from "../query.ts";
import { fakeCli } from "../testing/fake_cli.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { McpServerInstance } from "../types/mcp.ts";
import type { AgentOptions } from "../types/options.ts";

const SECOND = "What is the weather like in Rome in May? One line.";
const PROMPT =
  "Look up the weather in Oslo, then write it into weather.txt with Bash.";

/** Tells what happens in the demo, line by line. */
export interface DemoListener {
  prompt(text: string): Promise<void>;
  message(message: Message): Promise<void>;
  /** Something that this program did: asked, called back, looked up. */
  note(kind: string, text: string): Promise<void>;
}

/**
 * An agent at work, driven by `query()`: streaming text, a permission, a hook, a tool of this very program. Then a second
 * one, whose process a pool has started meanwhile: how long each took to its first word, and what both cost.
 */
export async function playDemo(
  connection: AgentOptions,
  cwd: string,
  listener: DemoListener,
): Promise<void> {
  const options = { ...connection, cwd, includePartialMessages: true };
  /** Tools that hooks were printed of: a hook may come in the middle of a text that is still being shown. */
  const hooked: string[] = [];
  const tellHooked = async () => {
    for (const name of hooked.splice(0)) {
      await listener.note("hook", `${name} is about to run`);
    }
  };
  await listener.prompt(PROMPT);
  let startedMs = performance.now();
  const first = query(PROMPT, {
    ...options,
    mcpServers: {
      demo: { type: "sdk", instance: weatherServer(listener) },
    },
    permissions: {
      canUseTool: async (name, input, { caughtUp }) => {
        await caughtUp;
        await tellHooked();
        await listener.note(
          "asked",
          `may it use ${name}? Yes: ${JSON.stringify(input)}`,
        );
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
  let pool: Pool | undefined;
  let coldMs: number | undefined;
  let warmMs: number | undefined;
  try {
    for await (const message of first) {
      if (coldMs === undefined && isWord(message)) {
        coldMs = performance.now() - startedMs;
        pool = new Pool(options);
      }
      await listener.message(message);
      if (message.type !== "stream_event") await tellHooked();
    }
    if (pool === undefined || coldMs === undefined) return;
    await pool.ready();
    await listener.prompt(SECOND);
    startedMs = performance.now();
    const second = pool.query(SECOND);
    for await (const message of second) {
      if (isWord(message)) warmMs ??= performance.now() - startedMs;
      await listener.message(message);
    }
    const usd = first.cost().totalUsd + second.cost().totalUsd;
    await listener.note(
      "warm",
      `first word after ${warmMs?.toFixed(0)} ms, without a pool after ${
        coldMs.toFixed(0)
      }; both cost $${usd.toFixed(4)}`,
    );
  } finally {
    await pool?.close();
  }
}

/** Whether a message has a piece of the agent's text, or all of it. */
function isWord(message: Message): boolean {
  return (message.type === "stream_event" || message.type === "assistant") &&
    textOf(message) !== "";
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
      chunks: 8,
    },
    {
      text: "Snow in Oslo. Now I write that down.",
      tool: "Bash",
      input: { command },
      chunks: 8,
    },
    {
      text: "Done: weather.txt now says that Oslo has 4 degrees and snow.",
      chunks: 12,
    },
    { text: "Rome has 19 degrees and sun.", chunks: 6 },
  ].map((answer) => ({ ...answer, delayMs: 40 })));
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
  const fake = fakeCli({
    match: [{
      prompt: SECOND,
      turn: { say: "Rome has 19 degrees and sun.", delayMs: 40 },
    }],
    turns: [[
      { say: "I will write the weather down.", delayMs: 40 },
      { tool: "Bash", input: { command: "echo snow > weather.txt" } },
      { say: "Done: weather.txt now says snow.", delayMs: 40 },
    ]],
  });
  try {
    await use({ cliPath: fake.cliPath });
  } finally {
    await fake.close();
  }
}
