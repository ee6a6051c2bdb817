import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import { type AgentOptions, type Conversation, query } from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { isRunning, needsProc } from "../_children.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";
import {
  assistantLine,
  isRequest,
  memoryCli,
  requestLine,
  resultLine,
  turns,
  unhandledIn,
} from "./_rig.ts";

/** Ways to read a conversation to its end. */
const READERS: Readonly<
  Record<string, (conversation: Conversation) => Promise<unknown>>
> = {
  "for await": async (one) => (await collect(one)).error,
  messages: async (one) => (await collect(one.messages)).error,
  batches: async (one) => (await collect(one.batches)).error,
  "text()": (one) => rejectionOf(one.text()),
  "result()": (one) => rejectionOf(one.result()),
  "output()": (one) => rejectionOf(one.output()),
};

test(
  "an abort rejects at once with its reason, and close() waits for a CLI that ignores SIGTERM",
  async () => {
    for (const [name, read] of Object.entries(READERS)) {
      const fake = fakeCli({
        turns: [["a", { wait: "forever" }]],
        onSigterm: "ignore",
        onStdinEnd: "ignore",
      });
      const controller = new AbortController();
      const clock = new FakeClock();
      const conversation = query("x", {
        cliPath: fake.cliPath,
        signal: controller.signal,
        clock,
        shutdown: { graceMs: 5_000, killMs: 5_300 },
      });
      const reading = read(conversation);
      await fake.until((runs) => runs[0]?.received.length === 2);
      const { pid = 0 } = conversation;
      const reason = new Error("Enough");
      controller.abort(reason);
      assert.ok(await isSettled(reading), `${name}: at once`);
      assert.equal(await reading, reason, name);
      const closing = conversation.close();
      await fake.until((runs) => runs[0]?.signals.length === 1);
      await clock.advance(299);
      assert.ok(isRunning(pid), `${name}: the process still runs`);
      await clock.advance(1);
      await closing;
      assert.equal(isRunning(pid), false, `${name}: the process is gone`);
      assert.deepEqual(fake.runs[0]?.signals, ["SIGTERM"]);
      assert.equal(conversation.health().state, "gone");
      assert.deepEqual((await collect(conversation.errors)).items, []);
      await fake.close();
    }
  },
  { skip: needsProc, ids: ["Q-21", "P-14", "P-15", "P-17", "P-07", "QA-01"] },
);

test("an abort without a reason is an AbortError", async () => {
  const { transport } = memoryCli();
  const controller = new AbortController();
  const conversation = query("x", { transport, signal: controller.signal });
  const reading = collect(conversation);
  await conversation.ready;
  controller.abort();
  const { error } = await reading;
  assert.equal((error as Error).name, "AbortError");
  assert.equal(error, controller.signal.reason);
  await conversation.close();
}, { ids: ["Q-21"] });

test("an abort sends SIGTERM first, however long the grace is", async () => {
  const fake = fakeCli({ turns: [{ wait: "forever" }], onStdinEnd: "ignore" });
  const controller = new AbortController();
  const conversation = query("x", {
    cliPath: fake.cliPath,
    signal: controller.signal,
    // Longer than a test may take.
    shutdown: { graceMs: 600_000, killMs: 605_000 },
  });
  await conversation.ready;
  controller.abort();
  await conversation.close();
  assert.deepEqual(fake.runs[0]?.signals, ["SIGTERM"]);
  assert.equal(fake.runs[0]?.exitCode, 143);
  assert.equal(
    fake.received.some(isRequest("interrupt")),
    false,
    "nothing more is said to it",
  );
  await fake.close();
}, { ids: ["P-14"] });

test("a signal that is aborted before the start starts nothing", async () => {
  const fake = fakeCli("never");
  const reason = new Error("Not even begun");
  let opened = 0;
  const variants: readonly AgentOptions[] = [
    { cliPath: fake.cliPath },
    { transport: { open: () => (opened++, Promise.reject(reason)) } },
  ];
  const rejections = await unhandledIn(async () => {
    for (const options of variants) {
      const signal = AbortSignal.abort(reason);
      const conversation = query("x", { ...options, signal });
      assert.equal(await rejectionOf(conversation.ready), reason);
      assert.equal((await collect(conversation)).error, reason);
      assert.equal((await collect(conversation.errors)).items.length, 0);
      assert.equal(conversation.health().state, "gone");
      await conversation.close();
    }
  });
  assert.deepEqual(rejections, []);
  assert.deepEqual(fake.runs, []);
  assert.equal(opened, 0);
  await fake.close();
}, { ids: ["Q-21"] });

test(
  "an abort during the start rejects ready at once, and nothing is left",
  async () => {
    const fake = fakeCli({ initialize: "silent", onSigterm: "ignore" });
    const reason = new Error("Too slow");
    const controller = new AbortController();
    const rejections = await unhandledIn(async () => {
      const conversation = query("x", {
        cliPath: fake.cliPath,
        signal: controller.signal,
        shutdown: { graceMs: 100, killMs: 200 },
      });
      const ready = rejectionOf(conversation.ready);
      const reading = collect(conversation);
      await fake.until((runs) => runs[0]?.received.length === 2);
      controller.abort(reason);
      assert.ok(await isSettled(ready), "at once");
      assert.equal(await ready, reason);
      assert.deepEqual(await reading, { items: [], error: reason });
      await conversation.close();
      assert.equal(conversation.health().state, "gone");
    });
    assert.deepEqual(rejections, []);
    await fake.close();
  },
  { ids: ["Q-21"] },
);

