/**
 * One step of the line from bytes to messages: a small object, not a stream.
 *
 * A stage returns what is good, reports what is bad through its callbacks, and throws what is fatal. It may hand its
 * input array on, changed in place: the caller gives it away.
 */
export interface Stage<In, Out> {
  /** Takes one piece; synchronous, and the input is valid only during the call. */
  push(input: In): readonly Out[];
  /** Gives what was still held, at the end of the input. */
  end?(): readonly Out[];
}

/**
 * Offers a stage as a `TransformStream` over batches.
 *
 * Shape: one chunk in, one array out; an empty array is not handed on. What the stage throws errors the stream.
 *
 * @param stage The stage; it belongs to the stream from now on
 * @returns The stream
 *
 * @example Bytes to lines to values
 * ```ts
 * import { JsonDecoder, LineFramer, stageStream } from "@sluice/agent/unstable-streams";
 * import assert from "node:assert/strict";
 *
 * const values = new Blob(['{"a":1}\n{"b":2}\n']).stream()
 *   .pipeThrough(stageStream(new LineFramer()))
 *   .pipeThrough(stageStream(new JsonDecoder()));
 * const batches: unknown[] = [];
 * for await (const batch of values) batches.push(...batch);
 * assert.deepEqual(batches, [{ a: 1 }, { b: 2 }]);
 * ```
 */
export function stageStream<In, Out>(
  stage: Stage<In, Out>,
): TransformStream<In, readonly Out[]> {
  return new TransformStream<In, readonly Out[]>({
    transform(input, controller) {
      const output = stage.push(input);
      if (output.length > 0) controller.enqueue(output);
    },
    flush(controller) {
      const rest = stage.end?.() ?? [];
      if (rest.length > 0) controller.enqueue(rest);
    },
  });
}
