import assert from "node:assert/strict";
import type { JsonObject } from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { screen } from "../../src/command/command_line.ts";
import type { Asked } from "../../src/command/web/data.ts";
import { questions, type Reply } from "../../src/command/web/questions.ts";
import { webSessions } from "../../src/command/web/sessions.ts";
import { isGoneWithin, isRunning, needsProc } from "../_children.ts";
import { test } from "../_harness.ts";

test(
  "The CLI of a session ends ten minutes after its last page was closed, and not while a page is open",
  async () => {
    const fake = fakeCli(["One."]);
    const clock = new FakeClock();
    const ending = new AbortController();
    const flags = { options: { cliPath: fake.cliPath } };
    const on = screen();
    const sessions = await webSessions(flags, on, ending.signal, clock);
    try {
      const { current } = sessions;
      const [session, leave] = await sessions.open(current);
      const [, leaveOther] = await sessions.open(current);
      const { pid = 0 } = await session.start();
      while (session.isBusy) await session.news();
      leave();
      leave();
      assert.equal(clock.pending, 0);
      leaveOther();
      await clock.untilPending(1);
      await clock.advance(599_999);
      assert.ok(isRunning(pid));
      // A page that comes back in time.
      const [same, leaveAgain] = await sessions.open(current);
      assert.equal(same, session);
      await clock.advance(600_000);
      assert.ok(isRunning(pid));
      leaveAgain();
      await clock.untilPending(1);
      await clock.advance(600_000);
      assert.ok(await isGoneWithin(20_000, pid));
      assert.equal(await sessions.get(current), undefined);
    } finally {
      await sessions.close();
      await fake.close();
    }
  },
  { skip: needsProc },
);

/** Declares a test of the card for questions of the model. */
function testCard(
  name: string,
  question: JsonObject,
  check: (asked: Asked | undefined) => void,
): void {
  test(name, async () => {
    const fake = fakeCli([[{
      request: {
        subtype: "can_use_tool",
        tool_name: "AskUserQuestion",
        tool_use_id: "t1",
        input: { questions: [question] },
      },
    }, "Done."]]);
    const ending = new AbortController();
    const flags = { options: { cliPath: fake.cliPath } };
    const sessions = await webSessions(flags, screen(), ending.signal);
    try {
      const [session, leave] = await sessions.open(sessions.current);
      await session.send("Go");
      while (session.questions.asked.length === 0) await session.news();
      const [asked] = session.questions.asked;
      check(asked);
      const { id = "" } = asked ?? {};
      await session.questions.answer({ id, isAllowed: false, digest: "" });
      while (!session.story.steps.some(({ kind }) => kind === "result")) {
        await session.news();
      }
      leave();
    } finally {
      await sessions.close();
      await fake.close();
    }
  });
}

testCard(
  "Questions of another shape than the tool takes are shown as a call",
  { question: "Q", header: 5, options: [] },
  (asked) => {
    assert.equal(asked?.kind, "call");
    assert.equal(asked?.title, "May the agent use AskUserQuestion?");
    assert.match(JSON.stringify(asked?.fields), /header.*5/);
  },
);

testCard(
  "Fields that questions and options have not had so far are shown",
  {
    question: "Q",
    options: [{ label: "A" }, { label: "B", hint: "rm" }],
    weight: 5,
  },
  (asked) =>
    assert.deepEqual(asked?.fields.map(({ name, lines }) => [name, lines]), [
      ["question 1 weight", ["5"]],
      ["question 1 option 2 hint", ["rm"]],
    ]),
);

test("The page denies a plan that cannot be shown, also if it could when the page showed it", async () => {
  for (const texts of [[], ["one"]]) {
    const left = [...texts];
    const replies: Promise<Reply>[] = [];
    const desk = questions(
      () => Promise.resolve(left.shift() ?? { why: "not there" }),
      () => {
        for (const { digest, id } of desk.asked) {
          replies.push(desk.answer({ id, digest, isAllowed: true }));
        }
      },
    );
    const decision = await desk.canUseTool(
      "ExitPlanMode",
      { plan: "zero", planFilePath: "/plan.md" },
      {
        signal: new AbortController().signal,
        requestId: "r1",
        caughtUp: Promise.resolve(),
        raw: {},
      },
    );
    assert.equal(decision.behavior, "deny");
    assert.match(
      JSON.stringify(decision),
      /No person can see the plan in .* \(/,
    );
    const answers = await Promise.all(replies);
    assert.deepEqual(answers.map(([status]) => status), texts.map(() => 409));
    desk.close();
  }
});
