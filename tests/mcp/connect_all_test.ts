import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type McpConnection, McpInitError } from "@sluice/agent";
import { connectAll, connectServer } from "../../src/mcp/connect.ts";
import { test } from "../_harness.ts";
import { callText, stdioFixture, withConnecting } from "./_connecting.ts";

/** A connection that only counts. */
class CountedConnection implements McpConnection {
  readonly server = {
    name: "",
    version: "",
    capabilities: {},
    protocolVersion: "",
  };
  readonly closed = new Promise<unknown>(() => {});
  readonly name: string;
  closes = 0;
  readonly #failure: Error | undefined;

  constructor(name: string, failure?: Error) {
    this.name = name;
    this.#failure = failure;
  }

  request() {
    return Promise.resolve({});
  }

  notify() {
    return Promise.resolve();
  }

  listen() {
    return () => {};
  }

  serve() {}

  close() {
    this.closes++;
    return this.#failure === undefined
      ? Promise.resolve()
      : Promise.reject(this.#failure);
  }
}

const never = new AbortController().signal;
const NAMES = ["a", "b", "c", "d"];

/** Waits until its signal ends it. */
function untilEnded(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), {
      once: true,
    });
  });
}

test(
  "connectAll() gives every connection by name, in the order of the names",
  async () => {
    const delays = new Map(NAMES.map((name, index) => [name, 4 - index]));
    const { connections, failures } = await connectAll(NAMES, async (name) => {
      for (let i = 0; i < (delays.get(name) ?? 0); i++) await Promise.resolve();
      return new CountedConnection(name);
    }, { signal: never, policy: "strict" });
    assert.deepEqual([...connections.keys()], NAMES);
    assert.deepEqual([...connections.values()].map(({ name }) => name), NAMES);
    assert.equal(failures.size, 0);
  },
  { ids: ["MI-07"] },
);

for (const bad of NAMES) {
  test(
    `connectAll() closes all the others when "${bad}" fails, once each, before it rejects`,
    async () => {
      const opened: CountedConnection[] = [];
      let ended = 0;
      const cause = new Error("no licence");
      const connecting = connectAll(NAMES, async (name, signal) => {
        if (name === bad) {
          await Promise.resolve();
          throw cause;
        }
        // The first one is slow, the rest are there at once.
        if (name === NAMES.find((one) => one !== bad)) {
          return await untilEnded(signal).finally(() => ended++);
        }
        const connection = new CountedConnection(name);
        opened.push(connection);
        return connection;
      }, { signal: never, policy: "strict" });
      await assert.rejects(connecting, (error) => {
        assert.ok(error instanceof McpInitError);
        assert.equal(
          error.message,
          `Failed to initialize MCP server "${bad}": no licence`,
        );
        assert.equal(error.server, bad);
        assert.equal(error.cause, cause);
        assert.deepEqual(error.details, {});
        return true;
      });
      assert.equal(ended, 1);
      assert.deepEqual(opened.map(({ closes }) => closes), [1, 1]);
    },
    { ids: ["MI-02", "MI-06", "MI-04"] },
  );
}

test("connectAll() tells of others that failed by themselves, and of what did not close", async () => {
  const failure = new Error("stuck");
  const connecting = connectAll(NAMES, (name) => {
    if (name === "a") {
      return Promise.resolve(new CountedConnection(name, failure));
    }
    if (name === "b") return Promise.reject(new Error("first"));
    if (name === "c") return Promise.reject(new Error("second"));
    return Promise.resolve(new CountedConnection(name));
  }, { signal: never, policy: "strict", hint: 'onFailure: "partial" goes on' });
  await assert.rejects(connecting, (error) => {
    assert.ok(error instanceof McpInitError);
    assert.equal(error.server, "b");
    assert.deepEqual(Object.keys(error.details), [
      "others",
      "closeFailures",
      "hint",
    ]);
    assert.deepEqual(error.details.closeFailures, { a: failure });
    assert.match(String((error.details.others as { c: Error }).c), /second/);
    return true;
  });
});

test(
  "connectAll() that is aborted closes everything and rejects with the reason",
  async () => {
    for (const policy of ["strict", "partial"] as const) {
      const controller = new AbortController();
      const opened: CountedConnection[] = [];
      const connecting = connectAll(NAMES, async (name, signal) => {
        if (name !== "c") {
          const connection = new CountedConnection(name);
          opened.push(connection);
          return connection;
        }
        return await untilEnded(signal);
      }, { signal: controller.signal, policy });
      const reason = new Error("never mind");
      await Promise.resolve();
      controller.abort(reason);
      await assert.rejects(connecting, (error) => error === reason);
      assert.deepEqual(opened.map(({ closes }) => closes), [1, 1, 1]);
      const late = connectAll(NAMES, () => assert.fail(), {
        signal: controller.signal,
        policy,
      });
      await assert.rejects(late, (error) => error === reason);
    }
  },
  { ids: ["MI-03", "MI-19"] },
);

test('connectAll() with "partial" keeps what is connected, and rejects when nothing is', async () => {
  const signal = never;
  const outcome = await connectAll(
    NAMES,
    (name) =>
      name < "c"
        ? Promise.reject(new Error(`no ${name}`))
        : Promise.resolve(new CountedConnection(name)),
    { signal, policy: "partial" },
  );
  assert.deepEqual([...outcome.connections.keys()], ["c", "d"]);
  assert.deepEqual(
    [...outcome.failures].map(([name, { message }]) => [name, message]),
    [
      ["a", 'Failed to initialize MCP server "a": no a'],
      ["b", 'Failed to initialize MCP server "b": no b'],
    ],
  );
  const nothing = connectAll(
    NAMES,
    () => Promise.reject(new Error("no")),
    { signal, policy: "partial" },
  );
  await assert.rejects(nothing, McpInitError);
});

test("connectAll() starts all programs at once: each of them waits for the others", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-mcp-"));
  await withConnecting(async (connecting) => {
    const names = Array.from({ length: 6 }, (_, index) => `s${index}`);
    const { connections } = await connectAll(
      names,
      (name, signal) =>
        connectServer(
          name,
          stdioFixture("waits_for_others", folder, `${names.length}`),
          connecting.init({ signal }),
        ),
      { signal: never, policy: "strict" },
    );
    try {
      for (const connection of connections.values()) {
        assert.equal(await callText(connection, "ready"), "ready");
      }
    } finally {
      await Promise.all([...connections.values()].map((one) => one.close()));
    }
  });
  await rm(folder, { recursive: true });
});