test(
  "an abort while a transport opens or a server connects rejects at once",
  async () => {
    const hang = () => new Promise<never>(() => {});
    const { transport } = memoryCli();
    const variants: readonly AgentOptions[] = [
      { transport: { open: hang } },
      {
        transport,
        mcpServers: {
          slow: {
            type: "sdk",
            instance: { connect: hang, close: () => Promise.resolve() },
          },
        },
      },
    ];
    for (const options of variants) {
      const reason = new Error("Enough");
      const controller = new AbortController();
      const conversation = query("x", {
        ...options,
        signal: controller.signal,
        shutdown: { graceMs: 10, killMs: 20 },
      });
      const reading = collect(conversation);
      await turns(5);
      const ready = rejectionOf(conversation.ready);
      controller.abort(reason);
      assert.ok(await isSettled(Promise.all([ready, reading])), "at once");
      assert.equal(await ready, reason);
      assert.equal((await reading).error, reason);
      await conversation.close();
    }
  },
  { ids: ["Q-21"] },
);

test("a channel that opens after the abort is stopped", async () => {
  const { transport, peer } = memoryCli();
  let open = () => {};
  const opening = new Promise<void>((resolve) => open = resolve);
  const asked = new Deferred<void>();
  const controller = new AbortController();
  const conversation = query("x", {
    transport: {
      open: async (launch) => {
        asked.resolve();
        await opening;
        return await transport.open(launch, new AbortController().signal);
      },
    },
    signal: controller.signal,
  });
  await asked.promise;
  controller.abort();
  const closed = conversation.close();
  open();
  await closed;
  assert.deepEqual(peer.stops.map(({ reason }) => reason), ["aborted"]);
  assert.deepEqual(peer.lines, []);
}, { ids: ["P-02"] });

test(
  "an abort drops what the consumer has not read yet, also of an open batch",
  async () => {
    for (const name of ["for await", "messages", "batches"]) {
      const { transport, peer } = memoryCli();
      const controller = new AbortController();
      const conversation = query("x", { transport, signal: controller.signal });
      await conversation.ready;
      const batch = Array.from({ length: 10 }, (_, n) => assistantLine(`${n}`));
      // One piece, so that they come as one batch, and a second one behind it.
      await peer.send(
        batch.map((one) => JSON.stringify(one)).join("\n") + "\n",
      );
      await peer.send(...batch);
      const source = name === "for await"
        ? conversation
        : name === "messages"
        ? conversation.messages
        : conversation.batches;
      const reason = new Error("Enough");
      let items = 0;
      const error = await rejectionOf((async () => {
        for await (const _item of source as AsyncIterable<unknown>) {
          if (++items === 1) controller.abort(reason);
        }
      })());
      assert.equal(error, reason, name);
      assert.equal(items, 1, name);
      await conversation.close();
    }
  },
  { ids: ["Q-21"] },
);

test("an abort rejects every pending request with its reason", async () => {
  const { transport } = memoryCli();
  const controller = new AbortController();
  const conversation = query("x", { transport, signal: controller.signal });
  await conversation.ready;
  const pending = Array.from(
    { length: 10 },
    () => rejectionOf(conversation.mcpStatus()),
  );
  await turns(2);
  assert.equal(conversation.health().pendingRequests, 10);
  const reason = new Error("Enough");
  controller.abort(reason);
  for (const error of await Promise.all(pending)) assert.equal(error, reason);
  assert.equal(conversation.health().pendingRequests, 0);
  await conversation.close();
}, { ids: ["R-09", "T-06"] });

test(
  "an abort aborts the callbacks that run, and no answer is sent after it",
  async () => {
    const { transport, peer } = memoryCli();
    const controller = new AbortController();
    const seen: unknown[] = [];
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => asked = resolve);
    const conversation = query("x", {
      transport,
      signal: controller.signal,
      permissions: {
        canUseTool: (_tool, _input, { signal }) => {
          asked();
          return new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              seen.push(signal.reason);
              resolve({ behavior: "allow" });
            });
          });
        },
      },
    });
    await conversation.ready;
    await peer.send(
      requestLine("p1", {
        subtype: "can_use_tool",
        tool_name: "Bash",
        input: {},
        tool_use_id: "t",
      }),
    );
    await isAsked;
    const reason = new Error("Enough");
    controller.abort(reason);
    await conversation.close();
    assert.deepEqual(seen, [reason]);
    assert.equal(
      peer.lines.some(({ type }) => type === "control_response"),
      false,
    );
  },
  { ids: ["R-09"] },
);

test(
  "an abort after the end changes nothing, and the signal is let go of",
  async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: unknown[]) => {
      listeners++;
      Reflect.apply(addEventListener, signal, args);
    };
    signal.removeEventListener = (...args: unknown[]) => {
      listeners--;
      Reflect.apply(removeEventListener, signal, args);
    };
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport, signal });
    const reading = collect(conversation);
    await conversation.ready;
    assert.ok(listeners > 0);
    await peer.send(resultLine());
    assert.equal((await reading).error, undefined);
    await conversation.close();
    assert.equal(listeners, 0);
    controller.abort(new Error("Late"));
    assert.equal((await collect(conversation.errors)).error, undefined);
  },
  { ids: ["P-03"] },
);
