import { Deferred } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { z } from "zod";
import {
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  tool,
} from "@sluice/agent/compat";
import type { JsonObject } from "@sluice/agent";
import { SdkServers } from "../../src/compat/sdk_servers.ts";
import { test } from "../_harness.ts";
import { drained, withFake } from "./_compat.ts";

const text = (text: string) => ({ content: [{ type: "text" as const, text }] });

const add = tool(
  "add",
  "Adds",
  { a: z.number().describe("One"), b: z.number().optional() },
  ({ a, b = 0 }) => Promise.resolve(text(`${a + b}`)),
  { annotations: { readOnlyHint: true }, searchHint: "sum" },
);

// The first one: here nothing is loaded yet.
test("loading for a server's tool list does not count as its slowness", async () => {
  const say = tool(
    "say",
    "Says",
    { text: z.string() },
    () => Promise.resolve(text("said")),
  );
  const servers = new SdkServers(() => {}, 0);
  servers.add("own", createSdkMcpServer({ name: "own", tools: [say] }));
  const never = { connect: () => new Promise<void>(() => {}) };
  servers.add("slow", {
    type: "sdk",
    name: "slow",
    instance: { ...never, close: () => Promise.resolve() },
  });
  const { sdkMcpServers, sdkMcpServerManifests } = await servers.fields(true);
  assert.deepEqual(sdkMcpServers, ["own", "slow"]);
  assert.deepEqual(Object.keys(sdkMcpServerManifests as object), ["own"]);
  servers.close();
});

/** Asks a server of this program, as the CLI does. */
async function asked(
  { instance }: McpSdkServerConfigWithInstance,
  ...messages: readonly JsonObject[]
): Promise<readonly JsonObject[]> {
  const answers: JsonObject[] = [];
  let more = () => {};
  const transport: Parameters<typeof instance.connect>[0] = {
    start: () => Promise.resolve(),
    send(message: JsonObject) {
      answers.push(message);
      more();
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  await instance.connect(transport);
  for (const message of messages) transport.onmessage?.(message);
  const wanted = messages.filter(({ id }) => id !== undefined).length;
  while (answers.length < wanted) {
    await new Promise<void>((resolve) => more = resolve);
  }
  await instance.close();
  return answers.toSorted((one, other) => Number(one.id) - Number(other.id));
}

test("the handler of a tool without a schema gets only the context of the call", async () => {
  const seen: unknown[][] = [];
  const handler = (...args: unknown[]) => {
    seen.push(args);
    return Promise.resolve(text("ok"));
  };
  for (const schema of [undefined, {}]) {
    const bare = tool("bare", "Does", {}, handler);
    Object.assign(bare, { inputSchema: schema });
    await asked(
      createSdkMcpServer({ name: "own", tools: [bare] }),
      {
        jsonrpc: "2.0",
        id: 5,
        method: "tools/call",
        params: { name: "bare", arguments: {} },
      },
    );
  }
  const [[context, none] = [], [args, second] = []] = seen;
  assert.equal((context as JsonObject).requestId, 5);
  assert.equal(none, undefined);
  assert.deepEqual(args, {});
  assert.equal((second as JsonObject).requestId, 5);
});

test("a server speaks each revision of MCP that the package of the protocol speaks", async () => {
  const server = createSdkMcpServer({ name: "calc", tools: [add] });
  for (
    const [asks, speaks] of [
      ["2025-11-25", "2025-11-25"],
      ["2024-10-07", "2024-10-07"],
      ["1999-01-01", "2025-11-25"],
    ]
  ) {
    const params = { protocolVersion: asks, capabilities: {} };
    const [answer] = await asked(server, {
      id: 1,
      method: "initialize",
      params,
    });
    const { protocolVersion } = answer?.result as JsonObject;
    assert.equal(protocolVersion, speaks);
  }
});

test("a server that two queries share answers the calls of both, in flight ones too", async () => {
  const released = new Deferred<void>();
  const wait = tool("wait", "Waits", {}, async () => {
    await released.promise;
    return text("done");
  });
  const shared = createSdkMcpServer({ name: "shared", tools: [wait] });
  const call = (servers: SdkServers) =>
    servers.answer({
      server_name: "shared",
      message: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "wait", arguments: {} },
      },
    });
  const [one, other] = [new SdkServers(() => {}), new SdkServers(() => {})];
  one.add("shared", shared);
  const first = call(one);
  other.add("shared", shared);
  const second = call(other);
  released.resolve();
  for (const { mcp_response: answer } of await Promise.all([first, second])) {
    const { result } = answer as { readonly result: JsonObject };
    assert.deepEqual(result.content, [{ type: "text", text: "done" }]);
  }
  one.close();
  other.close();
});

