import assert from "node:assert/strict";
import {
  type JsonObject,
  type JsonValue,
  ServerUnavailableError,
  UnknownServerError,
} from "@sluice/agent";
import {
  type HubOptions,
  JsonRpcError,
  McpFailure,
  type McpHub,
} from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import {
  type Answer,
  hang,
  InstantClock,
  listed,
  memoryHub,
  MemoryServer,
  turn,
  withHub,
} from "./_hub.ts";

const KEYS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

type Method = keyof typeof KEYS;

/** One item a page. */
function paged(method: Method, count: number): Answer {
  return ({ cursor = "0" }) => {
    const at = Number(cursor);
    const item = {
      ...listed(`item-${at}`),
      uri: `mem://${at}`,
      uriTemplate: `mem://${at}/{x}`,
    };
    return {
      [KEYS[method]]: [item],
      ...(at + 1 < count && { nextCursor: String(at + 1) }),
    };
  };
}

function serverWithAll(): MemoryServer {
  const server = new MemoryServer("x");
  server.capabilities = { tools: {}, resources: {}, prompts: {} };
  return server;
}

const LISTS: readonly {
  readonly method: Method;
  list(hub: McpHub, server?: string): Promise<readonly JsonObject[]>;
}[] = [
  {
    method: "resources/list",
    list: (hub, server) => hub.resources(server),
  },
  {
    method: "resources/templates/list",
    list: (hub, server) => hub.resourceTemplates(server),
  },
  { method: "prompts/list", list: (hub, server) => hub.prompts(server) },
  {
    method: "tools/list",
    list: async (hub, server) =>
      (await hub.tools(server)).map(({ server, tool }) => ({
        server,
        name: tool,
      })),
  },
];

const instant: HubOptions = { clock: new InstantClock() };

for (const { method, list } of LISTS) {
  test(`${method} is read to its last page`, async () => {
    const a = serverWithAll();
    const b = serverWithAll();
    a.answers[method] = paged(method, 7);
    b.answers[method] = paged(method, 2);
    await withHub({ b, a }, async (hub) => {
      const items = await list(hub, "a");
      assert.equal(items.length, 7);
      assert.deepEqual(
        items.map(({ server, name }) => `${server} ${name}`),
        [0, 1, 2, 3, 4, 5, 6].map((n) => `a item-${n}`),
      );
      const all = await list(hub);
      assert.deepEqual(
        all.map(({ server, name }) => `${server} ${name}`),
        [
          ...items.map(({ name }) => `a ${name}`),
          "b item-0",
          "b item-1",
        ],
      );
    });
  }, { ids: ["HUB-17", "REG-07"] });

  test(`${method} with a cursor that comes again ends with McpProtocolError`, async () => {
    const a = serverWithAll();
    await withHub({ a }, async (hub) => {
      for (const cursors of [["1", "1"], ["1", "2", "1"], ["", ""]]) {
        const left = [...cursors];
        const before = a.count(method);
        a.answers[method] = () => ({
          [KEYS[method]]: [],
          nextCursor: left.shift() ?? "never",
        });
        await assert.rejects(list(hub, "a"), {
          name: "McpProtocolError",
          server: "a",
          message: /repeats the cursor/,
        });
        assert.equal(a.count(method), before + cursors.length);
      }
    }, instant);
  });

  test(`${method} with pages without an end ends with McpProtocolError`, async () => {
    const a = serverWithAll();
    await withHub({ a }, async (hub) => {
      let pages = 0;
      a.answers[method] = () => ({
        [KEYS[method]]: [],
        nextCursor: String(++pages),
      });
      await assert.rejects(list(hub, "a"), /has over 1000 pages/);
      assert.ok(pages <= 1_001, `${pages} pages`);
    });
  });

  test(`${method} is asked again after a failure`, async () => {
    const a = serverWithAll();
    await withHub({ a }, async (hub) => {
      const errors: unknown[] = [
        new McpFailure("reset", { kind: "network" }),
        new McpFailure("HTTP 500", { kind: "http", status: 500 }),
        new McpFailure("late", { kind: "timeout" }),
      ];
      const page = paged(method, 1);
      a.answers[method] = (params, options) => {
        if (errors.length > 0) throw errors.shift();
        return page(params, options);
      };
      assert.equal((await list(hub, "a")).length, 1);
      a.answers[method] = () => Promise.reject(new Error("down"));
      await assert.rejects(list(hub, "a"), ServerUnavailableError);
      const refusal = new JsonRpcError(-32603, "no");
      a.answers[method] = () => Promise.reject(refusal);
      await assert.rejects(list(hub, "a"), (error) => error === refusal);
    }, instant);
  }, { ids: ["HUB-22"] });
}

