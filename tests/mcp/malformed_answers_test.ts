import assert from "node:assert/strict";
import {
  DeliveryUnknownError,
  type JsonObject,
  type JsonValue,
  type McpServerConfig,
} from "@sluice/agent";
import { McpFailure, McpHub } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import {
  type Connecting,
  stdioFixture,
  withConnecting,
} from "./_connecting.ts";
import { answerTo, event, RemoteFixture, startSseFixture } from "./_remote.ts";

/** A test that waits for what does not come ends soon. */
const LIMIT = { timeoutMs: 30_000 };

type Ask = (answer: JsonObject) => Promise<JsonValue>;

/** Runs with a connection whose next call is answered with the given members beside its id. */
type Way = (
  connecting: Connecting,
  run: (ask: Ask) => Promise<void>,
) => Promise<void>;

const overHttp =
  (respond: (message: JsonObject) => Response): Way =>
  async (connecting, run) => {
    const fixture = await RemoteFixture.start();
    try {
      const connection = await connecting.open({
        type: "http",
        url: fixture.url,
      });
      await run((answer) => {
        fixture.override = ({ message }) =>
          message?.method === "tools/call"
            ? respond({ jsonrpc: "2.0", id: message.id ?? null, ...answer })
            : undefined;
        return connection.request("tools/call", { name: "echo" });
      });
      await connection.close();
    } finally {
      await fixture.close();
    }
  };

function streamOf(...chunks: readonly Uint8Array[]): Response {
  return new Response(new Blob(chunks.map((chunk) => chunk as BlobPart)), {
    headers: { "content-type": "text/event-stream" },
  });
}

const WAYS: Readonly<Record<string, Way>> = {
  stdio: async (connecting, run) => {
    const connection = await connecting.open(stdioFixture("tools"));
    await run((message) =>
      connection.request("tools/call", { name: "raw", arguments: { message } })
    );
  },
  "HTTP as JSON": overHttp((message) => Response.json(message)),
  "HTTP as a list": overHttp((message) => Response.json([message])),
  "HTTP as an event": overHttp((message) => streamOf(event(message))),
  "HTTP as an event in pieces, with other line ends": overHttp((message) => {
    const text = `event: message\rdata:${JSON.stringify(message)}\r\n\r\n`;
    const bytes = new TextEncoder().encode(text);
    return streamOf(bytes.subarray(0, 30), bytes.subarray(30));
  }),
  SSE: async (connecting, run) => {
    const fixture = await startSseFixture();
    try {
      const connection = await connecting.open({
        type: "sse",
        url: fixture.url.replace("/mcp", "/sse"),
      });
      const own = fixture.override;
      await run((answer) => {
        fixture.override = (seen) => {
          if (seen.message?.method !== "tools/call") return own?.(seen);
          fixture.push({ id: seen.message.id ?? null, ...answer });
          return new Response("Accepted", { status: 202 });
        };
        return connection.request("tools/call", { name: "echo" });
      });
      await connection.close();
    } finally {
      await fixture.close();
    }
  },
};

const MALFORMED = "Malformed answer: ";

/** Answers of a server, each with the error. */
const ERRORS: readonly (readonly [JsonObject, string, number?])[] = [
  [{ error: "Disk is full" }, "Disk is full"],
  [{ error: "" }, '""'],
  [{ error: ["Disk", "full"] }, '["Disk","full"]'],
  [{ error: true }, "true"],
  [{ error: 7 }, "7"],
  [{ error: 0 }, "0"],
  [{ error: {} }, "{}"],
  [{ error: { code: -5 } }, '{"code":-5}', -5],
  [{ error: { code: "E1", message: "Disk is full" } }, "Disk is full"],
  [{ error: { code: 1.5, message: "Disk is full" } }, "Disk is full"],
  [{ error: { code: 3, message: { en: "Full" } } }, '{"en":"Full"}', 3],
  [{ error: "Disk is full", result: null }, "Disk is full"],
  [{ error: "Disk is full", result: { content: [] } }, "Disk is full"],
  [
    { error: { code: 3, message: "Full" }, result: { content: [] } },
    "Full",
    3,
  ],
  [{ result: "done" }, `${MALFORMED}"result" is no object but string: "done"`],
  [{ result: [1] }, `${MALFORMED}"result" is no object but array: [1]`],
  [{ result: true }, `${MALFORMED}"result" is no object but boolean: true`],
  [{ result: 0 }, `${MALFORMED}"result" is no object but number: 0`],
  [{}, `${MALFORMED}neither "error" nor "result"`],
  [{ error: null }, `${MALFORMED}neither "error" nor "result"`],
  [{ error: false }, `${MALFORMED}neither "error" nor "result"`],
];

