import assert from "node:assert/strict";
import {
  CliExitError,
  type Conversation,
  type JsonObject,
  ProtocolError,
  query,
} from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { Router } from "../../src/wire/router.ts";
import { withConnected } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  answerLine,
  assistantLine,
  isRequest,
  memoryCli,
  metricsSpy,
  turns,
} from "./_rig.ts";
import { Pending } from "../../src/wire/requests.ts";

/** A conversation with a CLI in this process that answers nothing but `initialize`, on a clock that the test moves. */
async function withSilence(
  use: (rig: {
    readonly conversation: Conversation;
    readonly far: ReturnType<typeof memoryCli>["far"];
    readonly metrics: ReturnType<typeof metricsSpy>;
    readonly clock: FakeClock;
  }) => Promise<void>,
): Promise<void> {
  const { transport, far } = memoryCli();
  const metrics = metricsSpy();
  const clock = new FakeClock();
  const conversation = query(new ReadableStream<string>(), {
    transport,
    clock,
    metrics: metrics.metrics,
  });
  await conversation.ready;
  try {
    await use({ conversation, far, metrics, clock });
  } finally {
    const closing = conversation.close();
    await clock.advance(60_000);
    await closing;
  }
}

/** Runs with one method of a class replaced. */
async function withMethod<T extends object, K extends keyof T>(
  target: T,
  name: K,
  method: T[K],
  use: () => Promise<void>,
): Promise<void> {
  const real = target[name];
  target[name] = method;
  try {
    await use();
  } finally {
    target[name] = real;
  }
}

test(
  "the control protocol survives time-outs, unknown replies, storms and abandoned requests, and tells when its router fails",
  async () => {
    await withSilence(async ({ conversation, far, metrics, clock }) => {
      // A time-out.
      const late = rejectionOf(
        conversation.request("late", {}, { timeoutMs: 1_000 }),
      );
      await far.line(isRequest("late"));
      await clock.advance(1_000);
      const timeout = await late;
      assert.ok(timeout instanceof ProtocolError);
      assert.equal(timeout.category, "timeout");
      // Unknown replies.
      await far.reply({ request_id: "nobody" }, {});
      await turns(2);
      assert.deepEqual(metrics.of("protocol.unknownResponse"), [["nobody"]]);
      // A storm, answered from its end.
      const asked = Array.from(
        { length: 1_000 },
        (_, index) => conversation.request(`storm_${index}`, {}),
      );
      await far.line(isRequest("storm_999"));
      const storm = far.lines.filter((line) =>
        /^storm_/.test(
          String((line.request as JsonObject | undefined)?.subtype),
        )
      );
      assert.equal(
        new Set(storm.map(({ request_id }) => request_id)).size,
        1000,
      );
      await far.send(
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
      await far.line(isRequest("left"));
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
      // The failure of the router itself.
      const reading = collect(conversation);
      const boom = new Error("A bug");
      const fail = () => {
        throw boom;
      };
      await withMethod(Router.prototype, "push", fail, async () => {
        await far.send(assistantLine("never seen"));
        const closing = reading;
        await clock.advance(60_000);
        const { error } = await closing;
        assert.ok(error instanceof ProtocolError);
        assert.equal(error.fatal, true);
        assert.equal(error.cause, boom);
      });
    });
  },
  { ids: ["QA-02"] },
);

test(
  "a control line whose handling throws is counted and reported, and the next message arrives, also when metrics throw",
  async () => {
    const bug = new RangeError("A bug");
    let throws = 0;
    const fail = () => {
      throws++;
      throw bug;
    };
    for (const isHostile of [false, true]) {
      const { transport, far } = memoryCli();
      const spy = metricsSpy();
      const hostile = new Proxy({}, { get: () => fail });
      const conversation = query("x", {
        transport,
        metrics: isHostile
          ? { transport: hostile, protocol: hostile, parser: hostile }
          : spy.metrics,
      });
      await conversation.ready;
      throws = 0;
      await withMethod(Pending.prototype, "settle", fail, async () => {
        await far.send(
          assistantLine("before"),
          { type: "control_response", response: { request_id: "x" } },
          assistantLine("after"),
        );
        const seen: unknown[] = [];
        for await (const message of conversation) {
          seen.push(message.type);
          if (seen.length === 2) break;
        }
        assert.deepEqual(seen, ["assistant", "assistant"]);
      });
      assert.ok(throws > 0);
      await conversation.close();
      const { items } = await collect(conversation.errors);
      const [error, ...more] = items;
      assert.deepEqual(more, []);
      assert.ok(error instanceof ProtocolError);
      assert.equal(error.category, "handler");
      assert.equal(error.cause, bug);
      assert.equal(error.fatal, false);
      if (isHostile) continue;
      assert.deepEqual(spy.of("protocol.handlerFailure"), [["router", error]]);
    }
  },
  { ids: ["R-06"] },
);

test(
  "the end of the transport rejects every request that waits, without any clock",
  async () => {
    for (const code of [0, 1]) {
      await withSilence(async ({ conversation, far, clock }) => {
        const waiting = Array.from(
          { length: 10 },
          (_, index) => rejectionOf(conversation.request(`r${index}`, {})),
        );
        await far.line(isRequest("r9"));
        assert.equal(conversation.health().pendingRequests, 10);
        const began = clock.now();
        far.end({ code });
        for (const error of await Promise.all(waiting)) {
          assert.ok(error instanceof ProtocolError);
          assert.equal(error.category, "transport");
        }
        assert.equal(clock.now(), began);
        assert.equal(conversation.health().pendingRequests, 0);
      });
    }
  },
  { ids: ["R-04"] },
);

test(
  "requests that wait when a process ends reject at its end, without any clock",
  async () => {
    for (const exit of [0, 1]) {
      const plan = {
        controls: { mcp_status: "silent" },
        turns: [[
          ...Array.from(
            { length: 10 },
            () => ({ wait: { control: "mcp_status" } }),
          ),
          { exit },
        ]],
      } as const;
      // Nobody moves it: whatever waits for it never ends.
      const clock = new FakeClock();
      await withConnected(plan, async ({ client }) => {
        await client.sendMessage("go");
        const waiting = Array.from(
          { length: 10 },
          () => rejectionOf(client.mcpStatus()),
        );
        for (const error of await Promise.all(waiting)) {
          assert.ok(error instanceof ProtocolError);
          assert.equal(error.category, "transport");
          assert.equal(error.subtype, "mcp_status");
          assert.ok(error.cause instanceof CliExitError);
          assert.equal(error.cause.exitCode, exit);
        }
        assert.equal(client.health().pendingRequests, 0);
      }, { clock });
    }
  },
  { ids: ["R-04", "R-08"] },
);

test(
  "replies to callers that never look hold up neither the router nor the messages behind them",
  async () => {
    const { transport, far } = memoryCli();
    const conversation = query("x", { transport });
    await conversation.ready;
    // Whoever asked is busy for ever, and never looks at the promise again.
    let looked = 0;
    for (let index = 0; index < 1_000; index++) {
      void conversation.request(`r${index}`, {}).then(() => {
        looked++;
        return new Promise(() => {});
      });
    }
    await far.line(isRequest("r999"));
    const replies = far.lines.filter((line) =>
      /^r\d+$/.test(String((line.request as JsonObject | undefined)?.subtype))
    ).map((line) => answerLine(line, {}));
    assert.equal(replies.length, 1_000);
    await far.send(...replies, assistantLine("behind"));
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
