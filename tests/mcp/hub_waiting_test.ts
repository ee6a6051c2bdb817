import assert from "node:assert/strict";
import type { JsonValue } from "@sluice/agent";
import { type HubOptions, McpHub } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { stdioFixture } from "./_connecting.ts";

const tools = stdioFixture("tools");
const QUESTIONS = {
  onElicitation: {
    method: "elicitation/create",
    params: {
      message: "Who?",
      requestedSchema: { type: "object", properties: {} },
    },
  },
  onSampling: {
    method: "sampling/createMessage",
    params: { messages: [], maxTokens: 1 },
  },
  roots: { method: "roots/list", params: {} },
} as const;

/** Runs with a hub of two programs; calls of the second are never answered. */
async function withPrograms(
  run: (hub: McpHub, warnings: readonly string[]) => Promise<void>,
  options: HubOptions,
): Promise<void> {
  const warnings: string[] = [];
  const hub = new McpHub({
    srv: { ...tools, callTimeoutMs: 150 },
    other: { ...tools, callTimeoutMs: 300 },
  }, { ...options, onWarning: (warning) => warnings.push(warning) });
  await hub.connect();
  try {
    await run(hub, warnings);
  } finally {
    await hub.close();
  }
}

test("the timeout of a call pauses while its server waits for a person, and continues after that", async () => {
  let hub: McpHub | undefined;
  const options: HubOptions = {
    async onElicitation() {
      // Longer than the call may take.
      await assert.rejects(hub?.call("other__silent") ?? Promise.resolve());
      return { action: "decline" };
    },
  };
  await withPrograms(async (connected) => {
    hub = connected;
    const asked = QUESTIONS.onElicitation;
    const result = await hub.call("srv__ask", asked);
    assert.deepEqual(result.content, [
      { type: "text", text: '{"action":"decline"}' },
    ]);
    await assert.rejects(hub.call("srv__askInVain", asked), {
      name: "DeliveryUnknownError",
      message: /within 150 ms/,
    });
  }, options);
});

test("a person has a timeout as well, and is notified when it passes", async () => {
  let reason: unknown;
  const options: HubOptions = {
    questionTimeoutMs: 300,
    onElicitation: (_request, { signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => reason = signal.reason);
      }),
  };
  await withPrograms(async (hub, warnings) => {
    const { content } = await hub.call("srv__ask", QUESTIONS.onElicitation);
    const text = "onElicitation did not answer within 300 ms";
    assert.deepEqual(content, [{ type: "text", text: `-32603 ${text}` }]);
    assert.deepEqual(warnings, [`Question of MCP server "srv": ${text}`]);
    assert.match(String(reason), /did not answer within 300 ms/);
  }, options);
});

const circular: Record<string, unknown> = { action: "accept" };
circular.self = circular;

const WRONG: readonly [string, () => unknown][] = [
  ["nothing", () => undefined],
  ["null", () => null],
  ["a text", () => "yes"],
  ["a number", () => 7],
  ["a function", () => () => {}],
  ["a map", () => new Map([["action", "accept"]])],
  ["a value that is no JSON", () => circular],
  ["a big number", () => ({ action: "accept", content: { a: 1n } })],
  ["a throw of nothing", () => Promise.reject(undefined)],
  ["a throw", () => {
    throw Object.assign(new Error("no"), { code: 20 });
  }],
];

for (const name of Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[]) {
  test(`a wrong result of ${name} is an error for the server, is reported, and hangs no call`, async () => {
    let wrong: () => unknown = () => {};
    const options: HubOptions = { [name]: () => wrong() as JsonValue };
    await withPrograms(async (hub, warnings) => {
      const more: typeof WRONG = name === "onElicitation"
        ? [["no action", () => ({})], ["another", () => ({ action: "yes" })]]
        : name === "roots"
        ? [["no list", () => ({ roots: "all" })]]
        : [];
      for (const [what, give] of [...WRONG, ...more]) {
        // An empty answer to sampling is the model's affair.
        if (name === "onSampling" && what === "a map") continue;
        wrong = give;
        const { content } = await hub.call("srv__ask", QUESTIONS[name], {
          timeoutMs: 10_000,
        });
        const [{ text }] = content as unknown as [{ readonly text: string }];
        assert.match(text, new RegExp(`^-32603 ${name} `), what);
        assert.match(
          warnings.at(-1) ?? "",
          new RegExp(`^Question of MCP server "srv": ${name} `),
        );
      }
    }, options);
  });
}
