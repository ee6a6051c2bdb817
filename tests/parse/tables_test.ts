import assert from "node:assert/strict";
import type { JsonObject, ParseError } from "@sluice/agent";
import { Parser } from "../../src/parse/parser.ts";
import {
  BLOCKS,
  type Field,
  KINDS,
  REPLAY,
  RESULT_KINDS,
} from "../../src/protocol/tables.ts";
import { test } from "../_harness.ts";
import { assistant, BLOCK_SAMPLES, SAMPLES } from "./_samples.ts";

/** The kinds that the parser looks at in ways of their own, each with its sample and its row. */
const HOT: readonly (readonly [
  name: string,
  sample: JsonObject,
  row: readonly Field[],
])[] = [
  ["stream_event", toJson(SAMPLES.stream_event), rowOf("stream_event")],
  ["assistant", toJson(SAMPLES.assistant), rowOf("assistant")],
  ["user", toJson(SAMPLES.user), rowOf("user")],
  ["replay", {
    ...toJson(SAMPLES.user),
    uuid: "u1",
    session_id: "s1",
    isReplay: true,
  }, REPLAY],
  ["result/success", toJson(SAMPLES["result/success"]), [
    ...rowOf("result"),
    ...RESULT_KINDS.get("success") ?? [],
  ]],
];

for (const [name, sample, row] of HOT) {
  test(`the parser looks at the fields of ${name} that the table names, and at no others`, () => {
    const needed = new Set(row.map(([key]) => key));
    assert.ok(needed.size > 0);
    for (const key of needed) assert.ok(key in sample, `No sample of ${key}`);
    for (const key of Object.keys(sample)) {
      if (key === "type" || key === "subtype" || key === "isReplay") continue;
      const { [key]: _gone, ...rest } = sample;
      assert.deepEqual(
        problemsOf(rest).map((error) => error.field),
        needed.has(key) ? [key] : [],
        key,
      );
    }
  });
}

test("the parser looks at the fields of blocks that the table names, and at no others", () => {
  for (const [type, row] of BLOCKS) {
    // Of some nothing has to be there.
    if (row.length === 0) continue;
    const sample = Object.values(BLOCK_SAMPLES).find((one) =>
      one.type === type
    );
    const block = toJson(sample ?? assert.fail(`No sample of ${type}`));
    const needed = new Set(row.map(([key]) => key));
    for (const key of Object.keys(block)) {
      if (key === "type") continue;
      const { [key]: _gone, ...rest } = block;
      const message = toJson(assistant([]));
      (message.message as { content: unknown }).content = [rest];
      assert.deepEqual(
        problemsOf(message).map((error) => error.field),
        needed.has(key) ? [`message.content[0].${key}`] : [],
        `${type} ${key}`,
      );
    }
  }
});

function rowOf(kind: string): readonly Field[] {
  return KINDS.get(kind) ?? [];
}

function toJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

function problemsOf(message: JsonObject): readonly ParseError[] {
  const errors: ParseError[] = [];
  new Parser({ report: (error) => errors.push(error) }).push([message]);
  return errors;
}
