import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import assert from "node:assert/strict";
import {
  type AgentError,
  type Conversation,
  type LocalMcpServer,
  McpInitError,
  type Message,
  ProtocolError,
  query,
  ServerUnavailableError,
} from "@sluice/agent";
import { createMcpServer, type Tool, tool } from "@sluice/agent/mcp";
import { resultText } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { isRunning } from "../_children.ts";
import { stdioFixture } from "../mcp/_connecting.ts";
import { withEverything } from "../mcp/_everything.ts";
import {
  APPROVED,
  inTurns,
  ofType,
  QUESTION,
  realTest,
  toolResults,
  toolsOffered,
  withRealClient,
} from "./_real.ts";

/** Everything that a conversation said and reported. */
async function run(conversation: Conversation): Promise<{
  readonly items: readonly Message[];
  readonly errors: readonly AgentError[];
  readonly failure: unknown;
}> {
  const reported = collect(conversation.errors);
  const { items, error } = await collect(conversation);
  await conversation.close();
  return { items, errors: (await reported).items, failure: error };
}

/** A server of this program that notes which methods it was asked. */
function spied(
  ...tools: readonly Tool[]
): { instance: LocalMcpServer; asked: string[] } {
  const asked: string[] = [];
  const server = createMcpServer({ name: "srv", tools });
  const instance: LocalMcpServer = {
    ...server,
    async open(name) {
      const connection = await server.open(name);
      const { answer, request } = connection;
      return Object.assign(connection, {
        answer: (...args: Parameters<NonNullable<typeof answer>>) => {
          asked.push(args[0]);
          return answer?.(...args);
        },
        request: (...args: Parameters<typeof request>) => {
          asked.push(args[0]);
          return request(...args);
        },
      });
    },
  };
  return { instance, asked };
}

const add = tool({
  name: "add",
  description: "Adds two numbers",
  // Without it the model has to search for the tool first.
  meta: { "anthropic/alwaysLoad": true },
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  run: ({ a, b }, { toolUseId }) => ({
    sum: Number(a) + Number(b),
    by: String(toolUseId).slice(0, 6),
  }),
});

realTest(
  "The CLI calls a tool of this program, and nothing but the call crosses the pipe; arguments that do not fit reach the model as a failed result",
  [
    ...[{ tool: "mcp__srv__add", input: { a: 1, b: 2 } }, "Three."],
    { tool: "mcp__srv__add", input: { a: 1, b: "two" } },
    ...[{ tool: "mcp__srv__add", input: { a: 1, b: 2 } }, "Three."],
  ],
  async ({ options, model }) => {
    const { instance, asked } = spied(add);
    const all = {
      ...options,
      ...APPROVED,
      mcpServers: { srv: { type: "sdk", instance } },
    } as const;
    const errors = await inTurns(all, async (turn) => {
      assert.deepEqual(toolResults(await turn("Add")), [{
        text: '{"sum":3,"by":"toolu_"}',
        isError: false,
      }]);
      assert.ok(
        toolsOffered(model.requests[0]?.body ?? {}).includes("mcp__srv__add"),
      );
      // The one list was read here, for the manifest: the CLI asks for none.
      assert.deepEqual(asked, ["tools/list", "tools/call"]);

      const [first, second] = toolResults(await turn("Add words"));
      assert.equal(first?.isError, true);
      assert.match(
        first?.text ?? "",
        /Invalid arguments for tool \\?"add\\?": b: expected number, got string/,
      );
      assert.equal(second?.isError, false);
    });
    assert.deepEqual(errors, []);
  },
  { ids: ["MI-12", "MA-02", "MA-04"] },
);

realTest(
  "The CLI calls tools of external servers over stdio, http and sse, through this package",
  [
    ...["stdio", "http", "sse"].map((srv) => ({
      tool: `mcp__${srv}__get-sum`,
      input: { a: 19, b: 23 },
    })),
    "42.",
  ],
  async ({ options }) => {
    await withEverything(
      "stdio",
      (stdio) =>
        withEverything("http", (http) =>
          withEverything("sse", async (sse) => {
            const { items, errors } = await run(query("Add", {
              ...options,
              permissions: { approve: ["mcp__stdio", "mcp__http", "mcp__sse"] },
              mcpServers: { stdio, http, sse },
            }));
            const results = toolResults(items);
            assert.equal(results.length, 3);
            for (const { text, isError } of results) {
              assert.match(text, /The sum of 19 and 23 is 42\./);
              assert.equal(isError, false);
            }
            assert.deepEqual(errors, []);
          })),
    );
  },
  { ids: ["MA-04"] },
);

