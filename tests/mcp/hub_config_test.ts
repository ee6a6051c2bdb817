import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { ConfigError } from "@sluice/agent";
import {
  createMcpServer,
  type HubOptions,
  type HubServerConfig,
  McpHub,
} from "@sluice/agent/mcp";
import { readOptions, readServers } from "../../src/mcp/hub_config.ts";
import { test } from "../_harness.ts";
import { memoryDialer, MemoryServer } from "./_hub.ts";

interface Fault {
  readonly why: string;
  readonly servers: unknown;
  readonly key: string;
  readonly ids: readonly string[];
}

const good = { command: "node" };

/** Servers that are refused, and the option that is to blame. */
const FAULTS: readonly Fault[] = [
  ...["", " ", "\t\n"].map((name) => ({
    why: `the name ${JSON.stringify(name)}`,
    servers: [{ ...good, name }],
    key: "servers[0].name",
    ids: ["HUB-05"],
  })),
  {
    why: "an empty name as a key",
    servers: { "": good },
    key: "servers.",
    ids: ["HUB-05"],
  },
  {
    why: "a missing name in a list",
    servers: [good],
    key: "servers[0].name",
    ids: ["HUB-05"],
  },
  ...[" a", "a ", "\ta", "a\n"].map((name) => ({
    why: `a blank at an end of ${JSON.stringify(name)}`,
    servers: [{ ...good, name }],
    key: "servers[0].name",
    ids: ["HUB-06"],
  })),
  {
    why: "two servers of one name",
    servers: [{ ...good, name: "a" }, { ...good, name: "b" }, {
      ...good,
      name: "a",
    }],
    key: "servers[2].name",
    ids: ["HUB-07"],
  },
  ...["a__b", "__a", "a___b"].map((name) => ({
    why: `the separator in ${name}`,
    servers: [{ ...good, name }],
    key: "servers[0].name",
    ids: ["HUB-08"],
  })),
  {
    why: "the separator in a key",
    servers: { a__b: good },
    key: "servers.a__b",
    ids: ["HUB-08"],
  },
  {
    why: 'a name that ends in "_"',
    servers: { a_: good },
    key: "servers.a_",
    ids: ["HUB-39"],
  },
  ...["", " ", "\t"].flatMap((blank) => [
    {
      why: `the command ${JSON.stringify(blank)}`,
      servers: { a: { command: blank } },
      key: "servers.a.command",
      ids: ["HUB-09"],
    },
    {
      why: `the url ${JSON.stringify(blank)}`,
      servers: { a: { type: "http", url: blank } },
      key: "servers.a.url",
      ids: ["HUB-09"],
    },
  ]),
  ...[
    "example.com",
    "//example.com",
    "http:",
    "http://",
    "ftp://example.com",
    "/mcp",
    "http://exa mple.com",
    "http://example.com:port",
  ].flatMap((url) =>
    ["http", "sse"].map((type) => ({
      why: `the ${type} url ${url}`,
      servers: { a: { type, url } },
      key: "servers.a.url",
      ids: ["HUB-10"],
    }))
  ),
  {
    why: "an http server without a url",
    servers: { a: { type: "http" } },
    key: "servers.a.url",
    ids: ["HUB-10"],
  },
  {
    why: "a stdio server without a command",
    servers: { a: { type: "stdio", args: ["x"] } },
    key: "servers.a.command",
    ids: ["HUB-11"],
  },
  {
    why: "a server without anything",
    servers: { a: {} },
    key: "servers.a.command",
    ids: ["HUB-11"],
  },
  {
    why: "an unknown kind",
    servers: { a: { type: "websocket", url: "ws://example.com" } },
    key: "servers.a.type",
    ids: ["HUB-12"],
  },
  {
    why: "a server that the CLI should connect",
    servers: { a: { ...good, via: "cli" } },
    key: "servers.a.via",
    ids: ["HUB-12"],
  },
  {
    why: "a name that is not the key",
    servers: { a: { ...good, name: "b" } },
    key: "servers.a.name",
    ids: ["HUB-12"],
  },
  {
    why: "a header with a line break",
    servers: {
      a: { type: "http", url: "http://localhost", headers: { x: "a\r\nb: c" } },
    },
    key: "servers.a.headers.x",
    ids: ["HUB-12"],
  },
  {
    why: "a time limit that is none",
    servers: { a: { ...good, callTimeoutMs: -1 } },
    key: "servers.a.callTimeoutMs",
    ids: ["HUB-12"],
  },
  {
    why: "a key that nobody knows",
    servers: { a: { ...good, comand: "x" } },
    key: "servers.a.comand",
    ids: ["HUB-12"],
  },
  {
    why: "an instance that is none",
    servers: { a: { type: "sdk", instance: {} } },
    key: "servers.a.instance",
    ids: ["HUB-12"],
  },
  {
    why: "a server that is no object",
    servers: [null],
    key: "servers[0]",
    ids: ["HUB-12"],
  },
  {
    why: "servers that are none",
    servers: "node server.js",
    key: "servers",
    ids: ["HUB-12"],
  },
];

