import assert from "node:assert/strict";
import { LineFramer, stageStream } from "@sluice/agent/unstable-streams";
import { test } from "../_harness.ts";

/** The used part of the package, which is on JSR only. */
interface StdStreams {
  readonly TextLineStream: new () => TransformStream<string, string>;
}

/** Computed, so that no tool loads a JSR package where JSR cannot be reached. */
const specifier = ["jsr:@std", "streams@^1"].join("/");
const std: StdStreams | undefined = await import(specifier)
  .catch(() => undefined);
const skip = std === undefined
  ? `needs ${specifier}, which cannot be loaded here`
  : undefined;

/** The text in chunks that cut lines and characters anywhere. */
function chunksOf(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 3) {
        controller.enqueue(bytes.slice(at, at + 3));
      }
      controller.close();
    },
  });
}

test("LineFramer agrees with TextLineStream of @std/streams", async () => {
  assert.ok(std !== undefined);
  const text = '{"a":1}\n{"b":"zwölf 🎉"}\n{"c":3}';
  const ours: string[] = [];
  const batches = chunksOf(text).pipeThrough(stageStream(new LineFramer()));
  for await (const batch of batches) ours.push(...batch);
  const theirs: string[] = [];
  const lines = chunksOf(text)
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new std.TextLineStream());
  for await (const line of lines) theirs.push(line);
  assert.deepEqual(ours, theirs);
}, { skip });
