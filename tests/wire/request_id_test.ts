import assert from "node:assert/strict";
import { parseRequestId, requestIds } from "../../src/wire/request_id.ts";
import { test } from "../_harness.ts";

test(
  "requestIds() gives counter, seconds and eight random hex digits",
  () => {
    const next = requestIds(() => 1_767_225_600_999);
    assert.match(next(), /^req_1_1767225600_[0-9a-f]{8}$/);
    assert.match(next(), /^req_2_1767225600_[0-9a-f]{8}$/);
  },
  { ids: ["CP-02"] },
);

test(
  "requestIds() never gives an id twice, nor does a second conversation",
  () => {
    const [one, two] = [requestIds(() => 0), requestIds(() => 0)];
    const all = new Set<string>();
    for (let i = 0; i < 10_000; i++) all.add(one()).add(two());
    // Two of the second kind may meet by chance; more would be a fault.
    assert.ok(all.size >= 19_999);
    const alone = requestIds(() => 0);
    const ids = Array.from({ length: 10_000 }, () => alone());
    assert.equal(new Set(ids).size, 10_000);
  },
  { ids: ["CP-01"] },
);

test("requestIds() pads small random numbers", () => {
  const next = requestIds(() => 0);
  const random = crypto.getRandomValues;
  try {
    crypto.getRandomValues = (array) => array;
    assert.equal(next(), "req_1_0_00000000");
  } finally {
    crypto.getRandomValues = random;
  }
});

test("parseRequestId() reads counter and time back", () => {
  const next = requestIds(() => 1_767_225_600_000);
  next();
  assert.deepEqual(parseRequestId(next()), {
    counter: 2,
    seconds: 1_767_225_600,
  });
}, { ids: ["CP-02"] });

test("parseRequestId() throws RangeError for anything else", () => {
  const bad = [
    "",
    "req_1_1767225600",
    "req_1_1767225600_0123456",
    "req_1_1767225600_012345678",
    "req_1_1767225600_0123456g",
    "req_1_1767225600_0123ABCD",
    "req_0_1767225600_01234567",
    "req_01_1767225600_01234567",
    "req_-1_1767225600_01234567",
    "req_1.5_1767225600_01234567",
    "req__1767225600_01234567",
    "req_1__01234567",
    " req_1_1767225600_01234567",
    "req_1_1767225600_01234567\n",
    "REQ_1_1767225600_01234567",
    "q1yj7n8phwa",
  ];
  for (const id of bad) assert.throws(() => parseRequestId(id), RangeError, id);
}, { ids: ["CP-02"] });
