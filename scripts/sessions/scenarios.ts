/** Conversations with a real CLI whose sessions the tests read. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentOptions, Client } from "../../mod.ts";
import type { ModelTurn } from "../../src/testing/mod.ts";
import type { RealCli } from "../../tests/_real_cli.ts";
import { after, ALLOW, appears, bash } from "../../tests/e2e/_real.ts";

/** What the model answers, and what is asked. */
interface Scenario {
  readonly turns: readonly ModelTurn[];
  readonly use: (real: RealCli) => Promise<unknown>;
}

const COMPACTED =
  "<analysis>Brief.</analysis><summary>In short.</summary>" as const;
const COMMANDS = ["echo one", "echo two", "echo three"] as const;

/** Three calls at once, after a few words. */
const PARALLEL: ModelTurn = {
  thinking: "Three at once.",
  text: "I run all three.",
  tools: COMMANDS.map((command) => ({ name: "Bash", input: { command } })),
};

const touch = (file: string) => ({
  name: "Bash",
  input: { command: `touch ${file}` },
});

const helper = (text: string) => ({
  name: "Agent",
  input: {
    description: "Help",
    prompt: text,
    subagent_type: "helper",
    run_in_background: false,
  },
});

const AGENTS: AgentOptions = {
  agents: { helper: { description: "Helps", prompt: "HELPER" } },
};

/** The scenarios by name. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  parallel: {
    turns: [PARALLEL, "All three ran.", PARALLEL, "Once more."],
    use: (real) => talk(real, ["Run three", "Again"]),
  },
  compact: {
    turns: ["First.", "Second.", COMPACTED, "After it."],
    use: (real) => talk(real, ["One", "Two", "/compact", "Three"]),
  },
  "parallel-compact": {
    turns: [PARALLEL, "Ran.", COMPACTED, PARALLEL, "Ran again."],
    use: (real) => talk(real, ["Run three", "/compact", "Again"]),
  },
  "two-compactions": {
    turns: ["First.", COMPACTED, PARALLEL, "Ran.", COMPACTED, "Last."],
    use: (real) =>
      talk(real, ["One", "/compact", "Run three", "/compact", "Three"]),
  },
  "compact-last": {
    turns: [PARALLEL, "Ran.", COMPACTED],
    use: (real) => talk(real, ["Run three", "/compact"]),
  },
  subagents: {
    turns: [
      { tools: [helper("HELP-A"), helper("HELP-B")] },
      { ...Object(PARALLEL), match: { system: "HELPER" } },
      { text: "Helped.", match: { system: "HELPER" }, repeat: true },
      "Both helped.",
      "Done.",
    ],
    use: (real) => talk(real, ["Have it done", "Thanks"], AGENTS),
  },
  fork: {
    turns: [PARALLEL, "Ran.", "In the copy.", "In the first."],
    use: async (real) => {
      const resume = await talk(real, ["Run three"]);
      await talk(real, ["Copy"], { resume, forkSession: true });
      await talk(real, ["First"], { resume });
    },
  },
  rewound: {
    turns: ["First.", PARALLEL, "Ran.", "Another second."],
    use: async (real) => {
      const seen: string[] = [];
      const resume = await talk(real, ["One", "Run three"], {}, seen);
      const [resumeSessionAt = ""] = seen;
      await talk(real, ["Other"], { resume, resumeSessionAt });
    },
  },
  interrupted: {
    turns: [
      {
        text: "I run both.",
        tools: [
          { name: "Bash", input: { command: "touch started; sleep 30" } },
          { name: "Bash", input: { command: "echo two" } },
        ],
      },
      "Taken up again.",
    ],
    use: async (real) => {
      const resume = await withSession(real, {}, async (client) => {
        const asking = client.ask("Run both");
        await appears(join(real.cwd, "started"));
        await client.interrupt();
        return (await asking).session_id;
      });
      await talk(real, ["Again"], { resume });
    },
  },
  denied: {
    turns: [{ tools: ["one", "two", "three"].map(touch) }, "Two were made."],
    use: (real) =>
      talk(real, ["Make three"], {
        permissions: {
          canUseTool: (_, { command }) =>
            command === "touch two"
              ? { behavior: "deny", message: "Not this one." }
              : { behavior: "allow" },
        },
      }),
  },
  queued: {
    turns: [bash("touch started; " + after("go", "echo late")), "Both done."],
    use: (real) =>
      withSession(real, {}, async (client) => {
        const asking = client.ask("Wait");
        await appears(join(real.cwd, "started"));
        await client.sendMessage("And this");
        await writeFile(join(real.cwd, "go"), "");
        await asking;
      }),
  },
  "api-error": {
    turns: [
      "First.",
      { error: { status: 400, message: "No." } },
      "Better.",
    ],
    use: (real) => talk(real, ["One", "Two", "Three"]),
  },
};

/** Says one thing after the other, each once the one before is answered; the id of the session. */
function talk(
  real: RealCli,
  prompts: readonly string[],
  options: AgentOptions = {},
  seen: string[] = [],
): Promise<string> {
  return withSession(real, options, async (client) => {
    let id = "";
    for (const prompt of prompts) {
      await client.sendMessage(prompt);
      for await (const message of client.receiveResponse()) {
        if (message.type === "assistant") seen.push(message.uuid);
        if (message.type === "result") id = message.session_id;
      }
    }
    return id;
  });
}

/** What is given back by a body that talks to the CLI. */
async function withSession<T>(
  real: RealCli,
  options: AgentOptions,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ ...real.options, ...ALLOW, ...options });
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.close();
  }
}
