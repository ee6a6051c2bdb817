import assert from "node:assert/strict";
import { type JsonObject, ProtocolError } from "@sluice/agent";
import { redactedCopy } from "../../src/errors/redact.ts";
import type { Telling } from "../../src/wire/telling.ts";
import { safeLogger } from "../../src/observe/log.ts";
import { safeMetrics } from "../../src/observe/metrics.ts";
import { Incoming } from "../../src/wire/incoming.ts";
import { Deferred } from "../../src/async/deferred.ts";
import { test } from "../_harness.ts";
import { nextTurn } from "../_turn.ts";
import { metricsSpy } from "./_requests.ts";
import { OpenSink, outboxRig } from "./_sink.ts";
import type {
  ControlContext,
  ControlHandler,
  Denial,
} from "../../src/types/controls.ts";

function rig(
  handlers: Readonly<Record<string, ControlHandler>> = {},
  denials: Readonly<Record<string, Denial>> = {},
  redact?: Telling["redact"],
) {
  const { outbox } = outboxRig();
  const sink = new OpenSink();
  outbox.connect(sink);
  const reported: ProtocolError[] = [];
  const metrics = metricsSpy();
  let ms = 0;
  const incoming = new Incoming({
    handlers: new Map(Object.entries(handlers)),
    denials: new Map(Object.entries(denials)),
    outbox,
  }, {
    report: (error) => void reported.push(error),
    metrics: safeMetrics({ protocol: metrics.protocol }).protocol,
    log: safeLogger(),
    ...redact && { redact },
    clock: { now: () => 0, monotonic: () => ms++ },
  });
  /** What was answered so far, as the inner `response` objects. */
  const answers = async (): Promise<JsonObject[]> => {
    await nextTurn();
    return sink.lines().map((line) => {
      assert.equal(line["type"], "control_response");
      return line["response"] as JsonObject;
    });
  };
  return { incoming, reported, metrics, answers };
}

function request(id: string, subtype = "ask", fields: JsonObject = {}) {
  return {
    type: "control_request",
    request_id: id,
    request: { subtype, ...fields },
  };
}

function cancel(id: string) {
  return { type: "control_cancel_request", request_id: id };
}

test("Incoming.accept() answers with what the handler gives, at once or later", async () => {
  const late = new Deferred<JsonObject>();
  const { incoming, answers, metrics } = rig({
    now: ({ n }) => ({ n: n ?? null }),
    later: () => late.promise,
  });
  incoming.accept(request("1", "later"));
  incoming.accept(request("2", "now", { n: 5 }));
  assert.equal(incoming.size, 1);
  assert.deepEqual(await answers(), [
    { subtype: "success", request_id: "2", response: { n: 5 } },
  ]);
  late.resolve({ done: true });
  assert.deepEqual((await answers())[1], {
    subtype: "success",
    request_id: "1",
    response: { done: true },
  });
  assert.equal(incoming.size, 0);
  assert.deepEqual(
    metrics.calls.map(([name]) => name),
    ["request", "request", "success", "success"],
  );
});

test("Incoming.accept() writes answers as they stand in JSON, whatever they hold", async () => {
  const response = {
    text: 'line\n"quoted" \u2028 \ud83c\udf89',
    list: [1, null, true],
    gone: undefined,
  } as JsonObject;
  const { incoming, answers } = rig({ ask: () => response });
  incoming.accept(request('odd "id"\n'));
  assert.deepEqual(await answers(), [{
    subtype: "success",
    request_id: 'odd "id"\n',
    response: { text: response["text"], list: [1, null, true] },
  }]);
});

test(
  "Incoming.accept() answers a handler that throws or rejects with an error, and reports it",
  async () => {
    for (
      const handler of [
        () => {
          throw new RangeError("too far");
        },
        () => Promise.reject(new RangeError("too far")),
      ] as ControlHandler[]
    ) {
      const { incoming, reported, answers, metrics } = rig({ ask: handler });
      incoming.accept(request("1"));
      assert.deepEqual(await answers(), [{
        subtype: "error",
        request_id: "1",
        error: "too far",
        error_code: "internal_error",
      }]);
      const [error, ...more] = reported;
      assert.deepEqual(more, []);
      assert.equal(error?.category, "handler");
      assert.equal(error?.requestId, "1");
      assert.equal(error?.subtype, "ask");
      assert.deepEqual(error?.requestData, { subtype: "ask" });
      assert.ok(error?.cause instanceof RangeError);
      assert.equal(error?.fatal, false);
      assert.equal(incoming.size, 0);
      assert.deepEqual(metrics.calls.map(([name]) => name), [
        "request",
        "error",
        "handlerFailure",
      ]);
    }
  },
  { ids: ["OB-03", "R-12"] },
);

