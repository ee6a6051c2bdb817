import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, ControlError } from "@sluice/agent";
import { resultText } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import type { RealCli } from "../_real_cli.ts";
import { nextTurn } from "../_turn.ts";
import { ofType, realTest, systemKinds, withRealClient } from "./_real.ts";

const UUID = "11111111-2222-4333-8444-555555555555";

/** Reply of every control when nothing runs, as far as it is the same everywhere. */
const ANSWERED: readonly (readonly [
  name: string,
  call: (client: Client) => Promise<unknown>,
  expected: object | undefined,
])[] = [
  ["interrupt", (it) => it.interrupt(), { still_queued: [] }],
  ["cancelQueued", (it) => it.cancelQueued(UUID), { cancelled: false }],
  [
    "setPermissionMode",
    (it) => it.setPermissionMode("acceptEdits"),
    { mode: "acceptEdits" },
  ],
  [
    "setModel",
    (it) => it.setModel("claude-haiku-4-5"),
    { model: "claude-haiku-4-5" },
  ],
  ["setMaxThinkingTokens", (it) => it.setMaxThinkingTokens(1_000), undefined],
  [
    "setMaxThinkingTokens with display",
    (it) => it.setMaxThinkingTokens(null, { display: "summarized" }),
    undefined,
  ],
  ["mcpStatus", (it) => it.mcpStatus(), { mcpServers: [] }],
  [
    "setMcpServers",
    (it) => it.setMcpServers({}),
    { added: [], removed: [], errors: {} },
  ],
  ["rewindFiles", (it) => it.rewindFiles(UUID, { dryRun: true }), {
    canRewind: false,
  }],
  ["settings", (it) => it.settings(), { effective: {}, sources: [] }],
  ["applySettings", (it) => it.applySettings({ theme: "dark" }), undefined],
  [
    "updateSettings",
    (it) => it.updateSettings("localSettings", { outputStyle: "default" }),
    undefined,
  ],
  ["renameSession", (it) => it.renameSession("My title"), undefined],
  ["seedReadState", (it) => it.seedReadState("/a.txt", 0), undefined],
  ["stopTask", (it) => it.stopTask("nope"), undefined],
  ["backgroundTasks", (it) => it.backgroundTasks(), {}],
  ["setHasSubscribers", (it) => it.setHasSubscribers(true), undefined],
  ["request", (it) => it.request("mcp_status"), { mcpServers: [] }],
];

/** Controls that the CLI refuses when nothing runs, and its own code if it has one. */
const REFUSED: readonly (readonly [
  call: (client: Client) => Promise<unknown>,
  text: RegExp,
  errorCode?: string,
])[] = [
  [(it) => it.reconnectMcpServer("nope"), /Server not found: nope/],
  [(it) => it.toggleMcpServer("nope", false), /Server not found: nope/],
  [(it) => it.callMcpTool("mcp__x__y", {}), /not connected: x/],
  [(it) => it.readMcpResource("x", "ui://x"), /Server not found: x/],
  [(it) => it.updateSettings("userSettings", { model: "x" }), /not allowed/],
  [(it) => it.readFile("/etc/shadow"), /read denied/],
  [(it) => it.registerRepoRoot("/etc"), /not a subdirectory/],
  [
    (it) => it.request("set_color", { color: "red" }),
    /Unsupported/,
    "unsupported_request",
  ],
  [(it) => it.taskOutput("nope"), /no shell or Monitor task/],
  [
    (it) => it.setPermissionMode("lenient" as never),
    /lenient|mode/,
    "invalid_mode",
  ],
  [
    (it) => it.setPermissionMode("bypassPermissions"),
    /bypassPermissions/,
    "bypass_not_launched",
  ],
  [(it) => it.request("no_such_thing"), /Unsupported/, "unsupported_request"],
];

