/** What `deno task versions` tries on each release of the CLI. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client } from "../../src/client.ts";
import { ConfigError, ResultError } from "../../src/errors/base.ts";
import { createMcpServer, tool } from "../../src/mcp/mod.ts";
import { query } from "../../src/query.ts";
import type { ModelAnswer, ModelTurn } from "../../src/testing/model_script.ts";
import type { JsonObject } from "../../src/types/json.ts";
import type { Message } from "../../src/protocol/messages_other.ts";
import type { AgentOptions } from "../../src/types/options.ts";
import type { RealCli } from "../../tests/_real_cli.ts";
import { stdioFixture } from "../../tests/mcp/_connecting.ts";
import type { MessageOf } from "../../src/types/conversation.ts";

/** One thing that a release can do, or not. */
export interface Scenario {
  /** Column of the table. */
  readonly name: string;
  /** What is tried, in words. */
  readonly what: string;
  /** What the model says. */
  readonly turns: readonly ModelTurn[];
  /** Rejects with what differs. */
  run(real: RealCli): Promise<void>;
}

const SECRET = "aB3dE5fG7hI9jK1lM3nO5";
const CLEAN_SECRET = { SLUICE_PROBE_TOKEN: SECRET };

/** Lists by which a file that the model wants to read stays shut. */
const ALLOWED = { allowedTools: ["Bash(echo:*)"] };
const DENIED = {
  deniedTools: ["Bash(cat:*)"],
  permissions: { approve: ["Bash"] },
};

