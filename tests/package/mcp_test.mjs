// Servers in other processes, where this package is the only one installed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import process from "node:process";
import { test } from "node:test";
import { McpHub } from "@sluice/agent/mcp";

/** The reference server of the protocol, which is installed elsewhere. */
const { EVERYTHING } = process.env;

test("a hub speaks to a program", async () => {
  await callThrough({ command: "node", args: [EVERYTHING, "stdio"] });
});

for (
  const [type, argument, path] of [["http", "streamableHttp", "mcp"], [
    "sse",
    "sse",
    "sse",
  ]]
) {
  test(`a hub speaks to a server over ${type}`, async () => {
    const port = await freePort();
    const server = spawn("node", [EVERYTHING, argument], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    try {
      await says(server.stderr, /running on port|listening on port/);
      await callThrough({ type, url: `http://127.0.0.1:${port}/${path}` });
    } finally {
      server.kill("SIGKILL");
      await once(server, "exit");
    }
  });
}

async function callThrough(config) {
  const hub = new McpHub({ every: config });
  try {
    await hub.connect();
    const result = await hub.call("every__get-sum", { a: 1, b: 2 });
    assert.equal(result.content[0].text, "The sum of 1 and 2 is 3.");
    const refused = await hub.call("every__get-sum", { a: "one" });
    assert.equal(refused.isError, true);
  } finally {
    await hub.close();
  }
}

async function says(stream, pattern) {
  let text = "";
  for await (
    const chunk of stream.setEncoding("utf8").iterator({
      destroyOnReturn: false,
    })
  ) {
    text += chunk;
    if (pattern.test(text)) break;
  }
  stream.resume();
  assert.match(text, pattern);
}

/** A port that was free a moment ago: the server cannot tell which one it took. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
