import assert from "node:assert/strict";
import { join } from "node:path";
import { ControlError } from "../../src/errors/protocol.ts";
import type { Message } from "../../src/types/message.ts";
import { isGoneWithin } from "../_children.ts";
import { resultText } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import {
  ALLOW,
  appears,
  bash,
  ofType,
  realTest,
  systemKinds,
  withRealClient,
} from "./_real.ts";

realTest("a client has three turns with one process, which remembers them", [
  "One.",
  "Two.",
  "Three.",
], async (real) => {
  await withRealClient(real, {}, async (client) => {
    const { pid } = client;
    const texts: unknown[] = [];
    for (const prompt of ["first", "second", "third"]) {
      texts.push(resultText(await client.ask(prompt)));
    }
    assert.deepEqual(texts, ["One.", "Two.", "Three."]);
    assert.equal(client.pid, pid);
    const last = JSON.stringify(real.model.requests[2]?.body["messages"]);
    for (const said of ["first", "One.", "second", "Two.", "third"]) {
      assert.ok(last.includes(said), said);
    }
    await client.close();
    assert.equal(await isGoneWithin(0, pid ?? 0), true);
  });
}, { ids: ["C-14"] });

realTest(
  "prompts sent while a turn runs are merged by the CLI, and each gets the common result",
  [
    { text: "Slow one.", hang: true },
    "All of them.",
  ],
  async (real) => {
    await withRealClient(real, {}, async (client) => {
      await client.sendMessage("first");
      await real.model.waitForRequest(1);
      for (const text of ["second", "third", "fourth"]) {
        await client.sendMessage(text);
      }
      await client.mcpStatus();
      real.model.release();
      const results: (Message | undefined)[] = [];
      for (let n = 0; n < 4; n++) {
        results.push((await collect(client.receiveResponse())).items.at(-1));
      }
      assert.equal(resultText(results[0] as never), "Slow one.");
      for (const shared of results.slice(1)) assert.equal(shared, results[1]);
      assert.equal(resultText(results[1] as never), "All of them.");
      assert.equal(real.model.requests.length, 2);
      assert.match(
        real.model.requests[1]?.lastText ?? "",
        /second[^]*third[^]*fourth/,
      );
    });
  },
);

realTest("a queued prompt can be taken back before its turn", [
  { text: "Slow one.", hang: true },
  "Next one.",
], async (real) => {
  await withRealClient(real, {}, async (client) => {
    const uuid = "11111111-2222-4333-8444-555555555555";
    await client.sendMessage("first");
    await real.model.waitForRequest(1);
    await client.sendMessage({
      type: "user",
      uuid,
      message: { role: "user", content: "never mind" },
    });
    assert.equal((await client.cancelQueued(uuid)).cancelled, true);
    real.model.release();
    await collect(client.receiveResponse());
    const { items } = await collect(client.receiveResponse());
    assert.equal(ofType(items, "result").length, 0);
    assert.equal(resultText(await client.ask("next")), "Next one.");
    assert.ok(!real.model.requests[1]?.lastText.includes("never mind"));
  });
});

realTest("interrupt() ends a slow stream at once, and the next turn works", [
  { text: "word ".repeat(400), delayMs: 20 },
  "Again.",
], async (real) => {
  const more = { includePartialMessages: true };
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
    const [result] = ofType(seen, "result");
    assert.equal(result?.subtype, "error_during_execution");
    assert.equal(result?.terminal_reason, "aborted_streaming");
    assert.equal(client.state, "connected");
    assert.equal(resultText(await client.ask("again")), "Again.");
  });
});

realTest("interrupt() stops a running tool, and the next turn works", [
  bash("touch started; sleep 30"),
  "Again.",
], async (real) => {
  await withRealClient(real, ALLOW, async (client) => {
    const asking = client.ask("run");
    await appears(join(real.cwd, "started"));
    await client.interrupt();
    const result = await asking;
    assert.equal(result.terminal_reason, "aborted_tools");
    assert.equal(resultText(await client.ask("again")), "Again.");
  });
});

realTest(
  "leaving a turn early closes nothing: it is read to its end before the next",
  [
    { text: "one two three four five six", chunks: 6, delayMs: 5 },
    "Next.",
  ],
  async (real) => {
    const more = { includePartialMessages: true };
    await withRealClient(real, more, async (client) => {
      await client.sendMessage("count");
      for await (const message of client.receiveResponse()) {
        if (message.type === "stream_event") break;
      }
      assert.equal(resultText(await client.ask("next")), "Next.");
      assert.equal(client.state, "connected");
    });
  },
);

realTest("/compact gives a boundary and keeps the session", [
  "Much was said.",
  "<analysis>Brief.</analysis><summary>In short.</summary>",
  "After it.",
], async (real) => {
  await withRealClient(real, {}, async (client) => {
    const { session_id } = await client.ask("say much");
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
    assert.equal(after.session_id, session_id);
  });
});

realTest(
  "a background task has a second result, which is passed on before the next turn's",
  [
    {
      tool: "Bash",
      input: {
        command: "sleep 0.3; echo late",
        description: "late",
        run_in_background: true,
      },
    },
    "Started.",
    "It has finished.",
    "And now?",
  ],
  async (real) => {
    await withRealClient(real, ALLOW, async (client) => {
      const all: Message[] = [];
      await client.sendMessage("start it");
      for await (const message of client.receiveMessages()) {
        all.push(message);
        if (ofType(all, "result").length === 2) break;
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
      assert.equal(resultText(await client.ask("and now?")), "And now?");
    });
  },
);

realTest(
  "setPermissionMode() takes effect, and a mode that there is not is refused",
  [
    bash("touch never.txt"),
    "Then not.",
  ],
  async (real) => {
    await withRealClient(real, {}, async (client) => {
      const error = await rejectionOf(
        client.setPermissionMode("lenient" as never),
      );
      assert.ok(error instanceof ControlError);
      assert.equal(error.subtype, "set_permission_mode");
      assert.equal(error.errorCode, "invalid_mode");
      const bypass = await rejectionOf(
        client.setPermissionMode("bypassPermissions"),
      );
      assert.ok(bypass instanceof ControlError);
      assert.equal(bypass.errorCode, "bypass_not_launched");
      await client.setPermissionMode("dontAsk");
      const result = await client.ask("try it");
      assert.equal(result.permission_denials.length, 1);
    });
  },
);