test("Incoming.accept() reports a handler's ProtocolError as it is", async () => {
  const late = new ProtocolError({ message: "Late", category: "timeout" });
  const { incoming, reported, answers } = rig({
    ask: () => Promise.reject(late),
  });
  incoming.accept(request("1"));
  await answers();
  assert.deepEqual(reported, [late]);
});

test("Incoming.accept() answers what cannot be written as JSON with an error, and reports it", async () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const nonsense: unknown[] = [
    circular,
    { big: 1n },
    { toJSON: () => undefined },
    {
      get broken() {
        throw new Error("getter");
      },
    },
    undefined,
  ];
  for (const answer of nonsense) {
    for (const isLate of [false, true]) {
      // A promise of `undefined` says that nothing is to be answered.
      if (isLate && answer === undefined) continue;
      const { incoming, reported, answers } = rig({
        ask: () => (isLate ? Promise.resolve(answer) : answer) as JsonObject,
      });
      incoming.accept(request("1"));
      const [response, ...more] = await answers();
      assert.deepEqual(more, []);
      assert.equal(response?.["subtype"], "error");
      assert.equal(response?.["request_id"], "1");
      assert.equal(reported.length, 1);
      assert.equal(incoming.size, 0);
    }
  }
});

test("Incoming.accept() answers nothing for a promise of undefined", async () => {
  const { incoming, reported, answers } = rig({
    ask: () => Promise.resolve(undefined),
  });
  incoming.accept(request("1"));
  assert.deepEqual(await answers(), []);
  assert.equal(incoming.size, 0);
  assert.deepEqual(reported, []);
});

test(
  "Incoming.accept() refuses a kind that nobody answers with the code the CLI knows, counts and reports it",
  async () => {
    const { incoming, reported, answers, metrics } = rig();
    incoming.accept(request("1", "brand_new"));
    assert.deepEqual(await answers(), [{
      subtype: "error",
      request_id: "1",
      error: 'This host does not answer "brand_new"',
      error_code: "unsupported_request",
    }]);
    assert.equal(reported.length, 1);
    const [{ category, requestId, subtype, requestData, message } = {}] =
      reported as Partial<ProtocolError>[];
    assert.deepEqual([category, requestId, subtype], [
      "protocol",
      "1",
      "brand_new",
    ]);
    assert.deepEqual(requestData, { subtype: "brand_new" });
    assert.match(String(message), /^Unsupported control request: /);
    assert.deepEqual(metrics.calls, [
      ["request", "brand_new"],
      ["error", "brand_new"],
    ]);
  },
  { ids: ["R-11"] },
);

test(
  "Incoming.accept() counts and reports malformed requests, and answers those with an id",
  async () => {
    const { incoming, reported, answers, metrics } = rig({ ask: () => ({}) });
    const nonsense = [undefined, null, 1, "x", [], {}, { subtype: 1 }];
    for (const [i, given] of nonsense.entries()) {
      const line = {
        type: "control_request",
        request_id: `${i}`,
        request: given,
      };
      incoming.accept(line as JsonObject);
    }
    for (const id of [undefined, null, 1, {}]) {
      const line = { ...request("x"), request_id: id };
      incoming.accept(line as JsonObject);
    }
    const all = await answers();
    assert.deepEqual(
      all.map(({ request_id: id, error_code: code }) => [id, code]),
      nonsense.map((_, i) => [`${i}`, "invalid_request"]),
    );
    assert.equal(reported.length, nonsense.length + 4);
    assert.ok(reported.every(({ category }) => category === "protocol"));
    assert.equal(reported[0]?.requestId, "0");
    assert.equal(reported.at(-1)?.requestId, undefined);
    assert.equal(metrics.count("malformedMessage"), nonsense.length + 4);
    const problems = [
      'field "request" is missing',
      'field "request" must be an object, is null',
      'field "request" must be an object, is number',
      'field "request" must be an object, is string',
      'field "request" must be an object, is array',
      'field "request.subtype" is missing',
      'field "request.subtype" must be a string, is number',
      'field "request_id" is missing',
      'field "request_id" must be a string, is null',
      'field "request_id" must be a string, is number',
      'field "request_id" must be a string, is object',
    ];
    for (const [index, problem] of problems.entries()) {
      const { message = "", details } = reported[index] ?? {};
      assert.ok(message.includes(`malformed: ${problem}`), message);
      assert.equal(details?.field, problem.split('"')[1]);
    }
  },
  { ids: ["R-03", "R-10"] },
);

