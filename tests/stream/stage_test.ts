import assert from "node:assert/strict";
import { type Stage, stageStream } from "@sluice/agent/unstable-streams";
import { test } from "../_harness.ts";

/** Gives each number as often as it says, and the sum at the end. */
class Repeat implements Stage<number, number> {
  #sum = 0;

  push(count: number): number[] {
    if (count < 0) throw new RangeError("negative");
    this.#sum += count;
    return Array(count).fill(count);
  }

  end(): number[] {
    return this.#sum === 0 ? [] : [this.#sum];
  }
}

/** Output of a stage for some chunks as a stream. */
async function through<In, Out>(
  stage: Stage<In, Out>,
  chunks: readonly In[],
): Promise<(readonly Out[])[]> {
  const stream = new ReadableStream<In>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const batches: (readonly Out[])[] = [];
  for await (const batch of stream.pipeThrough(stageStream(stage))) {
    batches.push(batch);
  }
  return batches;
}

test("stageStream() gives one array for one chunk, none for nothing, and what was held at the end", async () => {
  assert.deepEqual(await through(new Repeat(), [2, 0, 1]), [[2, 2], [1], [3]]);
  assert.deepEqual(await through(new Repeat(), [0, 0]), []);
});

test("stageStream() takes a stage that holds nothing", async () => {
  const plain = { push: (text: string) => [text.length] };
  assert.deepEqual(await through(plain, ["ab", "c"]), [[2], [1]]);
});

test("stageStream() breaks with what the stage throws", async () => {
  await assert.rejects(through(new Repeat(), [1, -1, 2]), RangeError);
});
