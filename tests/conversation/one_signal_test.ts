import assert from "node:assert/strict";
import { Client, query } from "@sluice/agent";
import { fakeCli, memoryTransport } from "@sluice/agent/testing";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";

/** Node warns of a leak from the eleventh listener on. */
const MANY = 12;

/** A signal that counts who listens to it. */
function watched(): {
  readonly controller: AbortController;
  readonly most: () => number;
  readonly now: () => number;
} {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  let most = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener(...args: Parameters<typeof add>) {
      listeners.add(args[1]);
      most = Math.max(most, listeners.size);
      add(...args);
    },
    removeEventListener(...args: Parameters<typeof remove>) {
      listeners.delete(args[1]);
      remove(...args);
    },
  });
  return { controller, most: () => most, now: () => listeners.size };
}

test("Many conversations on one signal have one listener, none when they are over, and all end by it", async () => {
  const { controller, most, now } = watched();
  const { signal } = controller;
  const silent = Array.from({ length: MANY }, () => {
    const { transport } = memoryTransport();
    return query("hi", { transport, signal });
  });
  const { cliPath } = fakeCli("Hello.");
  assert.equal(await query("hi", { cliPath, signal }).text(), "Hello.");
  assert.deepEqual([most(), now()], [1, 1]);
  controller.abort(new Error("enough"));
  for (const one of silent) {
    assert.equal((await rejectionOf(one.ready) as Error).message, "enough");
  }
  await Promise.all(silent.map((one) => one.close()));
  assert.deepEqual([most(), now()], [1, 0]);
});

test("Many calls of clients on one signal have one listener, and none afterwards", async () => {
  const { controller, most, now } = watched();
  const { signal } = controller;
  const controls = { mcp_status: "silent" } as const;
  const fake = fakeCli({ turns: ["one", "two"], controls });
  const client = new Client({ cliPath: fake.cliPath });
  try {
    await client.connect(undefined, { signal });
    assert.equal(await client.text("a", { signal }), "one");
    const asked = Array.from(
      { length: MANY },
      () => rejectionOf(client.mcpStatus({ signal })),
    );
    assert.equal(await client.text("b", { signal }), "two");
    assert.deepEqual([most(), now()], [1, 1]);
    controller.abort(new Error("enough"));
    for (const error of await Promise.all(asked)) {
      assert.equal((error as Error).message, "enough");
    }
    assert.equal(now(), 0);
  } finally {
    await client.close();
    await fake.close();
  }
});
