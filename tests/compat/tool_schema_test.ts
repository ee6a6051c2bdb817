import assert from "node:assert/strict";
import { z } from "zod";
import { z as old } from "zod/v3";
import { createSdkMcpServer, tool } from "@sluice/agent/compat";
import { SdkServers } from "../../src/compat/sdk_servers.ts";
import { test } from "../_harness.ts";

/** A server with one tool. */
function serverOf(inputSchema: unknown): ReturnType<typeof createSdkMcpServer> {
  const handler = () => Promise.resolve({ content: [] });
  const shape = inputSchema as { a: z.ZodString };
  const only = tool("only", "Only", shape, handler);
  return createSdkMcpServer({ name: "own", tools: [only] });
}

/** The schema of the tool, as the CLI gets it. */
async function listed(inputSchema: unknown): Promise<unknown> {
  const servers = new SdkServers(() => {});
  servers.add("own", serverOf(inputSchema));
  const { sdkMcpServerManifests } = await servers.fields(true);
  servers.close();
  const { own } = Object(sdkMcpServerManifests);
  return own.toolsListResult.tools[0].inputSchema;
}

test("a tool whose schema is neither of zod nor a shape of zod is refused with its name", () => {
  const text = { type: "string" };
  const schemas = [
    { type: "object", properties: { a: text }, required: ["a"] },
    { type: "object" },
    { a: text },
    { a: 5 },
    { a: null },
    { a: { _def: {} } },
    [1],
    "object",
    5,
    () => true,
  ];
  for (const schema of schemas) {
    assert.throws(
      () => serverOf(schema),
      /^Error: inputSchema must be a Zod schema or raw shape, received .*"only"/,
      String(JSON.stringify(schema)),
    );
  }
});

test("a shape with a field that is not of the zod of the others is refused", () => {
  for (const field of [{ type: "string" }, null, old.string()]) {
    assert.throws(() => serverOf({ a: z.string(), b: field }), /Mixed Zod/);
  }
  assert.throws(() => serverOf({ a: old.string(), b: {} }), /Mixed Zod/);
});

test("a tool without a schema has no fields", async () => {
  for (const schema of [undefined, null, false, "", {}]) {
    const { type, properties } = Object(await listed(schema));
    assert.deepEqual([type, properties], ["object", {}]);
  }
});

test("a schema of something else than an object is listed without fields, or the CLI would drop the server's other tools", async () => {
  const either = [z.object({ a: z.string() }), z.object({ b: z.string() })];
  const older = old.object({ a: old.string() });
  for (
    const schema of [z.union(either), z.string(), old.union([older, older])]
  ) {
    assert.deepEqual(await listed(schema), { type: "object", properties: {} });
  }
});

test("a tool whose name is no text is refused: the CLI would drop the server's other tools", () => {
  const handler = () => Promise.resolve({ content: [] });
  for (const name of [5, undefined, null] as unknown as string[]) {
    const only = tool(name, "Only", {}, handler);
    assert.throws(
      () => createSdkMcpServer({ name: "own", tools: [only] }),
      { name: "TypeError", message: /^The name of a tool .* "own" has to be/ },
    );
  }
});
