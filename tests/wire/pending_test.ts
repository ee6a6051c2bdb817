import assert from "node:assert/strict";
import { ControlError, type JsonObject, ProtocolError } from "@sluice/agent";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";
import { requestsRig, settle } from "./_requests.ts";

function success(id: string, response?: JsonObject): JsonObject {
  return {
    subtype: "success",
    request_id: id,
    ...response === undefined ? {} : { response },
  };
}

test("Pending.settle() resolves the request that the answer names with its response", async () => {
  const { add, pending } = requestsRig();
  const [a, b] = [add("a"), add("b")];
  assert.equal(pending.size, 2);
  settle(pending, success("b", { n: 2 }));
  assert.deepEqual(await b, { n: 2 });
  assert.equal(await isSettled(a), false);
  settle(pending, success("a", { n: 1 }));
  assert.deepEqual(await a, { n: 1 });
  assert.equal(pending.size, 0);
});

test("Pending.settle() takes an answer without a response for an empty one", async () => {
  const { add, pending } = requestsRig();
  const answer = add("a");
  settle(pending, { subtype: "success", request_id: "a" });
  assert.deepEqual(await answer, {});
});

test("Pending.settle() rejects a request whose answer is no object, and names the field", async () => {
  for (const response of [null, 1, "x", [1], false]) {
    const { add, pending } = requestsRig();
    const answer = add("a");
    settle(pending, { subtype: "success", request_id: "a", response });
    await assert.rejects(answer, (error) => {
      assert.ok(error instanceof ProtocolError);
      assert.match(error.message, /set_model.*must be an object, is/);
      assert.equal(error.details.field, "response.response");
      assert.equal(error.requestId, "a");
      assert.equal(error.fatal, false);
      return true;
    });
    assert.equal(pending.size, 0);
  }
});

test("Pending.settle() rejects a refused request with the CLI's words and code", async () => {
  const { add, pending, metrics } = requestsRig();
  const answer = add("a");
  settle(pending, {
    subtype: "error",
    request_id: "a",
    error: "No such model",
    error_code: "invalid_mode",
  });
  await assert.rejects(answer, (error) => {
    assert.ok(error instanceof ControlError);
    assert.equal(error.message, "CLI refused set_model: No such model");
    assert.equal(error.subtype, "set_model");
    assert.equal(error.errorCode, "invalid_mode");
    assert.deepEqual(error.details, { error: "No such model" });
    assert.equal(error.fatal, false);
    return true;
  });
  assert.equal(metrics.count("error"), 1);
  assert.equal(metrics.count("success"), 0);
  assert.equal(metrics.count("malformedMessage"), 0);
});

test("Pending.settle() keeps only codes that are plain words", async () => {
  const { add, pending } = requestsRig();
  const cases: readonly (readonly [unknown, string | undefined])[] = [
    ["a_1", "a_1"],
    ["", undefined],
    ["Not A Code", undefined],
    ["1a", undefined],
    ["a".repeat(65), undefined],
    ["a\n", undefined],
    [7, undefined],
    [null, undefined],
  ];
  for (const [code, expected] of cases) {
    const answer = add("a");
    settle(pending, {
      subtype: "error",
      request_id: "a",
      error: "no",
      error_code: code,
    } as JsonObject);
    await assert.rejects(
      answer,
      (error) => error instanceof ControlError && error.errorCode === expected,
    );
  }
});

test(
  "Pending.settle() counts and reports malformed answers, and rejects only the request they name",
  async () => {
    const { add, pending, metrics, reported } = requestsRig();
    const answer = add("a");
    for (const id of [undefined, null, 1, {}, ["a"]]) {
      settle(pending, { subtype: "success", request_id: id } as JsonObject);
    }
    assert.equal(metrics.count("malformedMessage"), 5);
    assert.equal(await isSettled(answer), false);
    settle(pending, { subtype: 1, request_id: "a", error: { x: 1 } });
    assert.equal(metrics.count("malformedMessage"), 6);
    await assert.rejects(answer, /CLI refused set_model: no reason was given/);
    assert.deepEqual(
      reported.map(({ details, category, fatal }) => [
        details.field,
        category,
        fatal,
      ]),
      [
        ...Array(5).fill(["response.request_id", "protocol", false]),
        ["response.subtype", "protocol", false],
      ],
    );
    assert.match(
      String(reported[0]?.message),
      /^Control response is malformed: field "response\.request_id" is missing/,
    );
    assert.match(
      String(reported[4]?.message),
      /must be a string, is array/,
    );
  },
  { ids: ["R-03", "R-10"] },
);

