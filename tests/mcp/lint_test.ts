import assert from "node:assert/strict";
import { lintNames } from "../../src/mcp/names.ts";
import { test } from "../_harness.ts";

function faults(
  servers: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  return lintNames(new Map(Object.entries(servers)));
}

test("lintNames() has nothing against good names", () => {
  assert.deepEqual(
    faults({ files: ["read", "write_all"], "web-search": ["read"] }),
    [],
  );
  assert.deepEqual(faults({}), []);
});

test("lintNames() finds servers that are one for the CLI", () => {
  assert.deepEqual(faults({ "my server": [], "my.server": [] }), [
    'MCP servers "my server" and "my.server" have one name for the CLI: "my_server"',
  ]);
});

test("lintNames() finds tools that are one for the model", () => {
  const clash =
    'MCP tools "status" of "acme_" and "_status" of "acme" have one name for the model, ' +
    'calls reach one of them only: "mcp__acme___status"';
  assert.ok(faults({ acme_: ["status"], acme: ["_status"] }).includes(clash));
  const within = faults({ s: ["t one", "t.one"] });
  assert.equal(within.length, 1);
  assert.match(within[0] ?? "", /"mcp__s__t_one"$/);
  const across = faults({ a: ["b__c"], a__b: ["c"] });
  assert.ok(across.some((text) => text.endsWith('"mcp__a__b__c"')));
});
