import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HookCallback, HookInput } from "@sluice/agent";
import { needsProc } from "../_children.ts";
import { resultText } from "../_clients.ts";
import { rejectionOf } from "../_collect.ts";
import { reasonWithoutCli } from "../_real_cli.ts";
import { logSpy } from "../conversation/_rig.ts";
import { stdioFixture } from "../mcp/_connecting.ts";
import { APPROVED, QUESTION, realTest, withRealClient } from "./_real.ts";

const SERVERS = { srv: { ...stdioFixture("tools"), via: "cli" } } as const;

realTest(
  "a server of the CLI asks the user, who answers through onElicitation, and its hooks are called",
  [
    QUESTION,
    "Ada, then.",
  ],
  async (real) => {
    await writeFile(join(real.cwd, "CLAUDE.md"), "Be brief.\n");
    const inputs: HookInput[] = [];
    const note: HookCallback = (input) => {
      inputs.push(input);
      return {};
    };
    const asked: unknown[] = [];
    await withRealClient(real, {
      ...APPROVED,
      mcpServers: SERVERS,
      onElicitation: ({ serverName, message, mode, requestedSchema }) => {
        asked.push(serverName, message, mode, requestedSchema?.["required"]);
        return { action: "accept", content: { name: "Ada" } };
      },
      hooks: {
        InstructionsLoaded: [{ hooks: [note] }],
        Elicitation: [{ hooks: [note] }],
        ElicitationResult: [{ hooks: [note] }],
        Notification: [{ hooks: [note] }],
      },
    }, async (client) => {
      assert.equal(resultText(await client.ask("ask me")), "Ada, then.");
    });
    assert.deepEqual(asked, ["srv", "Your name?", "form", ["name"]]);
    assert.match(real.model.requests[1]?.lastText ?? "", /accept[^]*Ada/);
    const events = new Set(inputs.map(({ hook_event_name: name }) => name));
    for (
      const event of [
        "InstructionsLoaded",
        "Elicitation",
        "ElicitationResult",
        "Notification",
      ] as const
    ) assert.ok(events.has(event), `${event} was not called`);
  },
);

realTest("a question is declined when nobody is there to answer it", [
  QUESTION,
  "Nobody, then.",
], async (real) => {
  const more = { ...APPROVED, mcpServers: SERVERS };
  await withRealClient(real, more, async (client) => {
    assert.equal(resultText(await client.ask("ask me")), "Nobody, then.");
  });
  assert.match(real.model.requests[1]?.lastText ?? "", /decline/);
});

realTest(
  "setMcpServers() adds a server while running, which can be called, switched off and taken away",
  [],
  async (real) => {
    await withRealClient(real, {}, async (client) => {
      const statusOf = async () =>
        (await client.mcpStatus()).mcpServers.map(({ status }) => status);
      const set = await client.setMcpServers({
        ...SERVERS,
        broken: { command: "/does/not/exist", via: "cli" },
      });
      assert.deepEqual(set.added.toSorted(), ["broken", "srv"]);
      assert.deepEqual(Object.keys(set.errors), ["broken"]);
      const { content } = await client.callMcpTool("mcp__srv__echo", { a: 1 });
      assert.deepEqual(content, [{ type: "text", text: '{"a":1}' }]);
      await client.toggleMcpServer("srv", false);
      assert.ok((await statusOf()).includes("disabled"));
      await rejectionOf(client.callMcpTool("mcp__srv__echo", {}));
      await client.toggleMcpServer("srv", true);
      await client.reconnectMcpServer("srv");
      assert.ok((await statusOf()).includes("connected"));
      const { removed } = await client.setMcpServers({});
      assert.ok(removed.includes("srv"));
      assert.deepEqual(await statusOf(), []);
    });
  },
);

realTest(
  "an MCP server given to the CLI stands in no argument of its process",
  [
    "Fine.",
  ],
  async (real) => {
    const secret = "do-not-show-this";
    let args: readonly string[] = [];
    const { logger, lines } = logSpy();
    await withRealClient(real, {
      logger,
      mcpServers: {
        srv: { ...stdioFixture("tools"), env: { TOKEN: secret }, via: "cli" },
      },
    }, async (client) => {
      args = (await readFile(`/proc/${client.pid}/cmdline`, "utf8")).split(
        "\0",
      );
      await client.ask("hello");
    });
    assert.ok(args.length > 0);
    assert.ok(!args.join(" ").includes("tools.mjs"));
    assert.ok(!args.join(" ").includes(secret));
    assert.ok(!JSON.stringify(lines).includes(secret));
  },
  { ids: ["MI-20"], skip: reasonWithoutCli ?? needsProc },
);
