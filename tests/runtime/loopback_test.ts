import assert from "node:assert/strict";
import { get } from "node:http";
import { serveLoopback } from "../../src/runtime/loopback.ts";
import { test } from "../_harness.ts";

const encoder = new TextEncoder();

test("serveLoopback() hands the request in and the answer out", async () => {
  const server = await serveLoopback(async (request) => {
    const url = new URL(request.url);
    const text = [
      request.method,
      url.pathname + url.search,
      request.headers.get("x-test"),
      await request.text(),
    ].join("|");
    return new Response(text, {
      status: 201,
      headers: { "x-answer": "yes", "content-type": "text/plain" },
    });
  });
  const response = await fetch(`${server.url}/a/b?c=d`, {
    method: "POST",
    headers: { "x-test": "1" },
    body: "héllo",
  });
  assert.equal(response.status, 201);
  assert.equal(response.headers.get("x-answer"), "yes");
  assert.equal(await response.text(), "POST|/a/b?c=d|1|héllo");
  const plain = await fetch(`${server.url}/`);
  assert.equal(await plain.text(), "GET|/||");
  assert.equal(server.url, `http://127.0.0.1:${server.port}`);
  await server.close();
});

test("serveLoopback() refuses a malformed address, and continues", async () => {
  const server = await serveLoopback(() => new Response("here"));
  // fetch() would mend the path.
  const { port } = server;
  const status = await new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "//", agent: false }, (answer) => {
      answer.resume();
      answer.on("close", () => resolve(answer.statusCode));
    }).on("error", reject);
  });
  assert.equal(status, 400);
  assert.equal(await (await fetch(server.url)).text(), "here");
  await server.close();
});

test("serveLoopback() sends a stream chunk by chunk", async () => {
  let goOn = () => {};
  const seen = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const server = await serveLoopback(() => {
    let count = 0;
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (count++ > 0) await seen;
          controller.enqueue(encoder.encode(`chunk ${count}\n`));
          if (count === 2) controller.close();
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  });
  const { body } = await fetch(server.url);
  const reader = body!.getReader();
  const decoder = new TextDecoder();
  assert.equal(decoder.decode((await reader.read()).value), "chunk 1\n");
  goOn();
  assert.equal(decoder.decode((await reader.read()).value), "chunk 2\n");
  assert.equal((await reader.read()).done, true);
  await server.close();
});

test("serveLoopback() notices a client that goes away", async () => {
  let onCancel = () => {};
  const cancelled = new Promise<void>((resolve) => {
    onCancel = resolve;
  });
  let aborted: Promise<void> | undefined;
  const server = await serveLoopback((request) => {
    aborted = new Promise((resolve) => {
      request.signal.addEventListener("abort", () => resolve());
    });
    return new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(encoder.encode("first")),
        cancel: () => onCancel(),
      }),
    );
  });
  const client = new AbortController();
  const { body } = await fetch(server.url, { signal: client.signal });
  const reader = body!.getReader();
  await reader.read();
  client.abort();
  await assert.rejects(reader.read());
  await cancelled;
  await aborted;
  await server.close();
});

test("serveLoopback() notices a client that goes before it is answered", async () => {
  let onRequest = () => {};
  const requested = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  let aborted: Promise<void> | undefined;
  const server = await serveLoopback(async (request) => {
    aborted = new Promise((resolve) => {
      request.signal.addEventListener("abort", () => resolve());
    });
    onRequest();
    await aborted;
    return new Response("too late");
  });
  const client = new AbortController();
  const answer = fetch(server.url, { signal: client.signal });
  await requested;
  client.abort();
  await assert.rejects(answer);
  await aborted;
  await server.close();
});

test("serveLoopback() answers 500 when the handler throws", async () => {
  for (
    const handler of [
      () => {
        throw new Error("No luck");
      },
      () => Promise.reject(new Error("No luck")),
    ]
  ) {
    const server = await serveLoopback(handler);
    const response = await fetch(server.url);
    assert.equal(response.status, 500);
    assert.equal(await response.text(), "Error: No luck");
    await server.close();
  }
});

test("close() ends open answers and refuses new requests", async () => {
  let isCancelled = false;
  const server = await serveLoopback(() =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(encoder.encode("first")),
        cancel: () => {
          isCancelled = true;
        },
      }),
    )
  );
  const { body } = await fetch(server.url);
  const reader = body!.getReader();
  await reader.read();
  const rest = reader.read().then(({ done }) => done, () => true);
  await server.close();
  assert.equal(await rest, true);
  assert.equal(isCancelled, true);
  await assert.rejects(fetch(server.url));
  await server.close();
});
