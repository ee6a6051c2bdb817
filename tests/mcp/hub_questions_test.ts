import assert from "node:assert/strict";
import {
  type HubOptions,
  JsonRpcError,
  McpHub,
  type ServerRequestContext,
} from "@sluice/agent/mcp";
import type { JsonObject, JsonValue, McpServeHandler } from "@sluice/agent";
import { test } from "../_harness.ts";
import { memoryHub, MemoryServer, until, UNUSED, withHub } from "./_hub.ts";

/** Asks as a server would. */
async function ask(
  options: HubOptions,
  method: string,
  params?: JsonObject,
  signal: AbortSignal = new AbortController().signal,
): Promise<JsonValue> {
  const server = new MemoryServer();
  let answer: JsonValue = null;
  await withHub({ srv: server }, async () => {
    const questions = server.connections[0]?.questions as McpServeHandler;
    answer = await questions(method, params, { signal });
  }, options);
  return answer;
}

const form = {
  message: "Who are you?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", default: "John" },
      age: { type: "integer", default: 0 },
      isGood: { type: "boolean", default: false },
      none: { type: "string" },
    },
  },
};

test("each question goes to its handler, with the name of the server", async () => {
  const seen: unknown[] = [];
  const answer =
    (value: JsonValue) =>
    (request: JsonObject, { server, signal }: ServerRequestContext) => {
      assert.equal(signal.aborted, false);
      seen.push([request, server]);
      return value;
    };
  const options = {
    onElicitation: answer({ action: "decline" }),
    onSampling: answer({ role: "assistant" }),
    roots: answer({ roots: [{ uri: "file:///x" }] }),
  };
  const { signal } = new AbortController();
  assert.deepEqual(
    await ask(options, "elicitation/create", form, signal),
    { action: "decline" },
  );
  assert.deepEqual(
    await ask(options, "sampling/createMessage", { maxTokens: 1 }, signal),
    { role: "assistant" },
  );
  assert.deepEqual(
    await ask(options, "roots/list", undefined, signal),
    { roots: [{ uri: "file:///x" }] },
  );
  assert.deepEqual(seen, [
    [form, "srv"],
    [{ maxTokens: 1 }, "srv"],
    [{}, "srv"],
  ]);
});

test("a question that its server takes back ends for the handler", async () => {
  const taken = new AbortController();
  const reason = new Error("taken back");
  let heard: unknown;
  const options: HubOptions = {
    roots: (_request, { signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => heard = signal.reason);
        taken.abort(reason);
      }),
  };
  await assert.rejects(
    ask(options, "roots/list", {}, taken.signal),
    (error) => error === reason,
  );
  assert.equal(heard, reason);
});

test("a plain list of roots will do", async () => {
  const roots = [{ uri: "file:///x" }];
  assert.deepEqual(await ask({ roots: () => roots }, "roots/list"), { roots });
});

test("a question without a handler is refused", async () => {
  const options = { onSampling: () => ({}) };
  for (const method of ["elicitation/create", "roots/list", "other/question"]) {
    await assert.rejects(ask(options, method), {
      name: "JsonRpcError",
      code: -32601,
    });
  }
});

test("the server gets the error that a handler throws", async () => {
  const refusal = new JsonRpcError(-1, "User rejected the request");
  const options = { onSampling: () => Promise.reject(refusal) };
  await assert.rejects(
    ask(options, "sampling/createMessage"),
    (error) => error === refusal,
  );
});

test("an accepted form has the defaults of its schema where nothing was given", async () => {
  const accept = (content?: JsonObject) =>
    ask(
      {
        onElicitation: () => ({
          action: "accept",
          ...(content && { content }),
        }),
      },
      "elicitation/create",
      form,
    );
  const defaults = { name: "John", age: 0, isGood: false };
  const accepted = { action: "accept", content: defaults };
  assert.deepEqual(await accept(), accepted);
  assert.deepEqual(await accept({}), accepted);
  assert.deepEqual(await accept({ name: "", age: 7, more: true }), {
    action: "accept",
    content: { ...defaults, name: "", age: 7, more: true },
  });
});

test("an accepted form has to fit its schema", async () => {
  const answer = { action: "accept", content: { age: -1.5, name: 7 } };
  await assert.rejects(
    ask({ onElicitation: () => answer }, "elicitation/create", form),
    /must give content that fits its form: age: expected integer, got -1.5; name: expected string, got number$/,
  );
});

test("a declined form, and one without a schema, stay as they are", async () => {
  for (const action of ["decline", "cancel"]) {
    const answer = { action };
    const options = { onElicitation: () => answer };
    assert.deepEqual(await ask(options, "elicitation/create", form), answer);
  }
  const options = { onElicitation: () => ({ action: "accept" }) };
  const url = { mode: "url", url: "https://example.com", message: "Log in" };
  assert.deepEqual(
    await ask(options, "elicitation/create", url),
    { action: "accept" },
  );
});

test("capabilities are offered for the handlers that are set, and for no others", async () => {
  const offered: JsonObject[] = [];
  const server = new MemoryServer();
  const connect: HubOptions["connect"] = (
    _config,
    signal,
    { capabilities },
  ) => {
    offered.push(capabilities);
    return server.connect("a", signal);
  };
  const handler = () => ({});
  for (
    const options of [
      {},
      { onElicitation: handler },
      { onSampling: handler },
      { roots: handler },
      { onElicitation: handler, onSampling: handler, roots: handler },
    ]
  ) {
    const hub = new McpHub({ a: UNUSED }, { ...options, connect });
    await hub.connect();
    await hub.close();
  }
  const elicitation = { form: {}, url: {} };
  assert.deepEqual(offered, [
    {},
    { elicitation },
    { sampling: {} },
    { roots: {} },
    { elicitation, sampling: {}, roots: {} },
  ]);
});

test("a server that was dialled anew can ask as before", async () => {
  const server = new MemoryServer("x");
  const { hub } = memoryHub({ a: server }, { roots: () => [] });
  await hub.connect();
  server.die();
  await hub.call("a__x");
  const questions = server.connections[1]?.questions as McpServeHandler;
  const { signal } = new AbortController();
  assert.deepEqual(await questions("roots/list", {}, { signal }), {
    roots: [],
  });
  await hub.close();
});

test("a server that asks too much at once is refused, and answered again afterwards", async () => {
  const server = new MemoryServer("x");
  const open: ((answer: JsonObject) => void)[] = [];
  const onElicitation = () =>
    new Promise<JsonObject>((resolve) => open.push(resolve));
  const { hub } = memoryHub({ a: server }, {
    onElicitation: onElicitation as never,
  });
  await hub.connect();
  try {
    const serve = server.connections[0]?.questions;
    assert.ok(serve);
    const { signal } = new AbortController();
    const ask = () =>
      Promise.resolve(
        serve("elicitation/create", { message: "Name?" }, { signal }),
      );
    const asked = Array.from({ length: 3_000 }, ask);
    const refused = await Promise.all(
      asked.slice(256).map((one) => one.then(() => "", String)),
    );
    assert.equal(refused.length, 2_744);
    for (const one of refused) {
      assert.equal(one, "JsonRpcError: Over 256 requests are open already");
    }
    await until(() => open.length === 256);
    for (const answer of open.splice(0)) answer({ action: "decline" });
    for (const one of await Promise.all(asked.slice(0, 256))) {
      assert.deepEqual(one, { action: "decline" });
    }
    const again = ask();
    await until(() => open.length === 1);
    open[0]?.({ action: "cancel" });
    assert.deepEqual(await again, { action: "cancel" });
  } finally {
    await hub.close();
  }
});
