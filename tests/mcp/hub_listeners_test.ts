import assert from "node:assert/strict";
import process from "node:process";
import { type HubOptions, McpHub } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { stdioFixture } from "./_connecting.ts";
import { MemoryServer, turn, until, withHub } from "./_hub.ts";

/** Faults of a user's function. */
const FAILING: Readonly<Record<string, () => never>> = {
  "throws": () => {
    throw new Error("no");
  },
  // A function without a result may be an async one.
  "rejects": (() => Promise.reject(new Error("no"))) as () => never,
};

for (const [what, fail] of Object.entries(FAILING)) {
  test(`a progress handler that ${what} is reported once and ends nothing`, async () => {
    const warnings: string[] = [];
    const hub = new McpHub({ srv: stdioFixture("tools") }, {
      onWarning: (warning) => warnings.push(warning),
    });
    await hub.connect();
    try {
      const open = new AbortController();
      const silent = hub.call("srv__silent", {}, { signal: open.signal });
      const left = assert.rejects(silent, /enough/);
      const result = await hub.call("srv__steps", { steps: 3 }, {
        onProgress: fail,
      });
      assert.deepEqual(result.content, [{ type: "text", text: "done" }]);
      assert.equal(hub.status().srv?.state, "connected");
      await turn();
      assert.deepEqual(warnings, [
        'Progress handler failed for tool "steps" of MCP server "srv": no',
      ]);
      open.abort(new Error("enough"));
      await left;
    } finally {
      await hub.close();
    }
  });

  test(`a listener of catalogues that ${what} is reported and ends nothing`, async () => {
    const server = new MemoryServer("x");
    await withHub({ a: server }, async (hub, warnings) => {
      for (let revision = 2; revision <= 3; revision++) {
        server.say("notifications/tools/list_changed");
        await until(() => hub.catalog().revision === revision);
      }
      await turn();
      assert.deepEqual(warnings, ["Listener of catalogues failed: no"]);
    }, { onListChanged: fail });
  });

  test(`a classifier that ${what} costs no catalogue`, async () => {
    const options: HubOptions = { classifier: fail };
    await withHub({ a: new MemoryServer("x") }, async (hub, warnings) => {
      assert.deepEqual(Object.keys(hub.catalog().toolkits), ["misc"]);
      await turn();
      assert.equal(warnings.length, 1);
    }, options);
  });

  test(`a listener of warnings that ${what} ends nothing`, async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => void rejections.push(reason);
    process.on("unhandledRejection", note);
    try {
      await withHub({ a: new MemoryServer("x", "x") }, async () => {
        await turn();
      }, { onWarning: fail });
      assert.deepEqual(rejections, []);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
}
