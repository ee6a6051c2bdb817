import assert from "node:assert/strict";
import { InvalidNameError } from "@sluice/agent";
import { joinName, splitName } from "@sluice/agent/mcp";
import { assignNames, LONGEST_NAME } from "../../src/mcp/names.ts";
import { textOf } from "../options/_random.ts";
import type { FuzzTarget } from "./_target.ts";

const PIECES: readonly string[] = [
  ..."aB7-_._/ ö😀\0\n",
  "__",
  "mcp__",
  "\ud83d",
  "x".repeat(40),
];

/** Names of MCP tools: what is joined splits again, and no two tools get one name. */
export const names: FuzzTarget = {
  name: "names",
  tryOne(random) {
    const parts = Array.from({ length: 1 + Math.floor(random() * 12) }, () => ({
      server: textOf(random, PIECES, 6),
      tool: textOf(random, PIECES, 6),
    }));
    for (const { server, tool } of parts) {
      let name: string;
      try {
        name = joinName(server, tool);
      } catch (error) {
        assert.ok(error instanceof InvalidNameError);
        continue;
      }
      assert.deepEqual(splitName(name), { server, tool });
    }
    const different = [
      ...new Map(parts.map((one) => [JSON.stringify(one), one])).values(),
    ];
    const { names } = assignNames(different);
    assert.equal(new Set(names.values()).size, different.length);
    for (const name of names.values()) {
      assert.match(name, /^[A-Za-z0-9_-]+$/);
      assert.ok(name.length <= LONGEST_NAME, name);
    }
  },
};
