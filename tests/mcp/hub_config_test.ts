import assert from "node:assert/strict";
import { ConfigError } from "@sluice/agent";
import {
  type HubOptions,
  type HubServerConfig,
  McpHub,
} from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { MemoryServer } from "./_hub.ts";

const good = { command: "node" };
const named = (...names: readonly string[]) =>
  names.map((name) => ({ ...good, name }));
const web = (url: unknown, type = "http") => ({ a: { type, url } });

/** Servers that are refused, by the option that is to blame. */
const FAULTS: readonly (readonly [string, ...unknown[]])[] = [
  [
    "servers[0].name",
    ...["", " ", "\t\n", " a", "a ", "\ta", "a\n", "a__b", "__a", "a___b"]
      .map((name) => named(name)),
    [good],
  ],
  ["servers.", { "": good }],
  ["servers[2].name", named("a", "b", "a")],
  ["servers.a__b", { a__b: good }],
  ["servers.a_", { a_: good }],
  [
    "servers.a.command",
    { a: { command: "" } },
    { a: { type: "stdio", args: ["x"] } },
    { a: {} },
  ],
  [
    "servers.a.url",
    ...[
      "",
      " ",
      "\t",
      "example.com",
      "//example.com",
      "http:",
      "http://",
      "ftp://example.com",
      "/mcp",
      "http://exa mple.com",
      "http://example.com:port",
    ].flatMap((url) => [web(url), web(url, "sse")]),
    { a: { type: "http" } },
  ],
  ["servers.a.type", web("ws://example.com", "websocket")],
  ["servers.a.via", { a: { ...good, via: "cli" } }],
  ["servers.a.name", { a: { ...good, name: "b" } }],
  [
    "servers.a.headers.x",
    { a: { ...web("http://localhost").a, headers: { x: "a\r\nb: c" } } },
  ],
  ["servers.a.callTimeoutMs", { a: { ...good, callTimeoutMs: -1 } }],
  ["servers.a.comand", { a: { ...good, comand: "x" } }],
  ["servers.a.instance", { a: { type: "sdk", instance: {} } }],
  ["servers[0]", [null]],
  ["servers", "node server.js"],
];

for (const [key, ...faults] of FAULTS) {
  test(`McpHub throws ConfigError for "${key}"`, () => {
    for (const servers of faults) {
      assert.throws(
        () => new McpHub(servers as HubServerConfig[]),
        (error) => error instanceof ConfigError && error.key === key,
        JSON.stringify(servers),
      );
    }
  }, {
    ids: [
      "HUB-05",
      "HUB-06",
      "HUB-07",
      "HUB-08",
      "HUB-09",
      "HUB-10",
      "HUB-11",
      "HUB-12",
      "HUB-39",
      "REG-13",
      "REG-15",
    ],
  });
}

for (
  const [options, key] of [
    [{ onFailure: "lenient" }, "onFailure"],
    [{ retry: { attempts: 0 } }, "retry.attempts"],
    [{ retry: { attempts: 1.5 } }, "retry.attempts"],
    [{ retry: { baseMs: -1 } }, "retry.baseMs"],
    [{ retry: { baseMs: NaN } }, "retry.baseMs"],
    [{ retry: { capMs: NaN } }, "retry.capMs"],
    [{ retry: { capMs: -Infinity } }, "retry.capMs"],
    [{ retry: { policy: "never" } }, "retry.policy"],
    [{ retry: 5 }, "retry"],
    [{ classifier: "prefix" }, "classifier"],
    [{ connect: true }, "connect"],
    [{ clock: Date }, "clock.sleep"],
    [{ random: 0.5 }, "random"],
    [{ onListChange: () => {} }, "onListChange"],
    [null, "options"],
  ] as const
) {
  test(`McpHub throws ConfigError for the options ${JSON.stringify(options)}`, () => {
    assert.throws(
      () => new McpHub({}, options as unknown as HubOptions),
      (error) => error instanceof ConfigError && error.key === key,
    );
  });
}

test("McpHub takes names that need a hash, and a cap without an end", () => {
  const names = ["my.server", "_acme", "tööl box", "a_b", "x".repeat(200)];
  const servers = names.map((name) => ({ ...good, name }));
  const hub = new McpHub(servers, { retry: { capMs: Infinity } });
  assert.deepEqual(Object.keys(hub.status()), names);
});

test("McpHub copies its configurations", async () => {
  const seen: HubServerConfig[] = [];
  const server = new MemoryServer();
  const headers: Record<string, string> = { authorization: "Bearer first" };
  const args = ["one"];
  const env: Record<string, string> = { A: "1" };
  const url = new URL("http://localhost/first");
  const hub = new McpHub({
    web: { type: "http", url, headers },
    program: { command: "x", args, env },
  }, {
    connect: (config, signal) => {
      seen.push(config);
      return server.connect(config.name ?? "", signal);
    },
  });
  headers.authorization = "Bearer second";
  headers.more = "yes";
  args.push("two");
  env.A = "2";
  url.pathname = "/second";
  await hub.connect();
  await hub.close();
  assert.deepEqual(seen, [
    {
      type: "http",
      url: new URL("http://localhost/first"),
      headers: { authorization: "Bearer first" },
      name: "web",
    },
    { command: "x", args: ["one"], env: { A: "1" }, name: "program" },
  ]);
}, { ids: ["HUB-14"] });
