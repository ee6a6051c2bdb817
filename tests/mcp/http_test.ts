import assert from "node:assert/strict";
import process from "node:process";
import {
  ConfigError,
  type JsonObject,
  type McpConnection,
} from "@sluice/agent";
import { McpFailure, McpHub } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { callText, Connecting } from "./_connecting.ts";
import { until } from "./_hub.ts";
import {
  answerTo,
  event,
  type Override,
  RemoteFixture,
  startSseFixture,
} from "./_remote.ts";

/** Runs with a remote server. */
async function withRemote(
  run: (fixture: RemoteFixture, connecting: Connecting) => Promise<void>,
  start: () => Promise<RemoteFixture> = RemoteFixture.start,
): Promise<void> {
  const connecting = new Connecting();
  const fixture = await start();
  try {
    await run(fixture, connecting);
  } finally {
    await connecting.close().catch(() => {});
    await fixture.close();
  }
}

/** Runs with a connection to a remote server. */
async function withConnection(
  run: (connection: McpConnection, fixture: RemoteFixture) => Promise<void>,
  override?: Override,
): Promise<void> {
  await withRemote(async (fixture, connecting) => {
    const connection = await connecting.open({
      type: "http",
      url: fixture.url,
    });
    fixture.override = override;
    await run(connection, fixture);
  });
}

test("connectServer() connects by Streamable HTTP", async () => {
  await withRemote(async (fixture, connecting) => {
    const url = new URL(fixture.url);
    const connection = await connecting.open({ type: "http", url });
    assert.equal(connection.server.name, "remote");
    assert.equal(connection.server.protocolVersion, "2025-11-25");
    const text = await callText(connection, "echo", { a: 1 });
    assert.deepEqual(JSON.parse(text), { name: "echo", arguments: { a: 1 } });
  });
}, { ids: ["MI-10", "MI-08"] });

test("A header with a line break is refused, and its value is not repeated", () => {
  const headers = { "X-A": "good\r\nX-B: bad" };
  const srv = { type: "http" as const, url: "http://127.0.0.1:1", headers };
  assert.throws(() => new McpHub({ srv }), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /servers\.srv\.headers\.X-A/);
    assert.doesNotMatch(error.message, /bad/);
    return true;
  });
});

test("An own fetch does the requests", async () => {
  await withRemote(async (fixture, connecting) => {
    const urls: string[] = [];
    const connection = await connecting.open({
      type: "http",
      url: fixture.url,
      fetch: (url, init) => {
        urls.push(String(url));
        return fetch(url, init);
      },
    });
    await connection.request("ping");
    assert.ok(urls.length >= 3 && urls.every((url) => url === fixture.url));
  });
});

test("close() ends the session, and the event stream with it", async () => {
  await withConnection(async (connection, fixture) => {
    await until(() => fixture.openStreams === 1);
    await Promise.all([connection.close(), connection.close()]);
    await until(() => fixture.openStreams === 0);
    const ends = fixture.seen.filter(({ method }) => method === "DELETE");
    assert.deepEqual(ends.map(({ headers }) => headers.get("mcp-session-id")), [
      "session-1",
    ]);
    assert.equal(await connection.closed, undefined);
    await assert.rejects(connection.request("ping"), /is gone/);
  });
}, { ids: ["MA-14"] });

/** The failure of one request. */
async function failureOf(connection: McpConnection): Promise<McpFailure> {
  const result = await connection.request("tools/call", { name: "echo" }).catch(
    (error) => error,
  );
  assert.ok(result instanceof McpFailure, String(result));
  return result;
}

/** Answers calls alone. */
function onCalls(answer: (message: JsonObject) => Response): Override {
  return ({ message }) =>
    message?.method === "tools/call" ? answer(message) : undefined;
}

const statuses:
  readonly (readonly [number, Record<string, string>, Partial<McpFailure>])[] =
    [
      [429, { "retry-after": "2" }, {
        delivery: "not_sent",
        retryAfterMs: 2_000,
      }],
      [429, {}, { delivery: "unknown", retryAfterMs: undefined }],
      [503, { "retry-after": "0" }, { delivery: "not_sent", retryAfterMs: 0 }],
      [503, { "retry-after": "soon" }, {
        delivery: "unknown",
        retryAfterMs: undefined,
      }],
      [500, { "retry-after": "1" }, {
        delivery: "unknown",
        retryAfterMs: 1_000,
      }],
      [404, {}, { delivery: "not_sent", isSessionLost: true }],
      [400, {}, { delivery: "unknown", isSessionLost: false }],
      [401, {}, { delivery: "unknown", isSessionLost: false }],
    ];