const result = { content: [{ type: "text", text: "ok" }] };

/** Answers of a server, each with the result. */
const RESULTS: readonly (readonly [JsonObject, JsonObject])[] = [
  [{ result: null }, {}],
  [{ result, error: null }, result],
  [{ result, error: false }, result],
  [{ result, more: 1 }, result],
];

for (const [way, open] of Object.entries(WAYS)) {
  test(`a malformed answer over ${way} is an error in the server's words`, async () => {
    await withConnecting(async (connecting) => {
      await open(connecting, async (ask) => {
        for (const [answer, message, code = -32603] of ERRORS) {
          await assert.rejects(ask(answer), {
            name: "JsonRpcError",
            code,
            message,
          });
        }
        for (const [answer, expected] of RESULTS) {
          assert.deepEqual(await ask(answer), expected);
        }
        const data = { where: "disk" };
        await assert.rejects(
          ask({ error: { code: 4, message: "Full", data } }),
          { name: "JsonRpcError", code: 4, message: "Full", data },
        );
        // Each kind of fault once.
        const warnings = connecting.warnings
          .filter((one) => one === "MCP server sent a malformed answer");
        assert.equal(warnings.length, 7, connecting.warnings.join("\n"));
      });
    });
  });
}

test("a well-formed answer is no reason for a warning", async () => {
  for (const open of Object.values(WAYS)) {
    await withConnecting(async (connecting) => {
      await open(connecting, async (ask) => {
        assert.deepEqual(await ask({ result }), result);
        await assert.rejects(ask({ error: { code: 1, message: "no" } }));
        assert.deepEqual(connecting.warnings, []);
      });
    });
  }
});

test("an answer may write the id of its request as a text", async () => {
  await withConnecting(async (connecting) => {
    for (const way of ["HTTP as JSON", "HTTP as an event", "SSE"]) {
      // The first request after the handshake.
      await WAYS[way]?.(connecting, async (ask) => {
        assert.deepEqual(await ask({ id: "2", result }), result);
      });
    }
  });
}, LIMIT);

/** Answers to a call that leave it without one. */
const LOST: Readonly<Record<string, (message: JsonObject) => Response>> = {
  "202": () => new Response(null, { status: 202 }),
  "202 with a text": () => new Response("Accepted", { status: 202 }),
  "an empty body": () =>
    new Response("", { headers: { "content-type": "application/json" } }),
  "a body that is no JSON": () =>
    new Response("<html>", { headers: { "content-type": "application/json" } }),
  "another id": (message) => Response.json(answerTo({ ...message, id: 999 })),
  "an empty text for an id": (message) =>
    Response.json(answerTo({ ...message, id: "" })),
  "a notification": () =>
    Response.json({ jsonrpc: "2.0", method: "notifications/message" }),
  "an empty list": () => Response.json([]),
  "no message": () => Response.json({ ok: true }),
};

for (const [what, respond] of Object.entries(LOST)) {
  test(`a call that is answered with ${what} fails at once, its delivery unknown`, async () => {
    const fixture = await RemoteFixture.start();
    const hub = new McpHub({ web: { type: "http", url: fixture.url } });
    try {
      await hub.connect();
      fixture.override = ({ message }) =>
        message?.method === "tools/call" ? respond(message) : undefined;
      await assert.rejects(hub.call("web__echo"), (error) => {
        assert.ok(error instanceof DeliveryUnknownError, String(error));
        const { cause } = error;
        assert.ok(cause instanceof McpFailure);
        assert.equal(cause.kind, "protocol");
        assert.match(cause.message, /^MCP server "web" answered /);
        return true;
      });
      assert.equal(fixture.calls("tools/call").length, 1);
    } finally {
      await hub.close();
      await fixture.close();
    }
  });
}

