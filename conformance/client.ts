// The client of the MCP conformance suite: runs one scenario through the hub.
//   MCP_CONFORMANCE_SCENARIO=tools_call deno run -A conformance/client.ts URL
// Exits with 0 when the scenario went through; its server checks what came.
import process from "node:process";
import { McpHub } from "../src/mcp/mod.ts";
import type { HubOptions, McpRemoteConfig } from "../src/mcp/mod.ts";
import type { Registered } from "./oauth.ts";

/** Settings of a scenario beside its server. */
interface Scenario {
  /** The tool that is called; none = listing is all. */
  readonly tool?: string;
  /** Its arguments. */
  readonly args?: { readonly [name: string]: number };
  /** Handlers of the hub. */
  readonly options?: HubOptions;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  initialize: {},
  tools_call: { tool: "add_numbers", args: { a: 5, b: 3 } },
  "sse-retry": { tool: "test_reconnection" },
  "elicitation-sep1034-client-defaults": {
    tool: "test_client_elicitation_defaults",
    options: { onElicitation: () => ({ action: "accept", content: {} }) },
  },
};

const AUTHORIZED: Scenario = { tool: "test-tool" };

await run(
  process.env.MCP_CONFORMANCE_SCENARIO ?? "",
  process.argv.at(-1) ?? "",
);

async function run(name: string, url: string): Promise<void> {
  const isAuth = name.startsWith("auth/");
  const scenario = isAuth ? AUTHORIZED : SCENARIOS[name];
  if (scenario === undefined) throw new Error(`Unknown scenario: ${name}`);
  const hub = new McpHub(
    { srv: isAuth ? await authorized(url) : { type: "http", url } },
    scenario.options,
  );
  const { tools } = await hub.connect();
  const { tool, args } = scenario;
  const found = tools.find((one) => one.tool === tool);
  if (tool !== undefined && found === undefined) {
    throw new Error(`No such tool: ${tool}`);
  }
  if (found !== undefined) await hub.call(found.name, args);
  await hub.close();
}

async function authorized(url: string): Promise<McpRemoteConfig> {
  const { oauthFetch } = await import("./oauth.ts");
  return { type: "http", url, fetch: oauthFetch(url, readRegistered()) };
}

/** Some scenarios hand over a client that is known already. */
function readRegistered(): Registered | undefined {
  const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
  return typeof context.client_secret === "string" ? context : undefined;
}