test("Incoming.accept() runs a request once: repeated while it is open it has one answer, later the id is refused", async () => {
  let runs = 0;
  const late = new Deferred<JsonObject>();
  const { incoming, answers } = rig({
    now: () => ({ n: ++runs }),
    later: () => {
      runs++;
      return late.promise;
    },
  });
  for (let i = 0; i < 3; i++) {
    incoming.accept(request("1", "now"));
    incoming.accept(request("2", "later"));
  }
  late.resolve({});
  await answers();
  incoming.accept(request("2", "later"));
  incoming.accept(request("3", "brand_new"));
  incoming.accept(request("3", "brand_new"));
  assert.equal(runs, 2);
  assert.deepEqual(
    (await answers()).map(({ request_id, subtype, error_code }) => [
      request_id,
      error_code ?? subtype,
    ]),
    [
      ["1", "success"],
      ["1", "duplicate_request"],
      ["1", "duplicate_request"],
      ["2", "success"],
      ["2", "duplicate_request"],
      ["3", "unsupported_request"],
      ["3", "duplicate_request"],
    ],
  );
});

test("Incoming.accept() denies a second question under an id that was answered where an error answer would let the CLI proceed", async () => {
  const { incoming, answers } = rig({ ask: () => ({ allowed: true }) }, {
    ask: (_, reason) => ({ allowed: false, reason }),
  });
  incoming.accept(request("1"));
  incoming.accept(request("1"));
  assert.deepEqual((await answers()).map(({ response }) => response), [
    { allowed: true },
    {
      allowed: false,
      reason: "Answer failed: A request with this id was answered before",
    },
  ]);
});

test("Incoming.accept() leaves a listed question alone that was answered: it came both ways", async () => {
  const { incoming, answers } = rig({ ask: () => ({}) });
  incoming.accept(request("1"));
  incoming.accept(request("1"), true);
  incoming.accept(request("2"), true);
  incoming.accept(request("2"));
  assert.deepEqual((await answers()).map(({ request_id }) => request_id), [
    "1",
    "2",
  ]);
});

test("Incoming.accept() tells MCP messages under one id by what they carry", async () => {
  const methods: unknown[] = [];
  const { incoming, answers } = rig({
    mcp_message: ({ message }) => {
      methods.push((message as JsonObject).method);
      return {};
    },
  });
  const carry = (message: JsonObject) =>
    incoming.accept(
      request("r0", "mcp_message", { server_name: "srv", message }),
    );
  carry({ id: 0, method: "initialize" });
  carry({ method: "notifications/initialized" });
  carry({ id: 10, method: "tools/call" });
  carry({ id: 10, method: "tools/call" });
  assert.deepEqual(methods, [
    "initialize",
    "notifications/initialized",
    "tools/call",
  ]);
  assert.equal((await answers()).length, 3);
});

test("Incoming remembers the newest 1 000 ids at least, and not all for ever", async () => {
  let runs = 0;
  const { incoming, answers } = rig({
    ask: () => {
      runs++;
      return {};
    },
  });
  const count = 5_000;
  for (let i = 0; i < count; i++) incoming.accept(request(`${i}`));
  assert.equal(runs, count);
  for (let i = count - 1_000; i < count; i++) incoming.accept(request(`${i}`));
  assert.equal(runs, count);
  incoming.accept(request("0"));
  assert.equal(runs, count + 1);
  const all = await answers();
  const refused = all.filter(({ error_code }) =>
    error_code === "duplicate_request"
  );
  assert.equal(refused.length, 1_000);
  assert.equal(all.length, count + 1 + refused.length);
});

test("Incoming.cancel() aborts the signal, and no answer is sent after it", async () => {
  const ends: Deferred<JsonObject>[] = [];
  const contexts: ControlContext[] = [];
  const { incoming, reported, answers } = rig({
    ask: (_, context) => {
      contexts.push(context);
      // Only the first one looks at its signal before it is cancelled.
      if (contexts.length === 1) assert.equal(context.signal.aborted, false);
      const end = new Deferred<JsonObject>();
      ends.push(end);
      return end.promise;
    },
  });
  for (const id of ["1", "2", "3"]) incoming.accept(request(id));
  for (const id of ["1", "2", "3", "unknown"]) incoming.cancel(cancel(id));
  assert.equal(incoming.size, 0);
  for (const { signal } of contexts) {
    assert.equal(signal.aborted, true);
    assert.equal((signal.reason as Error).name, "AbortError");
  }
  ends[0]?.resolve({});
  ends[1]?.reject(new Error("too late"));
  ends[2]?.resolve({ self: 1n } as unknown as JsonObject);
  assert.deepEqual(await answers(), []);
  assert.deepEqual(reported, []);
  // Taken back is done with: it is not run again.
  incoming.accept(request("1"));
  assert.equal(contexts.length, 3);
});

