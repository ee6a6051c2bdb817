import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  CliExitError,
  type ForeignMcpServer,
  type Launch,
  McpInitError,
  query,
} from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { flood, repeated } from "../_steps.ts";
import { needsShell, script } from "../_children.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  isPrompt,
  logSpy,
  memoryCli,
  requestOf,
  resultLine,
  turns,
} from "./_rig.ts";

/** A custom server: it counts, and connects when its gate opens. */
async function server(
  { gate, failure }: { gate?: Promise<void>; failure?: Error } = {},
): Promise<
  { readonly instance: ForeignMcpServer; opened: number; closed: number }
> {
  const { Server } = await import("@modelcontextprotocol/sdk/server");
  const real = new Server({ name: "counted", version: "1.0.0" });
  const seen = { instance: real as ForeignMcpServer, opened: 0, closed: 0 };
  seen.instance = {
    async connect(transport) {
      await gate;
      if (failure !== undefined) throw failure;
      seen.opened++;
      const { close } = transport;
      transport.close = async () => {
        seen.closed++;
        await close.call(transport);
      };
      await (real as ForeignMcpServer).connect(transport);
    },
    close: () => real.close(),
  };
  return seen;
}

test(
  "ready waits for the MCP servers, and no line is written before they are connected",
  async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => open = resolve);
    const { instance } = await server({ gate });
    const { transport, peer } = memoryCli();
    const conversation = query("x", {
      transport,
      mcpServers: { slow: { type: "sdk", instance } },
    });
    let isReady = false;
    conversation.ready.then(() => isReady = true);
    const reading = collect(conversation);
    while (peer.launch === undefined) await turns(1);
    await turns(10);
    assert.equal(isReady, false);
    assert.deepEqual(peer.lines, [], "the CLI has started meanwhile");
    open();
    await conversation.ready;
    assert.equal(requestOf(peer.lines[0] ?? {}).subtype, "initialize");
    assert.deepEqual(requestOf(peer.lines[0] ?? {}).sdkMcpServers, ["slow"]);
    await peer.line(isPrompt);
    await peer.send(resultLine());
    assert.equal((await reading).error, undefined);
    await conversation.close();
  },
  { ids: ["Q-02"] },
);

test(
  "one server that fails closes those that were connected before the error surfaces",
  async () => {
    const good = await server();
    let fail = () => {};
    const gate = new Promise<void>((resolve) => fail = resolve);
    const bad = await server({ gate, failure: new Error("Refused") });
    const { transport, peer } = memoryCli();
    const conversation = query("x", {
      transport,
      mcpServers: {
        good: { type: "sdk", instance: good.instance },
        bad: { type: "sdk", instance: bad.instance },
      },
    });
    const closedAtRejection = conversation.ready.then(
      () => -1,
      () => good.closed,
    );
    while (good.opened === 0) await turns(1);
    fail();
    assert.equal(await closedAtRejection, 1);
    const { error, items } = await collect(conversation);
    assert.ok(error instanceof McpInitError);
    assert.equal(error.server, "bad");
    assert.deepEqual(items, []);
    await conversation.close();
    assert.deepEqual([good.opened, good.closed], [1, 1]);
    assert.equal(peer.stops.length, 1, "the CLI is gone");
    assert.deepEqual(peer.lines, []);
  },
  { ids: ["Q-03", "Q-04"] },
);

test(
  "a CLI that fails to start closes the servers that were connected",
  async () => {
    const good = await server();
    const conversation = query("x", {
      cliPath: "/nowhere/claude",
      mcpServers: { good: { type: "sdk", instance: good.instance } },
    });
    await rejectionOf(conversation.ready);
    await conversation.close();
    assert.equal(good.opened, good.closed);
  },
  { ids: ["Q-03"] },
);

test(
  "servers are closed after the conversation, also when it ends by itself",
  async () => {
    const order: string[] = [];
    const good = await server();
    const { transport, peer } = memoryCli();
    const conversation = query("x", {
      transport: {
        open: async (launch, signal) => {
          const channel = await transport.open(launch, signal);
          channel.exited.then(() => order.push(`CLI, servers: ${good.closed}`));
          return channel;
        },
      },
      mcpServers: { good: { type: "sdk", instance: good.instance } },
    });
    const reading = collect(conversation);
    await conversation.ready;
    await peer.send(resultLine());
    await reading;
    await conversation.close();
    assert.deepEqual(order, ["CLI, servers: 0"]);
    assert.equal(good.closed, 1);
  },
  { ids: ["DEC-04"] },
);