test("a tool made of a shape is listed with its JSON Schema, hints and annotations", async () => {
  const server = createSdkMcpServer({ name: "calc", tools: [add], timeout: 9 });
  assert.equal(server.timeout, 9);
  const [answer] = await asked(server, { id: 1, method: "tools/list" });
  const { tools } = answer?.result as { tools: readonly JsonObject[] };
  assert.deepEqual(tools, [{
    name: "add",
    description: "Adds",
    inputSchema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        a: { type: "number", description: "One" },
        b: { type: "number" },
      },
      required: ["a"],
    },
    annotations: { readOnlyHint: true },
    execution: { taskSupport: "forbidden" },
    _meta: { "anthropic/searchHint": "sum" },
  }]);
});

test("a tool that is left out for its schema cannot be called", async () => {
  let calls = 0;
  const count = () => {
    calls++;
    return Promise.resolve(text("ran"));
  };
  const server = createSdkMcpServer({
    name: "own",
    tools: [add, tool("odd", "Odd", { any: z.custom(() => true) }, count)],
  });
  const params = { name: "odd", arguments: { any: 1 } };
  const [list, called] = await asked(
    server,
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params },
  );
  assert.deepEqual(
    Object(list)["result"].tools.map(({ name }: JsonObject) => name),
    ["add"],
  );
  const said = "MCP error -32602: Tool odd disabled";
  assert.deepEqual(Object(called)["result"], {
    content: [{ type: "text", text: said }],
    isError: true,
  });
  assert.equal(calls, 0);
});

test("arguments are checked field by field, defaults filled in, unknown ones left out", async () => {
  const seen: unknown[] = [];
  const order = tool("order", "Orders", {
    what: z.string(),
    size: z.enum(["small", "large"]).default("small"),
    note: z.string().optional(),
  }, (args) => {
    seen.push(args);
    return Promise.resolve(text("ok"));
  });
  const server = createSdkMcpServer({ name: "shop", tools: [order] });
  const call = (id: number, args: JsonObject): JsonObject => ({
    id,
    method: "tools/call",
    params: { name: "order", arguments: args },
  });
  const [good, bad] = await asked(
    server,
    call(1, { what: "tea", extra: true }),
    call(2, { size: "huge" }),
  );
  assert.deepEqual(good?.result, text("ok"));
  assert.deepEqual(seen, [{ what: "tea", size: "small" }]);
  const { isError, content } = bad?.result as {
    isError: boolean;
    content: readonly { text: string }[];
  };
  assert.equal(isError, true);
  const said = content[0]?.text ?? "";
  assert.ok(said.startsWith(
    "MCP error -32602: Input validation error: Invalid arguments for tool order: [",
  ));
  assert.match(said, /"what"/);
  assert.match(said, /"size"/);
});

test("an error of a tool is a failed answer; an unknown tool and an unknown method are refused", async () => {
  const fail = tool("fail", "Fails", {}, () => Promise.reject(new Error("no")));
  const server = createSdkMcpServer({ name: "x", tools: [fail] });
  const [thrown, unknown, method] = await asked(
    server,
    { id: 1, method: "tools/call", params: { name: "fail" } },
    { id: 2, method: "tools/call", params: { name: "other" } },
    { id: 3, method: "resources/list" },
  );
  assert.deepEqual(thrown?.result, { ...text("no"), isError: true });
  assert.deepEqual(unknown?.result, {
    ...text("MCP error -32602: Tool other not found"),
    isError: true,
  });
  assert.deepEqual(method?.error, {
    code: -32601,
    message: "Method not found",
  });
});

