import assert from "node:assert/strict";
import type { ModelTurn } from "../../src/testing/model_script.ts";
import type { AgentOptions } from "../../src/types/options.ts";
import { collect } from "../_collect.ts";
import { kindOf, recordedKinds, watchedQuery } from "./_query.ts";
import { ALLOW, bash, realTest } from "./_real.ts";

/** A recorded run, and what plays it once more. */
interface Take {
  readonly take: string;
  readonly prompt: string;
  readonly turns: readonly ModelTurn[];
  readonly options?: AgentOptions;
}

const TAKES: readonly Take[] = [
  { take: "01-plain", prompt: "Say hello", turns: ["Hello from the model."] },
  {
    take: "03-partial-messages",
    prompt: "Stream it",
    turns: ["One two three four five six."],
    options: { includePartialMessages: true },
  },
  {
    take: "04-thinking-partial",
    prompt: "Think",
    turns: [{
      thinking: "Let me think about this carefully.",
      text: "The answer is 42.",
    }],
    options: { includePartialMessages: true, thinking: { type: "adaptive" } },
  },
  {
    take: "05-tool-allowed",
    prompt: "Create the file",
    turns: [
      { ...bash("touch made.txt && echo created"), text: "I will create it." },
      "Done.",
    ],
    options: ALLOW,
  },
  {
    take: "06-no-callback",
    prompt: "Create no.txt",
    turns: [bash("touch no.txt"), "It was refused."],
  },
  {
    take: "08-hook-stop-block",
    prompt: "Stop twice",
    turns: ["first stop", "second stop"],
    options: {
      hooks: {
        Stop: [{
          hooks: [
            ({ stop_hook_active: isLast }) =>
              isLast ? {} : { decision: "block", reason: "keep going once" },
          ],
        }],
      },
    },
  },
];

for (const { take, prompt, turns, options } of TAKES) {
  realTest(
    `the run ${take} gives the recorded kinds of messages in their order`,
    turns,
    async (real) => {
      const { conversation, exits } = watchedQuery(prompt, {
        ...real.options,
        ...options,
      });
      const [{ items, error }, errors] = await Promise.all([
        collect(conversation),
        collect(conversation.errors),
      ]);
      assert.equal(error, undefined);
      assert.deepEqual(errors.items, []);
      assert.deepEqual(items.map(kindOf), await recordedKinds(take));
      assert.deepEqual(exits, [0]);
    },
    { ids: ["Q-11", "PA-07"] },
  );
}