realTest(
  "A question of an external server is put to onElicitation, and its death in the middle of a call is an error for the model",
  [
    QUESTION,
    { tool: "mcp__srv__dieLoudly", input: {} },
    { tool: "mcp__srv__pid", input: {} },
    "It is gone.",
  ],
  async ({ options }) => {
    const asked: string[] = [];
    const { items, errors } = await run(query("Try", {
      ...options,
      ...APPROVED,
      mcpServers: { srv: stdioFixture("tools") },
      onElicitation: ({ serverName, message }) => {
        asked.push(`${serverName}: ${message}`);
        return { action: "accept", content: { name: "Ada" } };
      },
    }));
    assert.deepEqual(asked, ["srv: Your name?"]);
    const [answered, died, gone] = toolResults(items);
    assert.match(answered?.text ?? "", /"name\\*":\\*"Ada/);
    assert.equal(died?.isError, true);
    assert.equal(gone?.isError, true);
    assert.match(
      died?.text ?? "",
      /is gone: Process ended: exit code 7 \(the reason\)/,
    );
    const [result] = ofType(items, "result");
    assert.equal(result?.is_error, false);
    assert.ok(
      errors.some((error) =>
        error instanceof ServerUnavailableError && error.server === "srv"
      ),
    );
    assert.ok(
      errors.some((error) =>
        error instanceof ProtocolError && error.subtype === "mcp_message"
      ),
    );
  },
  { ids: ["MA-17", "DEC-01"] },
);

const BY_CLI = { srv: { ...stdioFixture("tools"), via: "cli" } } as const;

realTest("a question is declined without a handler", [
  QUESTION,
  "Nobody, then.",
], async (real) => {
  const more = { ...APPROVED, mcpServers: BY_CLI };
  await withRealClient(real, more, async (client) => {
    assert.equal(resultText(await client.ask("ask me")), "Nobody, then.");
  });
  assert.match(real.model.requests[1]?.lastText ?? "", /decline/);
});

realTest(
  "setMcpServers() adds a server while running, which can be called, switched off and taken away",
  [],
  async (real) => {
    await withRealClient(real, {}, async (client) => {
      const statusOf = async () =>
        (await client.mcpStatus()).mcpServers.map(({ status }) => status);
      const set = await client.setMcpServers({
        ...BY_CLI,
        broken: { command: "/does/not/exist", via: "cli" },
      });
      assert.deepEqual(set.added.toSorted(), ["broken", "srv"]);
      assert.deepEqual(Object.keys(set.errors), ["broken"]);
      const { content } = await client.callMcpTool("mcp__srv__echo", { a: 1 });
      assert.deepEqual(content, [{ type: "text", text: '{"a":1}' }]);
      const fail = (softErrorResult: boolean) =>
        client.callMcpTool("mcp__srv__failing", {}, { softErrorResult });
      const failed = await fail(true);
      assert.equal(failed.isError, true);
      assert.deepEqual(failed.content, [{ type: "text", text: "it broke" }]);
      assert.match(String(await rejectionOf(fail(false))), /it broke/);
      await client.toggleMcpServer("srv", false);
      assert.ok((await statusOf()).includes("disabled"));
      await rejectionOf(client.callMcpTool("mcp__srv__echo", {}));
      await client.toggleMcpServer("srv", true);
      await client.reconnectMcpServer("srv");
      assert.ok((await statusOf()).includes("connected"));
      const { removed } = await client.setMcpServers({});
      assert.ok(removed.includes("srv"));
      assert.deepEqual(await statusOf(), []);
    });
  },
);

realTest(
  "One server that cannot be connected is the one error, and nothing is left",
  [],
  async ({ options }) => {
    const conversation = query("Try", {
      ...options,
      mcpServers: {
        good: stdioFixture("tools"),
        bad: stdioFixture("exits_at_once"),
      },
    });
    const text =
      'Failed to initialize MCP server "bad": Process ended: exit code 4 (no such module)';
    await assert.rejects(conversation.ready, (error) => {
      assert.ok(error instanceof McpInitError);
      assert.equal(error.message, text);
      return true;
    });
    const { pid } = conversation;
    const { items, failure } = await run(conversation);
    assert.deepEqual(items, []);
    assert.ok(failure instanceof McpInitError);
    await conversation.close();
    assert.ok(pid === undefined || !isRunning(pid));
  },
  { ids: ["MI-02", "MI-06"] },
);

realTest("An interrupt reaches the tool, and the conversation continues", [
  { tool: "mcp__srv__wait", input: {} },
  "Again.",
], async (real) => {
  let seen: AbortSignal | undefined;
  const wait = tool({
    name: "wait",
    description: "Waits",
    input: { type: "object" },
    run: (_args, { signal }) => {
      seen = signal;
      return new Promise<string>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), {
          once: true,
        });
      });
    },
  });
  const { instance } = spied(wait);
  const mcpServers = { srv: { type: "sdk", instance } } as const;
  await withRealClient(real, { ...APPROVED, mcpServers }, async (client) => {
    const asking = client.ask("Wait");
    while (seen === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await client.interrupt();
    await asking;
    assert.equal(seen.aborted, true);
    const result = await client.ask("Again");
    assert.equal(result.is_error, false);
  });
}, { ids: ["MA-13"] });

realTest("A tool that a server gets while it serves reaches the model", [
  "Hello.",
  "Hello again.",
], async (real) => {
  const instance = new McpServer({ name: "srv", version: "1" });
  instance.registerTool("first", {}, () => ({ content: [] }));
  const mcpServers = { srv: { type: "sdk", instance } } as const;
  await withRealClient(real, { ...APPROVED, mcpServers }, async (client) => {
    await client.ask("Hi");
    instance.registerTool("second", {}, () => ({ content: [] }));
    const names = async () =>
      (await client.mcpStatus()).mcpServers[0]?.tools?.map(({ name }) =>
        name
      ) ?? [];
    while (!(await names()).includes("second"));
    assert.ok((await names()).includes("first"));
    const turn = [];
    await client.sendMessage("Hi again");
    for await (const message of client.receiveResponse()) turn.push(message);
    const [init] = ofType(turn, "system").filter(({ subtype }) =>
      subtype === "init"
    );
    assert.ok(init !== undefined && "tools" in init);
    assert.ok((init.tools as readonly string[]).includes("mcp__srv__second"));
  });
});
