// Shows an agent at work: the real CLI against a scripted model, driven by query().
//   npm run demo               the scripted model on loopback, no API key
//   npm run demo -- --live     the real model, with your own login or API key
// It runs without deno.json, so that nothing but Deno and the CLI is fetched for it.
import { stdout } from "node:process";
import { type Message, query, toolUsesOf } from "../mod.ts";
import { createMcpServer, tool } from "../src/mcp/mod.ts";
import { fakeCli, scriptedModel } from "../src/testing/mod.ts";
import { installCli } from "./install_cli.ts";
import { say } from "./project.ts";

const HELP = `Usage: npm run demo [-- --live] [--help]

Runs the real Claude Code CLI through query(): streaming text, a permission that
is asked, a hook that fires, a tool of this program.

  --live   uses the real model, with your own login or API key
  --help   prints this`;

const PROMPT =
  "Look up the weather in Oslo, then write it into weather.txt with Bash.";

/** Whether the agent's text is in the middle of a line. */
let isInText = false;

if (Deno.args.includes("--help")) say(HELP);
else await demo(Deno.args.includes("--live"));

async function demo(isLive: boolean): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-demo-" });
  const cli = await installCli();
  say("");
  try {
    if ("problem" in cli) {
      say(`${cli.problem}\nShowing a stand-in CLI instead.\n`);
      await converse(standIn(), folder);
    } else if (isLive) {
      await converse({ cliPath: cli.path }, folder);
    } else {
      await withScriptedModel(async (env) => {
        const home = `${folder}/home`;
        await Deno.mkdir(home);
        await converse({
          cliPath: cli.path,
          // Nothing of this machine's own reaches the CLI.
          envPolicy: "replace",
          env: { PATH: Deno.env.get("PATH") ?? "", HOME: home, ...env },
        }, folder);
      });
      say(
        "\nThe model was a script. With the real one: npm run demo -- --live",
      );
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

interface Connection {
  readonly cliPath: string | readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly envPolicy?: "replace";
}

/** One conversation, told as it happens. */
async function converse(connection: Connection, cwd: string): Promise<void> {
  say(`You:    ${PROMPT}`);
  const conversation = query(PROMPT, {
    ...connection,
    cwd,
    includePartialMessages: true,
    mcpServers: { demo: { type: "sdk", instance: weatherServer() } },
    permissions: {
      canUseTool: (name, input) => {
        note("asked", `may it use ${name}? Yes: ${JSON.stringify(input)}`);
        return { behavior: "allow" };
      },
    },
    hooks: {
      PreToolUse: [{
        hooks: [(input) => {
          note("hook", `${input.tool_name} is about to run`);
          return {};
        }],
      }],
    },
  });
  for await (const message of conversation) show(message);
}

/** A tool of this program that the agent may call. */
function weatherServer(): ReturnType<typeof createMcpServer> {
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
      run: ({ city }) => {
        note("tool", `weather of ${city} was looked up in this very program`);
        return "4 degrees, snow from the north-west";
      },
    })],
  });
}

function show(message: Message): void {
  switch (message.type) {
    case "stream_event": {
      const { event } = message;
      if (event.type !== "content_block_delta") return;
      if (event.delta.type === "text_delta") write(event.delta.text);
      return;
    }
    case "assistant":
      for (const { name } of toolUsesOf(message)) note("calls", name);
      return;
    case "result":
      note(
        "done",
        `${message.num_turns} turns, ${message.duration_ms} ms, $${
          message.total_cost_usd.toFixed(4)
        }`,
      );
  }
}

/** Streams a piece of the agent's text. */
function write(text: string): void {
  stdout.write(isInText ? text : `Agent:  ${text}`);
  isInText = true;
}

function note(kind: string, text: string): void {
  if (isInText) say("");
  isInText = false;
  say(`  ${kind.padEnd(6)}${text}`);
}

async function withScriptedModel(
  use: (env: Readonly<Record<string, string>>) => Promise<void>,
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
        description: "Write the weather into a file",
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
    await use(model.env);
  } finally {
    await model.close();
  }
}

/** The same story without any CLI. */
function standIn(): Connection {
  const { cliPath } = fakeCli([[
    { say: "I will write the weather down.", delayMs: 40 },
    { tool: "Bash", input: { command: "echo snow > weather.txt" } },
    { say: "Done: weather.txt now says snow.", delayMs: 40 },
  ]]);
  return { cliPath };
}
