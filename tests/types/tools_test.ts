import { Type } from "@sinclair/typebox";
import { type } from "arktype";
import assert from "node:assert/strict";
import * as v from "valibot";
import { z } from "zod";
import * as mini from "zod/mini";
import type { connectServer } from "../../src/mcp/connect.ts";
import {
  ConfigError,
  type Infer,
  type JsonObject,
  type LocalMcpServer,
  type McpConnection,
  type McpServerConfig,
  type McpServerInstance,
} from "@sluice/agent";
import { createMcpServer, type Tool, tool } from "@sluice/agent/mcp";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { openConnection } from "../../src/mcp/connection.ts";
import { test } from "../_harness.ts";
import { holds, type Same } from "./_same.ts";

const typebox = Type.Object({
  a: Type.Number(),
  b: Type.Optional(Type.String()),
});
const zod = z.object({
  a: z.number(),
  b: z.string().optional(),
  c: z.string().default(""),
});
const ark = type({ a: "number", "b?": "string" });
const valibot = v.object({ a: v.number(), b: v.optional(v.string()) });
const small = mini.object({
  a: mini.number(),
  c: mini._default(mini.string(), ""),
});
const plain = {
  type: "object",
  properties: { a: { type: "number" } },
} as const;

test("Infer follows a schema of any make exactly", () => {
  holds<Same<Infer<typeof typebox>, { a: number; b?: string }>>();
  holds<
    Same<Infer<typeof zod>, { a: number; b?: string | undefined; c: string }>
  >();
  holds<Same<Infer<typeof small>, { a: number; c: string }>>();
  holds<Same<Infer<typeof ark>, { a: number; b?: string }>>();
  holds<Same<Infer<typeof valibot>, { a: number; b?: string | undefined }>>();
  holds<Same<Infer<typeof plain>, { a?: number }>>();
  holds<Same<Infer<JsonObject>, JsonObject>>();
});

test("tool() infers its arguments and keeps out what no tool gives", () => {
  const described = { name: "t", description: "" };
  tool({ ...described, input: typebox, run: ({ a }) => a.toFixed() });
  tool({ ...described, input: zod, run: ({ c }) => c.trim() });
  tool({ ...described, input: small, run: ({ c }) => c.trim() });
  tool({ ...described, input: ark, run: ({ b }) => b?.trim() ?? "" });
  // @ts-expect-error: there is no such argument
  tool({ ...described, input: typebox, run: ({ z }) => z });
  // @ts-expect-error: a number is no text
  tool({ ...described, input: zod, run: ({ a }) => a.trim() });
  // @ts-expect-error: a tool gives no symbol
  tool({ ...described, input: plain, run: () => Symbol() });
  tool({ ...described, input: plain, run: ({ a = 0 }) => a + 1 });
  tool({ ...described, input: plain, run: () => [1, 2] });
  tool({ ...described, input: plain, run: () => {} });
  tool({
    ...described,
    input: plain,
    output: zod,
    run: () => ({ a: 1, c: "" }),
  });
  // @ts-expect-error: the result must fit the output schema
  tool({ ...described, input: plain, output: zod, run: () => ({ a: "1" }) });
  const one = tool({
    ...described,
    input: plain,
    run: async (_args, { signal, toolUseId, progress }) => {
      progress(1, 2, toolUseId);
      return await Promise.resolve({ aborted: signal.aborted });
    },
  });
  holds<Same<typeof one, Tool>>();
});

test("McpServerConfig is a closed union of four kinds", () => {
  const instance: McpServerInstance = createMcpServer({ name: "s", tools: [] });
  const good: readonly McpServerConfig[] = [
    { command: "node" },
    {
      type: "stdio",
      command: "node",
      args: ["a"],
      env: { A: "1" },
      inheritEnv: ["PATH"],
    },
    { type: "http", url: new URL("http://localhost"), headers: { a: "b" } },
    { type: "sse", url: "http://localhost", via: "cli" },
    { type: "sdk", instance },
    {
      type: "sdk",
      instance: {
        connect: () => Promise.resolve(),
        close: () => Promise.resolve(),
      },
    },
  ];
  const bad: readonly McpServerConfig[] = [
    // @ts-expect-error: no such kind
    { type: "carrier-pigeon", url: "http://localhost" },
    // @ts-expect-error: a program has a command
    { type: "stdio" },
    // @ts-expect-error: a remote server has an address
    { type: "http" },
    // @ts-expect-error: a server of this program has an instance
    { type: "sdk" },
    // @ts-expect-error: an instance can be connected
    { type: "sdk", instance: {} },
    // @ts-expect-error: a program has no address
    { type: "stdio", command: "node", url: "http://localhost" },
  ];
  assert.doesNotThrow(() =>
    resolveOptions({ mcpServers: Object.fromEntries(Object.entries(good)) })
  );
  for (const server of bad) {
    assert.throws(
      () => resolveOptions({ mcpServers: { server } }),
      ConfigError,
    );
  }
}, { ids: ["O-09"] });

test("A server's fetch may be one that takes addresses alone, as the MCP SDK wraps them", () => {
  const wrapped = (url: string | URL, init?: RequestInit): Promise<Response> =>
    fetch(url, init);
  const servers: readonly McpServerConfig[] = [
    { type: "http", url: "http://localhost", fetch: wrapped },
    { type: "sse", url: "http://localhost", fetch },
  ];
  void servers;
});

test("Every connection is of one type, whatever it is reached through", () => {
  holds<
    Same<Awaited<ReturnType<LocalMcpServer["open"]>>, McpConnection>
  >();
  holds<
    Same<Awaited<ReturnType<typeof openConnection>>, McpConnection>
  >();
  holds<Same<Awaited<ReturnType<typeof connectServer>>, McpConnection>>();
}, { ids: ["MI-14", "MA-18"] });

/** Extension of the union by a later version. */
type WithAFifthKind = McpServerConfig | {
  readonly type: "ws";
  readonly url: string;
};

test(
  "McpServerConfig takes a fifth kind without breaking who looks at the four",
  () => {
    const kinds = (config: WithAFifthKind): string => {
      switch (config.type) {
        case undefined:
        case "stdio":
          return config.command;
        case "http":
        case "sse":
          return String(config.url);
        case "sdk":
          return "here";
        default:
          return config.type;
      }
    };
    holds<McpServerConfig extends Parameters<typeof kinds>[0] ? true : false>();
  },
  { ids: ["O-13"] },
);