/** Malformed results of handlers, and the errors of the protocol's package. */
const NO_RESULTS: readonly (readonly [
  value: unknown,
  expected: string,
  received: string,
  path?: readonly string[],
])[] = [
  [undefined, "object", "undefined"],
  [null, "object", "null"],
  ["Hello", "object", "string"],
  [7, "object", "number"],
  [7n, "object", "bigint"],
  [true, "object", "boolean"],
  [() => {}, "object", "function"],
  [Symbol("odd"), "object", "symbol"],
  [[{ type: "text", text: "Hello" }], "object", "array"],
  [{ content: "Hello" }, "array", "string", ["content"]],
  [{ content: null }, "array", "null", ["content"]],
  [{ content: [], isError: "yes" }, "boolean", "string", ["isError"]],
  [{ content: [], _meta: "odd" }, "object", "string", ["_meta"]],
  [
    { content: [], structuredContent: [1] },
    "record",
    "array",
    ["structuredContent"],
  ],
];

for (const [value, expected, received, path = []] of NO_RESULTS) {
  test(`a handler that gives back ${[received, ...path].join(" as ")} is an error at once`, async () => {
    for (const result of [() => value, () => Promise.resolve(value)]) {
      const odd = tool("odd", "Odd", {}, result as never);
      const server = createSdkMcpServer({ name: "x", tools: [odd] });
      const [answer] = await asked(server, {
        id: 1,
        method: "tools/call",
        params: { name: "odd" },
      });
      const issue = {
        expected,
        code: "invalid_type",
        path,
        message: `Invalid input: expected ${expected}, received ${received}`,
      };
      assert.deepEqual(answer, {
        jsonrpc: "2.0",
        id: 1,
        error: {
          code: -32602,
          message: `MCP error -32602: Invalid tools/call result: ${
            JSON.stringify([issue], null, 2)
          }`,
        },
      });
    }
  });
}

test("a result without content has none, and what a handler throws needs no shape", async () => {
  const call = async (handler: () => unknown) => {
    const odd = tool("odd", "Odd", {}, handler as never);
    const server = createSdkMcpServer({ name: "x", tools: [odd] });
    const params = { name: "odd" };
    const request = { id: 1, method: "tools/call", params };
    const [answer] = await asked(server, request);
    return answer?.result;
  };
  assert.deepEqual(await call(() => ({})), { content: [] });
  assert.deepEqual(await call(() => ({ structuredContent: { a: 1 } })), {
    content: [],
    structuredContent: { a: 1 },
  });
  for (const thrown of [undefined, null, "odd", 7, 7n, Symbol("odd")]) {
    const failure = { ...text(String(thrown)), isError: true };
    assert.deepEqual(await call(() => Promise.reject(thrown)), failure);
    assert.deepEqual(
      await call(() => {
        throw thrown;
      }),
      failure,
    );
  }
});

test("fields that blocks of content do not have are not sent, as with the protocol's package", async () => {
  const other: Record<string, unknown> = { count: 7n };
  other["self"] = other;
  const known = { annotations: { priority: 1 }, _meta: { a: 1 } };
  const blocks: readonly JsonObject[] = [
    { ...known, type: "text", text: "Hello" },
    { ...known, type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "audio", data: "aGk=", mimeType: "audio/wav" },
    {
      ...known,
      type: "resource_link",
      uri: "file:///a",
      name: "a",
      title: "A",
      description: "It",
      mimeType: "text/plain",
      size: 1,
      icons: [],
    },
    {
      ...known,
      type: "resource",
      resource: { uri: "file:///a", mimeType: "a/b", text: "t", _meta: {} },
    },
    { type: "resource", resource: { uri: "file:///a", blob: "aGk=" } },
  ];
  const given = blocks.map((block) => ({
    ...block,
    other,
    ...block["resource"] !== undefined && {
      resource: { ...Object(block["resource"]), other },
    },
  }));
  // The CLI refuses these.
  const odd = [{ type: "new", a: 1 }, null, "text", { type: "resource" }];
  const result = () => Promise.resolve({ content: [...given, ...odd] });
  const server = createSdkMcpServer({
    name: "x",
    tools: [tool("blocks", "All blocks", {}, result as never)],
  });
  const [answer] = await asked(server, {
    id: 1,
    method: "tools/call",
    params: { name: "blocks" },
  });
  assert.deepEqual(answer?.result, { content: [...blocks, ...odd] });
});

