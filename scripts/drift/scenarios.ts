/** Expected behaviour of a CLI release, with a scripted model: replayed by `deno task drift --fresh`. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type AgentOptions, Client, HOOK_EVENTS, query } from "../../mod.ts";
import { createMcpServer, tool } from "../../src/mcp/mod.ts";
import type { ModelTurn } from "../../src/testing/mod.ts";
import type { RealCli } from "../../tests/_real_cli.ts";
import { bash } from "../../tests/e2e/_real.ts";
import { stdioFixture } from "../../tests/mcp/_connecting.ts";
import { QUESTIONS } from "./questions.ts";

/** One thing that a release can do, or not. */
interface Scenario {
  /** Answers of the model. */
  readonly turns: readonly ModelTurn[];
  /** Options of the CLI beside those that every scenario has. */
  readonly options?: AgentOptions;
  /** Runs the scenario and rejects with a fault; one prompt unless given. */
  readonly use?: (real: Played) => Promise<unknown>;
}

/** A real CLI, and all options for it. */
export type Played = Omit<RealCli, "options"> & {
  readonly options: AgentOptions;
};

const SECRET = "aB3dE5fG7hI9jK1lM3nO5";
const APPROVED = { approve: ["Bash"] };
const TOUCH = bash("touch made.txt");

/** Callbacks on every event but one: a listener to that has to make a worktree. */
const HOOKS: NonNullable<AgentOptions["hooks"]> = Object.fromEntries(
  HOOK_EVENTS.filter((event) => event !== "WorktreeCreate")
    .map((event) => [event, [{ hooks: [() => ({})] }]]),
);

/** A hook that denies every call. */
const DENYING: NonNullable<AgentOptions["hooks"]> = {
  PreToolUse: [{
    hooks: [() => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
      },
    })],
  }],
};

const HELPER = {
  tool: "Agent",
  input: {
    description: "Help",
    prompt: "Help, please",
    subagent_type: "helper",
    run_in_background: false,
  },
};

const SHOP = createMcpServer({
  name: "shop",
  tools: [tool({
    name: "stock",
    description: "Tells how many packets are in stock",
    input: { type: "object", properties: { article: { type: "string" } } },
    run: ({ article }) => `7 packets of ${article}`,
  })],
});

