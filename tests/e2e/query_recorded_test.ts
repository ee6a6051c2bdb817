import assert from "node:assert/strict";
import type { ModelTurn } from "@sluice/agent/testing";
import type { AgentOptions } from "@sluice/agent";
import { kindOf, recordedKinds } from "./_query.ts";
import { ALLOW, bash, inTurns, realTest } from "./_real.ts";

/** A recorded run, and the turn that plays it once more. */
interface Take {
  readonly take: string;
  readonly prompt: string;
  readonly turns: readonly ModelTurn[];
}

/** Runs with the same options are turns of one session. */
interface Session {
  readonly options: AgentOptions;
  readonly takes: readonly Take[];
}

const SESSIONS: readonly Session[] = [
  {
    options: {},
    takes: [
      {
        take: "01-plain",
        prompt: "Say hello",
        turns: ["Hello from the model."],
      },
      {
        take: "06-no-callback",
        prompt: "Create no.txt",
        turns: [bash("touch no.txt"), "It was refused."],
      },
    ],
  },
  {
    options: { includePartialMessages: true, thinking: { type: "adaptive" } },
    takes: [
      {
        take: "03-partial-messages",
        prompt: "Stream it",
        turns: ["One two three four five six."],
      },
      {
        take: "04-thinking-partial",
        prompt: "Think",
        turns: [{
          thinking: "Let me think about this carefully.",
          text: "The answer is 42.",
        }],
      },
    ],
  },
  {
    options: {
      ...ALLOW,
      hooks: {
        Stop: [{
          hooks: [
            ({ stop_hook_active: isLast, last_assistant_message: said }) =>
              isLast || said !== "first stop"
                ? {}
                : { decision: "block", reason: "keep going once" },
          ],
        }],
      },
    },
    takes: [
      {
        take: "05-tool-allowed",
        prompt: "Create the file",
        turns: [
          {
            ...bash("touch made.txt && echo created"),
            text: "I will create it.",
          },
          "Done.",
        ],
      },
      {
        take: "08-hook-stop-block",
        prompt: "Stop twice",
        turns: ["first stop", "second stop"],
      },
    ],
  },
];

for (const { options, takes } of SESSIONS) {
  realTest(
    `the runs ${
      takes.map(({ take }) => take).join(" and ")
    } give the recorded kinds of messages in their order`,
    takes.flatMap(({ turns }) => turns),
    async (real) => {
      const exits: (number | null)[] = [];
      const metrics = {
        transport: {
          processExit: (code: number | null) => void exits.push(code),
        },
      };
      const errors = await inTurns(
        { ...real.options, ...options, metrics },
        async (turn) => {
          for (const { take, prompt } of takes) {
            // The prompts of those runs had no ids.
            const kinds = (await turn(prompt)).map(kindOf)
              .filter((kind) => kind !== "command_lifecycle");
            assert.deepEqual(kinds, await recordedKinds(take));
          }
        },
      );
      assert.deepEqual(errors, []);
      assert.deepEqual(exits, [0]);
    },
    { ids: ["Q-11", "PA-07"] },
  );
}