test("items are as the server sent them, with the name of the server, in its order", async () => {
  const a = serverWithAll();
  const items = ["z", "a", "m"].map((name) => ({
    uri: `x:${name}`,
    name: "n",
    _meta: { a: 1 },
    more: [null],
  }));
  a.answers["resources/list"] = () => ({ resources: items });
  await withHub({ a }, async (hub) => {
    assert.deepEqual(
      await hub.resources(),
      items.map((item) => ({ ...item, server: "a" })),
    );
  });
});

test("servers that have no resources or prompts are not asked", async () => {
  const servers = { a: serverWithAll(), b: new MemoryServer("x") };
  servers.a.answers["resources/list"] = paged("resources/list", 1);
  await withHub(servers, async (hub) => {
    assert.equal((await hub.resources()).length, 1);
    assert.deepEqual(await hub.resources("b"), []);
    assert.deepEqual(await hub.prompts("b"), []);
    assert.deepEqual(await hub.resourceTemplates("b"), []);
    assert.deepEqual(servers.b.asked.map(({ method }) => method), [
      "tools/list",
    ]);
  });
});

test("a server with resources and without templates has none", async () => {
  await withHub({ a: serverWithAll() }, async (hub) => {
    assert.deepEqual(await hub.resourceTemplates("a"), []);
    await assert.rejects(hub.resources("a"), JsonRpcError);
  });
});

test("a listing on one server delays nothing on another", async () => {
  const slow = serverWithAll();
  const quick = serverWithAll();
  const never: Answer = (params, options) => hang(params, options);
  for (const { method } of LISTS) slow.answers[method] = never;
  slow.answers["tools/list"] = () => ({ tools: [] });
  await withHub({ slow, quick }, async (hub) => {
    for (const { method } of LISTS) slow.answers[method] = never;
    const controller = new AbortController();
    const { signal } = controller;
    const listings = [
      hub.resources("slow", { signal }),
      hub.resourceTemplates("slow", { signal }),
      hub.prompts("slow", { signal }),
      hub.tools("slow", { signal }),
    ].map((one) => assert.rejects(one, { name: "AbortError" }));
    slow.say("notifications/tools/list_changed");
    await turn();
    const startedAt = performance.now();
    await hub.call("quick__x");
    await hub.tools("quick");
    assert.ok(performance.now() - startedAt < 5_000);
    controller.abort();
    await Promise.all(listings);
  }, instant);
}, { ids: ["HUB-18", "REG-06"] });

test("tools() makes a new catalogue when something changed, and none otherwise", async () => {
  const a = new MemoryServer("x");
  let told = 0;
  await withHub({ a }, async (hub) => {
    const first = hub.catalog();
    assert.deepEqual(await hub.tools(), first.tools);
    assert.equal(hub.catalog(), first);
    a.tools = [...a.tools, listed("y")];
    const tools = await hub.tools("a");
    assert.deepEqual(tools.map(({ name }) => name), ["a__x", "a__y"]);
    assert.equal(hub.catalog().revision, 2);
    assert.equal(told, 1);
  }, { onListChanged: () => told++ });
});