realTest(
  "controls are answered by the CLI, each with its own reply, and what it refuses rejects with ControlError",
  ["Hello.", "Still here.", "From the other."],
  async (real) => {
    writeFileSync(join(real.cwd, "a.txt"), "alpha\n");
    await withRealClient(real, {}, async (client) => {
      await client.ask("hello");
      await asksThatAreAnswered(client, real);
      for (const [call, text, errorCode] of REFUSED) {
        const error = await rejectionOf(call(client));
        assert.ok(error instanceof ControlError);
        assert.match(error.message, text);
        assert.equal(error.errorCode, errorCode);
        assert.equal(error.fatal, false);
      }
      assert.equal(client.health().pendingRequests, 0);
      assert.equal(resultText(await client.ask("hello?")), "Still here.");

      const calls = Array.from({ length: 10 }, () => [
        client.mcpStatus(),
        client.listModels(),
        client.binaryVersion(),
      ]).flat();
      const replies = await Promise.all<object>(calls);
      const keys = ["mcpServers", "models", "version"];
      for (const [index, reply] of replies.entries()) {
        assert.ok((keys[index % 3] ?? "") in reply);
      }
      assert.equal(client.health().pendingRequests, 0);

      for (const [name, call, expected] of ANSWERED) {
        const reply = await call(client);
        if (expected === undefined) assert.equal(reply, undefined, name);
        else assertHolds(reply, expected, name);
      }
      // Two of them take effect in the next turn.
      await client.sendMessage("hello");
      const { items } = await collect(client.receiveResponse());
      assert.match(String(real.model.requests.at(-1)?.body["model"]), /haiku/);
      const [init] = ofType(items, "system")
        .filter(({ subtype }) => subtype === "init");
      assert.ok(init?.subtype === "init");
      assert.match(init.model, /haiku/);
      assert.ok(systemKinds(items).includes("session_title_changed"));

      const all = collect(client.receiveMessages());
      assert.deepEqual(await client.request("end_session"), {});
      assert.equal((await all).error, undefined);
      while (client.health().state !== "gone") await nextTurn();
      assert.equal(client.state, "disconnected");
    });
  },
  { ids: ["CP-11", "CP-01"] },
);

/** Controls that ask something. */
async function asksThatAreAnswered(
  client: Client,
  { cwd: folder }: RealCli,
): Promise<void> {
  const usage = await client.contextUsage();
  assert.ok(usage.totalTokens > 0 && usage.categories.length > 0);
  const summary = await client.contextUsage({ detail: "summary" });
  assert.equal(summary.model, usage.model);
  assert.match((await client.sessionCost()).text, /\$/);
  const { session } = await client.usage({ skipBehaviors: true });
  assert.ok(session.total_cost_usd > 0);
  const { models } = await client.listModels();
  assert.ok(models.some(({ value }) => value === "default"));
  const commands = await client.supportedCommands();
  assert.ok(commands.some(({ name }) => name === "compact"));
  const agents = await client.supportedAgents();
  assert.ok(agents.some(({ name }) => name === "general-purpose"));
  const account = await client.accountInfo();
  assert.equal(account.apiKeySource, "ANTHROPIC_API_KEY");
  const { eventCatalog } = await client.hooksListing();
  assert.ok(eventCatalog.some(({ name }) => name === "PreToolUse"));
  const { state } = await client.permissionRules();
  assert.equal(state.originalCwd, folder);
  const { cwd } = await client.fileSuggestions("a");
  assert.equal(cwd, folder);
  assert.equal((await client.readFile("a.txt")).contents, "alpha\n");
  const cut = await client.readFile("a.txt", {
    encoding: "base64",
    maxBytes: 3,
  });
  assert.deepEqual([cut.contents, cut.truncated], ["YWxw", true]);
  assert.equal((await client.reloadPlugins()).error_count, 0);
  assert.ok((await client.reloadSkills()).skills.length > 0);
  const styles = await client.reloadOutputStyles();
  assert.ok(styles.available_output_styles.includes("default"));
  assert.match((await client.binaryVersion()).version, /^2\.1\./);
}

/** Every field that is expected is there; others may be as well. */
function assertHolds(actual: unknown, expected: object, name: string): void {
  assert.ok(typeof actual === "object" && actual !== null, name);
  const picked = Object.fromEntries(
    Object.keys(expected)
      .map((key) => [key, (actual as Record<string, unknown>)[key]]),
  );
  assert.deepEqual(picked, expected, name);
}
