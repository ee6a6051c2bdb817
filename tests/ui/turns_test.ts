import assert from "node:assert/strict";
import { Client } from "@sluice/agent";
import { fakeCli, type FakeCliScript } from "@sluice/agent/testing";
import { sseResponse } from "@sluice/agent/ui";
import { test } from "../_harness.ts";
import { EventReader, eventsOf } from "./_events.ts";

async function withClient(
  script: FakeCliScript,
  use: (client: Client) => Promise<void>,
): Promise<void> {
  const { cliPath } = fakeCli(script);
  const client = new Client({ cliPath });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

async function textsOf(response: Response): Promise<readonly unknown[]> {
  return (await eventsOf(response)).map(({ name, data }) =>
    name === "message" ? data : name
  );
}

const TEXT = { format: "text" } as const;
const PARKED = { ...TEXT, onLeave: "park" } as const;

test("a response of a client is one turn, and 204 without one", async () => {
  await withClient(["one", "two"], async (client) => {
    assert.equal(sseResponse(client, TEXT).status, 204);
    for (const text of ["one", "two"]) {
      await client.sendMessage("x");
      assert.deepEqual(await textsOf(sseResponse(client, TEXT)), [text, "end"]);
      assert.equal(sseResponse(client, TEXT).status, 204);
    }
    assert.equal(client.state, "connected");
  });
});

test("a turn that is over before its response is streamed all the same", async () => {
  await withClient(["one"], async (client) => {
    assert.equal(client.unreadTurns, 0);
    await client.sendMessage("x");
    await client.settled();
    assert.equal(client.unreadTurns, 1);
    assert.deepEqual(await textsOf(sseResponse(client, TEXT)), ["one", "end"]);
    assert.equal(client.unreadTurns, 0);
  });
});

test("a page that comes back gets the running turn from its start", async () => {
  await withClient(
    [["a", { wait: { control: "set_model" } }, "b"]],
    async (client) => {
      await client.sendMessage("x");
      const reader = new EventReader(sseResponse(client, PARKED).body);
      assert.equal((await reader.next())?.data, "a");
      await reader.cancel();
      const again = textsOf(sseResponse(client, PARKED));
      await client.setModel("opus");
      assert.deepEqual(await again, ["a", "b", "end"]);
      assert.equal(sseResponse(client, TEXT).status, 204);
    },
  );
});

test("a new prompt gets its own turn; a parked one without a reader gives way", async () => {
  await withClient(
    [["a", { wait: { control: "set_model" } }, "b"], "second"],
    async (client) => {
      await client.sendMessage("x");
      const reader = new EventReader(sseResponse(client, PARKED).body);
      assert.equal((await reader.next())?.data, "a");
      await reader.cancel();
      await client.sendMessage("y");
      const second = textsOf(sseResponse(client, PARKED));
      await client.setModel("opus");
      assert.deepEqual(await second, ["second", "end"]);
    },
  );
});

test("tabs that come while a parked turn is skipped join the new one", async () => {
  const pause = { wait: { control: "set_model" } } as const;
  await withClient(
    [["a", pause, "b"], ["c", pause, "d"]],
    async (client) => {
      await client.sendMessage("x");
      const reader = new EventReader(sseResponse(client, PARKED).body);
      assert.equal((await reader.next())?.data, "a");
      await reader.cancel();
      await client.sendMessage("y");
      const first = new EventReader(sseResponse(client, PARKED).body);
      const next = first.next();
      // The new turn is being read, and nothing of it has come.
      assert.equal(client.unreadTurns, 1);
      await new Promise((resolve) => setTimeout(resolve));
      const second = new EventReader(sseResponse(client, PARKED).body);
      const texts = [next, second.next()];
      await client.setModel("opus");
      assert.deepEqual(
        (await Promise.all(texts)).map((event) => event?.data),
        ["c", "c"],
      );
      await client.setModel("opus");
      for (const one of [first, second]) {
        assert.deepEqual((await one.rest()).map(({ data }) => data), ["d", {}]);
      }
    },
  );
});

test("a second turn waits for readers of the first, and not for those that leave", async () => {
  await withClient(
    [["a", { wait: { control: "set_model" } }, "b"], "second", "third"],
    async (client) => {
      await client.sendMessage("x");
      const first = new EventReader(sseResponse(client, PARKED).body);
      assert.equal((await first.next())?.data, "a");
      await client.sendMessage("y");
      const second = textsOf(sseResponse(client, PARKED));
      // Another tab joins the running turn.
      const other = new EventReader(sseResponse(client, PARKED).body);
      assert.equal((await other.next())?.data, "a");
      await Promise.all([first.cancel(), other.cancel()]);
      await client.setModel("opus");
      assert.deepEqual(await second, ["second", "end"]);
    },
  );
});

test("a page that leaves within a turn closes the client, one that leaves with its result does not", async () => {
  await withClient(
    ["one", ["a", { wait: "forever" }]],
    async (client) => {
      await client.sendMessage("x");
      const polite = new EventReader(sseResponse(client).body);
      await polite.find(({ data }) =>
        (data as { type?: string }).type === "result"
      );
      await polite.cancel();
      assert.equal(client.state, "connected");
      await client.sendMessage("x");
      const reader = new EventReader(sseResponse(client).body);
      await reader.find(({ data }) => JSON.stringify(data).includes('"a"'));
      await reader.cancel();
      await client.close();
      assert.equal(client.health().state, "gone");
    },
  );
});
