import assert from "node:assert/strict";
import { type Conversation, isAgentError, query } from "@sluice/agent";
import type { PeerItem } from "@sluice/agent/testing";
import { type FaultStep, faultyCli as fakeCli } from "../_faulty_cli.ts";
import { flood } from "../_steps.ts";
import { needsProc, ownChildren } from "../_children.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  memoryCli,
  requestLine,
  resultLine,
  turns,
  unhandledIn,
} from "./_rig.ts";

/** Numbers from 0 to below 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761 >>> 0;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Act = (conversation: Conversation) => unknown;

/** Actions of a user at any time; each must settle. */
const ACTS: readonly Act[] = [
  (one) => one.close(),
  (one) => one.interrupt(),
  (one) => one.mcpStatus({ timeoutMs: 20 }),
  (one) => one.send("more"),
  (one) => one.text(),
  (one) => one.result(),
  (one) => collect(one),
  (one) => collect(one.batches),
  (one) => collect(one.errors),
  (one) => one.messages.getReader().read(),
  (one) => one.ready,
  (one) => one.health(),
];

/** Does things in a random order at random times; every promise must settle in the end. */
async function play(
  conversation: Conversation,
  random: () => number,
  others: readonly (() => unknown)[],
): Promise<void> {
  const promises: Promise<unknown>[] = [];
  const all: readonly (() => unknown)[] = [
    ...ACTS.map((act) => () => act(conversation)),
    ...others,
  ];
  for (let step = 0; step < 8; step++) {
    const act = all[Math.floor(random() * all.length)];
    promises.push(
      (async () => await act?.())().catch((error: unknown) => {
        assert.ok(error instanceof Error, "something that can be read");
        assert.ok(
          isAgentError(error) || error instanceof TypeError ||
            error.message === "Enough",
          `${error.stack}`,
        );
      }),
    );
    if (random() < 0.6) await turns(Math.floor(random() * 3));
  }
  await conversation.close();
  await Promise.all(promises);
  assert.equal(conversation.health().state, "gone");
  assert.equal(conversation.health().pendingRequests, 0);
}

/** One prompt; then the source ends, throws or hangs. */
async function* prompts(random: () => number): AsyncGenerator<string> {
  yield "x";
  if (random() < 0.2) throw new Error("Enough");
  if (random() < 0.5) await new Promise(() => {});
}

test(
  "whatever is done in whatever order, everything settles and nothing is left",
  async () => {
    const rejections = await unhandledIn(async () => {
      for (let seed = 1; seed <= 150; seed++) {
        const random = randomFrom(seed);
        const { transport, peer } = memoryCli({
          interrupt: { still_queued: [] },
          ...random() < 0.5 && { mcp_status: {} },
          ...random() < 0.2 && { initialize: () => undefined },
        });
        const controller = new AbortController();
        const isSource = random() < 0.5;
        const conversation = query(isSource ? prompts(random) : "x", {
          transport,
          signal: controller.signal,
          timeouts: { connectMs: 200 },
          shutdown: { graceMs: 10, killMs: 20 },
          permissions: {
            canUseTool: () =>
              random() < 0.5 ? { behavior: "allow" } : new Promise(() => {}),
          },
        });
        const send = (...items: readonly PeerItem[]) => {
          if (peer.launch !== undefined) void peer.send(...items);
        };
        await play(conversation, random, [
          () => controller.abort(new Error("Enough")),
          () => peer.launch && peer.end({ code: random() < 0.5 ? 0 : 3 }),
          () => peer.launch && peer.fail(new Error("Enough")),
          () => send(assistantLine("a")),
          () => send(resultLine()),
          () => send("noise\n"),
          () =>
            send(requestLine(`p${random()}`, {
              subtype: "can_use_tool",
              tool_name: "Bash",
              input: {},
            })),
        ]);
      }
    });
    assert.deepEqual(rejections, []);
  },
  { ids: ["Q-14", "CP-06", "P-03"] },
);

test(
  "the same with processes leaves none of them",
  async () => {
    const children = ownChildren().length;
    const endings: readonly FaultStep[] = [
      { exit: 0 },
      { exit: 5 },
      { kill: "SIGKILL" },
      { close: "stdout" },
      { wait: "forever" },
      "b",
    ];
    const rejections = await unhandledIn(async () => {
      for (let seed = 1; seed <= 12; seed++) {
        const random = randomFrom(seed);
        const ending = endings[seed % endings.length] ?? "b";
        const fake = fakeCli({
          turns: [["a", ...flood(50), ending]],
          ...random() < 0.3 && { onStdinEnd: "ignore" },
          ...random() < 0.3 && { onSigterm: "ignore" },
        });
        const controller = new AbortController();
        const conversation = query("x", {
          cliPath: fake.cliPath,
          signal: controller.signal,
          shutdown: { graceMs: 30, killMs: 60 },
        });
        if (random() < 0.7) await conversation.ready.catch(() => {});
        await play(conversation, random, [
          () => controller.abort(new Error("Enough")),
          () => new Promise((resolve) => setTimeout(resolve, 20)),
        ]);
        await fake.close();
      }
    });
    assert.deepEqual(rejections, []);
    assert.equal(ownChildren().length, children);
  },
  { skip: needsProc, ids: ["Q-14", "P-02"] },
);
