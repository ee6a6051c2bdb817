// Runs inside a project that has the packed package installed, on Node and on Bun.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import process from "node:process";
import { test } from "node:test";

const manifest = JSON.parse(
  await readFile("node_modules/@sluice/agent/package.json", "utf8"),
);
const specifiers = Object.keys(manifest.exports)
  .filter((entry) => !entry.endsWith(".json"))
  .map((entry) => manifest.name + entry.slice(1));

test("links of the README lead out of the package", async () => {
  const text = await readFile(
    "node_modules/@sluice/agent/README.md",
    "utf8",
  );
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, to]) => to);
  assert.ok(links.length > 20);
  assert.deepEqual(links.filter((to) => !/^(https:|#)/.test(to)), []);
});

test("every entry can be imported and exports names", async () => {
  for (const specifier of specifiers) {
    const names = Object.keys(await import(specifier));
    assert.notEqual(names.length, 0, specifier);
  }
});

test("every entry can be required", () => {
  // Node 20.19 and 22.12 are the first that require modules; 20 warns of it.
  const require = createRequire(import.meta.url);
  for (const specifier of specifiers) {
    const names = Object.keys(require(specifier));
    assert.notEqual(names.length, 0, specifier);
  }
});

test("an error class is the same class in every entry", async () => {
  const classes = new Map();
  for (const specifier of specifiers) {
    for (const [name, value] of Object.entries(await import(specifier))) {
      if (!name.endsWith("Error")) continue;
      assert.equal(value, classes.get(name) ?? value, `${specifier} ${name}`);
      classes.set(name, value);
    }
  }
  assert.ok(classes.has("AgentError"));
});

test("query() talks to a fake CLI", async () => {
  const { query } = await import("@sluice/agent");
  const { fakeCli } = await import("@sluice/agent/testing");
  const cli = fakeCli("Hello from the package");
  const conversation = query("Hello", { cliPath: cli.cliPath });
  assert.equal(await conversation.text(), "Hello from the package");
  await conversation.close();
  await cli.close();
});

test("a program of the official API without callbacks continues after its loop", async () => {
  const { fakeCli } = await import("@sluice/agent/testing");
  const cli = fakeCli("Hello from the package");
  const [pathToClaudeCodeExecutable, ...executableArgs] = cli.cliPath;
  const options = { pathToClaudeCodeExecutable, executableArgs };
  const code = `import { query } from "@sluice/agent/compat";
    const options = ${JSON.stringify(options)};
    for await (const message of query({ prompt: "Hi", options })) {
      if (message.type === "result") console.log(message.result);
    }
    console.log("after the loop");`;
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    process.versions.bun ? ["-e", code] : ["--input-type=module", "-e", code],
    { encoding: "utf8" },
  );
  assert.equal(stdout, "Hello from the package\nafter the loop\n", stderr);
  assert.equal(status, 0);
  await cli.close();
});

test('validation: "strict" reports what deviates', async () => {
  const { query } = await import("@sluice/agent");
  const { fakeCli } = await import("@sluice/agent/testing");
  const cli = fakeCli([[{ result: { ttft_ms: "long" } }]]);
  const options = { cliPath: cli.cliPath, validation: "strict" };
  const conversation = query("Hello", options);
  await conversation.text();
  const problems = [];
  for await (const error of conversation.errors) problems.push(error.message);
  assert.match(problems.join(), /ttft_ms/);
  await cli.close();
});

test("the consumer that was compiled against the package runs", async () => {
  await import("./consumer.js");
});

test("the schema of the protocol is a file of the package, and what its entry exports", async () => {
  const { protocolSchema } = await import(`${manifest.name}/protocol`);
  const file = new URL(
    import.meta.resolve(`${manifest.name}/protocol.schema.json`),
  );
  assert.deepEqual(JSON.parse(await readFile(file, "utf8")), protocolSchema);
});
