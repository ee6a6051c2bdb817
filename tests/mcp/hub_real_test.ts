import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DeliveryUnknownError,
  type JsonObject,
  McpInitError,
  type McpServerConfig,
} from "@sluice/agent";
import {
  type Catalog,
  type HubOptions,
  type HubServerConfig,
  McpFailure,
  McpHub,
  type ToolResult,
} from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { stdioFixture } from "./_connecting.ts";
import { EVERYTHING, withEverything } from "./_everything.ts";
import { InstantClock, until } from "./_hub.ts";
import { answerTo, event, type Override, RemoteFixture } from "./_remote.ts";

/** Runs with a connected hub, which is closed afterwards. */
async function withRealHub(
  servers: Readonly<Record<string, HubServerConfig>>,
  run: (hub: McpHub) => Promise<void>,
  options: HubOptions = {},
): Promise<void> {
  const hub = new McpHub(servers, options);
  try {
    await hub.connect();
    await run(hub);
  } finally {
    await hub.close();
  }
}

/** Runs with a hub over one HTTP server whose waits end at once. */
async function withHttp(
  run: (
    hub: McpHub,
    fixture: RemoteFixture,
    clock: InstantClock,
  ) => Promise<void>,
): Promise<void> {
  const fixture = await RemoteFixture.start();
  const clock = new InstantClock();
  try {
    await withRealHub(
      { web: { type: "http", url: fixture.url } },
      (hub) => run(hub, fixture, clock),
      { clock },
    );
  } finally {
    await fixture.close();
  }
}

/** Answers the first calls in another way. */
function failing(times: number, respond: () => Response): Override {
  let left = times;
  return ({ message }) =>
    message?.method === "tools/call" && left-- > 0 ? respond() : undefined;
}

