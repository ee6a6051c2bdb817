import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, query } from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import { SYSTEM_PROMPT_BOUNDARY } from "@sluice/agent/tools";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import { stdioFixture } from "../mcp/_connecting.ts";
import {
  ALLOW,
  bash,
  inTurns,
  ofType,
  QUESTION,
  realTest,
  systemKinds,
  toolResults,
  withRealClient,
} from "./_real.ts";

/** Request to the model, as one text. */
function textOfRequest(
  body: Readonly<Record<string, unknown>> | undefined,
  part: string,
): string {
  return JSON.stringify(body?.[part]);
}

realTest(
  "budget, previews, verbatim prompts, policy, project root, log and shared prompt reach CLI and model",
  ["Done."],
  async (real) => {
    const { cwd, model, options: { env } } = real;
    const root = join(env["HOME"] ?? "", "trusted");
    const debugFile = join(env["HOME"] ?? "", "log.txt");
    await mkdir(join(root, ".claude"), { recursive: true });
    await writeFile(
      join(root, ".claude", "settings.json"),
      JSON.stringify({ language: "Klingon" }),
    );
    await writeFile(join(cwd, "a.txt"), "alpha-content");
    await withRealClient(real, {
      ...ALLOW,
      taskBudget: { total: 20_000 },
      toolConfig: { askUserQuestion: { previewFormat: "html" } },
      verbatimPrompts: true,
      managedSettings: { permissions: { deny: ["WebSearch"] } },
      projectConfigRoot: root,
      debugFile,
      agentProgressSummaries: true,
      perTaskStopAffordance: true,
      systemPrompt: {
        preset: "claude_code",
        excludeDynamicSections: true,
        snapshot: false,
      },
    }, async (client) => {
      const result = await client.ask("/context of @a.txt");
      assert.equal(resultText(result), "Done.");
      const { sources } = await client.settings();
      const settingsOf = (name: string) =>
        sources.find(({ source }) => source === name)?.settings;
      assert.deepEqual(settingsOf("policySettings"), {
        permissions: { deny: ["WebSearch"] },
      });
      assert.deepEqual(settingsOf("projectSettings"), { language: "Klingon" });
    });
    const { body } = model.requests.at(-1) ?? {};
    assert.match(textOfRequest(body, "output_config"), /"total":20000/);
    assert.match(textOfRequest(body, "tools"), /HTML fragment/);
    assert.match(textOfRequest(body, "messages"), /\/context of @a\.txt/);
    assert.doesNotMatch(textOfRequest(body, "messages"), /alpha-content/);
    assert.equal(textOfRequest(body, "system").includes(cwd), false);
    assert.equal(textOfRequest(body, "messages").includes(cwd), true);
    assert.equal(existsSync(debugFile), true);
  },
);

realTest(
  "a tool that stands for another one is judged by its own name, and may be one of this program",
  [
    { tool: "Read", input: { command: "touch made.txt" } },
    { tool: "Grep", input: { article: "tea" } },
    "Done.",
    { tool: "Read", input: { command: "touch made.txt" } },
    "Done.",
  ],
  async ({ options, cwd }) => {
    const seen: string[] = [];
    const stock = tool({
      name: "stock",
      description: "Tells how many there are",
      input: {
        type: "object",
        properties: { article: { type: "string" } },
      },
      run: (args) => `7 of ${(args as { article: string }).article}`,
    });
    const toolAliases = { Read: "Bash", Grep: "mcp__shop__stock" };
    const { items } = await collect(query("Go", {
      ...options,
      ...ALLOW,
      toolAliases,
      deniedTools: ["Bash(touch:*)"],
      mcpServers: { shop: createMcpServer({ name: "shop", tools: [stock] }) },
      hooks: {
        PreToolUse: [{
          hooks: [({ tool_name: name }) => {
            seen.push(name);
            return {};
          }],
        }],
      },
    }));
    const [denied, told] = toolResults(items);
    assert.equal(denied?.isError, true);
    assert.match(told?.text ?? "", /7 of tea/);
    assert.deepEqual(seen, ["Bash", "mcp__shop__stock"]);
    await query("Go", { ...options, toolAliases, allowedTools: ["Read"] })
      .text();
    assert.equal(existsSync(join(cwd, "made.txt")), false);
  },
);

