import assert from "node:assert/strict";
import { Pool } from "@sluice/agent";
import { collect } from "../_collect.ts";
import { ofType, realTest } from "./_real.ts";

realTest(
  "a pool answers from a warm process, with another model, as a client and for many items",
  [{ text: "Yes.", repeat: true }],
  async ({ options, model }) => {
    const pool = new Pool(options);
    try {
      await pool.ready();
      assert.equal(model.requests.length, 0, "parked for nothing");
      const warm = await collect(pool.query("one"));
      assert.equal(warm.error, undefined);
      assert.deepEqual(
        ofType(warm.items, "result").map(({ is_error }) => is_error),
        [
          false,
        ],
      );
      assert.ok(warm.items.every(({ type }) => type !== "unknown"));
      await pool.ready();
      const other = pool.query("two", { model: "claude-haiku-4-5" });
      assert.equal(await other.text(), "Yes.");
      assert.deepEqual(Object.keys(other.cost().byModel), ["claude-haiku-4-5"]);
      await pool.ready();
      const client = await pool.client({ permissions: { mode: "plan" } });
      assert.equal(await client.text("three"), "Yes.");
      assert.equal(await client.text("four"), "Yes.");
      await client.close();
      const sessions = new Set<string>();
      const items = ["a", "b", "c"];
      for await (
        const { result } of pool.run(items, (item) => item, { concurrency: 2 })
      ) sessions.add(result?.session_id ?? "");
      assert.equal(sessions.size, 3, "each has a session of its own");
      assert.ok(pool.stats().hits >= 4);
    } finally {
      await pool.close();
    }
    assert.equal(pool.stats().busy, 0);
  },
);

realTest(
  "a pool that warms up asks the API to count tokens, and nothing else",
  ["Yes."],
  async ({ options, model }) => {
    const pool = new Pool({ ...options, warmUp: true });
    try {
      await pool.ready();
      const paths = new Set(model.requests.map(({ path }) => path));
      assert.deepEqual([...paths], ["/v1/messages/count_tokens"]);
      assert.ok(model.requests.length <= 40);
      const conversation = pool.query("one");
      assert.equal(await conversation.text(), "Yes.");
      assert.equal(conversation.cost().turns, 1);
    } finally {
      await pool.close();
    }
  },
);