for (const { why, servers, key } of FAULTS) {
  test(
    `McpHub throws ConfigError for ${why}`,
    () => {
      let dials = 0;
      const connect = () => Promise.reject(new Error(`${++dials} dials`));
      assert.throws(
        () => new McpHub(servers as HubServerConfig[], { connect }),
        (error) => {
          assert.ok(error instanceof ConfigError, String(error));
          assert.equal(error.code, "config");
          assert.equal(error.key, key);
          return true;
        },
      );
      assert.equal(dials, 0);
    },
    {
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
    },
  );
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
    [{ maxConnects: 0 }, "maxConnects"],
    [{ allow: "a" }, "allow"],
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

test(
  "readOptions() gives the documented defaults",
  () => {
    const { retry, onFailure } = readOptions({ retry: {} });
    assert.deepEqual(retry, {
      attempts: 5,
      baseMs: 500,
      capMs: 30_000,
      policy: "safe",
    });
    assert.equal(onFailure, "strict");
  },
  { ids: ["HUB-26"] },
);

test("readServers() gives the documented limits", () => {
  const [server] = readServers({ a: good });
  assert.equal(server?.connectMs, 30_000);
  assert.equal(server?.callMs, 45_000);
  const [other] = readServers([
    { ...good, name: "b", connectTimeoutMs: 5, callTimeoutMs: 7 },
  ]);
  assert.deepEqual([other?.connectMs, other?.callMs], [5, 7]);
});

test("readServers() takes a program whose `url` is absent by value", () => {
  const [server] = readServers({ a: { ...good, url: undefined } as never });
  assert.equal(server?.config.type, undefined);
});

test("readServers() takes a list that has keys of its own beside its items", () => {
  const list = Object.assign([{ ...good, name: "a" }], { marked: true });
  assert.deepEqual(readServers(list).map(({ name }) => name), ["a"]);
});

test("readServers() trusts the hints of servers of this program alone", () => {
  const instance = createMcpServer({ name: "x", tools: [] });
  const servers = readServers({
    local: { type: "sdk", instance },
    doubted: { type: "sdk", instance, trustAnnotations: false },
    remote: good,
    trusted: { ...good, trustAnnotations: true },
  });
  assert.deepEqual(
    servers.map(({ isTrusted }) => isTrusted),
    [true, false, false, true],
  );
});

test(
  "McpHub copies what it is given: later changes change nothing",
  async () => {
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
  },
  { ids: ["HUB-14"] },
);

test(
  "a hub knows its servers in either form",
  async () => {
    const servers = { a: new MemoryServer("x"), b: new MemoryServer("y") };
    const connect = memoryDialer(servers);
    const list = new McpHub([{ ...good, name: "a" }, { ...good, name: "b" }], {
      connect,
    });
    const record = new McpHub({ a: good, b: { ...good, name: "b" } }, {
      connect,
    });
    assert.deepEqual(await list.connect(), await record.connect());
    await Promise.all([list.close(), record.close()]);
  },
);

test(
  "the docs of the entry say what a stdio server inherits, and how to narrow it",
  () => {
    const source = readFileSync("src/types/mcp.ts", "utf8");
    const [comment = ""] = /\/\*\*[^/]*\*\/\s*readonly inheritEnv/.exec(
      source,
    ) ?? [];
    const doc = comment.replaceAll(/\s*\*\s+/g, " ");
    assert.match(doc, /Inherited environment of the program/);
    assert.match(doc, /`ANTHROPIC_\*`.* are never inherited/);
    assert.match(doc, /Narrow it for servers you do not trust/);
    const entry = readFileSync("src/mcp/mod.ts", "utf8");
    assert.match(entry, /McpStdioConfig/);
  },
  { ids: ["HUB-38"] },
);
