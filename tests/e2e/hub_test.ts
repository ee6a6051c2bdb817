import assert from "node:assert/strict";
import { createMcpServer, McpHub, tool } from "@sluice/agent/mcp";
import { type LocalMcpServer, type Message, query } from "@sluice/agent";
import { assignNames } from "../../src/mcp/names.ts";
import { collect } from "../_collect.ts";
import { stdioFixture } from "../mcp/_connecting.ts";
import { realTest, toolResults, toolsOffered } from "./_real.ts";

/** Without it the model has to search for a tool first. */
const meta = { "anthropic/alwaysLoad": true };

/** A server with one tool, which says whose it is. */
function saying(text: string, name: string): LocalMcpServer {
  return createMcpServer({
    name: "said",
    tools: [tool({
      name,
      description: `Says ${text}`,
      meta,
      input: { type: "object" },
      run: () => text,
    })],
  });
}

/** Runs a conversation with a hub at hand. */
async function converse(
  hub: McpHub,
  options: NonNullable<Parameters<typeof query>[1]>,
): Promise<readonly Message[]> {
  const conversation = query("Go", {
    ...options,
    permissions: { approve: ["mcp__hub"] },
    mcpServers: { hub: { type: "sdk", instance: hub.asMcpServer() } },
  });
  const reported = collect(conversation.errors);
  const { items, error } = await collect(conversation);
  await conversation.close();
  assert.equal(error, undefined);
  assert.deepEqual((await reported).items, []);
  return items;
}

const hubOfTwo = () =>
  new McpHub({
    // The CLI would give both tools one name.
    "my server": { type: "sdk", instance: saying("blank", "t one") },
    "my.server": { type: "sdk", instance: saying("dot", "t.one") },
    fixture: stdioFixture("tools"),
  });

/** The name that a tool has for the model. */
function modelName(server: string, tool: string): string {
  const one = { server, tool };
  const prefix = "mcp__hub__";
  return prefix + assignNames([one], 64 - prefix.length).names.get(one);
}

const blank = modelName("my server", "t one");
const dot = modelName("my.server", "t.one");

realTest(
  "The CLI calls tools of a hub, also those whose names it would mix up",
  [
    { tool: blank, input: {} },
    { tool: dot, input: {} },
    { tool: "mcp__hub__fixture__echo", input: { a: 1 } },
    "Done.",
  ],
  async ({ options, model }) => {
    const hub = hubOfTwo();
    await hub.connect();
    const items = await converse(hub, options);
    const [first = "", second = "", third = ""] = toolResults(items)
      .map(({ text }) => text);
    assert.match(first, /"blank"/);
    assert.match(second, /"dot"/);
    assert.match(third, /\\"a\\":1/);
    const offered = toolsOffered(model.requests[0]?.body ?? {});
    assert.ok(
      offered.includes(dot) && offered.includes(blank),
      String(offered),
    );
    assert.ok(offered.every((name) => name.length <= 64));
    // The hub is its user's: it lives on.
    const result = await hub.call("fixture__echo", { a: 2 });
    assert.equal(result.isError, false);
    await hub.close();
  },
  { ids: ["HUB-19"] },
);

realTest(
  "A tool that comes into a hub while the agent runs reaches the model",
  [
    { tool: "mcp__hub__srv__count", input: { more: "newcomer" } },
    { tool: "Bash", input: { command: "sleep 3", description: "wait" } },
    { tool: "mcp__hub__srv__newcomer", input: {} },
    "Done.",
  ],
  async ({ options }) => {
    const hub = new McpHub({ srv: stdioFixture("hub_lists", "growing") });
    await hub.connect();
    const items = await converse(hub, options);
    const texts = toolResults(items).map(({ text }) => text);
    assert.match(texts[0] ?? "", /"grown"/);
    assert.match(texts.at(-1) ?? "", /"newcomer \d+"/);
    await hub.close();
  },
  { ids: ["DEC-11"] },
);

realTest(
  "Malformed tools of a server hide neither the others of a hub nor those of the server itself",
  ["Done."],
  async ({ options }) => {
    const odd = stdioFixture("odd_tools");
    const hub = new McpHub({ odd, fixture: stdioFixture("tools") });
    await hub.connect();
    const { tools } = hub.catalog();
    const conversation = query("Go", {
      ...options,
      mcpServers: { hub: { type: "sdk", instance: hub.asMcpServer() }, odd },
    });
    const { items, error } = await collect(conversation);
    await conversation.close();
    await hub.close();
    assert.equal(error, undefined);
    const init = items.find((one) =>
      one.type === "system" && one.subtype === "init"
    ) as unknown as { readonly tools: readonly string[] };
    const shown = init.tools.filter((name) => name.startsWith("mcp__hub__"));
    assert.equal(shown.length, tools.length);
    for (const name of ["a_good", "z_good"]) {
      assert.ok(shown.includes(`mcp__hub__odd__${name}`), name);
      assert.ok(init.tools.includes(`mcp__odd__${name}`), name);
    }
  },
);
