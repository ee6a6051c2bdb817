import assert from "node:assert/strict";
import {
  type AgentOptions,
  Client,
  type ForeignMcpServer,
  type Logger,
  query,
} from "@sluice/agent";
import { collect } from "../_collect.ts";
import { listSources, readSource } from "../_examples.ts";
import { test } from "../_harness.ts";
import { isPrompt, memoryCli, requestOf, resultLine, turns } from "./_rig.ts";

/** Opens a conversation with hooks and an MCP server that waits, and notes what the log says is made beside what happens. */
async function timelineOf(
  open: (options: AgentOptions) => Promise<void>,
): Promise<readonly string[]> {
  const timeline: string[] = [];
  const { Server } = await import("@modelcontextprotocol/sdk/server");
  const real: ForeignMcpServer = new Server({ name: "one", version: "1" });
  let letConnect = () => {};
  const gate = new Promise<void>((resolve) => letConnect = resolve);
  const instance: ForeignMcpServer = {
    async connect(transport) {
      timeline.push("server begins to connect");
      await gate;
      timeline.push("server connects");
      await real.connect(transport);
    },
    close: () => real.close(),
  };
  const nothing = () => {};
  const logger: Logger = {
    debug(message, fields) {
      if (message === "Composed") timeline.push(String(fields?.part));
    },
    info: nothing,
    warn: nothing,
    error: nothing,
  };
  const { transport, peer } = memoryCli();
  const opening = open({
    transport,
    logger,
    hooks: { Stop: [{ hooks: [() => ({})] }] },
    mcpServers: { one: { type: "sdk", instance } },
  });
  while (!timeline.includes("server begins to connect")) await turns(1);
  // Long enough: nothing may continue without the server.
  await turns(20);
  assert.ok(peer.launch !== undefined, "the transport may be open already");
  assert.deepEqual(peer.lines, []);
  timeline.push("gate opens");
  letConnect();
  await peer.line(isPrompt);
  const first = requestOf(peer.lines[0] ?? {});
  timeline.push(`${first.subtype} is written`);
  assert.deepEqual(first.sdkMcpServers, ["one"]);
  assert.deepEqual(Object.keys(first.hooks as object), ["Stop"]);
  await peer.send(resultLine());
  await opening;
  return timeline;
}

const ORDER = [
  "transport",
  "protocol",
  "parser",
  "callbacks",
  "MCP servers",
  "server begins to connect",
  "gate opens",
  "server connects",
  "conversation",
  "initialize is written",
];

test(
  "query() builds adapters, callbacks and MCP servers in this order, and the conversation on top of connected servers",
  async () => {
    const timeline = await timelineOf(async (options) => {
      const conversation = query("x", options);
      assert.equal((await collect(conversation)).error, undefined);
      await conversation.close();
    });
    assert.deepEqual(timeline, ORDER);
  },
  { ids: ["Q-06", "Q-07", "Q-08"] },
);

test(
  "connect() builds in the order of query(), with the same waiting in the same place",
  async () => {
    const timeline = await timelineOf(async (options) => {
      const client = new Client(options);
      await client.connect();
      await client.ask("x");
      await client.close();
    });
    assert.deepEqual(timeline, ORDER);
  },
  { ids: ["C-08"] },
);

/** Rooms of the domain, and those that lead outside. */
const DOMAIN = ["types", "errors", "callbacks", "tools", "parse", "wire"];
const ADAPTERS = ["runtime", "process", "cli", "mcp"];
const IMPORT =
  /^\s*(?:import|export)\s(?!type\b)[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)/gm;

test("no module of the domain imports one of an adapter", () => {
  let imports = 0;
  for (const room of DOMAIN) {
    for (const path of listSources(`src/${room}`)) {
      for (const [, fixed, late] of readSource(path).matchAll(IMPORT)) {
        const specifier = fixed ?? late ?? "";
        imports++;
        const { pathname } = new URL(specifier, `file:///${path}`);
        const target = pathname.split("/")[2] ?? "";
        assert.ok(!ADAPTERS.includes(target), `${path} imports ${specifier}`);
      }
    }
  }
  assert.ok(imports > 50, `${imports} imports were seen`);
}, { ids: ["Q-07"] });