test("a CLI that exits right after it answered initialize has started, and its end is that of the conversation", async () => {
  for (let round = 0; round < 10; round++) {
    const { transport, peer } = memoryCli();
    const conversation = query("x", {
      transport: {
        open: async (launch, signal) => {
          const channel = await transport.open(launch, signal);
          return {
            ...channel,
            write: async (text) => {
              await channel.write(text);
              peer.end({ code: 4 });
            },
          };
        },
      },
    });
    const { error, items } = await collect(conversation);
    assert.ok(error instanceof CliExitError);
    assert.equal(error.reason, "exited without a result");
    assert.deepEqual(items, []);
    await conversation.ready;
    await conversation.close();
  }
});

test("a custom transport gets arguments, environment and directory, and everything else is as with a CLI", async () => {
  const { transport, peer } = memoryCli();
  const launches: Launch[] = [];
  const conversation = query("x", {
    transport: {
      open: (launch, signal) => {
        launches.push(launch);
        return transport.open(launch, signal);
      },
    },
    cwd: "/tmp",
    env: { ONLY: "this", GONE: undefined },
    envPolicy: "replace",
    includePartialMessages: true,
  });
  const reading = collect(conversation);
  await conversation.ready;
  const [launch] = launches;
  assert.equal(launches.length, 1);
  assert.ok(launch !== undefined);
  assert.ok(launch.args.includes("--include-partial-messages"));
  assert.equal(launch.args.includes("--output-format"), true);
  assert.equal(launch.cwd, "/tmp");
  assert.equal(launch.env.ONLY, "this");
  assert.equal("PATH" in launch.env, false);
  assert.equal("GONE" in launch.env, false);
  assert.equal(conversation.pid, undefined);
  await peer.send(resultLine());
  assert.equal((await reading).items.length, 1);
  await conversation.close();
  assert.equal(conversation.health().state, "gone");
});

test("env and envPolicy decide what the CLI sees", async () => {
  const fake = fakeCli("ok");
  process.env["SLUICE_TEST_MARK"] = "1";
  process.env["CLAUDECODE"] = "1";
  try {
    const plain = { cliPath: fake.cliPath };
    const { PATH = "", HOME = "", DENO_DIR } = process.env;
    const needed = { PATH, HOME, ...DENO_DIR !== undefined && { DENO_DIR } };
    for (
      const options of [
        plain,
        { ...plain, env: { SLUICE_TEST_MARK: undefined, ADDED: "x" } },
        { ...plain, envPolicy: "allowlist" as const },
        { ...plain, envPolicy: "replace" as const, env: needed },
      ]
    ) await query("x", options).text();
    const [inherited, merged, listed, replaced] = fake.runs.map(({ env }) =>
      new Set(env)
    );
    assert.ok(inherited?.has("SLUICE_TEST_MARK"));
    assert.ok(merged?.has("ADDED") && !merged.has("SLUICE_TEST_MARK"));
    assert.ok(listed?.has("PATH") && !listed.has("SLUICE_TEST_MARK"));
    assert.ok(replaced?.has("HOME") && !replaced.has("LANG"));
    for (const env of [inherited, merged, listed, replaced]) {
      assert.equal(env?.has("CLAUDECODE"), false);
    }
  } finally {
    delete process.env["SLUICE_TEST_MARK"];
    delete process.env["CLAUDECODE"];
    await fake.close();
  }
});

test("cwd is made absolute and is where the CLI runs", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "wiring-")));
  const fake = fakeCli("ok");
  try {
    const up = "../".repeat(process.cwd().split("/").length - 1);
    await query("x", { cliPath: fake.cliPath, cwd: folder }).text();
    await query("x", { cliPath: fake.cliPath, cwd: `${up}${folder.slice(1)}` })
      .text();
    assert.deepEqual(fake.runs.map(({ cwd }) => cwd), [folder, folder]);
  } finally {
    await rm(folder, { recursive: true });
    await fake.close();
  }
}, { ids: ["E-17"] });

