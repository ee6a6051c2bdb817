import assert from "node:assert/strict";
import { isGoneWithin, needsProc } from "../_children.ts";
import { collect } from "../_collect.ts";
import { reasonWithoutCli } from "../_real_cli.ts";
import {
  endWhileToolRuns,
  stayingTool,
  until,
  watchedQuery,
} from "./_query.ts";
import { ofType, realTest } from "./_real.ts";

const NEEDS_PROC = { skip: reasonWithoutCli ?? needsProc };

realTest(
  "an abort while a tool runs rejects at once, and CLI and tool are gone afterwards",
  [stayingTool()],
  async (real) => {
    const controller = new AbortController();
    const { signal } = controller;
    const exits = await endWhileToolRuns(real, { signal }, async (one) => {
      const types: string[] = [];
      const reading = (async () => {
        for await (const { type } of one) types.push(type);
      })();
      await until(() => types.includes("assistant"));
      assert.equal(one.health().state, "waiting");
      const reason = new Error("Enough");
      controller.abort(reason);
      await assert.rejects(reading, (error) => error === reason);
      assert.equal(types.at(-1), "assistant", "nothing comes after it");
      assert.equal(one.health().state, "stopping");
    });
    // SIGTERM came first, and was enough.
    assert.deepEqual(exits, [143]);
  },
  { ids: ["Q-21", "P-07", "P-14", "W-07"], ...NEEDS_PROC },
);

realTest(
  "SIGKILL at the end of the shutdown leaves no tool behind, though it lives in a session of its own",
  [stayingTool({ ignoresSignals: true })],
  async (real) => {
    const controller = new AbortController();
    const { signal } = controller;
    // The CLI takes 1.5 s to kill a tool that ignores signals.
    const shutdown = { graceMs: 100, killMs: 200 };
    const more = { signal, shutdown };
    const exits = await endWhileToolRuns(real, more, async (one) => {
      const reading = collect(one);
      controller.abort();
      assert.equal((await reading).error, signal.reason);
    });
    assert.deepEqual(exits, [null], "it was killed");
  },
  { ids: ["P-15", "P-17"], ...NEEDS_PROC },
);

realTest(
  "an abort while the model streams rejects at once with the signal's reason",
  [{ text: "One two three", hang: true }],
  async ({ options, model }) => {
    const controller = new AbortController();
    const { conversation, exits } = watchedQuery("Count", {
      ...options,
      includePartialMessages: true,
      signal: controller.signal,
    });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const message of conversation) {
        seen.push(message.type);
        if (message.type === "assistant") controller.abort();
      }
    })();
    await assert.rejects(
      reading,
      (error) => error === controller.signal.reason,
    );
    assert.equal(controller.signal.reason.name, "AbortError");
    assert.equal(seen.at(-1), "assistant", "nothing comes after it");
    await conversation.close();
    assert.equal(conversation.health().state, "gone");
    assert.deepEqual(exits, [143]);
    assert.equal(model.requests.length, 1);
  },
  { ids: ["Q-21"] },
);

for (const isRunning of [false, true]) {
  const when = isRunning ? "the CLI starts up" : "its process is made";
  realTest(`an abort while ${when} rejects ready and messages alike`, [
    "Never.",
  ], async ({ options, model }) => {
    const controller = new AbortController();
    const { conversation, exits } = watchedQuery("Go", {
      ...options,
      signal: controller.signal,
    });
    const reading = collect(conversation);
    if (isRunning) await until(() => conversation.pid !== undefined);
    const { pid } = conversation;
    const reason = new Error("Too soon");
    controller.abort(reason);
    await assert.rejects(conversation.ready, (error) => error === reason);
    const { items, error } = await reading;
    assert.deepEqual(items, []);
    assert.equal(error, reason);
    await conversation.close();
    assert.equal(conversation.health().state, "gone");
    if (pid !== undefined) {
      assert.equal(exits.length, 1);
      assert.ok(await isGoneWithin(30_000, pid));
    }
    assert.equal(model.requests.length, 0);
  }, { ids: ["Q-21"] });
}

realTest(
  "an abort after the last result changes nothing that was said",
  ["All said."],
  async ({ options }) => {
    const controller = new AbortController();
    const { conversation } = watchedQuery("Say", {
      ...options,
      signal: controller.signal,
    });
    const { items, error } = await collect(conversation);
    assert.equal(error, undefined);
    controller.abort();
    await conversation.close();
    assert.equal(ofType(items, "result").length, 1);
    assert.equal(conversation.health().state, "gone");
  },
);