test(
  "Pending.settle() counts an answer that nobody waits for, and a second one",
  async () => {
    const { add, pending, metrics } = requestsRig();
    const answer = add("a");
    settle(pending, success("b"));
    settle(pending, success("a", { n: 1 }));
    settle(pending, { subtype: "error", request_id: "a", error: "no" });
    assert.deepEqual(await answer, { n: 1 });
    const unknown = metrics.calls.filter(([name]) =>
      name === "unknownResponse"
    );
    assert.deepEqual(unknown, [["unknownResponse", "b"], [
      "unknownResponse",
      "a",
    ]]);
  },
  { ids: ["CP-05", "R-02"] },
);

test(
  "Pending.add() rejects after the request's own limit with a time-out that says everything",
  async () => {
    const { add, pending, clock, metrics, log } = requestsRig();
    const answer = add("req_1", 1_500);
    await clock.advance(1_499);
    assert.equal(await isSettled(answer), false);
    const late = assert.rejects(answer, (error) => {
      assert.ok(error instanceof ProtocolError);
      assert.equal(error.category, "timeout");
      assert.equal(error.code, "protocol_timeout");
      assert.equal(error.subtype, "set_model");
      assert.equal(error.requestId, "req_1");
      assert.deepEqual(error.requestData, {
        subtype: "set_model",
        model: "opus",
      });
      assert.match(error.message, /set_model was not answered within 1500 ms/);
      return true;
    });
    await clock.advance(1);
    await late;
    assert.equal(pending.size, 0);
    assert.deepEqual(
      metrics.calls.filter(([name]) => name !== "pendingRequests"),
      [["request", "set_model"], ["timeout", "set_model"]],
    );
    const [level, , fields] = log.lines.at(-1) ?? [];
    assert.equal(level, "warn");
    assert.deepEqual(fields, {
      subtype: "set_model",
      requestId: "req_1",
      input: { subtype: "set_model", model: "opus" },
      durationMs: 1_500,
    });
  },
  { ids: ["T-05", "T-07", "T-08", "OB-09"] },
);

test(
  "Pending leaves no timer of a request that ended, and its limit never passes again",
  async () => {
    const { add, pending, clock, metrics, deadlines } = requestsRig();
    const answers = [
      add("a", 100),
      add("b", 100),
      add("c", 100),
    ];
    settle(pending, success("a"));
    settle(pending, { subtype: "error", request_id: "b", error: "no" });
    pending.giveUp("c", new Error("mine"));
    await Promise.allSettled(answers);
    await clock.advance(200);
    assert.equal(metrics.count("timeout"), 0);
    deadlines.close();
    await clock.advance(0);
    assert.equal(clock.pending, 0);
  },
  { ids: ["T-10"] },
);

test("Pending forgets a request on every way out", async () => {
  const { add, pending, clock, metrics } = requestsRig();
  const ways: readonly (readonly [string, () => void | Promise<void>])[] = [
    ["success", () => settle(pending, success("a"))],
    ["error", () => settle(pending, { subtype: "error", request_id: "a" })],
    ["time-out", () => clock.advance(1_000)],
    ["abort", () => void pending.giveUp("a", new Error("aborted"))],
  ];
  for (const [way, leave] of ways) {
    const answer = add("a", 1_000);
    answer.catch(() => {});
    assert.equal(pending.size, 1, way);
    await leave();
    assert.equal(pending.size, 0, way);
    await Promise.allSettled([answer]);
    assert.deepEqual(
      metrics.calls.findLast(([name]) => name === "pendingRequests"),
      ["pendingRequests", 0],
    );
  }
}, { ids: ["CP-03", "CP-10"] });

test(
  "Pending tells how many wait at every change, so that the highest number can be seen",
  async () => {
    const { add, pending, metrics, added } = requestsRig();
    const answers = ["a", "b", "c"].map((id) => add(id));
    settle(pending, success("b"));
    settle(pending, success("unknown"));
    answers.push(add("d"));
    pending.rejectAll(() => new Error("closed"));
    await Promise.allSettled(answers);
    const counts = metrics.calls.filter(([name]) => name === "pendingRequests")
      .map(([, count]) => count);
    assert.deepEqual(counts, [1, 2, 3, 2, 3, 0, 0, 0]);
    assert.deepEqual(added, [1, 2, 3, 3]);
  },
  { ids: ["CP-09"] },
);

test(
  "Pending.giveUp() rejects with the reason at once, and says whether there was anything",
  async () => {
    const { add, pending } = requestsRig();
    const answer = add("a");
    const reason = new RangeError("mine");
    assert.equal(pending.giveUp("a", reason), true);
    assert.equal(pending.size, 0);
    assert.equal(pending.giveUp("a", reason), false);
    assert.equal(pending.giveUp("b", reason), false);
    await assert.rejects(answer, (error) => error === reason);
  },
  { ids: ["CP-08"] },
);

