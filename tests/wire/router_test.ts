import assert from "node:assert/strict";
import {
  type JsonObject,
  type JsonValue,
  ParseError,
  ProtocolError,
} from "@sluice/agent";
import { Router } from "../../src/wire/router.ts";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";

const REQUEST = { type: "control_request", request_id: "1" };
const RESPONSE = { type: "control_response", response: {} };
const CANCEL = { type: "control_cancel_request", request_id: "1" };
const ASSISTANT = { type: "assistant" };
const NEW = { type: "brand_new", type_2: "control_request" };

function rig(init: Partial<ConstructorParameters<typeof Router>[0]> = {}) {
  const routed: (readonly [string, JsonObject])[] = [];
  const reported: (ParseError | ProtocolError)[] = [];
  const router = new Router({
    onRequest: (line) => void routed.push(["request", line]),
    onCancel: (line) => void routed.push(["cancel", line]),
    onResponse: (line) => void routed.push(["response", line]),
    report: (error) => void reported.push(error),
    ...init,
  });
  return { router, routed, reported };
}

test("Router.push() takes control lines out, each to its handler, in order", () => {
  const { router, routed, reported } = rig();
  const values = [ASSISTANT, REQUEST, RESPONSE, NEW, CANCEL, REQUEST];
  assert.deepEqual(router.push([...values]), [ASSISTANT, NEW]);
  assert.deepEqual(routed, [
    ["request", REQUEST],
    ["response", RESPONSE],
    ["cancel", CANCEL],
    ["request", REQUEST],
  ]);
  assert.deepEqual(reported, []);
});

test("Router.push() lets messages go ahead of a question about a tool call, be it a line or beside an answer", () => {
  const asked = {
    type: "control_request",
    request_id: "1",
    request: { subtype: "can_use_tool" },
  };
  const bringing = (more: JsonObject) => ({
    type: "control_response",
    response: { subtype: "success", request_id: "2", ...more },
  });
  const { router, routed } = rig();
  const push = (line: JsonObject) => {
    const ahead: JsonObject[][] = [];
    const before = routed.length;
    const rest = router.push([ASSISTANT, line, NEW], (objects) => {
      assert.equal(routed.length, before);
      ahead.push(objects);
    });
    return [ahead, rest];
  };
  for (
    const line of [asked, bringing({ pending_permission_requests: [asked] })]
  ) assert.deepEqual(push(line), [[[ASSISTANT]], [NEW]]);
  for (
    const line of [
      REQUEST,
      RESPONSE,
      bringing({ pending_permission_requests: [] }),
      bringing({ pending_elicitation_requests: [REQUEST] }),
    ]
  ) assert.deepEqual(push(line), [[], [ASSISTANT, NEW]]);
});

test("Router.push() drops signs of life and the mirror of the transcript", () => {
  const { router, routed, reported } = rig();
  assert.deepEqual(
    router.push([
      { type: "keep_alive" },
      ASSISTANT,
      { type: "transcript_mirror", filePath: "/a", entries: [] },
    ]),
    [ASSISTANT],
  );
  assert.deepEqual(routed, []);
  assert.deepEqual(reported, []);
});

test("Router.push() hands on the array it was given, also when it took something out", () => {
  const { router } = rig();
  const whole: JsonValue[] = [ASSISTANT, NEW];
  assert.equal(router.push(whole), whole);
  const mixed: JsonValue[] = [REQUEST, ASSISTANT, 1, NEW, CANCEL];
  const kept = router.push(mixed);
  assert.equal(kept, mixed);
  assert.deepEqual(kept, [ASSISTANT, NEW]);
  assert.equal(kept[0], ASSISTANT);
  assert.deepEqual(router.push([]), []);
  assert.deepEqual(router.push([REQUEST]), []);
});

