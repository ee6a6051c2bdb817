// deno-lint-ignore-file no-console -- prints its result
// Measures the MCP hub and prints one JSON line.
//   node bench-mcp.mjs --peer=sluice --part=call     [--calls=4000 --rounds=15]
//   node bench-mcp.mjs --peer=sluice --part=connect  [--servers=16 --delay=300]
// call: microseconds of a call through the client of the MCP SDK, and through the
//   hub on top of the same, in turns; what the hub costs is the difference.
// connect: milliseconds until servers that take their time to start are connected,
//   and until programs started and asked by hand are: the machine's own limit.
// SLUICE_MCP (or SLUICE_MCP_NODE, ...) is the ./mcp entry, a path or a URL.
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { args, runtime } from "./lib/common.mjs";

const where = process.env[`SLUICE_MCP_${runtime.toUpperCase()}`] ??
  process.env.SLUICE_MCP ??
  fileURLToPath(
    new URL(
      runtime === "node" ? "../npm/mcp.js" : "../src/mcp/mod.ts",
      import.meta.url,
    ),
  );
const { McpHub } = await import(
  /^[a-z]{2,}:/.test(where) ? where : pathToFileURL(resolve(where)).href
);
const median = (a) => a.sort((x, y) => x - y)[a.length >> 1];

if (args.part === "connect") console.log(JSON.stringify(await connect()));
else console.log(JSON.stringify(await call()));

async function connect() {
  const count = Number(args.servers ?? 16), delay = args.delay ?? "300";
  const slow = fileURLToPath(
    new URL("./lib/slow_start.mjs", import.meta.url),
  );
  const servers = Array.from({ length: count }, (_, i) => ({
    name: `s${i}`,
    command: "node",
    args: [slow, delay],
  }));
  // Modules that are loaded on first use are not measured.
  const warm = new McpHub({ warm: { command: "node", args: [slow, "0"] } });
  await warm.connect();
  await warm.close();
  const ms = [], closeMs = [], byHandMs = [];
  for (let round = 0; round < Number(args.rounds ?? 5); round++) {
    const hub = new McpHub(servers);
    const t0 = performance.now();
    const { tools } = await hub.connect();
    ms.push(performance.now() - t0);
    if (tools.length !== count) throw new Error(`${tools.length} tools`);
    const t1 = performance.now();
    await hub.close();
    closeMs.push(performance.now() - t1);
    const t2 = performance.now();
    const children = await Promise.all(servers.map(byHand));
    byHandMs.push(performance.now() - t2);
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => once(child, "exit")));
  }
  return {
    bench: "mcp",
    part: "connect",
    runtime,
    servers: count,
    delayMs: Number(delay),
    ms: median(ms),
    byHandMs: median(byHandMs),
    closeMs: median(closeMs),
  };
}

/** Starts one server, shakes hands and lists its tools, with nothing between. */
async function byHand({ command, args }) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })
    [Symbol.asyncIterator]();
  const say = (message) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "bench", version: "1" };
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo,
  };
  say({ id: 0, method: "initialize", params });
  await lines.next();
  say({ method: "notifications/initialized" });
  say({ id: 1, method: "tools/list" });
  await lines.next();
  return child;
}

async function call() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { Server } = await import("@modelcontextprotocol/sdk/server/index.js");
  const { InMemoryTransport } = await import(
    "@modelcontextprotocol/sdk/inMemory.js"
  );
  const {
    CallToolRequestSchema,
    CallToolResultSchema,
    ListToolsRequestSchema,
  } = await import("@modelcontextprotocol/sdk/types.js");

  function server() {
    const info = { name: "echo", version: "1" };
    const one = new Server(info, { capabilities: { tools: {} } });
    const inputSchema = { type: "object" };
    one.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: "echo", description: "Echoes", inputSchema }],
    }));
    one.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [{ type: "text", text: params.arguments.text }],
    }));
    return one;
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server().connect(theirs);
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(ours);
  const hub = new McpHub({ srv: { type: "sdk", instance: server() } });
  await hub.connect();

  // No signal: the client never takes its listeners back from one.
  const options = { timeout: 45_000 };
  const arguments_ = { text: "hello" };
  const ways = {
    sdk: () =>
      client.request(
        {
          method: "tools/call",
          params: { name: "echo", arguments: arguments_ },
        },
        CallToolResultSchema,
        options,
      ),
    hub: () => hub.call("srv__echo", arguments_),
  };
  const calls = Number(args.calls ?? 4000);
  const us = { sdk: [], hub: [] };
  for (let round = -3; round < Number(args.rounds ?? 15); round++) {
    for (const [way, run] of Object.entries(ways)) {
      const t0 = performance.now();
      for (let i = 0; i < calls; i++) {
        const { content } = await run();
        if (content[0].text !== "hello") throw new Error("wrong answer");
      }
      const perCall = (performance.now() - t0) * 1000 / calls;
      // The first rounds warm up.
      if (round >= 0) us[way].push(perCall);
    }
  }
  await hub.close();
  await client.close();
  // Whatever else the machine does only adds.
  const [sdkUs, hubUs] = [Math.min(...us.sdk), Math.min(...us.hub)];
  return {
    bench: "mcp",
    part: "call",
    runtime,
    calls,
    sdkUs,
    hubUs,
    ownUs: hubUs - sdkUs,
  };
}
