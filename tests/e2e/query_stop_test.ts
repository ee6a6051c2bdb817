import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { needsProc } from "../_children.ts";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import { reasonWithoutCli } from "../_real_cli.ts";
import { Deferred } from "@sluice/agent/extend";
import type { InterruptReceipt, Message } from "@sluice/agent";
import {
  endWhileToolRuns,
  kindOf,
  recordedKinds,
  squeezed,
  stayingTool,
  until,
  watchedQuery,
} from "./_query.ts";
import { after, ALLOW, ofType, realTest } from "./_real.ts";

const NEEDS_PROC = { skip: reasonWithoutCli ?? needsProc };

/** A stream that takes far longer than any test may. */
const ENDLESS = {
  text: "word ".repeat(2_000),
  chunks: 2_000,
  delayMs: 20,
} as const;

realTest(
  "interrupt() ends a slow stream, and the session continues",
  [ENDLESS, "Another turn."],
  async ({ options }) => {
    const interrupted = new Deferred<void>();
    async function* prompts(): AsyncGenerator<string> {
      yield "Talk a lot";
      await interrupted.promise;
      yield "Go on";
    }
    const { conversation, exits } = watchedQuery(prompts(), {
      ...options,
      includePartialMessages: true,
    });
    const items: Message[] = [];
    let receipt: Promise<InterruptReceipt> | undefined;
    for await (const message of conversation) {
      items.push(message);
      if (kindOf(message) === "stream_event/content_block_delta") {
        receipt ??= conversation.interrupt();
      } else if (message.type === "result") interrupted.resolve();
    }
    assert.deepEqual(await receipt, { still_queued: [] });
    // The prompts of that run had no ids.
    const kinds = items.map(kindOf)
      .filter((kind) => kind !== "command_lifecycle");
    assert.deepEqual(
      squeezed(kinds),
      squeezed(await recordedKinds("12-interrupt-stream")),
    );
    const [partial] = ofType(items, "assistant");
    assert.equal(partial?.aborted, true);
    const [first, second] = ofType(items, "result");
    assert.equal(first?.terminal_reason, "aborted_streaming");
    assert.equal(resultText(second), "Another turn.");
    // The last result decides.
    assert.deepEqual(exits, [0]);
  },
);

realTest(
  "interrupt() kills the tool that runs, and the messages end as they should",
  [stayingTool()],
  async (real) => {
    const exits = await endWhileToolRuns(real, {}, async (one) => {
      const reading = collect(one);
      await one.interrupt();
      const { items, error } = await reading;
      assert.equal(error, undefined);
      const last = items.at(-1);
      assert.ok(last?.type === "result");
      assert.equal(last.subtype, "error_during_execution");
      assert.equal(last.terminal_reason, "aborted_tools");
      assert.deepEqual((await collect(one.errors)).items, []);
    });
    // Exit code 1 repeats the result and is no error.
    assert.deepEqual(exits, [1]);
  },
  { ids: ["Q-11"], ...NEEDS_PROC },
);

realTest(
  "interrupt() takes back a question that is open: its signal aborts",
  [stayingTool()],
  async ({ options }) => {
    const takenBack = new Deferred<unknown>();
    const { conversation } = watchedQuery("Stay", {
      ...options,
      permissions: {
        canUseTool: (_tool, _input, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              takenBack.resolve(signal.reason);
              // Too late, and not sent.
              resolve({ behavior: "allow" });
            });
            conversation.interrupt().catch(takenBack.reject);
          }),
      },
    });
    const { items, error } = await collect(conversation);
    assert.equal(error, undefined);
    await takenBack.promise;
    assert.deepEqual(
      items.map(kindOf),
      await recordedKinds("12-interrupt-pending-permission"),
    );
    assert.deepEqual((await collect(conversation.errors)).items, []);
  },
);

realTest(
  "leaving the loop while the model streams interrupts the turn, and the CLI ends by itself",
  [ENDLESS],
  async ({ options, model }) => {
    const { conversation, exits } = watchedQuery("Talk a lot", {
      ...options,
      includePartialMessages: true,
    });
    for await (const message of conversation) {
      if (kindOf(message) === "stream_event/content_block_delta") break;
    }
    assert.equal(conversation.health().state, "gone");
    assert.deepEqual(exits, [1], "no signal was needed");
    assert.equal(model.requests.length, 1);
  },
  { ids: ["P-12", "P-13"] },
);

realTest(
  "leaving the loop while a tool runs kills the tool, and the CLI ends by itself",
  [{ ...stayingTool(), text: "I stay." }],
  async (real) => {
    const exits = await endWhileToolRuns(real, {}, async (one) => {
      for await (const { type } of one) if (type === "assistant") break;
    });
    assert.deepEqual(exits, [1], "no signal was needed");
  },
  { ids: ["P-12", "P-13"], ...NEEDS_PROC },
);

realTest(
  "close() while a background command runs ends both at the end of the grace",
  [stayingTool({ run_in_background: true }), "It runs."],
  async (real) => {
    const more = { shutdown: { graceMs: 300, killMs: 8_000 } };
    const exits = await endWhileToolRuns(real, more, async (one) => {
      for await (const { type } of one) {
        if (type !== "result") continue;
        await until(() => one.health().state === "background");
        // It answers when its turn is over for itself too.
        await one.contextUsage();
        one.close();
      }
    });
    assert.deepEqual(exits, [143], "the end of input alone does not end it");
  },
  { ids: ["P-07", "P-14"], ...NEEDS_PROC },
);

realTest(
  "a background command is waited for: its end gives a second turn and result",
  [
    {
      tool: "Bash",
      input: {
        command: after("go", "echo 42"),
        description: "wait",
        run_in_background: true,
      },
    },
    "Started it.",
    "It finished.",
  ],
  async ({ options, cwd }) => {
    const { conversation, exits } = watchedQuery("Wait", {
      ...options,
      ...ALLOW,
    });
    const items: Message[] = [];
    for await (const message of conversation) {
      items.push(message);
      if (message.type === "result") await writeFile(join(cwd, "go"), "");
    }
    assert.deepEqual(
      items.map(kindOf).toSorted(),
      (await recordedKinds("14-background-bash")).toSorted(),
    );
    const results = ofType(items, "result").map(resultText);
    assert.deepEqual(results, ["Started it.", "It finished."]);
    assert.deepEqual(exits, [0]);
  },
);