test("onStderr gets every line, in order, the last one without a newline too", async () => {
  const fake = fakeCli([[{ stderr: "one\ntwo\r\nthr" }, "a", {
    stderr: "ee",
  }]]);
  const lines: string[] = [];
  await query("x", {
    cliPath: fake.cliPath,
    onStderr: (line) => void lines.push(line),
  }).text();
  while (lines.length < 3) await turns(1);
  assert.deepEqual(lines, ["one", "two", "three"]);
  await fake.close();
});

test("an onStderr that throws or rejects disturbs nothing and is one warning", async () => {
  const fake = fakeCli([[{ stderr: "x\n".repeat(20) }, "a"]]);
  for (
    const onStderr of [() => {
      throw new Error("Full");
    }, () => Promise.reject(new Error("Full"))]
  ) {
    const { logger, lines } = logSpy();
    const text = await query("x", { cliPath: fake.cliPath, onStderr, logger })
      .text();
    assert.equal(text, "a");
    assert.equal(
      lines.filter(({ level, message }) =>
        level === "warn" && /stderr failed/.test(message)
      ).length,
      1,
    );
  }
  await fake.close();
});

test(
  "a flood of stderr delays no message, and both are read at once",
  async () => {
    const stderr = `${"x".repeat(999)}\n`.repeat(1_000);
    const fake = fakeCli([repeated(10, { stderr }, ...flood(500))]);
    let calls = 0;
    let deltas = 0;
    const conversation = query("x", {
      cliPath: fake.cliPath,
      onStderr: () => void calls++,
    });
    for await (const message of conversation) {
      if (message.type === "stream_event") deltas++;
    }
    assert.equal(deltas, 5_000);
    await conversation.close();
    assert.equal(conversation.health().stderrLines, 10_000);
    assert.ok(calls >= 1_000 && calls < 10_000, `${calls} calls`);
    await fake.close();
  },
  { ids: ["IO-07", "IO-13", "IO-14"] },
);

test(
  "the tail of stderr in an error is at most limits.stderrTailBytes",
  async () => {
    const fake = fakeCli({
      start: [
        { stderr: `${"x".repeat(99)}\n`.repeat(10_000) },
        { stderr: "the end\n" },
        { exit: 1 },
      ],
    });
    for (const bytes of [undefined, 1_000]) {
      const conversation = query("x", {
        cliPath: fake.cliPath,
        ...bytes !== undefined && { limits: { stderrTailBytes: bytes } },
      });
      const error = await rejectionOf(conversation.ready);
      assert.ok(error instanceof CliExitError);
      const { length } = error.stderrTail;
      const limit = bytes ?? 256 * 1_024;
      assert.ok(length <= limit && length > limit / 2, `${length} bytes`);
      assert.ok(error.stderrTail.endsWith("the end\n"));
      await conversation.close();
    }
    await fake.close();
  },
  { ids: ["IO-04"] },
);

test("100 idle conversations hold no large buffers", async () => {
  // Each answers initialize and then only waits: the runtime's own fake would need gigabytes.
  const { command, args } = script(
    `read -r line
id=$(printf '%s' "$line" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\\n' "$id"
exec cat >/dev/null`,
  );
  const cliPath = [command, ...args];
  const warm = query("x", { cliPath });
  await warm.ready;
  await warm.close();
  collectGarbage();
  const before = process.memoryUsage();
  const conversations = Array.from(
    { length: 100 },
    () =>
      query("x", {
        cliPath,
        shutdown: { graceMs: 2_000 },
        // All of them start at once.
        timeouts: { connectMs: 150_000 },
      }),
  );
  await Promise.all(conversations.map(({ ready }) => ready));
  collectGarbage();
  const after = process.memoryUsage();
  const grownKib = (after.heapUsed + after.external -
    before.heapUsed - before.external) / 1_024;
  await Promise.all(conversations.map((one) => one.close()));
  // The runtimes' own pipes count for up to half a MiB of that.
  assert.ok(grownKib / 100 < 1_024, `${grownKib / 100} KiB for each`);
}, { skip: needsShell, ids: ["IO-17"] });

/** Where the runtime lets a program do that. */
function collectGarbage(): void {
  const { Bun, gc } = globalThis as {
    readonly Bun?: { gc(isForced: boolean): void };
    readonly gc?: () => void;
  };
  Bun?.gc(true);
  gc?.();
}
