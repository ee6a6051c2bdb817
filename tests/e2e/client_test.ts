import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Message } from "@sluice/agent";
import { isGoneWithin } from "../_children.ts";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import {
  after,
  ALLOW,
  appears,
  bash,
  ofType,
  realTest,
  systemKinds,
  withRealClient,
} from "./_real.ts";

const UUID = "11111111-2222-4333-8444-555555555555";

realTest(
  "a client has its turns with one process, which remembers them: queued prompts are merged or taken back, a turn left early is read to its end",
  [
    ...["One.", "Two.", "Three."],
    ...[{ text: "Slow one.", hang: true }, "All of them."],
    ...[{ text: "Slow two.", hang: true }, "Next one."],
    { text: "one two three four five six", chunks: 6, delayMs: 5 },
    "Next.",
    ...[bash("touch never.txt"), "Then not."],
  ],
  async (real) => {
    const { model } = real;
    const more = { includePartialMessages: true };
    await withRealClient(real, more, async (client) => {
      const { pid } = client;
      const texts: unknown[] = [];
      for (const prompt of ["first", "second", "third"]) {
        texts.push(resultText(await client.ask(prompt)));
      }
      assert.deepEqual(texts, ["One.", "Two.", "Three."]);
      assert.equal(client.pid, pid);
      const last = JSON.stringify(model.requests[2]?.body["messages"]);
      for (const said of ["first", "One.", "second", "Two.", "third"]) {
        assert.ok(last.includes(said), said);
      }

      await client.sendMessage("fourth");
      await model.waitForRequest(4);
      for (const text of ["fifth", "sixth", "seventh"]) {
        await client.sendMessage(text);
      }
      await client.mcpStatus();
      model.release();
      const results: (Message | undefined)[] = [];
      for (let n = 0; n < 4; n++) {
        results.push((await collect(client.receiveResponse())).items.at(-1));
      }
      assert.equal(resultText(results[0] as never), "Slow one.");
      for (const shared of results.slice(1)) assert.equal(shared, results[1]);
      assert.equal(resultText(results[1] as never), "All of them.");
      assert.equal(model.requests.length, 5);
      assert.match(
        model.requests[4]?.lastText ?? "",
        /fifth[^]*sixth[^]*seventh/,
      );

      await client.sendMessage("eighth");
      await model.waitForRequest(6);
      await client.sendMessage({
        type: "user",
        uuid: UUID,
        message: { role: "user", content: "never mind" },
      });
      assert.equal((await client.cancelQueued(UUID)).cancelled, true);
      model.release();
      await collect(client.receiveResponse());
      const { items } = await collect(client.receiveResponse());
      assert.equal(ofType(items, "result").length, 0);
      assert.equal(resultText(await client.ask("next")), "Next one.");
      assert.ok(!model.requests[6]?.lastText.includes("never mind"));

      await client.sendMessage("count");
      for await (const message of client.receiveResponse()) {
        if (message.type === "stream_event") break;
      }
      assert.equal(resultText(await client.ask("next")), "Next.");
      assert.equal(client.state, "connected");

      await client.setPermissionMode("dontAsk");
      const result = await client.ask("try it");
      assert.equal(result.permission_denials.length, 1);

      assert.equal(client.pid, pid);
      await client.close();
      assert.equal(await isGoneWithin(0, pid ?? 0), true);
    });
  },
  { ids: ["C-14"] },
);

realTest(
  "interrupts, tasks in the background and /compact leave a client its session",
  [
    ...[{ text: "word ".repeat(400), delayMs: 20 }, "Again."],
    ...[bash("touch started; sleep 30"), "And again."],
    {
      tool: "Bash",
      input: {
        command: after("go", "echo late"),
        description: "late",
        run_in_background: true,
      },
    },
    ...["Started.", "It has finished.", "And now?"],
    "<analysis>Brief.</analysis><summary>In short.</summary>",
    "After it.",
  ],
  async (real) => {
    const more = { ...ALLOW, includePartialMessages: true };
    await withRealClient(real, more, async (client) => {
      await client.sendMessage("talk");
      let receipt: unknown;
      const seen: Message[] = [];
      for await (const message of client.receiveResponse()) {
        seen.push(message);
        if (message.type === "stream_event" && receipt === undefined) {
          receipt = await client.interrupt();
        }
      }
      assert.deepEqual(receipt, { still_queued: [] });
      const [cut] = ofType(seen, "result");
      assert.equal(cut?.subtype, "error_during_execution");
      assert.equal(cut?.terminal_reason, "aborted_streaming");
      assert.equal(client.state, "connected");
      assert.equal(resultText(await client.ask("again")), "Again.");

      const asking = client.ask("run");
      await appears(join(real.cwd, "started"));
      await client.interrupt();
      assert.equal((await asking).terminal_reason, "aborted_tools");
      assert.equal(resultText(await client.ask("again")), "And again.");

      const all: Message[] = [];
      await client.sendMessage("start it");
      for await (const message of client.receiveMessages()) {
        all.push(message);
        if (ofType(all, "result").length === 2) break;
        if (message.type === "result") {
          await writeFile(join(real.cwd, "go"), "");
        }
      }
      const results = ofType(all, "result");
      assert.deepEqual(results.map(resultText), [
        "Started.",
        "It has finished.",
      ]);
      assert.equal(results[1]?.origin?.kind, "task-notification");
      const kinds = systemKinds(all);
      assert.ok(kinds.includes("task_started"));
      assert.ok(kinds.includes("task_notification"));
      const now = await client.ask("and now?");
      assert.equal(resultText(now), "And now?");

      await client.sendMessage("/compact");
      const { items } = await collect(client.receiveResponse());
      const [boundary] = ofType(items, "system")
        .filter(({ subtype }) => subtype === "compact_boundary");
      assert.ok(boundary?.subtype === "compact_boundary");
      assert.equal(boundary.compact_metadata.trigger, "manual");
      const [result] = ofType(items, "result");
      assert.ok(result?.subtype === "success");
      assert.equal(result.local_command, "compact");
      const after = await client.ask("go on");
      assert.equal(resultText(after), "After it.");
      assert.equal(after.session_id, now.session_id);
    });
  },
);
