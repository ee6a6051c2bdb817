import assert from "node:assert/strict";
import {
  JsonDecoder,
  LineFramer,
  stageStream,
} from "@sluice/agent/unstable-streams";
import type { JsonValue } from "@sluice/agent";
import { test } from "./_harness.ts";
import { randomFrom } from "./options/_random.ts";
import { bytesOf, chunksAt, placesIn } from "./stream/_bytes.ts";

const TEXT = [
  "\ufeff",
  '{"type":"user","n":1}\n\n',
  '{\n"type": "assistant",\n"text": "zwölf ☃ 🎉"\n}\n',
  "noise\n",
  '{"type":"keep_alive"}\n{"type":"control_request"}\n',
  "[1]\n",
  '{"type":"result","text":"last"}',
].join("");

/** The lines as values, by hand, as the pipeline does it. */
function pushed(chunks: readonly Uint8Array[], bad: string[]): JsonValue[] {
  const framer = new LineFramer();
  const decoder = new JsonDecoder({ onBadText: (text) => bad.push(text) });
  const values = chunks.flatMap((chunk) => decoder.push(framer.push(chunk)));
  return [...values, ...decoder.push(framer.end()), ...decoder.end()];
}

async function piped(
  chunks: readonly Uint8Array[],
  bad: string[],
): Promise<JsonValue[]> {
  const bytes = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const onBadText = (text: string) => void bad.push(text);
  const batches = bytes
    .pipeThrough(stageStream(new LineFramer()))
    .pipeThrough(stageStream(new JsonDecoder({ onBadText })));
  const values: JsonValue[] = [];
  for await (const batch of batches) values.push(...batch);
  return values;
}

test(
  "stageStream(): stages as streams agree with stages pushed by hand, wherever the bytes are cut",
  async () => {
    const random = randomFrom(61);
    const bytes = bytesOf(TEXT);
    const [expected, expectedBad]: [JsonValue[], string[]] = [[], []];
    expected.push(...pushed([bytes], expectedBad));
    assert.equal(expected.length, 6);
    assert.deepEqual(expectedBad, ["noise"]);
    for (let round = 0; round < 60; round++) {
      const chunks = chunksAt(bytes, placesIn(bytes, round, random));
      for (const run of [pushed, piped]) {
        const bad: string[] = [];
        assert.deepEqual(await run(chunks, bad), expected);
        assert.deepEqual(bad, expectedBad);
      }
    }
  },
  { ids: ["IO-09"] },
);