/** Runs with the path of a file that is not there yet. */
async function withFile(run: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-hub-"));
  try {
    await run(join(folder, "log"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function linesIn(file: string): readonly string[] {
  return readFileSync(file, "utf8").trim().split("\n");
}

function textOf({ content }: ToolResult): string {
  return String((content[0] as JsonObject | undefined)?.text);
}

// Each start of the server costs more than all that is asked of it.
for (const transport of EVERYTHING) {
  test(
    `a hub reaches every part of the reference server over ${transport}; one that can be asked gets more of its tools, and answers`,
    () =>
      withEverything(transport, async (config) => {
        await reachEveryPart(config);
        await answerQuestions(config);
      }),
    { ids: ["HUB-17", "HUB-33", "DEC-11"] },
  );
}

function reachEveryPart(config: McpServerConfig): Promise<void> {
  return withRealHub({ all: config }, async (hub) => {
    const { tools, tokens } = hub.catalog();
    assert.equal(tools.length, 13);
    const bytes = tools.reduce((sum, one) => sum + one.bytes, 0);
    assert.ok(bytes > 5_000 && bytes < 12_000, `${bytes} bytes`);
    assert.ok(tokens > bytes / 4 && tokens < bytes / 4 + 20);
    assert.deepEqual(
      tools.filter(({ needsTask }) => needsTask).map(({ tool }) => tool),
      ["simulate-research-query"],
    );
    const sum = await hub.call("all__get-sum", { a: 1, b: 2 });
    assert.equal(textOf(sum), "The sum of 1 and 2 is 3.");
    const { structuredContent } = await hub.call(
      "all__get-structured-content",
      { location: "Chicago" },
    );
    assert.ok(structuredContent !== undefined);
    const image = await hub.call("all__get-tiny-image");
    assert.ok(image.content.some(({ type }) => type === "image"));
    const links = await hub.call("all__get-resource-links", {
      count: 2,
    });
    assert.ok(
      links.content.some(({ type }) => type === "resource_link"),
    );
    const resources = await hub.resources();
    assert.equal(resources.length, 7);
    assert.equal((await hub.resourceTemplates()).length, 2);
    assert.equal((await hub.prompts()).length, 4);
    const uri = String(resources[0]?.uri);
    const { contents } = await hub.readResource("all", uri);
    assert.ok(Array.isArray(contents) && contents.length > 0);
    const { messages } = await hub.getPrompt("all", "simple-prompt");
    assert.ok(Array.isArray(messages));
    const steps: JsonObject[] = [];
    await hub.call("all__trigger-long-running-operation", {
      duration: 1,
      steps: 4,
    }, { onProgress: (one) => steps.push(one) });
    assert.equal(steps.length, 4);
    assert.equal(hub.status().all?.state, "connected");
  });
}

async function answerQuestions(config: McpServerConfig): Promise<void> {
  const asked: string[] = [];
  const told: Catalog[] = [];
  const options: HubOptions = {
    onElicitation: ({ mode }, { server }) => {
      asked.push(`${server} elicitation ${mode ?? "form"}`);
      return { action: "decline" };
    },
    onSampling: (_, { server }) => {
      asked.push(`${server} sampling`);
      const content = { type: "text", text: "sampled" };
      return { role: "assistant", model: "m", content };
    },
    roots: (_, { server }) => {
      asked.push(`${server} roots`);
      return [{ uri: "file:///tmp", name: "tmp" }];
    },
    onListChanged: (catalog) => told.push(catalog),
  };
  await withRealHub({ all: config }, async (hub) => {
    await until(() => hub.catalog().tools.length === 17);
    // The first catalogue may have had them already.
    assert.ok(hub.catalog().revision <= 1 + told.length);
    const roots = await hub.call("all__get-roots-list");
    assert.match(textOf(roots), /tmp/);
    const sampled = await hub.call("all__trigger-sampling-request", {
      prompt: "hi",
      maxTokens: 5,
    });
    assert.match(textOf(sampled), /sampled/);
    await hub.call("all__trigger-elicitation-request");
    for (const one of ["roots", "sampling", "elicitation form"]) {
      assert.ok(asked.includes(`all ${one}`), `${one} of ${asked}`);
    }
  }, options);
}

test("a program that dies in a call is started anew", async () => {
  await withFile((file) =>
    withRealHub(
      { shop: stdioFixture("hub_mortal", file) },
      async (hub) => {
        await assert.rejects(hub.call("shop__pay"), (error) => {
          assert.ok(error instanceof DeliveryUnknownError);
          assert.equal(error.attempts, 1);
          assert.match(String(error.cause), /exit code 1/);
          return true;
        });
        const pid = textOf(await hub.call("shop__pid"));
        const [first, paid, second] = linesIn(file);
        assert.equal(paid, "paid");
        assert.equal(pid, second);
        assert.notEqual(first, second);
        assert.equal(hub.status().shop?.reconnects, 1);
        await hub.call("shop__pay");
        assert.equal(linesIn(file).filter((one) => one === "paid").length, 2);
      },
    )
  );
}, { ids: ["HUB-40", "HUB-22"] });

test("headers travel with every request to their server", async () => {
  const fixture = await RemoteFixture.start();
  const other = await RemoteFixture.start();
  try {
    const headers: Record<string, string> = { authorization: "Bearer first" };
    const hub = new McpHub({
      web: { type: "http", url: fixture.url, headers },
      other: { type: "http", url: other.url },
    });
    headers.authorization = "Bearer second";
    await hub.connect();
    await hub.tools("web");
    await hub.call("web__echo");
    await hub.call("other__echo");
    await until(() => fixture.openStreams === 1);
    await hub.close();
    const methods = new Set(
      fixture.seen.map(({ method, message }) =>
        message === undefined ? method : String(message.method)
      ),
    );
    assert.deepEqual([...methods].sort(), [
      "DELETE",
      "GET",
      "initialize",
      "notifications/initialized",
      "tools/call",
      "tools/list",
    ]);
    for (const { headers, message } of fixture.seen) {
      const isFirst = message?.method === "initialize";
      const session = headers.get("mcp-session-id");
      assert.equal(session, isFirst ? null : "session-1");
      const version = headers.get("mcp-protocol-version");
      assert.equal(version, isFirst ? null : "2025-11-25");
      assert.equal(headers.get("authorization"), "Bearer first");
    }
    for (const { headers } of other.seen) {
      assert.equal(headers.get("authorization"), null);
    }
  } finally {
    await fixture.close();
    await other.close();
  }
}, { ids: ["HUB-13", "HUB-14", "REG-01"] });

test("a busy HTTP server is asked again after the time it names", async () => {
  await withHttp(async (hub, fixture, clock) => {
    for (const status of [429, 503]) {
      fixture.override = failing(
        2,
        () => new Response("busy", { status, headers: { "retry-after": "3" } }),
      );
      const before = fixture.calls("tools/call").length;
      assert.equal((await hub.call("web__echo")).isError, false);
      assert.equal(fixture.calls("tools/call").length, before + 3);
      assert.deepEqual(clock.sleeps.splice(0), [3_000, 3_000]);
    }
    assert.equal(fixture.calls("initialize").length, 1);
  });
}, { ids: ["HUB-22"] });

for (const status of [408, 429, 500, 502, 503, 504]) {
  test(`HTTP ${status} leaves the fate of a call open`, async () => {
    await withHttp(async (hub, fixture) => {
      const respond = () => new Response("broken", { status });
      fixture.override = failing(1, respond);
      await assert.rejects(hub.call("web__echo"), (error) => {
        assert.ok(error instanceof DeliveryUnknownError);
        const { cause } = error;
        assert.ok(cause instanceof McpFailure && cause.status === status);
        return true;
      });
      assert.equal(fixture.calls("tools/call").length, 1);
      fixture.override = failing(2, respond);
      await hub.call("web__echo", {}, { idempotent: true });
      assert.equal(fixture.calls("tools/call").length, 4);
    });
  }, { ids: ["HUB-40", "HUB-22"] });
}

for (const status of [400, 401, 403, 422]) {
  test(`HTTP ${status} is an answer: the call is not repeated`, async () => {
    await withHttp(async (hub, fixture) => {
      fixture.override = failing(9, () => new Response("no", { status }));
      await assert.rejects(
        hub.call("web__echo", {}, { idempotent: true }),
        (error) => error instanceof McpFailure && error.status === status,
      );
      assert.equal(fixture.calls("tools/call").length, 1);
    });
  }, { ids: ["DEC-13"] });
}

const NO_SESSION = "Bad Request: No valid session ID provided";

/** Answer of the MCP SDK to a request of an unknown session. */
function refusedSession(id: number | null = null): JsonObject {
  return { jsonrpc: "2.0", error: { code: -32000, message: NO_SESSION }, id };
}

for (
  const [what, sessionId, respond] of [
    [
      "a 400 that names a session, where none was given",
      undefined,
      () => Response.json(refusedSession(), { status: 400 }),
    ],
    [
      "a 404 where no session was given",
      undefined,
      () => new Response("Session not found", { status: 404 }),
    ],
    [
      "a 400 about another kind of session",
      "session-1",
      () => new Response("Your session at the bank expired", { status: 400 }),
    ],
    [
      "a 400 that quotes a session error",
      "session-1",
      () => new Response(`Upstream: ${NO_SESSION}`, { status: 400 }),
    ],
    [
      "a 400 that answers the request itself",
      "session-1",
      ({ id }: JsonObject) =>
        Response.json(refusedSession(Number(id)), { status: 400 }),
    ],
    [
      "a 422 with a session error",
      "session-1",
      () => Response.json(refusedSession(), { status: 422 }),
    ],
  ] as const
) {
  test(`a call runs once, and its neighbours finish, after ${what}`, async () => {
    const fixture = await RemoteFixture.start();
    fixture.sessionId = sessionId;
    let finish = () => {};
    const finished = new Promise<void>((resolve) => finish = resolve);
    fixture.override = ({ message }) => {
      if (message?.method !== "tools/call") return undefined;
      const { arguments: args } = message.params as JsonObject;
      if (!(args as JsonObject).waits) return respond(message);
      return finished.then(() => Response.json(answerTo(message)));
    };
    const servers = { web: { type: "http", url: fixture.url } } as const;
    try {
      await withRealHub(servers, async (hub) => {
        const neighbour = hub.call("web__echo", { waits: true });
        await until(() => fixture.calls("tools/call").length === 1);
        for (let calls = 1; calls <= 2; calls++) {
          await assert.rejects(
            hub.call("web__echo", {}, { idempotent: true }),
            (error) => error instanceof McpFailure && error.status !== 200,
          );
          assert.equal(fixture.calls("tools/call").length, 1 + calls);
        }
        assert.equal(fixture.calls("initialize").length, 1);
        assert.equal(hub.status().web?.state, "connected");
        finish();
        assert.equal((await neighbour).isError, false);
      }, { clock: new InstantClock() });
    } finally {
      await fixture.close();
    }
  });
}

for (
  const [what, respond] of [
    ["404", () => new Response("Session not found", { status: 404 })],
    [
      "400 of the MCP SDK",
      () => Response.json(refusedSession(), { status: 400 }),
    ],
    [
      "400 of an older MCP SDK",
      () => new Response(`${NO_SESSION}\n`, { status: 400 }),
    ],
  ] as const
) {
  test(`a lost session (${what}) is replaced`, async () => {
    await withHttp(async (hub, fixture) => {
      fixture.override = failing(1, respond);
      assert.equal((await hub.call("web__echo")).isError, false);
      assert.equal(fixture.calls("tools/call").length, 2);
      assert.equal(fixture.calls("initialize").length, 2);
      assert.equal(hub.status().web?.reconnects, 1);
    });
  }, { ids: ["HUB-22"] });
}

test("a stream cut before its answer leaves the fate open", async () => {
  await withHttp(async (hub, fixture) => {
    let cuts = 1;
    fixture.override = ({ message }) => {
      if (message?.method !== "tools/call") return undefined;
      if (cuts-- <= 0) {
        return new Response(event(answerTo(message)) as BodyInit, {
          headers: { "content-type": "text/event-stream" },
        });
      }
      return new Response(": nothing\n\n", {
        headers: { "content-type": "text/event-stream" },
      });
    };
    await assert.rejects(hub.call("web__echo"), DeliveryUnknownError);
    cuts = 1;
    await hub.call("web__echo", {}, { idempotent: true });
    assert.equal(fixture.calls("tools/call").length, 3);
    assert.equal(fixture.calls("initialize").length, 1);
  });
}, { ids: ["HUB-40"] });

test("an HTTP server that was gone is reached again", async () => {
  const fixture = await RemoteFixture.start();
  const { url } = fixture;
  let target = url;
  const hub = new McpHub({
    web: {
      type: "http",
      url,
      fetch: (_url, init) => fetch(target, init),
    },
  }, { clock: new InstantClock() });
  await hub.connect();
  await fixture.close();
  // Node finds out on the old socket first, too late to know what was sent.
  const idempotent = true;
  await assert.rejects(hub.call("web__echo", {}, { idempotent }), {
    name: "ServerUnavailableError",
    attempts: 5,
  });
  const back = await RemoteFixture.start();
  target = back.url;
  assert.equal((await hub.call("web__echo")).isError, false);
  await hub.close();
  await back.close();
}, { ids: ["HUB-22", "HUB-24"] });

test("a hub reports why each program failed to connect", async () => {
  const faults = {
    never_answers: /did not answer initialize within 400 ms/,
    wrong_version: /Protocol version is not supported/,
    dies_in_handshake: /Process ended/,
    exits_at_once: /Process ended/,
    refuses_handshake: /Trial has ended/,
  };
  const bad = Object.fromEntries(
    Object.keys(faults).map((name) => [
      name,
      {
        ...stdioFixture(name),
        ...(name === "never_answers" && { connectTimeoutMs: 400 }),
      },
    ]),
  );
  const alone = new McpHub(bad, { onFailure: "partial" });
  await assert.rejects(alone.connect(), McpInitError);
  const good = stdioFixture("tools");
  await withRealHub({ ...bad, good }, async (hub) => {
    const status = hub.status();
    for (const [name, reason] of Object.entries(faults)) {
      assert.equal(status[name]?.state, "failed", name);
      assert.match(String(status[name]?.error), reason, name);
    }
    assert.equal(status.good?.state, "connected");
    assert.equal((await hub.call("good__echo")).isError, false);
  }, { onFailure: "partial" });
}, { ids: ["HUB-04"] });
