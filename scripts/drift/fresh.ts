/** Runs of a real CLI against scripted models, made anew: what the wire shows today. */
import { Client, HOOK_EVENTS, localTransport } from "../../mod.ts";
import type { AgentOptions } from "../../mod.ts";
import { createMcpServer, tool } from "../../src/mcp/mod.ts";
import { type ModelTurn, record } from "../../src/testing/mod.ts";
import { withRealCli } from "../../tests/_real_cli.ts";
import type { RecordedLine } from "./runs.ts";

/** One run: what the model says, with which options, and what the host does. */
interface Scenario {
  readonly turns: readonly ModelTurn[];
  readonly options?: AgentOptions;
  /** Talks to the CLI; one prompt unless given. */
  readonly use?: (client: Client, cwd: string) => Promise<unknown>;
}

const UUID = "11111111-2222-4333-8444-555555555555";

const ALLOW: AgentOptions = {
  permissions: { canUseTool: () => ({ behavior: "allow" }) },
};

/** Callbacks on every event but one: whoever listens to that has to make a worktree. */
const HOOKS: NonNullable<AgentOptions["hooks"]> = Object.fromEntries(
  HOOK_EVENTS.filter((event) => event !== "WorktreeCreate")
    .map((event) => [event, [{ hooks: [() => ({})] }]]),
);

const HELPER = {
  tool: "Agent",
  input: {
    description: "Help",
    prompt: "Help, please",
    subagent_type: "helper",
    run_in_background: false,
  },
};

/** The scenarios by name. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "plain": { turns: ["Hello."] },
  "partial": {
    turns: [{ thinking: "Let me think.", text: "One two three." }],
    options: { includePartialMessages: true, thinking: { type: "adaptive" } },
  },
  "tools": {
    turns: [
      { ...bash("touch made.txt && echo created"), text: "I will create it." },
      {
        tools: [{ name: "Bash", input: bash("false").input }, { name: "Read" }],
      },
      "Done.",
    ],
    options: ALLOW,
  },
  "denied": {
    turns: [bash("touch no.txt"), "It was refused."],
    options: {
      permissions: { canUseTool: () => ({ behavior: "deny", message: "No." }) },
    },
  },
  "nobody asked": { turns: [bash("touch no.txt"), "It was refused."] },
  "hooks": {
    turns: [
      bash("touch one.txt"),
      HELPER,
      { text: "Helped.", match: { system: "HELPER" } },
      "All done.",
    ],
    options: {
      ...ALLOW,
      hooks: HOOKS,
      agents: { helper: { description: "Helps", prompt: "HELPER" } },
    },
  },
  "own server": {
    turns: [{ tool: "mcp__own__add", input: { a: 1, b: 2 } }, "Three."],
    options: {
      permissions: { approve: ["mcp__own"] },
      mcpServers: { own: { type: "sdk", instance: ownServer() } },
    },
  },
  "interrupt": {
    turns: [bash("sleep 60"), "Stopped."],
    options: ALLOW,
    use: async (client) => {
      await client.sendMessage("Stay");
      for await (const { type } of client.receiveMessages()) {
        if (type === "assistant") await client.interrupt();
        if (type === "result") break;
      }
    },
  },
  "controls": {
    turns: ["Hello.", "Still here."],
    use: async (client) => {
      await client.ask("Hello");
      for (const [subtype, body] of QUESTIONS) {
        // What is refused is an answer too.
        await client.request(subtype, body).catch(() => {});
      }
      await client.ask("Still there?");
    },
  },
  "commands": {
    turns: ["Hello.", "A summary.", "Again."],
    options: { hooks: HOOKS },
    use: async (client) => {
      for (const prompt of ["Hello", "/compact", "/context", "/clear"]) {
        await client.ask(prompt);
      }
    },
  },
  "most turns": {
    turns: [bash("echo 1"), bash("echo 2"), "Done."],
    options: { ...ALLOW, maxTurns: 1 },
  },
  "structured": {
    turns: [
      { tool: "StructuredOutput", input: { answer: 42 } },
      "Done.",
    ],
    options: {
      outputSchema: {
        type: "object",
        properties: { answer: { type: "number" } },
        required: ["answer"],
      },
    },
  },
  "overloaded": {
    turns: [{ error: { status: 529 } }, "At last."],
  },
  "unknown session": { turns: [], options: { resume: UUID } },
};

/** What the host may ask for when nothing runs. */
const QUESTIONS: readonly (readonly [
  string,
  Readonly<Record<string, never>> | Parameters<Client["request"]>[1],
])[] = [
  ["mcp_status", {}],
  ["get_context_usage", {}],
  ["get_session_cost", {}],
  ["get_usage", {}],
  ["list_models", {}],
  ["get_binary_version", {}],
  ["file_suggestions", { query: "a" }],
  ["read_file", { path: "a.txt" }],
  ["get_settings", {}],
  ["get_hooks_listing", {}],
  ["list_permission_rules", {}],
  ["reload_plugins", {}],
  ["reload_skills", {}],
  ["reload_output_styles", {}],
  ["background_tasks", {}],
  ["cancel_async_message", { message_uuid: UUID }],
  ["interrupt", {}],
  ["set_permission_mode", { mode: "acceptEdits" }],
  ["set_model", { model: "claude-haiku-4-5" }],
  ["set_max_thinking_tokens", { max_thinking_tokens: 1000 }],
  ["mcp_set_servers", { servers: {} }],
  ["rename_session", { title: "My title" }],
  ["seed_read_state", { path: "/a.txt", mtime: 0 }],
  ["apply_flag_settings", { settings: { theme: "dark" } }],
  ["stop_task", { task_id: "nope" }],
  ["set_has_subscribers", { has_subscribers: true }],
  ["rewind_files", { user_message_id: UUID, dry_run: true }],
];

/** Runs the scenarios, one after the other; each in a folder and with a model of its own. */
export async function freshRuns(
  cliPath: string,
): Promise<ReadonlyMap<string, readonly RecordedLine[]>> {
  const runs = new Map<string, readonly RecordedLine[]>();
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    runs.set(`fresh/${name}`, await play(cliPath, scenario));
  }
  return runs;
}

async function play(
  cliPath: string,
  { turns, options = {}, use = (client) => client.ask("Go") }: Scenario,
): Promise<readonly RecordedLine[]> {
  const lines: RecordedLine[] = [];
  await withRealCli(turns, async ({ cwd, options: own }) => {
    await Deno.writeTextFile(`${cwd}/a.txt`, "alpha\n");
    const client = new Client({
      ...own,
      ...options,
      transport: record(
        localTransport({ cliPath }),
        (line) => void lines.push(JSON.parse(line)),
      ),
    });
    try {
      await client.connect();
      await use(client, cwd);
    } catch (error) {
      // A turn that fails is what some of them are for; without a line there was no run.
      if (!lines.some(({ dir }) => dir === "out")) throw error;
    } finally {
      await client.close();
    }
  }, cliPath);
  return lines;
}

/** The model calls Bash. */
function bash(command: string): {
  readonly tool: string;
  readonly input: Readonly<Record<string, string>>;
} {
  return { tool: "Bash", input: { command, description: "run it" } };
}

function ownServer(): ReturnType<typeof createMcpServer> {
  return createMcpServer({
    name: "own",
    tools: [tool({
      name: "add",
      description: "Adds two numbers",
      input: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      run: (input) => String(Number(input["a"]) + Number(input["b"])),
    })],
  });
}
