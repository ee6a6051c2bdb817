/**
 * One step of the pipeline from bytes to messages: a small object, not a stream.
 *
 * A stage returns valid items, reports malformed ones through its callbacks, and throws fatal errors. It may change
 * its input array in place and return it: the caller must not use the array again.
 */
export interface Stage<In, Out> {
  /** Processes one piece, synchronously; the input is valid only during the call. */
  push(input: In): readonly Out[];
  /** Returns the items that were still held, at the end of the input. */
  end?(): readonly Out[];
}

/**
 * Wraps a stage in a `TransformStream` over batches.
 *
 * Shape: one chunk in, one array out; empty arrays are skipped. An error of the stage errors the stream.
 *
 * @param stage The stage; it belongs to the stream from now on
 * @returns The stream
 *
 * @example From bytes to lines to values
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
