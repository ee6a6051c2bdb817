import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { HOOK_EVENTS, type JsonObject } from "@sluice/agent";
import { PROTOCOL_VERSION, protocolSchema } from "@sluice/agent/protocol";
import { test } from "../_harness.ts";
import { agrees, schemaCompiler } from "../fuzz/strict.ts";
import { recordedMessages } from "../parse/_transcripts.ts";

const RUNS = new URL("../fixtures/transcripts/", import.meta.url);

/** Lines of recorded hosts that are wrong on purpose, by what they try. */
const WRONG: Readonly<Record<string, number>> = {
  // Hooks as null; a mode and a subtype that there are not.
  "13-controls-raw.ndjson": 3,
  "13-stdin-control-request-without-request.ndjson": 1,
  "13-stdin-unknown-type.ndjson": 1,
};

test("the published schema is valid JSON Schema 2020-12 and each of its references leads to a shape", () => {
  const ajv = schemaCompiler();
  assert.equal(ajv.validateSchema(protocolSchema), true, ajv.errorsText());
  for (const name of Object.keys(protocolSchema.$defs)) {
    ajv.compile({ $ref: `${protocolSchema.$id}#/$defs/${name}` });
  }
  assert.equal(protocolSchema.$id, `urn:sluice:protocol:${PROTOCOL_VERSION}`);
});

test("each shape and each field of the published schema has a description", () => {
  const silent: string[] = [];
  for (const [name, shape] of Object.entries(protocolSchema.$defs)) {
    if (!shape.description) silent.push(name);
    lookBelow(shape, name);
  }
  assert.deepEqual(silent, []);

  function lookBelow(node: JsonObject, path: string): void {
    const fields = node.properties as Record<string, JsonObject> | undefined;
    for (const [key, field] of Object.entries(fields ?? {})) {
      if (!field.description) silent.push(`${path}.${key}`);
      lookBelow(field, `${path}.${key}`);
    }
    const parts = [node.items, node.additionalProperties].concat(node.anyOf);
    for (const part of parts) {
      if (typeof part === "object") lookBelow(part as JsonObject, path);
    }
  }
});

test("the indexes of the published schema name shapes that it has", () => {
  const {
    $defs,
    "x-messages": messages,
    "x-controls": controls,
    "x-hooks": hooks,
  } = protocolSchema;
  const named = [
    ...messages.map(({ def }) => def),
    ...Object.values(controls).flatMap(({ request, reply }) => [
      request,
      reply,
    ]),
    ...Object.values(hooks).flatMap(({ input, output }) => [input, output]),
  ];
  const missing = named.filter((name) =>
    name !== null && !Object.hasOwn($defs, name)
  );
  assert.deepEqual(missing, []);
  assert.deepEqual(Object.keys(hooks), HOOK_EVENTS);
});

test("every line of every recorded run fits the published schema", async () => {
  const ajv = schemaCompiler();
  const { $id } = protocolSchema;
  const sides = {
    out: ajv.compile({ $ref: `${$id}#/$defs/StdoutLine` }),
    in: ajv.compile({ $ref: `${$id}#/$defs/StdinLine` }),
  };
  const wrong: Record<string, number> = {};
  for (const name of (await readdir(RUNS)).sort()) {
    const lines = (await readFile(new URL(name, RUNS), "utf8")).trim();
    for (const line of lines.split("\n")) {
      const { dir, msg } = JSON.parse(line);
      if (dir !== "out" && dir !== "in" || msg === undefined) continue;
      if (sides[dir as "in" | "out"](msg)) continue;
      assert.equal(dir, "in", `${name}: ${JSON.stringify(msg)}`);
      wrong[name] = (wrong[name] ?? 0) + 1;
    }
  }
  assert.deepEqual(wrong, WRONG);
});

test("strict validation and ajv say the same of every recorded message", async () => {
  for (const messages of (await recordedMessages()).values()) {
    for (const message of messages) agrees(message);
  }
});

test("a message 100 000 levels deep is judged, and none changes the prototypes", () => {
  const deep = `${'{"content":['.repeat(100_000)}${"]}".repeat(100_000)}`;
  const [message] = [
    `{"type":"user","parent_tool_use_id":null,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[${deep}]}]}}`,
  ].map((text) => {
    try {
      return JSON.parse(text) as JsonObject;
    } catch (error) {
      // A runtime may refuse such a text itself.
      assert.ok(error instanceof RangeError || error instanceof SyntaxError);
      return undefined;
    }
  });
  if (message !== undefined) agrees(message);
  agrees(JSON.parse(
    '{"type":"system","subtype":"init","__proto__":{"polluted":1},"tools":[],"tools":7,"model":9007199254740993}',
  ));
  assert.equal("polluted" in {}, false);
});