test("a call whose stream answers another request fails", async () => {
  const fixture = await RemoteFixture.start();
  const hub = new McpHub({ web: { type: "http", url: fixture.url } });
  try {
    await hub.connect();
    fixture.override = ({ message }) =>
      message?.method === "tools/call"
        ? fixture.stream(event(answerTo({ ...message, id: 999 })))
        : undefined;
    await assert.rejects(hub.call("web__echo"), DeliveryUnknownError);
  } finally {
    await hub.close();
    await fixture.close();
  }
}, LIMIT);

async function connectFails(
  config: McpServerConfig,
  expected: RegExp,
): Promise<void> {
  const hub = new McpHub({ srv: config });
  await assert.rejects(hub.connect(), {
    name: "McpInitError",
    message: expected,
  });
}

/** Answers to `initialize`, and what is said of them. */
const INTRODUCTIONS: readonly (readonly [JsonObject, RegExp])[] = [
  [{ error: "No licence" }, /"srv": No licence$/],
  [{ result: "hello" }, /"result" is no object but string: "hello"$/],
  [
    { result: { protocolVersion: "2025-11-25", serverInfo: {} } },
    /Answer to initialize is malformed: \{"protocolVersion":/,
  ],
];

test("a malformed answer to initialize is reported in plain words", async () => {
  const fixture = await RemoteFixture.start();
  try {
    for (const [answer, expected] of INTRODUCTIONS) {
      fixture.override = ({ message }) =>
        Response.json({ jsonrpc: "2.0", id: message?.id ?? null, ...answer });
      await connectFails({ type: "http", url: fixture.url }, expected);
      const introduction = JSON.stringify(answer);
      await connectFails(stdioFixture("introduces", introduction), expected);
    }
  } finally {
    await fixture.close();
  }
});

test("a stream that ends without the answer to initialize fails the connect at once", async () => {
  const fixture = await RemoteFixture.start(({ method }) =>
    method === "POST" ? streamOf(event({ method: "x" })) : undefined
  );
  try {
    const { url } = fixture;
    const config = { type: "http", url, connectTimeoutMs: 5_000 } as const;
    await connectFails(config, /ended the stream before its answer/);
  } finally {
    await fixture.close();
  }
});

for (const id of [999, -1, "", "x", 0.5, [1]]) {
  test(`an answer with the foreign id ${JSON.stringify(id)} before initialize is ignored`, async () => {
    await withConnecting(async (connecting) => {
      const foreign = JSON.stringify({
        jsonrpc: "2.0",
        id,
        result: { capabilities: {}, serverInfo: { name: "foreign" } },
      });
      const connection = await connecting.open(
        stdioFixture("introduces", "", foreign),
      );
      assert.equal(connection.server.name, "fixture");
      assert.ok(connection.server.capabilities.tools);
      assert.deepEqual(connecting.warnings, [
        "MCP server sent a malformed answer",
      ]);
    });
  });
}

test("an answer over 64 MiB fails its call, and costs no other", async () => {
  const fixture = await RemoteFixture.start();
  const hub = new McpHub({ web: { type: "http", url: fixture.url } });
  const chunk = new Uint8Array(1024 * 1024).fill(0x20);
  const endless = (kind: string) =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(chunk),
      }, { highWaterMark: 0 }),
      { headers: { "content-type": kind } },
    );
  try {
    await hub.connect();
    for (
      const [kind, expected] of [
        ["application/json", /answered more than 67108864 bytes$/],
        ["text/event-stream", /ended the stream before its answer$/],
      ] as const
    ) {
      fixture.override = ({ message }) =>
        message?.method === "tools/call" ? endless(kind) : undefined;
      await assert.rejects(hub.call("web__echo"), expected);
      fixture.override = undefined;
      assert.equal((await hub.call("web__echo")).isError, false);
    }
    fixture.override = ({ message }) => {
      if (message?.method !== "tools/call") return undefined;
      const { body } = endless("text/plain");
      return new Response(body, { status: 400 });
    };
    await assert.rejects(
      hub.call("web__echo"),
      (error) => error instanceof McpFailure && error.status === 400,
    );
  } finally {
    await hub.close();
    await fixture.close();
  }
});