test("readResource() and getPrompt() give what the server sent", async () => {
  const a = serverWithAll();
  const contents = { contents: [{ uri: "x:y", text: "t" }], _meta: {} };
  const messages = {
    messages: [{ role: "user", content: { type: "text", text: "t" } }],
  };
  a.answers["resources/read"] = () => contents;
  a.answers["prompts/get"] = () => messages;
  await withHub({ a }, async (hub) => {
    assert.deepEqual(await hub.readResource("a", "x:y"), contents);
    assert.deepEqual(await hub.getPrompt("a", "p", { q: "1" }), messages);
    assert.deepEqual(await hub.getPrompt("a", "p"), messages);
    assert.deepEqual(a.asked.slice(1).map(({ params }) => params), [
      { uri: "x:y" },
      { name: "p", arguments: { q: "1" } },
      { name: "p" },
    ]);
    await assert.rejects(hub.readResource("b", "x:y"), UnknownServerError);
    await assert.rejects(hub.getPrompt("b", "p"), UnknownServerError);
    a.answers["resources/read"] = () => null as JsonValue;
    assert.deepEqual(await hub.readResource("a", "x:y"), {});
  });
});

test("readResource() and getPrompt() are repeated", async () => {
  const a = serverWithAll();
  let failures = 0;
  const failOnce = (): JsonObject => {
    if (failures++ % 2 === 0) throw new Error("reset");
    return { ok: true };
  };
  a.answers["resources/read"] = failOnce;
  a.answers["prompts/get"] = failOnce;
  await withHub({ a }, async (hub) => {
    assert.deepEqual(await hub.readResource("a", "x:y"), { ok: true });
    assert.deepEqual(await hub.getPrompt("a", "p"), { ok: true });
    assert.equal(failures, 4);
  }, instant);
}, { ids: ["HUB-22"] });

test("requests end with their signal and their limit", async () => {
  const a = serverWithAll();
  a.answers["resources/read"] = hang;
  await withHub({ a }, async (hub) => {
    const controller = new AbortController();
    const { signal } = controller;
    const reading = hub.readResource("a", "x:y", { signal });
    await turn();
    controller.abort();
    await assert.rejects(reading, { name: "AbortError" });
    await assert.rejects(
      hub.readResource("a", "x:y", { timeoutMs: 5 }),
      (error) =>
        error instanceof ServerUnavailableError && error.attempts === 5,
    );
  }, instant);
});

test("a list that is malformed is used as far as it can be, with a warning", async () => {
  const good = { name: "x", inputSchema: { type: "object" } };
  const cases: readonly (readonly [JsonValue, number, RegExp?])[] = [
    [{ tools: null }, 0, /without a list of tools: there is null$/],
    [{}, 0, /without a list of tools: there is undefined$/],
    [{ tools: { x: good } }, 0, /without a list of tools: there is object$/],
    [{ tools: [good, "y", null] }, 1, /with 2 tools that are no objects/],
    [
      { tools: [good], nextCursor: true },
      1,
      /a cursor that is boolean: it is ignored/,
    ],
    [{ tools: [good], nextCursor: null }, 1],
    [{ tools: [] }, 0],
  ];
  for (const [answer, count, expected] of cases) {
    const a = new MemoryServer();
    a.answers["tools/list"] = () => answer;
    await withHub({ a }, async (hub, warnings) => {
      assert.equal((await hub.tools("a")).length, count);
      assert.equal(warnings.length, expected === undefined ? 0 : 1);
      assert.match(
        warnings[0] ?? "",
        expected === undefined ? /^$/ : expected,
      );
    });
  }
});

test("a cursor that is a number is followed as it came", async () => {
  const a = new MemoryServer();
  const cursors: unknown[] = [];
  const page = (name: string, nextCursor?: number) => ({
    tools: [{ name, inputSchema: { type: "object" } }],
    ...nextCursor !== undefined && { nextCursor },
  });
  a.answers["tools/list"] = ({ cursor }) => {
    cursors.push(cursor);
    if (cursor === undefined) return page("one", 0);
    return cursor === 0 ? page("two", 1) : page("three");
  };
  await withHub({ a }, (hub, warnings) => {
    assert.deepEqual(hub.catalog().tools.map(({ tool }) => tool), [
      "one",
      "three",
      "two",
    ]);
    assert.deepEqual(cursors, [undefined, 0, 1]);
    assert.deepEqual(warnings, []);
  });
  a.answers["tools/list"] = () => page("one", 0);
  const { hub } = memoryHub({ a });
  await assert.rejects(hub.connect(), /repeats the cursor 0$/);
});