for (const [status, headers, facts] of statuses) {
  test(`HTTP ${status} with ${JSON.stringify(headers)} says how far the request got`, async () => {
    await withConnection(async (connection) => {
      const failure = await failureOf(connection);
      const { kind, message } = failure;
      assert.deepEqual({ kind, status: failure.status, message }, {
        kind: "http",
        status,
        message: `MCP server "srv" answered HTTP ${status}: reason`,
      });
      for (const [fact, value] of Object.entries(facts)) {
        assert.equal(failure[fact as keyof McpFailure], value, fact);
      }
      // The connection lives on.
      assert.deepEqual(await connection.request("ping"), {});
    }, onCalls(() => new Response("reason", { status, headers })));
  });
}

test("Retry-After may be a date", async () => {
  await withConnection(
    async (connection) => {
      const { retryAfterMs = -1 } = await failureOf(connection);
      assert.ok(
        retryAfterMs > 8_000 && retryAfterMs <= 10_000,
        `${retryAfterMs}`,
      );
    },
    onCalls(() => {
      const date = new Date(Date.now() + 10_000).toUTCString();
      return new Response("", {
        status: 503,
        headers: { "retry-after": date },
      });
    }),
  );
});

test("A connection that breaks under a request leaves open how far it got", async () => {
  await withConnection(
    async (connection) => {
      const failure = await failureOf(connection);
      assert.equal(failure.kind, "network");
      assert.equal(failure.delivery, "unknown");
    },
    onCalls(() =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.error(new Error("cut"));
          },
        }, { highWaterMark: 0 }),
        { headers: { "content-type": "application/json" } },
      )
    ),
  );
});

test("An answer may come as an event stream, with progress before it", async () => {
  await withConnection(async (connection) => {
    const heard: JsonObject[] = [];
    const result = await connection.request("tools/call", { name: "echo" }, {
      onProgress: (one) => heard.push(one),
    });
    assert.ok(result);
    assert.deepEqual(heard, [{ progress: 1 }]);
  }, ({ message }) => {
    if (message?.method !== "tools/call") return undefined;
    const { _meta } = message.params as { readonly _meta: JsonObject };
    const progress = {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: _meta.progressToken, progress: 1 },
    };
    const chunks = [event(progress), event(answerTo(message))];
    return new Response(streamOf(chunks), {
      headers: { "content-type": "text/event-stream" },
    });
  });
});

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

test("A stream with event ids is asked for the rest", async () => {
  await withConnection(async (connection, fixture) => {
    await until(() => fixture.openStreams === 1);
    let call: JsonObject | undefined;
    fixture.override = ({ method, message, headers }) => {
      if (message?.method === "tools/call") {
        call = message;
        const start = new TextEncoder().encode("retry: 10\nid: 7\ndata:\n\n");
        return new Response(streamOf([start]), {
          headers: { "content-type": "text/event-stream" },
        });
      }
      if (
        method === "GET" && headers.get("last-event-id") === "7" &&
        call !== undefined
      ) {
        return new Response(streamOf([event(answerTo(call), "8")]), {
          headers: { "content-type": "text/event-stream" },
        });
      }
      return undefined;
    };
    assert.match(await callText(connection, "echo"), /"name":"echo"/);
  });
});

test("A cancelled request returns its connection, and the others continue", async () => {
  await withConnection(async (connection, fixture) => {
    await until(() => fixture.openStreams === 1);
    fixture.override = onCalls(() => fixture.stream());
    const controller = new AbortController();
    const { signal } = controller;
    const call = connection.request("tools/call", { name: "echo" }, { signal });
    await until(() => fixture.openStreams === 2);
    controller.abort(new Error("enough"));
    await assert.rejects(call, /^Error: enough$/);
    await until(() => fixture.openStreams === 1);
    await until(() => fixture.calls("notifications/cancelled").length === 1);
    assert.deepEqual(await connection.request("ping"), {});
  });
});

test("50 requests on one signal leave no warning and no listener behind", async () => {
  const warnings: unknown[] = [];
  const warn = (warning: unknown) => void warnings.push(warning);
  process.on("warning", warn);
  try {
    await withConnection(async (connection) => {
      const { signal } = new AbortController();
      await Promise.all(
        Array.from(
          { length: 50 },
          () => connection.request("ping", undefined, { signal }),
        ),
      );
    });
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.deepEqual(warnings, []);
  } finally {
    process.off("warning", warn);
  }
});

