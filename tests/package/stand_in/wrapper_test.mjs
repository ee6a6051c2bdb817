// Runs inside a project whose wrapper of the official SDK got the package that stands in for it, by `overrides`.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as wrapper from "wrapper";

test("one copy is installed, by the name of the official package, and the wrapper gets it", () => {
  const path = "node_modules/@anthropic-ai/claude-agent-sdk/package.json";
  const { name, version } = JSON.parse(readFileSync(path, "utf8"));
  assert.equal(name, "@sluice/claude-agent-sdk");
  // The official one, as ranges and instrumentation expect it.
  assert.equal(version, "0.3.332");
  assert.equal(existsSync("node_modules/wrapper/node_modules"), false);
});

test("its entries are files of the official names", () => {
  const official = "@anthropic-ai/claude-agent-sdk";
  for (
    const [entry, file] of [
      ["", "sdk.mjs"],
      ["/core", "core.mjs"],
      ["/extract", "extractFromBunfs.js"],
      ["/browser", "browser-sdk.js"],
      ["/bridge", "bridge.mjs"],
    ]
  ) {
    const url = import.meta.resolve(`${official}${entry}`);
    assert.ok(url.endsWith(`/node_modules/${official}/${file}`), url);
  }
});

test("a wrapper talks to the CLI through it", async () => {
  const { fakeCli } = await import("@sluice/agent/testing");
  const fake = fakeCli("Hello from the package");
  const [pathToClaudeCodeExecutable, ...executableArgs] = fake.cliPath;
  const results = [];
  for await (
    const message of wrapper.query({
      prompt: "Hello",
      options: { pathToClaudeCodeExecutable, executableArgs },
    })
  ) {
    if (message.type === "result") results.push(message.result);
  }
  assert.deepEqual(results, ["Hello from the package"]);
  await fake.close();
});

test("entries of services that are not there are loaded, and say so when they are called", async () => {
  await assert.rejects(wrapper.attachBridgeSession({}), {
    name: "NotInThisPackageError",
    message: /^\.\/bridge attachBridgeSession\(\) of the official package/,
  });
  assert.throws(() => wrapper.extract.extractFromBunfs(""), {
    name: "NotInThisPackageError",
  });
  assert.throws(() => wrapper.browser.query({}), {
    name: "NotInThisPackageError",
  });
  assert.equal(typeof wrapper.core.query, "function");
  assert.deepEqual(Object.keys(wrapper.tools), []);
});
