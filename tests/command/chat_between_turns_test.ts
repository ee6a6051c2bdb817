import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { FakeStep } from "@sluice/agent/testing";
import { bytes, decisionOf, prompts, testTerminal } from "./_terminal.ts";

/** An agent in the background asks: no message of the model comes before it. */
function ask(command: string): FakeStep {
  const request = {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: { command },
    tool_use_id: command,
  };
  return { request, id: command, wait: false };
}

/** Ends the turn, though the script goes on: with what the CLI does by itself. */
const END: FakeStep = {
  message: {
    type: "result",
    subtype: "success",
    is_error: false,
    result: "",
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    stop_reason: "end_turn",
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 1 },
    modelUsage: {},
    permission_denials: [],
  },
};

/** The person is back at the prompt by then, on most machines: each test holds without it. */
const LATER: FakeStep = { wait: 500 };

const QUESTION: readonly FakeStep[] = [
  "Begun.",
  END,
  LATER,
  ask("rm -rf build"),
  { wait: "answers" },
];

for (
  const [keys, decision] of [
    [["y", "Enter"], { behavior: "allow" }],
    [["C-c"], {
      behavior: "deny",
      message: "The person interrupted the turn",
    }],
    [["C-d"], {
      behavior: "deny",
      message: "The person left without an answer",
    }],
  ] as const
) {
  testTerminal(
    `At a terminal a question between two turns of sluice chat takes ${
      keys[0]
    }, then the turn of the CLI is shown, and the prompt comes back`,
    { turns: [[...QUESTION, "By itself."], "Next."] },
    ["chat"],
    async ({ press, shows }) => {
      await shows(/›/);
      press("work", "Enter");
      await shows(/Begun\.[^]*rm -rf build[^]*why not: $/m);
      press(...keys);
      await shows(/why not: [^]*\nBy itself\.\n[^]*\n› $/m);
      press("again", "Enter");
      const seen = await shows(/› again\nNext\.[^]*\n› $/m);
      // The prompt that made way has left nothing.
      assert.doesNotMatch(seen, /›\n/);
      press("C-d");
      await shows(/EXIT 0/);
    },
    ({ fake }) => {
      assert.deepEqual(decisionOf(fake), decision);
      assert.deepEqual(prompts(fake), ["work", "again"]);
    },
  );
}

testTerminal(
  "At a terminal a half-typed prompt of sluice chat is no answer to a question, and is there again after it, with the cursor where it was",
  { turns: [QUESTION, "Next."] },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("work", "Enter", "hlf", "Left", "Left");
    await shows(/why not: $/m);
    press("no", "Enter");
    await shows(/why not: no\n[^]*\n› hlf$/m);
    press("a", "Enter");
    await shows(/Next\./);
  },
  ({ fake }) => {
    assert.equal(decisionOf(fake).behavior, "deny");
    assert.deepEqual(prompts(fake), ["work", "half"]);
  },
);

testTerminal(
  "At a terminal sluice chat asks two questions between turns one after the other",
  {
    turns: [
      ["Begun.", END, LATER, ask("one"), ask("two"), { wait: "answers" }],
      "Next.",
    ],
  },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("work", "Enter", "half");
    await shows(/command: one[^]*why not: $/m);
    press("y", "Enter");
    await shows(/why not: y[^]*command: two[^]*why not: $/m);
    press("not two", "Enter");
    await shows(/why not: not two\n[^]*› half$/m);
    press("Enter");
    await shows(/Next\./);
  },
  ({ fake }) => {
    const decided = fake.decisions.map((one) =>
      one.kind === "permission" && one.decision?.behavior
    );
    assert.deepEqual(decided, ["allow", "deny"]);
    assert.deepEqual(prompts(fake), ["work", "half"]);
  },
);

testTerminal(
  "At a terminal a paste that began at the prompt of sluice chat stays there, though a question comes",
  { turns: [QUESTION, "Next."] },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press(...bytes("work\r\x1b[200~one\rtw"));
    await shows(/why not: $/m);
    press(...bytes("o\x1b[201~never\r"));
    await shows(/why not: never\n[^]*two$/m);
    press("Enter");
    await shows(/Next\./);
  },
  ({ fake }) => {
    assert.equal(decisionOf(fake).message, "never");
    assert.deepEqual(prompts(fake), ["work", "one\ntwo"]);
  },
);

/** Asked once a line may be the rest of a paste. */
const CUT = /A paste was cut off\. Type \d{4}, .*: $/m;

for (
  const [where, atPrompt, atQuestion, rest] of [
    ["the prompt", "\x1b[200~one\rtw", "", "y\r"],
    ["the question", "", "\x1b[200~y", "\r"],
    ["half a begin mark", "", "\x1b[20", "0~y\r"],
  ] as const
) {
  testTerminal(
    `At a terminal the rest of a paste that stalled at ${where} answers no question of sluice chat`,
    { turns: [[...QUESTION, "By itself."], "Next."] },
    ["chat"],
    async ({ inSight, press, shows }) => {
      await shows(/›/);
      press("work", "Enter");
      await shows(/Begun\./);
      if (atPrompt !== "") press(...bytes(atPrompt));
      // On a busy machine the paste may begin at the question.
      await shows(/why not: (?:one tw)?$/m);
      if (atQuestion !== "") press(...bytes(atQuestion));
      // The paste counts as over after a second; keys that a busy program reads before that are part of it.
      await sleep(1_500);
      for (let tries = 0; tries < 10 && !CUT.test(inSight()); tries++) {
        press(...bytes(rest));
        for (let looks = 0; looks < 20 && !CUT.test(inSight()); looks++) {
          await sleep(200);
        }
      }
      const seen = await shows(CUT);
      press(...bytes("y\r"));
      await shows(/again: y\n.*again: $/m);
      press(...bytes("\x1b[201~"));
      press(/Type (\d{4})/.exec(seen)?.[1] ?? "", "Enter");
      await shows(/again: \d{4}\n[^]*rm -rf build[^]*why not: $/m);
      press("no", "Enter");
      // The CLI has the answer by then.
      await shows(/why not: no\n[^]*^By itself\.\n[^]*\n(?:›|…) .*$/m);
    },
    ({ fake }) => assert.equal(decisionOf(fake).behavior, "deny"),
  );
}

