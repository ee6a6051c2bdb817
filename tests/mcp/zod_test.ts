import assert from "node:assert/strict";
import { z } from "zod";
import * as mini from "zod/mini";
import {
  ConfigError,
  type JsonObject,
  McpInitError,
  query,
  type Schema,
} from "@sluice/agent";
import { createMcpServer, McpHub, tool } from "@sluice/agent/mcp";
import { fakeCli } from "@sluice/agent/testing";
import { readOutput } from "../../src/options/schema_check.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";

/** Where the older versions lie: only one can have the name. */
async function older(version: string, entry: string): Promise<typeof z> {
  const store = new URL(".deno/", nodeModules());
  return await import(
    new URL(`zod@${version}/node_modules/zod/${entry}/index.js`, store).href
  );
}

function nodeModules(): URL {
  const [root] = import.meta.resolve("zod").split("node_modules/");
  return new URL(`${root}node_modules/`);
}

const MAKES: readonly (readonly [string, () => Promise<typeof z>])[] = [
  ["zod", () => Promise.resolve(z)],
  ["zod/mini", () => Promise.resolve(mini as unknown as typeof z)],
  ["zod 4.0", () => older("4.0.0", "v4")],
  ["zod/mini 4.0", () => older("4.0.0", "v4-mini")],
  ["zod 4.1", () => older("4.1.0", "v4")],
  ["zod/mini 4.1", () => older("4.1.0", "v4-mini")],
];

/** A schema that all versions write alike. */
function place(zod: typeof z): Schema {
  return zod.object({
    city: zod.string(),
    days: zod.optional(zod.array(zod.int())),
    unit: zod.enum(["C", "F"]),
  });
}

const PLACE = {
  type: "object",
  properties: {
    city: { type: "string" },
    days: {
      type: "array",
      items: {
        type: "integer",
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      },
    },
    unit: { type: "string", enum: ["C", "F"] },
  },
  required: ["city", "unit"],
};

for (const [make, load] of MAKES) {
  test(`a tool takes a schema of ${make}, which is listed and checks the arguments`, async () => {
    const schema = place(await load());
    const weather = createMcpServer({
      name: "weather",
      tools: [tool({
        name: "forecast",
        description: "Tells the weather",
        input: schema,
        output: schema,
        run: (args) => args as object,
      })],
    });
    const session = await weather.open();
    const list = JSON.parse(
      JSON.stringify(await session.request("tools/list")),
    );
    assert.deepEqual(list, {
      tools: [{
        name: "forecast",
        description: "Tells the weather",
        inputSchema: PLACE,
        outputSchema: PLACE,
      }],
    });
    const call = async (args: object) =>
      JSON.stringify(
        await session.request("tools/call", {
          name: "forecast",
          arguments: { ...args },
        }),
      );
    assert.match(await call({ city: "Oslo", unit: "C" }), /structuredContent/);
    assert.match(await call({ city: 7, unit: "C" }), /"isError":true/);
    await session.close();
  });

  test(`outputSchema takes a schema of ${make}, which reaches the CLI and checks the output`, async () => {
    const outputSchema = place(await load());
    const right = { city: "Oslo", unit: "C" };
    const cli = fakeCli([[{ result: { structured_output: right } }]]);
    const { cliPath } = cli;
    assert.deepEqual(
      await query("x", { cliPath, outputSchema }).output(),
      right,
    );
    const sent = cli.runs[0]?.received.map(({ request }) =>
      request as JsonObject
    )
      .find((request) => request?.subtype === "initialize");
    assert.deepEqual(sent?.jsonSchema, PLACE);
    const { problem } = await readOutput(outputSchema, { city: 7 });
    assert.match(problem ?? "", /^city: /);
    await cli.close();
  });
}

for (const [make, load] of MAKES.filter(([make]) => !make.includes("mini"))) {
  test(`what describe() and meta() of ${make} say is listed`, async () => {
    const zod = await load();
    const described = tool({
      name: "t",
      description: "",
      input: zod.object({
        city: zod.string().describe("Where"),
        days: zod.array(zod.string().meta({ title: "Day" })).optional(),
      }),
      run: () => "",
    });
    const { inputSchema } = await described.schemas?.() ?? described;
    assert.deepEqual(inputSchema.properties, {
      city: { type: "string", description: "Where" },
      days: { type: "array", items: { type: "string", title: "Day" } },
    });
  });
}

for (
  const [what, schema, text] of [
    ["a date", mini.object({ at: mini.date() }), /JSON Schema/],
    ["no object", mini.string(), /object/],
  ] as const
) {
  test(`a schema of zod/mini with ${what} fails what needs it, by the name of the tool or the option`, async () => {
    const broken = tool({
      name: "t",
      description: "",
      input: schema as Schema,
      run: () => "",
    });
    const server = createMcpServer({ name: "s", tools: [broken] });
    const opened = await rejectionOf(Promise.resolve(server.open()));
    assert.ok(opened instanceof ConfigError);
    assert.equal(opened.key, "tools.t.input");
    assert.match(opened.message, text);

    const hub = new McpHub({ s: server });
    const connected = await rejectionOf(hub.connect());
    assert.ok(connected instanceof McpInitError);
    assert.match(connected.message, /tools\.t\.input/);
    await hub.close();

    const cli = fakeCli([["x"]]);
    const { cliPath } = cli;
    const attached = await rejectionOf(
      query("x", { cliPath, mcpServers: { s: server } }).text(),
    );
    assert.ok(attached instanceof McpInitError);
    assert.match(attached.message, /tools\.t\.input/);
    const output = await rejectionOf(
      query("x", { cliPath, outputSchema: schema as Schema }).output(),
    );
    assert.ok(output instanceof ConfigError);
    assert.match(output.key ?? "", /^outputSchema/);
    assert.match(output.message, text);
    await cli.close();
  });
}
