import assert from "node:assert/strict";
import {
  EXIT_REASONS,
  HOOK_EVENTS,
  LEGACY_TOOL_NAME_ALIASES,
} from "@sluice/agent/compat";
import { KNOWN_TOOLS } from "@sluice/agent/tools";
import type { SessionEndHookInput } from "@sluice/agent";
import * as values from "../../src/protocol/values.ts";
import { readSource } from "../_examples.ts";
import { test } from "../_harness.ts";

/** Names in those of the types of inputs, as `protocol/` lists them. */
const OFFICIAL_TOOLS = [
  ...readSource("stand_in/sdk_tools.ts").matchAll(
    /^export type (\w+)Input =/gm,
  ),
].map(([, name = ""]) => name);

/** Inputs and outputs that the official package tells of and that belong to no tool of that name. */
const NO_TOOLS: Readonly<Record<string, string>> = {
  Mcp: "any tool of an MCP server",
  RefreshMcpTools: "not among the published tools",
};

/** The tool whose input the official package calls so. */
function toolOf(name: string): string {
  if (name === "ProposeSkills") return "propose_skills";
  return LEGACY_TOOL_NAME_ALIASES[name] ?? name.replace(/^File/, "");
}

test("tools with inputs in the official package are tools that the CLI publishes", () => {
  assert.equal(OFFICIAL_TOOLS.length, 44);
  const unknown = OFFICIAL_TOOLS.filter((name) =>
    !KNOWN_TOOLS.includes(toolOf(name))
  );
  assert.deepEqual(unknown, Object.keys(NO_TOOLS));
});

test("names that tools had before lead to names of today, and are none of those", () => {
  for (const [before, now] of Object.entries(LEGACY_TOOL_NAME_ALIASES)) {
    assert.ok(KNOWN_TOOLS.includes(now), now);
    assert.ok(!KNOWN_TOOLS.includes(before), before);
  }
});

test("the constants list what the protocol knows, in the official order", () => {
  for (const one of HOOK_EVENTS) assert.ok(values.HOOK_EVENTS.includes(one));
  const reasons: readonly SessionEndHookInput["reason"][] = EXIT_REASONS;
  assert.equal(new Set(reasons).size, 5);
});