testTerminal(
  "At a terminal a question before the first prompt of sluice chat leaves it the prompt",
  {
    ready: [ask("deploy"), { wait: "answers" }, "Deployed.", END],
    turns: ["Next."],
  },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/command: deploy[^]*why not: $/m);
    press("y", "Enter");
    await shows(/why not: y[^]*Deployed\.\n[^]*\n› $/m);
    press("again", "Enter");
    await shows(/Next\.[^]*\n› $/m);
  },
  ({ fake }) => {
    assert.equal(decisionOf(fake).behavior, "allow");
    assert.deepEqual(prompts(fake), ["again"]);
  },
);

testTerminal(
  "At a terminal Ctrl-C interrupts a turn that the CLI began by itself, and the half-typed prompt of sluice chat comes back",
  {
    turns: [
      ["Begun.", END, LATER, "By itself.", { wait: "forever" }],
      "Next.",
    ],
  },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("work", "Enter", "ha");
    await shows(/^By itself\.$/m);
    press("C-c");
    await shows(/interrupting[^]*\n› ha$/m);
    press("lf", "Enter");
    await shows(/› half\nNext\./);
  },
  ({ fake }) => assert.deepEqual(prompts(fake), ["work", "half"]),
);

for (
  const [exit, said] of [[7, "exit code 7"], [0, "CLI has ended"]] as const
) {
  testTerminal(
    `At a terminal sluice chat ends at once when its CLI ends at the prompt with ${exit}, and the half-typed line stays in sight`,
    [["Begun.", END, LATER, { exit }]],
    ["chat"],
    async ({ press, shows }) => {
      await shows(/›/);
      press("work", "Enter", "half");
      await shows(new RegExp(`› half\\n[^]*${said}[^]*EXIT 1`));
    },
  );
}

testTerminal(
  "At a terminal sluice chat draws its prompt again after a suspension",
  { turns: ["Next."] },
  ["chat"],
  async ({ press, shows, wipeAndContinue }) => {
    await shows(/›/);
    press("half");
    await shows(/› half$/m);
    wipeAndContinue();
    await shows(/^› half$/m);
    press("Enter");
    await shows(/Next\./);
  },
  ({ fake }) => assert.deepEqual(prompts(fake), ["half"]),
);

for (
  const [args, end] of [[["run", "work"], "EXIT 0"], [["chat"], "› "]] as const
) {
  testTerminal(
    `At a terminal sluice ${
      args[0]
    } says below a question that its CLI withdraws that no answer was sent`,
    [[
      "Begun.",
      ...args[0] === "run" ? [END] : [],
      ask("late"),
      { wait: 1_000 },
      args[0] === "run" ? { exit: 0 } : { cancel: "late" },
    ]],
    args,
    async ({ press, shows }) => {
      if (args[0] === "chat") {
        await shows(/›/);
        press("work", "Enter");
      }
      await shows(
        new RegExp(`command: late[^]*\\nno answer was sent[^]*\\n${end}$`, "m"),
      );
    },
  );
}

testTerminal(
  "At a terminal the rest of an answer to a question that the CLI withdraws is no prompt of sluice chat",
  {
    turns: [
      ["Begun.", END, LATER, ask("late"), { wait: 2_000 }, { cancel: "late" }],
      "Next.",
    ],
  },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("work", "Enter", "half");
    await shows(/command: late[^]*why not: $/m);
    press("no, not");
    await shows(/no answer was sent/);
    press(" the data", "Enter", "y", "Enter");
    await shows(/no answer was sent[^]*\n› half$/m);
    press("!", "Enter");
    await shows(/› half!\nNext\./);
  },
  ({ fake }) => assert.deepEqual(prompts(fake), ["work", "half!"]),
);

for (
  const [count, back] of [
    [2, "1\\n… 2"],
    [12, "\\(2 more lines\\)\\n… 3\\n"],
  ] as const
) {
  testTerminal(
    `At a terminal a half-typed prompt of ${count} lines of sluice chat is shown again after each question`,
    {
      turns: [
        ["Begun.", END, LATER, ask("one"), ask("two"), { wait: "answers" }],
        "Next.",
      ],
    },
    ["chat"],
    async ({ press, shows }) => {
      const rows = Array.from({ length: count }, (_, at) => `${at + 1}`);
      await shows(/›/);
      press(
        "work",
        "Enter",
        ...rows.flatMap((row) => [row, "M-Enter"]),
        "last",
      );
      await shows(/command: one[^]*why not: $/m);
      press("no", "Enter");
      await shows(/command: two[^]*why not: $/m);
      press("not two", "Enter");
      await shows(new RegExp(`not two\\n[^]*\\n› ${back}[^]*\\n… last$`, "m"));
      press("!", "Enter");
      await shows(/… last!\n[^]*Next\./);
    },
    ({ fake }) => assert.match(`${prompts(fake)[1]}`, /^1\n2\n[^]*last!$/),
  );
}