test("A cross-origin redirect is not followed, so no header leaks", async () => {
  const other = await RemoteFixture.start();
  try {
    await withRemote(async (fixture, connecting) => {
      fixture.override = () =>
        new Response(null, { status: 307, headers: { location: other.url } });
      const headers = { authorization: "Bearer token" };
      const opening = connecting.open({
        type: "http",
        url: fixture.url,
        headers,
      });
      await assert.rejects(opening, /not followed/);
      assert.equal(other.seen.length, 0);
    });
  } finally {
    await other.close();
  }
});

test("connectServer() tries the older transport when a server refuses the first POST", async () => {
  await withRemote(async (fixture, connecting) => {
    const connection = await connecting.open({
      type: "http",
      url: fixture.url,
    });
    assert.match(await callText(connection, "echo"), /"name":"echo"/);
    assert.deepEqual(fixture.seen.slice(0, 2).map(({ method }) => method), [
      "POST",
      "GET",
    ]);
  }, startSseFixture);
});

for (const status of [401, 429, 500]) {
  test(`connectServer() tries nothing else after HTTP ${status}`, async () => {
    await withRemote(async (fixture, connecting) => {
      fixture.override = () => new Response("reason", { status });
      const opening = connecting.open({ type: "http", url: fixture.url });
      await assert.rejects(
        opening,
        new RegExp(`answered HTTP ${status}: reason$`),
      );
      assert.deepEqual(fixture.seen.map(({ method }) => method), ["POST"]);
    });
  });
}

test("connectServer() tells the first refusal when both transports are refused", async () => {
  await withRemote(async (fixture, connecting) => {
    fixture.override = ({ method }) =>
      new Response(`no ${method}`, { status: 404 });
    const opening = connecting.open({ type: "http", url: fixture.url });
    await assert.rejects(opening, /answered HTTP 404: no POST$/);
  });
});

test("connectServer() fails at once without a listening server", async () => {
  await withRemote(async (fixture, connecting) => {
    await fixture.close();
    for (const type of ["http", "sse"] as const) {
      const began = performance.now();
      await assert.rejects(connecting.open({ type, url: fixture.url }));
      assert.ok(performance.now() - began < 10_000);
    }
  });
}, { ids: ["MI-17"] });

test("connectServer() gives up a remote server that stays silent", async () => {
  for (const type of ["http", "sse"] as const) {
    await withRemote(async (fixture, connecting) => {
      fixture.override = ({ method }) =>
        method === "DELETE" ? undefined : fixture.stream();
      const opening = connecting.open({
        type,
        url: fixture.url,
        connectTimeoutMs: 100,
      });
      await assert.rejects(opening, {
        name: "McpFailure",
        message: "Server did not answer initialize within 100 ms",
      });
      await until(() => fixture.openStreams === 0);
    });
  }
}, { ids: ["MI-05"] });

test("connectServer() connects by the older SSE transport", async () => {
  await withRemote(async (fixture, connecting) => {
    const headers = { "X-Tenant": "acme" };
    const connection = await connecting.open({
      type: "sse",
      url: fixture.url,
      headers,
    });
    assert.match(await callText(connection, "echo"), /"name":"echo"/);
    const heard: string[] = [];
    connection.listen((method) => heard.push(method));
    fixture.push({ method: "notifications/tools/list_changed" });
    await until(() => heard.length === 1);
    for (const { headers } of fixture.seen) {
      assert.equal(headers.get("x-tenant"), "acme");
    }
    await connection.close();
    await until(() => fixture.openStreams === 0);
  }, startSseFixture);
}, { ids: ["MI-11", "MI-08", "O-11"] });

test("The end of the stream is the end of an SSE connection", async () => {
  await withRemote(async (fixture, connecting) => {
    const connection = await connecting.open({ type: "sse", url: fixture.url });
    const call = connection.request("silent");
    const failed = assert.rejects(call, {
      name: "McpFailure",
      kind: "closed",
      delivery: "unknown",
      message: /is gone: Stream of MCP server "srv" broke/,
    });
    await until(() => fixture.calls("silent").length === 1);
    fixture.breakStreams();
    await failed;
    assert.match(String(await connection.closed), /broke/);
  }, startSseFixture);
});
