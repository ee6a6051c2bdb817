import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { AgentError, ClosedError, isAgentError } from "@sluice/agent";
import * as mcp from "../src/mcp/mod.ts";
import * as root from "../mod.ts";
import { readSource } from "./_examples.ts";
import { test } from "./_harness.ts";

/** Static imports and re-exports of code, not of types. */
const IMPORT = /^(?:import|export)\s(?!type\b)[^;]*?\bfrom\s+"([^"]+)";/gm;
const SIDE_EFFECT = /^import\s+"([^"]+)";/gm;

/** Every module that an entry loads before anything is called, as paths below the root. */
function closureOf(entry: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    if (!path.endsWith(".ts")) continue;
    const source = readSource(path);
    for (const pattern of [IMPORT, SIDE_EFFECT]) {
      for (const [, specifier = ""] of source.matchAll(pattern)) {
        const isOwn = specifier.startsWith(".");
        const url = new URL(specifier, `file:///${path}`);
        waiting.push(isOwn ? url.pathname.slice(1) : specifier);
      }
    }
  }
  return seen;
}

test("the root entry loads no npm package and nothing of MCP", () => {
  const modules = [...closureOf("mod.ts")];
  assert.ok(
    modules.includes("src/conversation/conversation.ts"),
    "the walk works",
  );
  assert.deepEqual(modules.filter((path) => !path.endsWith(".ts")), []);
  assert.deepEqual(
    modules.filter((path) => /^src\/(?:mcp|transcripts|session)\//.test(path)),
    [],
  );
}, { ids: ["MI-21"] });

test("the modules that open a conversation load no npm package either", () => {
  const modules = ["session", "stages", "handshake", "hook_check"]
    .flatMap(
      (name) => [...closureOf(`src/conversation/${name}.ts`)],
    );
  assert.deepEqual(modules.filter((path) => !path.endsWith(".ts")), []);
}, { ids: ["MI-21"] });

test("the entry of sessions loads nothing of a runtime before a file is touched", () => {
  const modules = [...closureOf("src/session/mod.ts")];
  assert.ok(modules.includes("src/session/store.ts"), "the walk works");
  assert.deepEqual(modules.filter((path) => !path.endsWith(".ts")), []);
  assert.deepEqual(
    modules.filter((path) => path.startsWith("src/runtime/")),
    [],
  );
});

test(
  "nothing that prepares MCP servers for a conversation is public, under whatever name",
  async () => {
    const entries: readonly object[] = [
      root,
      mcp,
      await import("../src/testing/mod.ts"),
      await import("../src/tools/mod.ts"),
      await import("../src/session/mod.ts"),
      await import("../src/unstable_streams.ts"),
    ];
    const open = new Set(entries.flatMap((entry) => Object.values(entry)));
    const helpers = Object.entries({
      ...await import("../src/mcp/attached.ts"),
      ...await import("../src/mcp/connect.ts"),
      ...await import("../src/conversation/servers.ts"),
    });
    assert.ok(helpers.some(([name]) => name === "connectServer"));
    assert.deepEqual(
      helpers.filter(([, helper]) => open.has(helper)).map(([name]) => name),
      [],
    );
  },
  { ids: ["MI-22"] },
);

test("isAgentError() knows errors of another loaded copy of the package", async () => {
  const original = new URL("../src/errors/base.ts", import.meta.url);
  const folder = await mkdtemp(join(tmpdir(), "sluice-copy-"));
  const path = join(folder, basename(original.pathname));
  await cp(new URL(".", original), folder, { recursive: true });
  const copy: typeof import("../src/errors/base.ts") = await import(
    pathToFileURL(path).href
  );
  await rm(folder, { recursive: true });
  assert.notEqual(copy.AgentError, AgentError);
  class Foreign extends copy.AgentError {
    override readonly name = "Foreign";
    override readonly code = "foreign";
  }
  const foreign = new Foreign({ message: "From elsewhere" });
  assert.equal(foreign instanceof AgentError, false);
  assert.equal(isAgentError(foreign), true);
  for (const value of [null, 0, "AgentError", {}, new Error("another")]) {
    assert.equal(isAgentError(value), false);
  }
  assert.equal(copy.isAgentError(new ClosedError("Client")), true);
});
