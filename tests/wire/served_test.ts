import assert from "node:assert/strict";
import type { JsonObject } from "@sluice/agent";
import { failure, success } from "../../src/wire/served.ts";
import { test } from "../_harness.ts";

const ODD = 'a"b\\c\n\u2028\ud800';

test("success() is one line of JSON with the whole envelope", () => {
  for (const id of [ODD, "req_1-a", "", 'x"', "x\n", "\\", "é"]) {
    const line = success(id, { text: ODD, n: 1 });
    assert.equal(line.indexOf("\n"), line.length - 1);
    assert.deepEqual(JSON.parse(line), {
      type: "control_response",
      response: {
        subtype: "success",
        request_id: id,
        response: { text: ODD, n: 1 },
      },
    });
  }
});

test("success() throws for what is no JSON instead of making a broken line", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  for (
    const response of [
      undefined,
      circular,
      { big: 1n },
      { toJSON: () => undefined },
      () => {},
    ]
  ) {
    assert.throws(() => success("1", response as unknown as JsonObject));
  }
});

test("failure() is one line of JSON, with a code or without", () => {
  assert.deepEqual(JSON.parse(failure("1", ODD)), {
    type: "control_response",
    response: { subtype: "error", request_id: "1", error: ODD },
  });
  const line = failure("1", "no", "internal_error");
  assert.equal(line.indexOf("\n"), line.length - 1);
  assert.equal(JSON.parse(line).response.error_code, "internal_error");
});