test("Router.push() reports each value that is no message, and goes on", () => {
  const { router, reported } = rig();
  const nonsense: readonly (readonly [JsonValue, string])[] = [
    [null, "null"],
    [1, "number"],
    ["text", "string"],
    [true, "boolean"],
    [[ASSISTANT], "array"],
  ];
  for (const [value, type] of nonsense) {
    assert.deepEqual(router.push([value, ASSISTANT]), [ASSISTANT]);
    const error = reported.pop();
    assert.ok(error instanceof ParseError);
    assert.equal(error.messageType, "line");
    assert.equal(error.field, undefined);
    assert.deepEqual(error.rawData, value);
    assert.ok(error.message.includes(`it is ${type}`), error.message);
  }
});

test(
  "Router.push() reports an object without a type, and says what it has instead",
  () => {
    const { router, reported } = rig();
    const cases: readonly (readonly [JsonObject, RegExp])[] = [
      [{}, /Field "type" is missing/],
      [{ a: 1 }, /Field "type" is missing/],
      [{ type: 7 }, /Field "type" must be a string, is number/],
      [{ type: null }, /Field "type" must be a string, is null/],
      [{ type: ["assistant"] }, /Field "type" must be a string, is array/],
    ];
    for (const [value, text] of cases) {
      assert.deepEqual(router.push([value]), []);
      const error = reported.pop();
      assert.ok(error instanceof ParseError);
      assert.equal(error.messageType, "line");
      assert.equal(error.field, "type");
      assert.equal(error.rawData, value);
      assert.match(error.message, text);
    }
  },
  { ids: ["R-10"] },
);

test(
  "Router.push() says what a type is behind more than an error keeps",
  () => {
    const { router, reported } = rig();
    const text = "x".repeat(5_000);
    for (const [type, is] of [[7, "number"], [null, "null"], [{}, "object"]]) {
      assert.deepEqual(router.push([{ text, type } as JsonObject]), []);
      const error = reported.pop();
      assert.ok(error instanceof ParseError);
      const start = `Field "type" must be a string, is ${is}:`;
      assert.ok(error.message.startsWith(start), error.message);
      assert.ok(JSON.stringify(error.rawData).length < 5_000);
    }
  },
  { ids: ["R-10"] },
);

test(
  "Router.push() reports a handler that throws, and routes what comes behind",
  () => {
    const fault = new RangeError("broken");
    const boom = () => {
      throw fault;
    };
    const { router, reported } = rig({
      onRequest: boom,
      onCancel: boom,
      onResponse: boom,
    });
    assert.deepEqual(
      router.push([REQUEST, ASSISTANT, RESPONSE, CANCEL, NEW]),
      [ASSISTANT, NEW],
    );
    assert.equal(reported.length, 3);
    for (const [i, error] of reported.entries()) {
      assert.ok(error instanceof ProtocolError);
      assert.equal(error.category, "handler");
      assert.equal(error.cause, fault);
      assert.equal(error.fatal, false);
      assert.equal(error.requestData, [REQUEST, RESPONSE, CANCEL][i]);
      assert.match(error.message, /could not be handled: broken/);
    }
  },
  { ids: ["R-06"] },
);

test("Router.push() never throws, whatever stands in the fields", () => {
  const random = randomFrom(97);
  const values: readonly JsonValue[] = [
    null,
    0,
    "",
    "control_request",
    [],
    {},
    { type: "control_response" },
    true,
  ];
  const types: readonly JsonValue[] = [
    "control_request",
    "control_response",
    "control_cancel_request",
    "keep_alive",
    "transcript_mirror",
    "assistant",
    ...values,
  ];
  const { router, routed, reported } = rig();
  for (let round = 0; round < 2_000; round++) {
    const line: JsonObject = {
      type: pick(random, types),
      request_id: pick(random, values),
      request: pick(random, values),
      response: pick(random, values),
    };
    const [before, told] = [routed.length, reported.length];
    const kept = router.push([line]).length;
    const isDropped = line["type"] === "keep_alive" ||
      line["type"] === "transcript_mirror";
    const outcomes = kept + routed.length - before + reported.length - told;
    assert.equal(outcomes, isDropped ? 0 : 1);
  }
}, { ids: ["R-03"] });
