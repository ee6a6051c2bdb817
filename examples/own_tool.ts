// Give the agent a tool of your program.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { Type } from "@sinclair/typebox";
import { query } from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";

const shelves = new Map([["tea", 7], ["coffee", 0]]);
const asked: string[] = [];

const stock = tool({
  name: "stock",
  description: "Returns how many packets of an article are in stock",
  input: Type.Object({ article: Type.String() }),
  annotations: { readOnlyHint: true },
  run({ article }) {
    asked.push(article);
    const packets = shelves.get(article);
    // The model gets this error as the result and continues.
    if (packets === undefined) throw new Error(`No such article: ${article}`);
    return `${packets} packets of ${article}`;
  },
});

const shop = createMcpServer({ name: "shop", tools: [stock] });
const answer = await query("How many packets of tea are in stock?", {
  mcpServers: { shop },
  permissions: { approve: ["mcp__shop"] },
}).text();

console.log(answer);
assert.match(answer, /\b7\b/);
assert.ok(asked.includes("tea"));
