import assert from "node:assert/strict";
import { ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpHub } from "@sluice/agent/mcp";
import type { JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";
import { withAttached } from "./_attached.ts";
import { stdioFixture } from "./_connecting.ts";

const odd = stdioFixture("odd_tools");

/** Tools that are malformed, and the field that the warning names. */
const LEFT_OUT: Readonly<Record<string, RegExp>> = {
  no_schema: /inputSchema/,
  schema_null: /inputSchema/,
  schema_true: /inputSchema/,
  schema_false: /inputSchema/,
  schema_list: /inputSchema/,
  schema_text: /inputSchema/,
  schema_of_text: /inputSchema/,
  schema_types: /inputSchema.type/,
  too_deep: /nested too deeply/,
  no_type: /inputSchema.type/,
  title_number: /title/,
  description_number: /description/,
  annotations_text: /annotations/,
  annotations_wrong: /annotations.title/,
  properties_list: /inputSchema.properties/,
  property_true: /inputSchema.properties/,
  required_true: /inputSchema.required/,
  required_mixed: /inputSchema.required/,
  output_text: /outputSchema/,
  output_list: /outputSchema/,
  output_no_type: /outputSchema.type/,
  execution_text: /execution/,
  execution_wrong: /execution.taskSupport/,
  meta_text: /_meta/,
};

/** Well-formed ones; an optional field that is null is as good as absent. */
const UNTOUCHED = [
  "a_good",
  "icons_text",
  "icons_wrong",
  "title_null",
  "description_null",
  "properties_null",
  "required_null",
  `huge_${"x".repeat(300)}`,
  " with blanks and ünicode ",
  "twice",
  "z_good",
];

const KEPT = [...UNTOUCHED].sort();

/** Each warning names server, tool and reason; valid tools cause none. */
function checkWarnings(warnings: readonly string[]): void {
  for (const [tool, reason] of Object.entries(LEFT_OUT)) {
    const own = warnings.filter((text) => text.includes(`"${tool}"`));
    assert.equal(own.length, 1, `${tool}: ${own.join("; ")}`);
    assert.match(own[0] ?? "", /MCP server "srv"/);
    assert.match(own[0] ?? "", reason);
    assert.match(own[0] ?? "", /left out/);
  }
  for (const tool of UNTOUCHED.filter((name) => name !== "twice")) {
    assert.ok(!warnings.some((text) => text.includes(`"${tool}"`)), tool);
  }
  assert.ok(warnings.some((text) => text.includes('twice: "twice"')));
}

test("a hub leaves malformed tools out, and warns which and why", async () => {
  const warnings: string[] = [];
  const hub = new McpHub({ srv: odd }, {
    onWarning: (text) => warnings.push(text),
  });
  await hub.connect();
  try {
    const names = hub.catalog().tools.map(({ tool }) => tool).sort();
    assert.deepEqual(names, KEPT);
    checkWarnings(warnings);
    const session = await hub.asMcpServer().open();
    const list = await session.request("tools/list");
    assertList(list as JsonObject, KEPT.length);
    await session.close();
    const result = await hub.call("srv__a_good");
    assert.deepEqual(result.content, [{ type: "text", text: "a_good" }]);
  } finally {
    await hub.close();
  }
});

test("a server behind the proxy shows its good tools in manifest and list", async () => {
  await withAttached({ srv: odd }, async (conversation) => {
    const { sdkMcpServerManifests } = conversation.attached
      .initializeFields as unknown as {
        readonly sdkMcpServerManifests: Readonly<
          Record<string, { readonly toolsListResult: JsonObject }>
        >;
      };
    const manifest = sdkMcpServerManifests.srv?.toolsListResult ?? {};
    assertList(manifest, KEPT.length);
    const { result } = await conversation.ask("srv", "tools/list");
    assertList(result as JsonObject, KEPT.length);
    const { tools } = result as unknown as {
      readonly tools: readonly { readonly name: string }[];
    };
    assert.deepEqual(tools.map(({ name }) => name).sort(), KEPT);
    const facts = conversation.warnings.join("\n");
    assert.match(facts, /left out/);
  });
});

function assertList(list: JsonObject, count: number): void {
  // It is what the CLI holds a list to.
  const checked = ListToolsResultSchema.safeParse(list);
  assert.ok(checked.success, JSON.stringify(checked.error?.issues));
  assert.equal(checked.data.tools.length, count);
}
