import assert from "node:assert/strict";
import {
  type Conversation,
  type JsonObject,
  type Message,
  ProtocolError,
  query,
} from "@sluice/agent";
import { rejectionOf } from "../_collect.ts";
import { fakeCli } from "@sluice/agent/testing";
import { flood, repeated } from "../_steps.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  isAnswerTo,
  memoryCli,
  requestLine,
  resultLine,
  turns,
} from "./_rig.ts";

const KIB = 1_024;

/** About 1 MiB of messages. */
const FLOOD = flood(2_000, 512);

/** Waits until nothing is read any more. */
async function standstill(conversation: Conversation): Promise<number> {
  for (let same = 0, last = -1; same < 40;) {
    const { bytesRead } = conversation.health();
    same = bytesRead === last ? same + 1 : 0;
    last = bytesRead;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return conversation.health().bytesRead;
}

test(
  "a consumer that stops reading back-pressures the CLI, and gets everything when it reads on",
  async () => {
    const fake = fakeCli([[...FLOOD, ...FLOOD, {
      stderr: "all is written\n",
    }]]);
    const said: string[] = [];
    const readAheadBytes = 128 * KIB;
    const conversation = query("x", {
      cliPath: fake.cliPath,
      limits: { readAheadBytes },
      onStderr: (line) => void said.push(line),
    });
    const messages = conversation[Symbol.asyncIterator]();
    await messages.next();
    const bytesRead = await standstill(conversation);
    assert.ok(
      bytesRead < readAheadBytes + 384 * KIB,
      `read ${bytesRead} bytes ahead`,
    );
    assert.deepEqual(said, [], "the CLI waits in its write");
    assert.equal(conversation.health().state, "running");
    let count = 0;
    for (;;) {
      const { value, done } = await messages.next();
      if (done) break;
      if (value.type === "stream_event") count++;
    }
    assert.equal(count, 4_000);
    assert.deepEqual(said, ["all is written"]);
    await conversation.close();
    await fake.close();
  },
  { ids: ["IO-05", "IO-06", "Q-10", "QA-01"] },
);

test(
  "a conversation without a reader is back-pressured as well, and close() ends it",
  async () => {
    const fake = fakeCli([[...FLOOD, ...FLOOD]]);
    const conversation = query("x", {
      cliPath: fake.cliPath,
      limits: { readAheadBytes: 64 * KIB },
    });
    await conversation.ready;
    assert.ok(await standstill(conversation) < 512 * KIB);
    await conversation.close();
    assert.equal(conversation.health().state, "gone");
    await fake.close();
  },
  { ids: ["IO-06", "Q-10"] },
);

test(
  "messages and batches read no further ahead than the consumer does",
  async () => {
    for (const shape of ["messages", "batches"] as const) {
      const fake = fakeCli([[...FLOOD, ...FLOOD]]);
      const conversation = query("x", {
        cliPath: fake.cliPath,
        limits: { readAheadBytes: 64 * KIB },
      });
      const reader = conversation[shape].getReader();
      await reader.read();
      assert.ok(await standstill(conversation) < 512 * KIB, shape);
      await reader.cancel();
      assert.equal(conversation.health().state, "gone");
      await fake.close();
    }
  },
  { ids: ["Q-10"] },
);

test(
  "control requests behind unread messages are answered while the consumer sleeps",
  async () => {
    const ask = { tool: "Bash", input: { command: "ls" } };
    const steps = repeated(50, ...flood(20), ask);
    const fake = fakeCli([[...steps, { stderr: "done\n" }]]);
    let decisions = 0;
    let isDone = () => {};
    const done = new Promise<void>((resolve) => isDone = resolve);
    const conversation = query("x", {
      cliPath: fake.cliPath,
      onStderr: () => isDone(),
      permissions: {
        canUseTool: () => {
          decisions++;
          return { behavior: "allow" };
        },
      },
    });
    const messages = conversation[Symbol.asyncIterator]();
    await messages.next();
    // The consumer does not come back until the CLI has got all its answers.
    await done;
    assert.equal(decisions, 50);
    let deltas = 0;
    for (;;) {
      const { value, done } = await messages.next();
      if (done) break;
      if (value.type === "stream_event") deltas++;
    }
    assert.equal(deltas, 1_000);
    await fake.close();
  },
  { ids: ["Q-19", "R-05"] },
);

test(
  "300 unread messages stand before neither a permission nor interrupt()",
  async () => {
    const fake = fakeCli([[
      ...flood(300),
      { tool: "Bash", id: "p1" },
      { wait: "forever" },
    ]]);
    const conversation = query("x", {
      cliPath: fake.cliPath,
      permissions: { canUseTool: () => ({ behavior: "allow" }) },
    });
    await conversation.ready;
    await fake.receivedLine(isAnswerTo("p1"));
    await conversation.interrupt();
    assert.equal((await conversation.result()).is_error, true);
    await fake.close();
  },
  { ids: ["Q-19", "R-05"] },
);

test(
  "a request of ours wakes the reading when the window is full",
  async () => {
    const fake = fakeCli([[...FLOOD, { wait: "forever" }]]);
    const conversation = query("x", {
      cliPath: fake.cliPath,
      limits: { readAheadBytes: 64 * KIB },
    });
    const messages = conversation[Symbol.asyncIterator]();
    await messages.next();
    const before = await standstill(conversation);
    const { still_queued: queued } = await conversation.interrupt();
    assert.deepEqual(queued, []);
    assert.ok(conversation.health().bytesRead > before);
    await conversation.close();
    await fake.close();
  },
  { ids: ["Q-19", "R-05"] },
);

test(
  "await interrupt() inside a for await body does not deadlock, whatever stands before its answer",
  async () => {
    for (const messages of [10, 3_000]) {
      const fake = fakeCli([[...flood(messages), { wait: "forever" }]]);
      const conversation = query("x", {
        cliPath: fake.cliPath,
        limits: { readAheadBytes: 16 * KIB },
      });
      let interrupts = 0;
      let last: Message | undefined;
      for await (const message of conversation) {
        last = message;
        if (message.type !== "stream_event" || interrupts > 0) continue;
        interrupts++;
        await conversation.interrupt();
      }
      assert.equal(interrupts, 1);
      assert.equal(last?.type, "result");
      await fake.close();
    }
  },
  { ids: ["Q-19", "R-05"] },
);

test(
  "a request behind more than limits.maxBufferedBytes rejects with the limit, and the conversation continues",
  async () => {
    const fake = fakeCli({
      turns: [[...FLOOD, ...FLOOD, ...FLOOD, { wait: "interrupt" }]],
      controls: { mcp_status: "silent" },
      onInterrupt: "ignore",
    });
    const conversation = query("x", {
      cliPath: fake.cliPath,
      limits: { readAheadBytes: 64 * KIB, maxBufferedBytes: 512 * KIB },
    });
    const messages = conversation[Symbol.asyncIterator]();
    await messages.next();
    const error = await rejectionOf(conversation.mcpStatus());
    assert.ok(error instanceof ProtocolError);
    assert.equal(error.category, "transport");
    assert.equal(error.subtype, "mcp_status");
    assert.match(error.message, /"limits\.maxBufferedBytes" is 524288/);
    assert.equal(error.fatal, false);
    const { bytesRead, pendingRequests } = conversation.health();
    assert.ok(bytesRead >= 512 * KIB && bytesRead < 768 * KIB);
    assert.equal(pendingRequests, 0);
    assert.ok(
      await standstill(conversation) < 768 * KIB,
      "the limit falls back",
    );
    let deltas = 0;
    for (;;) {
      const { value, done } = await messages.next();
      if (done) break;
      if (value.type === "stream_event" && ++deltas === 6_000) {
        await conversation.interrupt();
      }
    }
    assert.equal(deltas, 6_000);
    await conversation.close();
    await fake.close();
  },
  { ids: ["Q-19", "CP-10"] },
);

test("a consumer that comes back each turn is served as fast as it asks, without a pile before it", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport });
  await conversation.ready;
  const messages = conversation[Symbol.asyncIterator]();
  for (let n = 0; n < 50; n++) {
    const next = messages.next();
    await peer.send(assistantLine(`${n}`));
    const { value } = await next;
    assert.equal(value?.type, "assistant");
  }
  await conversation.close();
});

test(
  "requests of the CLI between unread messages are answered in the order they came",
  async () => {
    const { transport, peer } = memoryCli();
    const conversation = query("x", {
      transport,
      permissions: { canUseTool: () => ({ behavior: "allow" }) },
    });
    await conversation.ready;
    const items: JsonObject[] = [];
    for (let n = 0; n < 20; n++) {
      items.push(
        assistantLine(`${n}`),
        requestLine(`p${n}`, {
          subtype: "can_use_tool",
          tool_name: "Bash",
          input: {},
          tool_use_id: `t${n}`,
        }),
      );
    }
    await peer.send(...items);
    await peer.line(isAnswerTo("p19"));
    const answers = peer.lines.filter(({ type }) => type === "control_response")
      .map(({ response }) => (response as JsonObject).request_id);
    assert.deepEqual(answers, Array.from({ length: 20 }, (_, n) => `p${n}`));
    await peer.send(resultLine());
    let texts = 0;
    for await (const message of conversation) {
      if (message.type === "assistant") texts++;
    }
    assert.equal(texts, 20);
    await turns(1);
    await conversation.close();
  },
  { ids: ["Q-19"] },
);