/** The scenarios by name. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "plain": {
    turns: ["Hello."],
    use: async ({ options }) =>
      assert.equal(await query("Hi", options).text(), "Hello."),
  },
  "partial": {
    turns: [{ thinking: "Let me think.", text: "One two three." }],
    options: { includePartialMessages: true, thinking: { type: "adaptive" } },
  },
  "allowed": {
    turns: [
      { ...TOUCH, text: "I will create it." },
      {
        tools: [{ name: "Bash", input: { command: "false" } }, {
          name: "Read",
        }],
      },
      "Done.",
    ],
    options: { permissions: { canUseTool: () => ({ behavior: "allow" }) } },
    use: (real) => isMade(real, true),
  },
  "denied": {
    turns: [TOUCH, "It was refused."],
    options: {
      permissions: {
        canUseTool: () => ({ behavior: "deny", message: "not today" }),
      },
    },
    use: async (real) => {
      await isMade(real, false);
      assert.match(real.model.requests.at(-1)?.lastText ?? "", /not today/);
    },
  },
  "without a callback": {
    turns: [TOUCH, "It was refused."],
    use: (real) => isMade(real, false),
  },
  "hook denies": {
    turns: [TOUCH, "Then not."],
    options: { permissions: APPROVED, hooks: DENYING },
    use: (real) => isMade(real, false),
  },
  "hooks": {
    turns: [
      TOUCH,
      HELPER,
      { text: "Helped.", match: { system: "HELPER" } },
      "All done.",
    ],
    options: {
      permissions: { canUseTool: () => ({ behavior: "allow" }) },
      hooks: HOOKS,
      agents: { helper: { description: "Helps", prompt: "HELPER" } },
    },
  },
  // A file that no list allows to be read is not read, whatever the user's settings say.
  "allowed tools in bare mode": staysShut(
    { allowedTools: ["Bash(echo:*)"] },
    { env: { CLAUDE_CODE_SIMPLE: "1" } },
  ),
  "allowed tools without hooks": staysShut(
    { allowedTools: ["Bash(echo:*)"] },
    { disableAllHooks: true },
  ),
  "denied tools in bare mode": staysShut(
    { deniedTools: ["Bash(cat:*)"], permissions: APPROVED },
    { env: { CLAUDE_CODE_SIMPLE: "1" } },
  ),
  "denied tools without hooks": staysShut(
    { deniedTools: ["Bash(cat:*)"], permissions: APPROVED },
    { disableAllHooks: true },
  ),
  "own server": {
    turns: [{ tool: "mcp__shop__stock", input: { article: "tea" } }, "Seven."],
    options: {
      permissions: { approve: ["mcp__shop"] },
      mcpServers: { shop: SHOP },
    },
    use: async ({ options, model }) => {
      await query("How much tea?", options).text();
      assert.match(model.requests.at(-1)?.lastText ?? "", /7 packets of tea/);
    },
  },
  "server of the CLI": {
    turns: [{ tool: "mcp__srv__echo", input: { text: "hi" } }, "Heard."],
    options: {
      permissions: { approve: ["mcp__srv"] },
      mcpServers: {
        srv: {
          ...stdioFixture("tools"),
          env: { SLUICE_PROBE_TOKEN: SECRET },
          via: "cli",
        },
      },
    },
    use: async (real) => {
      const said = await withoutSecretsInArgv(real);
      assert.doesNotMatch(said, /No such tool/);
    },
  },
  "settings": {
    turns: [bash("echo got-$SLUICE_PROBE_TOKEN"), "Done."],
    options: {
      // Not one of the modes that ask the model before each call.
      permissions: { mode: "default", ...APPROVED },
      settings: { env: { SLUICE_PROBE_TOKEN: SECRET } },
    },
    use: async (real) => {
      const said = await withoutSecretsInArgv(real);
      assert.ok(said.includes(`got-${SECRET}`), "the settings had no effect");
    },
  },
  "interrupt": {
    turns: [{ text: "Slow", hang: true }, "Next."],
    use: ({ options, model }) =>
      withClient(options, async (client) => {
        const first = client.ask("Go");
        await model.waitForRequest(1);
        await client.interrupt();
        await first;
        assert.equal(await client.text("Again"), "Next.");
      }),
  },
  "queue": {
    turns: [{ text: "Slow.", hang: true }, { text: "Both.", repeat: true }],
    use: ({ options, model }) =>
      withClient(options, async (client) => {
        await client.sendMessage("first");
        await model.waitForRequest(1);
        await client.sendMessage("second");
        await client.sendMessage("third");
        await client.mcpStatus();
        model.release();
        const types: (string | undefined)[] = [];
        for (let n = 0; n < 3; n++) {
          let last: string | undefined;
          for await (const { type } of client.receiveResponse()) last = type;
          types.push(last);
        }
        assert.deepEqual(types, ["result", "result", "result"]);
      }),
  },
  "controls": {
    turns: ["Hello.", "Still here."],
    use: ({ options }) =>
      withClient(options, async (client) => {
        await client.ask("Hello");
        for (const [subtype, body] of QUESTIONS) {
          // A refusal is an answer too.
          await client.request(subtype, body).catch(() => {});
        }
        assert.equal(await client.text("Still there?"), "Still here.");
      }),
  },
  "commands": {
    turns: [{ text: "Fine.", repeat: true }],
    options: { hooks: HOOKS },
    use: ({ options }) =>
      withClient(options, async (client) => {
        for (const prompt of ["Hello", "/compact", "/context", "/clear"]) {
          await client.ask(prompt).catch(() => {});
        }
        assert.equal(await client.text("Still there?"), "Fine.");
      }),
  },
  "resume": {
    turns: ["One.", "Two."],
    use: async ({ options, model }) => {
      const first = query("remember the kettle", options);
      await first.text();
      const resume = first.sessionId ?? "";
      assert.equal(await query("And?", { ...options, resume }).text(), "Two.");
      const body = JSON.stringify(model.requests.at(-1)?.body.messages);
      assert.match(body, /remember the kettle/);
    },
  },
  "structured": {
    turns: [{ tool: "StructuredOutput", input: { answer: 42 } }, "Done."],
    options: {
      outputSchema: {
        type: "object",
        properties: { answer: { type: "number" } },
        required: ["answer"],
      },
    },
    use: async ({ options }) =>
      assert.deepEqual(await query("Go", options).output(), { answer: 42 }),
  },
  "close": {
    turns: [bash("sleep 300"), "Done."],
    options: { permissions: APPROVED },
    use: async ({ options }) => {
      const conversation = query("Go", options);
      const { pid } = (await conversation.ready, conversation);
      for await (const { type } of conversation) {
        if (type === "assistant") break;
      }
      await conversation.close();
      assert.ok(!existsSync(`/proc/${pid}`), "the CLI still runs");
    },
  },
  "most turns": {
    turns: [bash("echo 1"), bash("echo 2"), "Done."],
    options: { permissions: APPROVED, maxTurns: 1 },
    use: ({ options }) => assert.rejects(query("Go", options).text()),
  },
  "overloaded": { turns: [{ error: { status: 529 } }, "At last."] },
  "unknown session": {
    turns: [],
    options: { resume: "11111111-2222-4333-8444-555555555555" },
    use: ({ options }) => assert.rejects(query("Go", options).text()),
  },
};

async function isMade(
  { options, cwd }: Played,
  wanted: boolean,
): Promise<void> {
  await query("Go", options).text();
  assert.equal(existsSync(join(cwd, "made.txt")), wanted);
}

function staysShut(options: AgentOptions, settings: object): Scenario {
  return {
    turns: [bash("cat secret.txt"), "Done."],
    options,
    use: async ({ options, cwd, env, model }) => {
      await writeFile(join(cwd, "secret.txt"), "the secret text");
      const folder = join(env["HOME"] ?? "", ".claude");
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
      const said = await query("Go", options).text().catch(String);
      const bodies = JSON.stringify(model.requests.map(({ body }) => body));
      assert.ok(!bodies.includes("the secret text"), "the file was read");
      assert.match(said, /Done|bare mode/);
    },
  };
}

async function withClient(
  options: AgentOptions,
  use: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client(options);
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.close();
  }
}

/** Asks once, and looks at the command line, which every user of the machine may read; gives what the model heard last. */
async function withoutSecretsInArgv(
  { options, model }: Played,
): Promise<string> {
  const conversation = query("Go", options);
  await conversation.ready;
  const path = `/proc/${conversation.pid}/cmdline`;
  const line = existsSync(path) ? readFileSync(path, "utf8") : "";
  assert.ok(!line.includes(SECRET), "the secret is in argv");
  const files = line.split("\0").flatMap((argument) =>
    /^--(?:settings|mcp-config)=(.*)$/.exec(argument)?.[1] ?? []
  );
  for (const file of files) {
    assert.equal(statSync(file).mode & 0o077, 0, "others may read the file");
    assert.equal(statSync(dirname(file)).mode & 0o077, 0);
  }
  await conversation.text();
  await conversation.close();
  assert.ok(!files.some((file) => existsSync(file)), "a file was left");
  return model.requests.at(-1)?.lastText ?? "";
}
