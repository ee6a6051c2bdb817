import assert from "node:assert/strict";
import {
  DeliveryUnknownError,
  isAgentError,
  type JsonObject,
} from "@sluice/agent";
import { McpHub } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { memoryHub, MemoryServer } from "./_hub.ts";
import { withHttpChild } from "./_http_child.ts";

const own: typeof fetch = (input, init) => fetch(input, init);

for (
  const [what, more] of [["", {}], [", by an own fetch too", {
    fetch: own,
  }]] as const
) {
  test(`a call whose socket closes without a word reaches the server once${what}`, async () => {
    await withHttpChild(async (server) => {
      const config = { type: "http", url: server.url, ...more } as const;
      const hub = new McpHub({ srv: config });
      await hub.connect();
      try {
        await server.set({ call: "cut" });
        for (let i = 0; i < 80; i++) {
          // The socket has to be one that served before.
          await hub.tools("srv");
          await assert.rejects(hub.call("srv__echo"), DeliveryUnknownError);
        }
        const { calls } = await server.state();
        assert.deepEqual(calls, { echo: 80 });
      } finally {
        await hub.close();
      }
    });
  });
}

test("a call that is refused is an error of this package, with status and challenge", async () => {
  await withHttpChild(async (server) => {
    const hub = new McpHub({ srv: { type: "http", url: server.url } });
    await hub.connect();
    try {
      const challenge = 'Bearer resource_metadata="https://srv.example/meta"';
      const headers = { "www-authenticate": challenge };
      for (const status of [401, 403, 500]) {
        await server.set({ call: status, headers });
        await assert.rejects(hub.call("srv__echo"), (error) => {
          assert.ok(isAgentError(error));
          assert.deepEqual(error.details, {
            status,
            wwwAuthenticate: challenge,
          });
          return true;
        });
      }
      assert.deepEqual((await server.state()).calls, { echo: 3 });
    } finally {
      await hub.close();
    }
  });
});

for (const goodbye of [400, 404, 405, 500, "hang", "cut"]) {
  test(`close() resolves whatever becomes of the goodbye: ${goodbye}`, async () => {
    await withHttpChild(async (server) => {
      const config = { type: "http", url: server.url } as const;
      await server.set({ delete: goodbye });
      const warnings: string[] = [];
      const onWarning = (warning: string) => void warnings.push(warning);
      const hub = new McpHub({ srv: config }, { onWarning });
      await hub.connect();
      await hub.close();
      const { deletes } = await server.until(({ streams }) => streams === 0);
      assert.ok(deletes > 0);
      assert.deepEqual(warnings, []);
    });
  });
}

for (const resume of [400, 404, 405, 500, "cut", "empty"]) {
  test(`a call whose answer cannot be had in full ends at once, its fate unknown: ${resume}`, async () => {
    await withHttpChild(async (server) => {
      const hub = new McpHub({ srv: { type: "http", url: server.url } });
      await hub.connect();
      try {
        await server.set({ call: "interrupt", resume });
        await server.until(({ streams }) => streams === 1);
        for (let i = 1; i <= 3; i++) {
          await assert.rejects(hub.call("srv__echo"), DeliveryUnknownError);
        }
        await server.set({ resume: "answer" });
        assert.ok(await hub.call("srv__echo"));
        const { calls, resumes, gets } = await server.state();
        assert.deepEqual(calls, { echo: 4 });
        // A runtime may repeat a GET whose socket closed.
        assert.ok(resumes >= 4);
        assert.equal(gets.length, 1);
      } finally {
        await hub.close();
      }
    });
  });
}

test("a server's own stream that is lost is opened again until it is there", async () => {
  // Side by side: the waits between the tries grow.
  await Promise.all([400, 405, 500, "cut"].map(isOpenedAgain));
});

test("a call that was taken back, and a session that is over, are not asked for again", async () => {
  await withHttpChild(async (server) => {
    await server.set({ call: "open" });
    const hub = new McpHub({ srv: { type: "http", url: server.url } });
    await hub.connect();
    const controller = new AbortController();
    const call = hub.call("srv__echo", {}, { signal: controller.signal });
    await server.until(({ streams, calls }) =>
      streams === 1 && "echo" in calls
    );
    controller.abort();
    await assert.rejects(call);
    await hub.close();
    const { gets, resumes } = await server.state();
    assert.deepEqual([gets.length, resumes], [1, 0]);
  });
});

test("a server's own stream that was never offered is not asked for again", async () => {
  await withHttpChild(async (server) => {
    await server.set({ get: 405, call: "interrupt" });
    const hub = new McpHub({ srv: { type: "http", url: server.url } });
    await hub.connect();
    try {
      assert.ok(await hub.call("srv__echo"));
      await server.set({ resume: "empty" });
      await assert.rejects(hub.call("srv__echo"), DeliveryUnknownError);
      const { gets, resumes } = await server.state();
      assert.deepEqual([gets.length, resumes], [1, 2]);
    } finally {
      await hub.close();
    }
  });
});

function toolsOf(name: string): readonly JsonObject[] {
  return [{ name, inputSchema: { type: "object" } }];
}

/** Waits until a tool is in the catalogue of a hub. */
async function changed(hub: McpHub, name: string): Promise<void> {
  while (!hub.catalog().tools.some((tool) => tool.name === name)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("close() is bounded for a connection of another make that does not close", async () => {
  const server = new MemoryServer("x");
  const { hub } = memoryHub({ a: server });
  await hub.connect();
  const [connection] = server.connections;
  if (connection !== undefined) {
    connection.onClose = () => new Promise(() => {});
  }
  await assert.rejects(
    hub.close(),
    /^Error: Cannot close MCP server "a": Connection did not close within 6000 ms$/,
  );
});

/** The stream is there again, whatever a server answered meanwhile. */
async function isOpenedAgain(get: number | string): Promise<void> {
  await withHttpChild(async (server) => {
    await server.set({ retry: 10 });
    const warnings: string[] = [];
    const hub = new McpHub({ srv: { type: "http", url: server.url } }, {
      onWarning: (text) => void warnings.push(text),
    });
    await hub.connect();
    try {
      await server.until(({ streams }) => streams === 1);
      await server.set({ get, end: "destroy" });
      await server.until(({ gets }) => gets.length >= 5);
      await server.set({ get: "stream", tools: toolsOf("late") });
      // Without a notification the list is read again, since one may have been missed.
      await changed(hub, "srv__late");
      await server.until(({ streams }) => streams === 1);
      const say = { method: "notifications/tools/list_changed" };
      await server.set({ tools: toolsOf("later"), say });
      await changed(hub, "srv__later");
      assert.deepEqual(warnings, []);
      assert.deepEqual(hub.status().srv?.reconnects, 0);
    } finally {
      await hub.close();
    }
    const { gets } = await server.state();
    await server.set({ get: 500 });
    assert.equal((await server.state()).gets.length, gets.length);
  });
}
