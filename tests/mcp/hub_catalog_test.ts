import assert from "node:assert/strict";
import {
  type Catalog,
  type CatalogTool,
  prefixToolkit,
} from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { listed, memoryHub, MemoryServer, withHub } from "./_hub.ts";

function namesIn(tools: readonly CatalogTool[] = []): readonly string[] {
  return tools.map(({ name }) => name);
}

/** A generator whose numbers are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], next: () => number): readonly T[] {
  return items.map((item) => ({ item, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

test("catalog() does not depend on the order of servers", async () => {
  const next = numbers(42);
  const tools = ["b", "a_2", "a_1", "Z", "_x", "ä"];
  let first: string | undefined;
  for (let round = 0; round < 100; round++) {
    const names = shuffled(["two", "one", "Three", "four-4"], next);
    const servers = Object.fromEntries(names.map((name) => {
      const server = new MemoryServer(...shuffled(tools, next));
      const wait = Math.floor(next() * 4);
      server.onDial = async () => {
        for (let i = 0; i < wait; i++) await Promise.resolve();
      };
      return [name, server];
    }));
    await withHub(servers, (hub) => {
      const text = JSON.stringify(hub.catalog());
      first ??= text;
      assert.equal(text, first);
    });
  }
  const { tools: sorted } = JSON.parse(first ?? "") as Catalog;
  assert.deepEqual(
    sorted.slice(0, 6).map(({ server, tool }) => `${server} ${tool}`),
    ["Z", "_x", "a_1", "a_2", "b", "ä"].map((tool) => `Three ${tool}`),
  );
  assert.deepEqual(
    [...new Set(sorted.map(({ server }) => server))],
    ["Three", "four-4", "one", "two"],
  );
}, { ids: ["CAT-01", "REG-14"] });

test("catalog() cannot be changed by a caller, however deep", async () => {
  const schema = { type: "object", properties: { a: { enum: [1, 2] } } };
  const server = new MemoryServer(
    listed("x_y", { inputSchema: schema, annotations: { title: "X" } }),
  );
  await withHub({ a: server }, (hub) => {
    const before = JSON.stringify(hub.catalog());
    const parts: unknown[] = [hub.catalog()];
    let objects = 0;
    for (const part of parts) {
      if (typeof part !== "object" || part === null) continue;
      objects++;
      assert.ok(Object.isFrozen(part), JSON.stringify(part));
      parts.push(...Object.values(part));
    }
    assert.ok(objects > 12, `${objects} objects`);
    const catalog = hub.catalog();
    const tools = catalog.tools as CatalogTool[];
    assert.throws(() => tools.pop(), TypeError);
    assert.throws(() => Object.assign(catalog, { revision: 9 }), TypeError);
    assert.equal(JSON.stringify(hub.catalog()), before);
  });
  // The server's own objects stay its own.
  assert.ok(!Object.isFrozen(schema) && !Object.isFrozen(schema.properties));
}, { ids: ["CAT-02"] });

test("catalog() lists tools flat, by server and by toolkit", async () => {
  const servers = {
    b: new MemoryServer("db_read", "search"),
    a: new MemoryServer("db_write"),
    empty: new MemoryServer(),
  };
  await withHub(servers, (hub) => {
    const { revision, tools, byServer, toolkits } = hub.catalog();
    assert.equal(revision, 1);
    assert.deepEqual(namesIn(tools), [
      "a__db_write",
      "b__db_read",
      "b__search",
    ]);
    assert.deepEqual(Object.keys(byServer), ["a", "b", "empty"]);
    assert.deepEqual(namesIn(byServer.a), ["a__db_write"]);
    assert.deepEqual(namesIn(byServer.b), ["b__db_read", "b__search"]);
    assert.deepEqual(byServer.empty, []);
    assert.deepEqual(Object.keys(toolkits), ["db", "misc"]);
    assert.deepEqual(namesIn(toolkits.db), ["a__db_write", "b__db_read"]);
    assert.equal(toolkits.db?.[0], tools[0]);
    assert.equal(byServer.a?.[0], tools[0]);
  });
}, { ids: ["CAT-03"] });

test("catalog() tells what a server says of each tool", async () => {
  const definition = listed("x_y", {
    title: "Ex",
    outputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    execution: { taskSupport: "required" },
    _meta: { more: 1 },
  });
  await withHub({ a: new MemoryServer(definition) }, (hub) => {
    const bytes = JSON.stringify(definition).length;
    const [tool] = hub.catalog().tools;
    assert.deepEqual(tool, {
      name: "a__x_y",
      server: "a",
      tool: "x_y",
      toolkit: "x",
      title: "Ex",
      description: "Does x_y",
      inputSchema: { type: "object" },
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
      needsTask: true,
      bytes,
      tokens: Math.ceil(bytes / 4),
    });
  });
});

test("catalog() groups tools by a classifier of the caller", async () => {
  const seen: CatalogTool[] = [];
  await withHub(
    { a: new MemoryServer("x", "y"), b: new MemoryServer("x") },
    (hub) => {
      const { toolkits, tools } = hub.catalog();
      assert.deepEqual(Object.keys(toolkits), ["__proto__", "kit x"]);
      assert.deepEqual(namesIn(toolkits["kit x"]), ["a__x", "b__x"]);
      assert.equal(tools[0]?.toolkit, "kit x");
    },
    {
      classifier: (tool) => {
        seen.push(tool);
        return tool.tool === "x" ? "kit x" : "__proto__";
      },
    },
  );
  assert.deepEqual(seen.map(({ name }) => name), ["a__x", "a__y", "b__x"]);
  assert.ok(seen.every((tool) => Object.isFrozen(tool)));
}, { ids: ["CAT-04"] });

test("prefixToolkit() takes what stands before the first _", () => {
  const cases = {
    datahub_search: "datahub",
    s3_get_object: "s3",
    a__b: "a",
    trailing_: "trailing",
    search: "misc",
    _foo: "misc",
    __foo: "misc",
    _: "misc",
    "": "misc",
  };
  for (const [tool, toolkit] of Object.entries(cases)) {
    assert.equal(prefixToolkit({ tool }), toolkit);
  }
}, { ids: ["CAT-05", "CAT-06"] });

test("catalog() of a server without tools is empty", async () => {
  const without = new MemoryServer();
  without.capabilities = {};
  const none = new MemoryServer();
  const odd = new MemoryServer();
  odd.answers["tools/list"] = () => ({});
  await withHub({ without, none, odd }, (hub) => {
    const { revision, tools, byServer, toolkits, tokens } = hub.catalog();
    assert.equal(revision, 1);
    assert.deepEqual(tools, []);
    assert.deepEqual(byServer, { none: [], odd: [], without: [] });
    assert.deepEqual(toolkits, {});
    assert.equal(tokens, 0);
  });
  assert.equal(without.count("tools/list"), 0);
}, { ids: ["CAT-07"] });

test("catalog() is empty before connect() and after close()", async () => {
  const { hub } = memoryHub({ a: new MemoryServer("x") });
  assert.equal(hub.catalog().revision, 0);
  assert.deepEqual(hub.catalog().tools, []);
  const catalog = await hub.connect();
  assert.equal(catalog, hub.catalog());
  const closing = hub.close();
  assert.deepEqual(hub.catalog().tools, [], "at once");
  await closing;
  const after = hub.catalog();
  assert.equal(after.tools.length, 0);
  assert.deepEqual([after.byServer, after.toolkits], [{}, {}]);
  assert.ok(after.revision > catalog.revision);
  // A returned catalogue does not change.
  assert.equal(catalog.tools.length, 1);
}, { ids: ["HUB-37", "REG-04"] });

test("catalog() names tools apart that the CLI would mix up", async () => {
  const servers = {
    "my server": new MemoryServer("t one"),
    "my.server": new MemoryServer("t.one"),
    "_acme": new MemoryServer("status"),
    "acme": new MemoryServer("_status"),
    "a": new MemoryServer("b__c", "x".repeat(200), "😀"),
  };
  await withHub(servers, async (hub) => {
    const { tools } = hub.catalog();
    assert.equal(new Set(namesIn(tools)).size, 7);
    for (const { name, server, tool } of tools) {
      assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
      for (const called of [name, `${server}__${tool}`]) {
        const { content } = await hub.call(called);
        assert.deepEqual(content, [
          { type: "text", text: `${tool} was called` },
        ]);
      }
    }
    for (const [name, server] of Object.entries(servers)) {
      assert.equal(
        server.count("tools/call"),
        2 * (hub.catalog().byServer[name]?.length ?? 0),
      );
    }
  });
}, { ids: ["HUB-19"] });