/** The scenarios, in the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "prompt",
    what: "a text goes in, a text comes out, the messages end",
    turns: ["Hello."],
    run: async ({ options }) => {
      assert.equal(await query("Hi", options).text(), "Hello.");
    },
  },
  {
    name: "allow",
    what: "`canUseTool` allows a call without saying with which input",
    turns: [bash("touch made.txt"), "Done."],
    run: async ({ options, cwd }) => {
      const asked: string[] = [];
      await query("Go", {
        ...options,
        permissions: {
          canUseTool: (name) => {
            asked.push(name);
            return { behavior: "allow" };
          },
        },
      }).text();
      assert.deepEqual(asked, ["Bash"]);
      assert.ok(existsSync(join(cwd, "made.txt")), "the call did not run");
    },
  },
  {
    name: "deny",
    what: "`canUseTool` denies a call, and the model hears why",
    turns: [bash("touch made.txt"), "Then not."],
    run: async ({ options, cwd, model }) => {
      await query("Go", {
        ...options,
        permissions: {
          canUseTool: () => ({ behavior: "deny", message: "not today" }),
        },
      }).text();
      assert.ok(!existsSync(join(cwd, "made.txt")), "the call ran");
      assert.match(model.requests.at(-1)?.lastText ?? "", /not today/);
    },
  },
  {
    name: "hook",
    what: "a `PreToolUse` hook denies a call that is approved",
    turns: [bash("touch made.txt"), "Then not."],
    run: async ({ options, cwd }) => {
      const called: string[] = [];
      await query("Go", {
        ...options,
        permissions: { approve: ["Bash"] },
        hooks: {
          PreToolUse: [{
            hooks: [(input) => {
              called.push(input.hook_event_name);
              return {
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  permissionDecision: "deny",
                  permissionDecisionReason: "no",
                },
              };
            }],
          }],
        },
      }).text();
      assert.deepEqual(called, ["PreToolUse"]);
      assert.ok(!existsSync(join(cwd, "made.txt")), "the call ran");
    },
  },
  {
    name: "guard",
    what: "`allowedTools` holds where the user's settings ask for bare mode",
    turns: [bash("cat secret.txt"), "Done."],
    run: (real) =>
      staysShut(real, ALLOWED, { env: { CLAUDE_CODE_SIMPLE: "1" } }),
  },
  {
    name: "hooks off",
    what: "`allowedTools` holds where the user's settings switch hooks off",
    turns: [bash("cat secret.txt"), "Done."],
    run: (real) => staysShut(real, ALLOWED, { disableAllHooks: true }),
  },
  {
    name: "denied bare",
    what: "`deniedTools` holds where the user's settings ask for bare mode",
    turns: [bash("cat secret.txt"), "Done."],
    run: (real) =>
      staysShut(real, DENIED, { env: { CLAUDE_CODE_SIMPLE: "1" } }),
  },
  {
    name: "denied off",
    what: "`deniedTools` holds where the user's settings switch hooks off",
    turns: [bash("cat secret.txt"), "Done."],
    run: (real) => staysShut(real, DENIED, { disableAllHooks: true }),
  },
  {
    name: "tool",
    what: "a tool of this program is called",
    turns: [{ tool: "mcp__shop__stock", input: { article: "tea" } }, "Seven."],
    run: async ({ options, model }) => {
      const stock = tool({
        name: "stock",
        description: "Tells how many packets are in stock",
        input: {
          type: "object",
          properties: { article: { type: "string" } },
          required: ["article"],
        },
        run: ({ article }) => `7 packets of ${article}`,
      });
      const said = await query("How much tea?", {
        ...options,
        mcpServers: { shop: createMcpServer({ name: "shop", tools: [stock] }) },
        permissions: { approve: ["mcp__shop"] },
      }).text();
      assert.equal(said, "Seven.");
      assert.match(model.requests.at(-1)?.lastText ?? "", /7 packets of tea/);
    },
  },
  {
    name: "CLI's server",
    what: "an MCP server that the CLI connects, its secrets not in argv",
    turns: [{ tool: "mcp__srv__echo", input: { text: "hi" } }, "Heard."],
    run: async ({ options, model }) => {
      const server = { ...stdioFixture("tools"), env: CLEAN_SECRET };
      const conversation = query("Go", {
        ...options,
        mcpServers: { srv: { ...server, via: "cli" } },
        permissions: { approve: ["mcp__srv"] },
      });
      await conversation.ready;
      const files = privateFiles(conversation.pid);
      assert.equal(await conversation.text(), "Heard.");
      const said = model.requests.at(-1)?.lastText ?? "";
      assert.doesNotMatch(said, /No such tool/);
      await conversation.close();
      assert.ok(!files.some((path) => existsSync(path)), "a file was left");
    },
  },
  {
    name: "interrupt",
    what: "a turn is interrupted, and the next one goes on",
    turns: [{ text: "Slow", hang: true }, "Next."],
    run: async ({ options, model }) => {
      await withClient(options, async (client) => {
        const first = client.ask("Go");
        await model.waitForRequest(1);
        await client.interrupt();
        const result = await first;
        assert.equal(result.type, "result");
        assert.equal(textOf(await client.ask("Again")), "Next.");
      });
    },
  },
  {
    name: "queue",
    what: "prompts that are sent while a turn runs all come to an end",
    turns: [{ text: "Slow.", hang: true }, { text: "Both.", repeat: true }],
    run: async ({ options, model }) => {
      await withClient(options, async (client) => {
        await client.sendMessage("first");
        await model.waitForRequest(1);
        await client.sendMessage("second");
        await client.sendMessage("third");
        await client.mcpStatus();
        model.release();
        const ends: (string | undefined)[] = [];
        for (let n = 0; n < 3; n++) {
          let last: Message | undefined;
          for await (const message of client.receiveResponse()) last = message;
          ends.push(last?.type === "result" ? textOf(last) : last?.type);
        }
        assert.equal(ends[0], "Slow.");
        assert.equal(ends[2], "Both.");
      });
    },
  },
  {
    name: "compact",
    what: "a command of the CLI ends its turn, and the next one goes on",
    turns: [{ text: "Fine.", repeat: true }],
    run: async ({ options }) => {
      await withClient(options, async (client) => {
        assert.equal(textOf(await client.ask("first")), "Fine.");
        // A turn without a result is over as well.
        await client.ask("/compact").catch((error) => {
          if (!(error instanceof ResultError)) throw error;
        });
        assert.equal(textOf(await client.ask("third")), "Fine.");
      });
    },
  },
  {
    name: "resume",
    what: "a second conversation knows what was said in the first",
    turns: ["One.", "Two."],
    run: async ({ options, model }) => {
      const first = query("remember the kettle", options);
      await first.text();
      const resume = first.sessionId;
      assert.ok(resume, "no session id");
      assert.equal(await query("And?", { ...options, resume }).text(), "Two.");
      const body = JSON.stringify(model.requests.at(-1)?.body.messages);
      assert.ok(body.includes("remember the kettle"), "it was not there");
    },
  },
  {
    name: "output",
    what: "structured output fits its schema",
    turns: [
      { tool: "StructuredOutput", input: { name: "Ada" } },
      { text: "Done.", repeat: true },
    ],
    run: async ({ options }) => {
      const output = await query("Who?", {
        ...options,
        outputSchema: {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
        },
      }).output();
      assert.deepEqual(output, { name: "Ada" });
    },
  },
  {
    name: "system prompt",
    what: "`systemPrompt` as a text, and as an addition, reach the model",
    turns: ["One.", "Two."],
    run: async ({ options, model }) => {
      await query("Hi", { ...options, systemPrompt: "You are a kettle." })
        .text();
      await query("Hi", {
        ...options,
        systemPrompt: { preset: "claude_code", append: "Be a teapot." },
      } as AgentOptions).text();
      const said = JSON.stringify(model.requests.map(({ body }) => body));
      assert.match(said, /You are a kettle/);
      assert.match(said, /Be a teapot/);
    },
  },
  {
    name: "settings",
    what: "`settings` as an object take effect, their secrets not in argv",
    turns: [bash("echo got-$SLUICE_PROBE_TOKEN"), "Done."],
    run: async ({ options, model }) => {
      const conversation = query("Go", {
        ...options,
        // Not one of those that ask the model before each call.
        permissions: { mode: "default", approve: ["Bash"] },
        settings: { env: CLEAN_SECRET },
      });
      await conversation.ready;
      const files = privateFiles(conversation.pid);
      await conversation.text();
      const said = model.requests.at(-1)?.lastText ?? "";
      assert.ok(said.includes(`got-${SECRET}`), "the settings had no effect");
      await conversation.close();
      assert.ok(!files.some((path) => existsSync(path)), "a file was left");
    },
  },
  {
    name: "thinking",
    what: "`effort` and `thinking` are taken",
    turns: ["Hello."],
    run: async ({ options }) => {
      const text = await query("Hi", {
        ...options,
        effort: "low",
        thinking: { type: "adaptive" },
      }).text();
      assert.equal(text, "Hello.");
    },
  },
  {
    name: "no thinking",
    what: "`thinking` is switched off",
    turns: ["Hello."],
    run: async ({ options }) => {
      const thinking = { type: "disabled" } as const;
      assert.equal(
        await query("Hi", { ...options, thinking }).text(),
        "Hello.",
      );
    },
  },
  {
    name: "plugin",
    what: "a plugin is loaded",
    turns: ["Hello."],
    run: async ({ options, cwd }) => {
      const path = join(cwd, "kettle");
      await mkdir(join(path, ".claude-plugin"), { recursive: true });
      await mkdir(join(path, "commands"));
      await writeFile(
        join(path, ".claude-plugin", "plugin.json"),
        JSON.stringify({ name: "kettle", version: "1.0.0" }),
      );
      await writeFile(join(path, "commands", "boil.md"), "Boil the water.\n");
      const conversation = query("Hi", {
        ...options,
        plugins: [{ type: "local", path }],
      });
      const messages: Message[] = [];
      for await (const message of conversation) messages.push(message);
      const init = messages.find((one): one is MessageOf<"system"> =>
        one.type === "system" && one.subtype === "init"
      );
      assert.match(JSON.stringify(init), /kettle:boil/);
    },
  },
  {
    name: "close",
    what: "`close()` in the middle of a turn leaves no process behind",
    turns: [bash("sleep 300"), "Done."],
    run: async ({ options }) => {
      const conversation = query("Go", {
        ...options,
        permissions: { approve: ["Bash"] },
      });
      const { pid } = (await conversation.ready, conversation);
      for await (const message of conversation) {
        if (message.type === "assistant") break;
      }
      await conversation.close();
      assert.ok(!existsSync(`/proc/${pid}`), "the CLI still runs");
    },
  },
];

/** A file that no rule allows to be read is not read, whatever the user's settings say. */
async function staysShut(
  { options, cwd, env, model }: RealCli,
  list: Pick<AgentOptions, "allowedTools" | "deniedTools">,
  settings: JsonObject,
): Promise<void> {
  await writeFile(join(cwd, "secret.txt"), "the secret text");
  const folder = join(env.HOME ?? "", ".claude");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
  const said = await query("Go", {
    ...options,
    ...list,
  }).text().catch((error) => {
    // A refusal for its age is an outcome of its own.
    if (error instanceof ConfigError) throw error;
    return String(error);
  });
  const bodies = JSON.stringify(model.requests.map(({ body }) => body));
  assert.ok(!bodies.includes("the secret text"), "the file was read");
  assert.match(said, /Done|bare mode/);
}

function bash(command: string): ModelAnswer {
  return { tool: "Bash", input: { command, description: "run it" } };
}

function textOf(message: MessageOf<"result">): string | undefined {
  return "result" in message ? message.result as string : message.subtype;
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

/** The files on a command line, which every user of the machine may read; they themselves must not be readable. */
function privateFiles(pid: number | undefined): readonly string[] {
  const path = `/proc/${pid}/cmdline`;
  if (pid === undefined || !existsSync(path)) return [];
  const line = readFileSync(path, "utf8");
  assert.ok(!line.includes(SECRET), "the secret is in argv");
  const files = line.split("\0").flatMap((argument) => {
    const [, file] = /^--(?:settings|mcp-config)=(.*)$/.exec(argument) ?? [];
    return file === undefined ? [] : [file];
  });
  for (const file of files) {
    assert.equal(statSync(file).mode & 0o077, 0, "others may read the file");
    assert.equal(statSync(dirname(file)).mode & 0o077, 0);
  }
  return files;
}