test("a result that is no JSON refuses the call, and the session continues", async () => {
  const cyclic: Record<string, unknown> = text("Hello");
  cyclic["self"] = cyclic;
  const values: Readonly<Record<string, unknown>> = {
    cyclic,
    big: { content: [], structuredContent: { count: 7n } },
  };
  const tools = Object.keys(values).map((name) =>
    tool(name, "Odd", {}, () => Promise.resolve(values[name] as never))
  );
  const calls = tools.map(({ name }) => ({ tool: `mcp__odd__${name}` }));
  await withFake([[...calls, "ok"]], async (options, fake) => {
    const odd = createSdkMcpServer({ name: "odd", tools });
    const messages = await drained("Hi", {
      ...options,
      mcpServers: { odd },
    });
    assert.equal(messages.at(-1)?.["result"], "ok");
    const answers = fake.received
      .filter(({ type }) => type === "control_response")
      .map(({ response }) => response as JsonObject);
    assert.deepEqual(answers.map(({ subtype }) => subtype), ["error", "error"]);
  });
});

test("questions to a server end with its connection", async () => {
  const servers = new SdkServers(() => {});
  const silent: McpSdkServerConfigWithInstance["instance"] = {
    connect(transport) {
      transport.onmessage = () => {};
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  servers.add("silent", { type: "sdk", name: "silent", instance: silent });
  const message = { jsonrpc: "2.0", id: 4, method: "tools/call" };
  const answer = servers.answer({ server_name: "silent", message });
  const refused = assert.rejects(answer, {
    message: "Query closed before response received",
  });
  await new Promise((resolve) => setTimeout(resolve, 0));
  servers.close();
  await refused;
});

test("servers that are set anew stay connected, those that are not are closed", async () => {
  const servers = new SdkServers(() => {});
  const ended: string[] = [];
  const server = (name: string): McpSdkServerConfigWithInstance => ({
    type: "sdk",
    name,
    instance: {
      connect(transport) {
        transport.onclose = () => void ended.push(name);
        transport.onmessage = ({ id }: JsonObject) =>
          void transport.send({ id, result: { name } });
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    },
  });
  for (const name of ["stays", "goes"]) {
    servers.add(name, server(name));
    // Connected when it has answered.
    await servers.answer({
      server_name: name,
      message: { id: 1, method: "a" },
    });
  }
  const all = ["stays", "comes"].map((name) => [name, server(name)] as const);
  const told = await servers.replace(new Map(all));
  assert.deepEqual(Object.keys(told), ["stays", "comes"]);
  assert.deepEqual(ended, ["goes"]);
  await assert.rejects(
    servers.answer({ server_name: "goes", message: {} }),
    /SDK MCP server not found: goes/,
  );
  servers.close();
});

test("a server of another make that answers without a result is refused at once", async () => {
  for (const result of [undefined, null, "Hello"]) {
    const servers = new SdkServers(() => {});
    const instance: McpSdkServerConfigWithInstance["instance"] = {
      connect(transport) {
        transport.onmessage = ({ id }: JsonObject) =>
          void transport.send({ jsonrpc: "2.0", id, result });
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
    servers.add("odd", { type: "sdk", name: "odd", instance });
    const { mcp_response: answer } = await servers.answer({
      server_name: "odd",
      message: { jsonrpc: "2.0", id: 4, method: "tools/call" },
    });
    const { id, error } = answer as JsonObject;
    assert.equal(id, 4);
    assert.equal((error as JsonObject)["code"], -32603);
    servers.close();
  }
});

test("a handler gets the keys of the protocol's package, and may ask the client", async () => {
  let keys: readonly string[] = [];
  const ask = tool("ask", "Asks", {}, async (_args, extra) => {
    keys = Object.keys(extra as object);
    const { sendRequest, sessionId } = extra as {
      sendRequest(request: object, schema?: unknown): Promise<object>;
      sessionId: string;
    };
    const method = "elicitation/create";
    const schema = z.object({ action: z.string() });
    const good = await sendRequest(
      { method, params: { message: "1" } },
      schema,
    );
    const refused = await sendRequest({ method, params: { message: "2" } })
      .catch(({ code, message }) => ({ code, message }));
    const odd = await sendRequest({ method, params: { message: "3" } }, schema)
      .catch(({ name }) => ({ name }));
    return text(JSON.stringify([sessionId, good, refused, odd]));
  });
  const { instance } = createSdkMcpServer({ name: "x", tools: [ask] });
  const answers: Readonly<Record<string, object>> = {
    1: { result: { action: "accept", more: true } },
    2: { error: { code: -32601, message: "nobody here" } },
    3: { result: { action: 7 } },
  };
  const done = new Deferred<JsonObject>();
  const transport: Parameters<typeof instance.connect>[0] = {
    sessionId: "s1",
    start: () => Promise.resolve(),
    send(message: JsonObject) {
      const { id, method, params } = message as JsonObject & {
        params?: JsonObject;
      };
      if (method === undefined) done.resolve(message);
      else {
        const answer = answers[String(params?.["message"])];
        queueMicrotask(() => transport.onmessage?.({ id, ...answer }));
      }
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  await instance.connect(transport);
  const params = { name: "ask" };
  transport.onmessage?.({ id: 7, method: "tools/call", params });
  const { result } = await done.promise as JsonObject;
  const [block] = (result as { content: readonly { text: string }[] }).content;
  assert.deepEqual(JSON.parse(block?.text ?? ""), [
    "s1",
    { action: "accept" },
    { code: -32601, message: "MCP error -32601: nobody here" },
    { name: "ZodError" },
  ]);
  assert.deepEqual(keys, [
    "signal",
    "sessionId",
    "_meta",
    "sendNotification",
    "sendRequest",
    "authInfo",
    "requestId",
    "requestInfo",
    "taskId",
    "taskStore",
    "taskRequestedTtl",
    "closeSSEStream",
    "closeStandaloneSSEStream",
  ]);
});

test("a handler that waits for the client ends with its call, and with the connection", async () => {
  for (const end of ["cancel", "close"]) {
    const failed = new Deferred<unknown>();
    const ask = tool("ask", "Asks", {}, async (_args, extra) => {
      const { sendRequest } = extra as {
        sendRequest(request: object): Promise<object>;
      };
      await sendRequest({ method: "ping" }).catch((error) =>
        failed.resolve(error)
      );
      return text("late");
    });
    const { instance } = createSdkMcpServer({ name: "x", tools: [ask] });
    const transport: Parameters<typeof instance.connect>[0] = {
      start: () => Promise.resolve(),
      send({ method }: JsonObject) {
        if (method !== "ping") return Promise.resolve();
        if (end === "close") transport.onclose?.();
        else {
          const params = { requestId: 7, reason: "enough" };
          transport.onmessage?.({ method: "notifications/cancelled", params });
        }
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
    await instance.connect(transport);
    const params = { name: "ask" };
    transport.onmessage?.({ id: 7, method: "tools/call", params });
    const thrown = await failed.promise;
    if (end === "cancel") assert.equal(thrown, "enough");
    else assert.equal((thrown as Error).name, "AbortError");
  }
});

test("a server without tools has no list of them, and initialize sends none", async () => {
  for (const tools of [undefined, []]) {
    const empty = createSdkMcpServer({ name: "empty", ...tools && { tools } });
    const [hello, list, call] = await asked(
      empty,
      { id: 1, method: "initialize", params: {} },
      { id: 2, method: "tools/list" },
      { id: 3, method: "tools/call", params: { name: "none" } },
    );
    const { capabilities } = hello?.result as JsonObject;
    assert.deepEqual(capabilities, tools ? { tools: {} } : {});
    for (const answer of [list, call]) {
      assert.deepEqual(answer?.error, {
        code: -32601,
        message: "Method not found",
      });
    }
    await withFake("ok", async (options, fake) => {
      await drained("Hi", { ...options, mcpServers: { empty } });
      const request = fake.received[0]?.["request"] as JsonObject;
      assert.deepEqual(request["sdkMcpServers"], ["empty"]);
      const manifests = request["sdkMcpServerManifests"];
      assert.equal(manifests === undefined, tools !== undefined);
    });
  }
});

test("a call that is cancelled aborts its signal, and is not answered", async () => {
  const states: boolean[] = [];
  const wait = tool("wait", "Waits", {}, async (_args, extra) => {
    const { signal, sendNotification } = extra as {
      signal: AbortSignal;
      sendNotification(notification: object): Promise<void>;
    };
    await new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true })
    );
    states.push(signal.aborted);
    await sendNotification({ method: "notifications/progress" });
    return text("late");
  });
  const server = createSdkMcpServer({ name: "x", tools: [wait] });
  const answers = await asked(
    server,
    { id: 2, method: "ping" },
    { id: undefined as never, method: "notifications/initialized" },
  );
  assert.deepEqual(answers.map(({ result }) => result), [{}]);
  const { instance } = server;
  const sent: JsonObject[] = [];
  const transport: Parameters<typeof instance.connect>[0] = {
    start: () => Promise.resolve(),
    send: (message: JsonObject) => Promise.resolve(void sent.push(message)),
    close: () => Promise.resolve(),
  };
  await instance.connect(transport);
  transport.onmessage?.({
    id: 7,
    method: "tools/call",
    params: { name: "wait" },
  });
  await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
  transport.onmessage?.({
    method: "notifications/cancelled",
    params: { requestId: 7 },
  });
  while (states.length === 0) await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual([states, sent], [[true], []]);
});

test("initialize sends the servers of this program, with their lists of tools", async () => {
  const call = { tool: "mcp__calc__add", input: { a: 1, b: 2 } };
  await withFake([[call, "ok"]], async (options, fake) => {
    const calc = createSdkMcpServer({ name: "calc", tools: [add], timeout: 9 });
    await drained("Hi", { ...options, mcpServers: { calc } });
    const request = fake.received[0]?.["request"] as JsonObject;
    assert.deepEqual(request["sdkMcpServers"], ["calc"]);
    assert.deepEqual(request["sdkMcpServerConfigs"], { calc: { timeout: 9 } });
    const { calc: manifest } = request["sdkMcpServerManifests"] as {
      readonly calc: JsonObject;
    };
    assert.deepEqual(Object.keys(manifest ?? {}), [
      "initializeResult",
      "toolsListResult",
    ]);
    const [answer] = fake.received.filter(({ type }) =>
      type === "control_response"
    );
    const { mcp_response: response } =
      (answer?.["response"] as JsonObject)["response"] as JsonObject;
    assert.deepEqual((response as JsonObject)["result"], text("3"));
    assert.ok(!fake.runs[0]?.args.includes("--mcp-config"));
  });
});

test("an McpServer of the protocol's own package is served as well", async () => {
  const { McpServer } = await import(
    "@modelcontextprotocol/sdk/server/mcp.js"
  );
  const instance = new McpServer({ name: "theirs", version: "1.0.0" });
  instance.registerTool(
    "hello",
    { description: "Says hello", inputSchema: { name: z.string() } },
    ({ name }: { name: string }) => text(`Hello, ${name}`),
  );
  const call = { tool: "mcp__theirs__hello", input: { name: "Ada" } };
  await withFake([[call, "ok"]], async (options, fake) => {
    await drained("Hi", {
      ...options,
      mcpServers: { theirs: { type: "sdk", name: "theirs", instance } },
    });
    const answer = fake.received.find(({ type }) =>
      type === "control_response"
    );
    assert.match(JSON.stringify(answer), /Hello, Ada/);
  });
});
