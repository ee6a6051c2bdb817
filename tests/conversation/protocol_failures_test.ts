import assert from "node:assert/strict";
import {
  type Conversation,
  type JsonObject,
  ProtocolError,
  query,
} from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  answerLine,
  assistantLine,
  isRequest,
  memoryCli,
  metricsSpy,
  turns,
} from "./_rig.ts";

/** A conversation with a CLI in this process that answers nothing but `initialize`, on a clock that the test moves. */
async function withSilence(
  use: (rig: {
    readonly conversation: Conversation;
    readonly peer: ReturnType<typeof memoryCli>["peer"];
    readonly metrics: ReturnType<typeof metricsSpy>;
    readonly clock: FakeClock;
  }) => Promise<void>,
): Promise<void> {
  const { transport, peer } = memoryCli();
  const metrics = metricsSpy();
  const clock = new FakeClock();
  const conversation = query(new ReadableStream<string>(), {
    transport,
    clock,
    metrics: metrics.metrics,
  });
  await conversation.ready;
  try {
    await use({ conversation, peer, metrics, clock });
  } finally {
    const closing = conversation.close();
    await clock.advance(60_000);
    await closing;
  }
}

test(
  "the control protocol survives time-outs, unknown replies, storms and abandoned requests",
  async () => {
    await withSilence(async ({ conversation, peer, metrics, clock }) => {
      // A time-out.
      const late = rejectionOf(
        conversation.request("late", {}, { timeoutMs: 1_000 }),
      );
      await peer.line(isRequest("late"));
      await clock.advance(1_000);
      const timeout = await late;
      assert.ok(timeout instanceof ProtocolError);
      assert.equal(timeout.category, "timeout");
      // Unknown replies.
      await peer.reply({ request_id: "nobody" }, {});
      await turns(2);
      assert.deepEqual(metrics.of("protocol.unknownResponse"), [["nobody"]]);
      // A storm, answered from its end.
      const asked = Array.from(
        { length: 1_000 },
        (_, index) => conversation.request(`storm_${index}`, {}),
      );
      await peer.line(isRequest("storm_999"));
      const storm = peer.lines.filter((line) =>
        /^storm_/.test(
          String((line.request as JsonObject | undefined)?.subtype),
        )
      );
      assert.equal(
        new Set(storm.map(({ request_id }) => request_id)).size,
        1000,
      );
      await peer.send(
        ...storm.toReversed().map((line) =>
          answerLine(line, {
            to: String((line.request as JsonObject).subtype),
          })
        ),
      );
      assert.deepEqual(
        await Promise.all(asked),
        asked.map((_, index) => ({ to: `storm_${index}` })),
      );
      // An abandoned request.
      const left = rejectionOf(
        conversation.request("left", {}, { timeoutMs: Infinity }),
      );
      await peer.line(isRequest("left"));
      assert.equal(conversation.health().pendingRequests, 1);
      await clock.advance(10 * 60_000);
      assert.ok(await left instanceof ProtocolError);
      assert.equal(conversation.health().pendingRequests, 0);
      assert.equal(
        metrics.of("protocol.orphanedRequests").reduce(
          (sum, [count]) => sum + Number(count),
          0,
        ),
        2,
        "the late one was never answered either",
      );
    });
  },
  { ids: ["QA-02"] },
);

test(
  "replies to callers that never look hold up neither the router nor the messages behind them",
  async () => {
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport });
    await conversation.ready;
    // The caller is busy for ever, and never looks at the promise again.
    let looked = 0;
    for (let index = 0; index < 1_000; index++) {
      void conversation.request(`r${index}`, {}).then(() => {
        looked++;
        return new Promise(() => {});
      });
    }
    await peer.line(isRequest("r999"));
    const replies = peer.lines.filter((line) =>
      /^r\d+$/.test(String((line.request as JsonObject | undefined)?.subtype))
    ).map((line) => answerLine(line, {}));
    assert.equal(replies.length, 1_000);
    await peer.send(...replies, assistantLine("behind"));
    for await (const message of conversation) {
      assert.equal(message.type, "assistant");
      break;
    }
    assert.equal(looked, 1_000);
    assert.equal(conversation.health().pendingRequests, 0);
    await conversation.close();
  },
  { ids: ["CP-07"] },
);