test(
  "Incoming.cancel() comes too late for what was answered, counts and reports nonsense",
  async () => {
    const { incoming, answers, metrics, reported } = rig({ ask: () => ({}) });
    incoming.accept(request("1"));
    incoming.cancel(cancel("1"));
    for (const id of [undefined, null, 7, {}]) {
      incoming.cancel({ request_id: id } as JsonObject);
    }
    assert.equal((await answers()).length, 1);
    assert.equal(metrics.count("malformedMessage"), 4);
    assert.deepEqual(
      reported.map(({ details }) => details.field),
      Array(4).fill("request_id"),
    );
    assert.match(
      String(reported[2]?.message),
      /malformed: field "request_id" must be a string, is number/,
    );
  },
  { ids: ["R-03", "R-10"] },
);

test("Incoming gives a handler one signal, made when it is looked at", () => {
  let seen: ControlContext | undefined;
  const { incoming } = rig({
    ask: (_, context) => {
      seen = context;
      return new Promise(() => {});
    },
  });
  incoming.accept(request("req-7"));
  assert.equal(seen?.requestId, "req-7");
  assert.equal(seen?.signal, seen?.signal);
  assert.equal(seen?.signal.aborted, false);
});

test("Incoming.close() aborts all with its reason, and answers nothing any more", async () => {
  const ends: Deferred<JsonObject>[] = [];
  const signals: AbortSignal[] = [];
  const { incoming, reported, answers } = rig({
    ask: (_, { signal }) => {
      signals.push(signal);
      const end = new Deferred<JsonObject>();
      ends.push(end);
      return end.promise;
    },
  });
  incoming.accept(request("1"));
  incoming.accept(request("2"));
  const reason = new RangeError("closed");
  incoming.close(reason);
  assert.equal(incoming.size, 0);
  assert.ok(signals.every((one) => one.reason === reason));
  ends[0]?.resolve({});
  ends[1]?.reject(new Error("late"));
  incoming.accept(request("3"));
  incoming.accept({ type: "control_request" });
  incoming.close(reason);
  assert.equal(signals.length, 2);
  assert.deepEqual(await answers(), []);
  assert.deepEqual(reported, []);
});

test(
  "Incoming serves many requests at once, each with its own answer",
  async () => {
    const ends = new Map<string, Deferred<JsonObject>>();
    const { incoming, answers } = rig({
      ask: (_, { requestId }) => {
        const end = new Deferred<JsonObject>();
        ends.set(requestId, end);
        return end.promise;
      },
    });
    for (let i = 0; i < 200; i++) incoming.accept(request(`${i}`));
    assert.equal(incoming.size, 200);
    for (const [id, end] of [...ends].reverse()) end.resolve({ id });
    const all = await answers();
    assert.equal(all.length, 200);
    assert.ok(
      all.every(({ request_id: id, response }) =>
        (response as JsonObject)["id"] === id
      ),
    );
  },
  { ids: ["CP-06"] },
);

test("Incoming.accept() denies what has a denial, however its answer breaks", async () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const breaks: Readonly<Record<string, ControlHandler>> = {
    throws: () => {
      throw new Error("boom");
    },
    rejects: () => Promise.reject(new Error("boom")),
    circular: () => circular as JsonObject,
    big: () => Promise.resolve({ big: 1n as never }),
    nothing: () => undefined as never,
  };
  const denials = Object.fromEntries(
    Object.keys(breaks).map((name): [string, Denial] => [
      name,
      ({ subtype }, reason) => ({ denied: subtype, reason }),
    ]),
  );
  const { incoming, answers, reported } = rig(breaks, denials);
  for (const name of Object.keys(breaks)) incoming.accept(request(name, name));
  const got = await answers();
  assert.deepEqual(
    got.map(({ subtype, request_id, response }) => [
      subtype,
      request_id,
      (response as JsonObject).denied,
    ]).toSorted(),
    Object.keys(breaks).map((name) => ["success", name, name]).toSorted(),
  );
  assert.equal(reported.length, Object.keys(breaks).length);
});

test("Incoming.accept() answers with an error where there is no denial, or that breaks as well", async () => {
  const boom = () => {
    throw new Error("boom");
  };
  const { incoming, answers } = rig({ a: boom, b: boom, c: boom }, {
    a: boom,
    b: () => undefined,
  });
  for (const name of ["a", "b", "c"]) incoming.accept(request(name, name));
  assert.deepEqual(
    (await answers()).map(({ subtype }) => subtype),
    ["error", "error", "error"],
  );
});

test("Incoming keeps a secret in the text of a handler that throws out of its answer", async () => {
  const { incoming, answers, reported } = rig(
    {
      ask: () => {
        throw new Error("No luck with hunter2");
      },
    },
    {},
    (value) =>
      redactedCopy(value, {
        scrub: (text) => text.replaceAll("hunter2", "[redacted]"),
      }),
  );
  incoming.accept(request("1"));
  const [answer] = await answers();
  assert.equal(answer?.error, "No luck with [redacted]");
  assert.equal(reported[0]?.message.includes("hunter2"), false);
});
