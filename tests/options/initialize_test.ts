import assert from "node:assert/strict";
import {
  toInitialize,
  unconfirmedFields,
} from "../../src/options/initialize.ts";
import type { JsonObject } from "@sluice/agent";
import { resolveOptions } from "../../src/options/resolve.ts";
import { test } from "../_harness.ts";

test("unconfirmedFields() names what the CLI did not take", () => {
  const sent = { settings: { model: "opus" }, plugins: [], title: "T" };
  const taken = { settings_applied: true, plugins_applied: true };
  const of = (fields: JsonObject, reply: JsonObject) =>
    unconfirmedFields(fields, reply).join();
  assert.equal(of(sent, taken), "");
  assert.equal(of(sent, { plugins_applied: true }), "settings");
  assert.equal(
    of({ mcpServers: { srv: {} } }, { mcp_servers_applied: false }),
    "mcpServers",
  );
  // A policy that an older CLI overlooks would forbid nothing.
  assert.equal(of({ managedSettings: { a: 1 } }, {}), "managedSettings");
  assert.equal(of({ settings: {} }, {}), "");
});

test("toInitialize() tells an older CLI only what it reads", () => {
  const settings = resolveOptions({
    systemPrompt: "Be brief.",
    settings: { model: "opus" },
    plugins: [{ type: "local", path: "/p" }],
    mcpServers: { srv: { command: "srv", via: "cli" } },
  });
  const plugins = [{ type: "local", path: "/p" }];
  const of = (version: string) =>
    JSON.parse(JSON.stringify(toInitialize(settings, undefined, version)));
  assert.deepEqual(of("2.1.325"), { systemPrompt: ["Be brief."], plugins });
  assert.deepEqual(of("2.1.326").settings, undefined);
  assert.deepEqual(Object.keys(of("2.1.326")).toSorted(), [
    "mcpServers",
    "plugins",
    "systemPrompt",
  ]);
  assert.deepEqual(of("2.1.327"), of("2.1.330"));
  assert.deepEqual(of("2.1.330").settings, { model: "opus" });
});