realTest(
  "with permissions.prompts none a call that would be asked about is denied, and a prompt in blocks reaches the model",
  [bash("touch made.txt"), "Then not."],
  async ({ options, cwd, model }) => {
    const { items } = await collect(query("Go", {
      ...options,
      permissions: { prompts: "none" },
      systemPrompt: ["For all.", SYSTEM_PROMPT_BOUNDARY, "For one."],
    }));
    assert.ok(systemKinds(items).includes("permission_denied"));
    assert.match(toolResults(items)[0]?.text ?? "", /no approval surface/);
    assert.equal(existsSync(join(cwd, "made.txt")), false);
    const system = textOfRequest(model.requests.at(-1)?.body, "system");
    assert.match(system, /For all\..*For one\./);
    assert.equal(system.includes(SYSTEM_PROMPT_BOUNDARY), false);
  },
);

realTest(
  "a turn is forgotten at a resume when it is the one that resumeDropsTurn names, else the CLI refuses",
  ["First.", "Second.", "Third."],
  async ({ options, model }) => {
    const uuids = [crypto.randomUUID(), crypto.randomUUID()] as const;
    let resume = "";
    let resumeSessionAt = "";
    await inTurns(options, async (turn) => {
      for (const [index, uuid] of uuids.entries()) {
        const items = await turn({
          type: "user",
          message: { role: "user", content: `prompt ${index}` },
          uuid,
        });
        const [answer] = ofType(items, "assistant");
        resume = answer?.session_id ?? "";
        if (index === 0) resumeSessionAt = answer?.uuid ?? "";
      }
    });
    const going = { ...options, resume, resumeSessionAt, forkSession: true };
    const refused = await collect(
      query("again", { ...going, resumeDropsTurn: uuids[0] }),
    );
    assert.match(
      JSON.stringify([refused.items, String(refused.error)]),
      /Resume rejected by --resume-drops-turn/,
    );
    const text = await query("again", { ...going, resumeDropsTurn: uuids[1] })
      .text();
    assert.equal(text, "Third.");
    const messages = textOfRequest(model.requests.at(-1)?.body, "messages");
    assert.match(messages, /prompt 0/);
    assert.doesNotMatch(messages, /prompt 1/);
  },
);

realTest(
  "reinitialize() brings questions that are being asked, each is asked once; the mode of one MCP server is set",
  [bash("touch made.txt"), QUESTION, "Done."],
  async (real) => {
    let client: Client;
    let calls = 0;
    let questions = 0;
    let states: readonly unknown[] = [];
    await withRealClient(real, {
      hooks: { PreToolUse: [{ hooks: [() => ({})] }] },
      settings: { language: "Klingon" },
      mcpServers: { srv: { ...stdioFixture("tools"), via: "cli" } },
      onElicitation: async () => {
        questions++;
        await client.reinitialize();
        return { action: "accept", content: { name: "Ada" } };
      },
      permissions: {
        approve: ["mcp__srv"],
        canUseTool: async () => {
          calls++;
          const infos = [
            await client.reinitialize(),
            await client.reinitialize(),
          ];
          states = infos.map(({ session_state: state }) => state);
          assert.deepEqual(infos.map(({ hooks_applied: is }) => is), [
            true,
            true,
          ]);
          return { behavior: "allow" };
        },
      },
    }, async (connected) => {
      client = connected;
      const override = await client.setMcpPermissionModeOverride(
        "x",
        "default",
      );
      assert.match(override.warning ?? "", /not yet known/);
      assert.deepEqual(
        await client.setMcpPermissionModeOverride("srv", "auto"),
        {},
      );
      await client.ask("go");
    });
    assert.deepEqual([calls, questions], [1, 1]);
    assert.match(real.model.requests.at(-1)?.lastText ?? "", /accept[^]*Ada/);
    assert.deepEqual(states, ["requires_action", "requires_action"]);
    assert.equal(existsSync(join(real.cwd, "made.txt")), true);
  },
);

realTest(
  "a rule of managedSettings that allows lets a tool run unasked, one that denies stands above approve",
  [bash("touch made.txt"), bash("mkdir made"), "Done."],
  async ({ options, cwd }) => {
    const asked: string[] = [];
    const { items } = await collect(query("Go", {
      ...options,
      managedSettings: {
        permissions: { allow: ["Bash(touch:*)"], deny: ["Bash(mkdir:*)"] },
      },
      permissions: {
        approve: ["Bash(mkdir:*)"],
        canUseTool: (tool) => {
          asked.push(tool);
          return { behavior: "deny", message: "asked" };
        },
      },
    }));
    assert.deepEqual(asked, []);
    assert.deepEqual(
      toolResults(items).map(({ isError }) => isError),
      [false, true],
    );
    assert.equal(existsSync(join(cwd, "made.txt")), true);
  },
);