test(
  "Pending.rejectAll() rejects each request with a reason of its own",
  async () => {
    const { add, pending, metrics } = requestsRig();
    const answers = ["a", "b"].map((id) => add(id));
    pending.rejectAll(({ id }) => new Error(`gone ${id}`));
    const results = await Promise.allSettled(answers);
    assert.deepEqual(
      results.map((one) => one.status === "rejected" && one.reason.message),
      ["gone a", "gone b"],
    );
    assert.equal(pending.size, 0);
    // An answer that comes now disturbs nobody.
    settle(pending, success("a"));
    assert.equal(metrics.count("unknownResponse"), 1);
  },
  { ids: ["R-04", "R-08"] },
);

test(
  "Pending abandons requests without a limit of their own, and counts them as orphaned",
  async () => {
    const { add, clock, metrics, log } = requestsRig(300_000);
    const answer = add("a", Infinity);
    await clock.advance(299_999);
    assert.equal(await isSettled(answer), false);
    const swept = assert.rejects(answer, (error) => {
      assert.ok(error instanceof ProtocolError);
      assert.equal(error.category, "timeout");
      assert.match(error.message, /abandoned after 300000 ms/);
      return true;
    });
    await clock.advance(1);
    await swept;
    assert.deepEqual(
      metrics.calls.filter(([name]) => name === "orphanedRequests"),
      [["orphanedRequests", 1]],
    );
    const [level, , fields] = log.lines.findLast(([one]) => one === "warn") ??
      [];
    assert.deepEqual([level, fields], ["warn", { requestId: "a" }]);
    assert.equal(clock.pending, 0);
  },
  { ids: ["CP-03", "CP-04"] },
);

test("Pending never abandons a request before its own limit", async () => {
  const { add, clock, metrics } = requestsRig(60_000);
  const answer = add("a", 3_600_000);
  await clock.advance(3_599_999);
  assert.equal(await isSettled(answer), false);
  assert.equal(metrics.count("orphanedRequests"), 0);
  const late = assert.rejects(answer, /not answered within 3600000 ms/);
  await clock.advance(1);
  await late;
  await clock.advance(60_000);
  assert.equal(metrics.count("orphanedRequests"), 1);
}, { ids: ["CP-04"] });

test(
  "Pending counts requests that timed out and were never answered as orphaned",
  async () => {
    const { add, pending, clock, metrics } = requestsRig(10_000);
    const answers = ["a", "b", "c", "d"].map((id) => add(id, 100));
    answers.push(add("e"));
    pending.giveUp("e", new Error("taken back, so the CLI owes no answer"));
    await Promise.all([
      ...answers.map((one) => assert.rejects(one)),
      clock.advance(100),
    ]);
    // A late answer is none of a request that is lost.
    settle(pending, success("d"));
    assert.equal(metrics.count("unknownResponse"), 1);
    await clock.advance(9_899);
    assert.equal(metrics.count("orphanedRequests"), 0);
    await clock.advance(1);
    assert.equal(metrics.count("orphanedRequests"), 3);
    await clock.advance(60_000);
    assert.equal(metrics.count("orphanedRequests"), 3);
    assert.equal(clock.pending, 0);
  },
  { ids: ["CP-04"] },
);

test("Pending tells how long an answer took", async () => {
  const { add, pending, clock, metrics, log } = requestsRig();
  const answer = add("a");
  await clock.advance(250);
  settle(pending, success("a"));
  await answer;
  assert.ok(
    metrics.calls.some(([name, subtype, ms]) =>
      name === "success" && subtype === "set_model" && ms === 250
    ),
  );
  assert.ok(
    log.lines.some(([level, , fields]) =>
      level === "debug" && fields?.["durationMs"] === 250
    ),
  );
}, { ids: ["OB-08", "OB-13"] });

test(
  "every end of a request of ours is told as a trace, whichever it was",
  async () => {
    const { add, pending, clock, log } = requestsRig();
    const settled = ["a", "b", "c", "d"].map((id) =>
      add(id, id === "c" ? 50 : 1_000)
        .catch(() => {})
    );
    await clock.advance(7);
    settle(pending, { subtype: "success", request_id: "a", response: {} });
    settle(pending, { subtype: "error", request_id: "b", error: "no" });
    await clock.advance(50);
    pending.giveUp("d", new Error("Taken back"));
    await Promise.all(settled);
    const ended = log.lines.filter(([, text]) =>
      text === "Control request ended"
    );
    assert.deepEqual(
      ended,
      [
        ["a", "success", 7],
        ["b", "error", 7],
        ["c", "timeout", 50],
        ["d", "given up", 57],
      ].map(([requestId, outcome, durationMs]) => [
        "debug",
        "Control request ended",
        { subtype: "set_model", requestId, outcome, durationMs },
      ]),
    );
  },
  { ids: ["OB-13"] },
);
