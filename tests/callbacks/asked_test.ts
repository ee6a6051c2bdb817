import assert from "node:assert/strict";
import type { ControlFields } from "../../src/types/controls.ts";
import type { AgentOptions } from "@sluice/agent";
import { test } from "../_harness.ts";
import { never, rig } from "./_rig.ts";

const ELICITATION = {
  subtype: "elicitation",
  mcp_server_name: "docs",
  message: "Your name?",
  mode: "form",
  elicitation_id: "e1",
  requested_schema: { type: "object" },
  title: "A question",
} satisfies ControlFields;

const DIALOG = {
  subtype: "request_user_dialog",
  dialog_kind: "pick_color",
  payload: { colors: ["red"] },
  tool_use_id: "toolu_1",
} satisfies ControlFields;

test("elicitation is declined without a callback", () => {
  assert.deepEqual(rig({}).ask(ELICITATION), { action: "decline" });
});

test("elicitation hands over the question and answers what the callback says", async () => {
  const seen: unknown[] = [];
  const { ask, errors, deadlines } = rig({
    onElicitation: (request, { signal }) => {
      seen.push(request, signal.aborted);
      return { action: "accept", content: { name: "Ada" } };
    },
  });
  assert.deepEqual(ask(ELICITATION), {
    action: "accept",
    content: { name: "Ada" },
  });
  assert.deepEqual(seen, [{
    serverName: "docs",
    message: "Your name?",
    mode: "form",
    elicitationId: "e1",
    requestedSchema: { type: "object" },
    raw: ELICITATION,
  }, false]);
  const page = {
    subtype: "elicitation",
    mcp_server_name: "docs",
    message: "Sign in",
    mode: "url",
    url: "https://example.com/",
  };
  const later = rig({
    onElicitation: (request) => {
      assert.deepEqual(request, {
        serverName: "docs",
        message: "Sign in",
        mode: "url",
        url: "https://example.com/",
        raw: page,
      });
      return Promise.resolve({ action: "cancel" });
    },
  });
  assert.deepEqual(await later.ask(page), { action: "cancel" });
  assert.deepEqual([...errors, ...later.errors], []);
  deadlines.close();
  later.deadlines.close();
});

test("request_user_dialog is cancelled without a callback", () => {
  assert.deepEqual(rig({}).ask(DIALOG), { behavior: "cancelled" });
});

test("request_user_dialog hands over the dialog and answers what the callback says", async () => {
  const seen: unknown[] = [];
  const { ask, errors } = rig({
    onUserDialog: (request, { signal }) => {
      seen.push(request, signal.aborted);
      return { behavior: "completed", result: null };
    },
  });
  assert.deepEqual(ask(DIALOG), { behavior: "completed", result: null });
  assert.deepEqual(seen, [{
    kind: "pick_color",
    payload: { colors: ["red"] },
    toolUseId: "toolu_1",
  }, false]);
  const later = rig({
    onUserDialog: () => Promise.resolve({ behavior: "cancelled" }),
  });
  assert.deepEqual(await later.ask(DIALOG), { behavior: "cancelled" });
  assert.deepEqual([...errors, ...later.errors], []);
  later.deadlines.close();
});

/** Each way to fail: what the callback does, and the fact that is reported. */
const FAILURES: readonly [
  name: string,
  callback: (key: "action" | "behavior") => unknown,
  fact: RegExp,
][] = [
  ["throws", () => {
    throw new Error("boom");
  }, /failed: boom/],
  ["rejects", () => Promise.reject(new Error("boom")), /failed: boom/],
  ["is late", never, /did not answer within 120000 ms/],
  [
    "returns nothing",
    () => {},
    /returned a wrong shape: must be an object, is undefined/,
  ],
  [
    "returns no choice",
    () => ({}),
    /returned a wrong shape: field "(action|behavior)" is missing/,
  ],
  [
    "returns a wrong choice",
    (key) => ({ [key]: "yes" }),
    /field "(action|behavior)" must be .*, is "yes"/,
  ],
  [
    "returns half an answer",
    (key) =>
      key === "action"
        ? { action: "accept", content: 7 }
        : { behavior: "completed" },
    /field "(content" must be an object, is number|result" is missing)/,
  ],
  [
    "returns the answer to another question",
    (key) =>
      key === "action"
        ? { action: "accept", behavior: "completed" }
        : { behavior: "cancelled", action: "accept" },
    /field "(behavior|action)" is unknown/,
  ],
];

for (const [name, callback, fact] of FAILURES) {
  test(
    `elicitation and request_user_dialog change nothing when the callback ${name}`,
    async () => {
      const options = {
        onElicitation: () => callback("action"),
        onUserDialog: () => callback("behavior"),
      } as AgentOptions;
      for (const request of [ELICITATION, DIALOG]) {
        const { ask, clock, errors, deadlines } = rig(options);
        const answer = ask(request);
        await clock.advance(120_000);
        assert.deepEqual(
          await answer,
          request === DIALOG ? { behavior: "cancelled" } : { action: "cancel" },
        );
        assert.equal(errors.length, 1);
        assert.equal(
          errors[0]?.category,
          name === "is late" ? "timeout" : "handler",
        );
        assert.equal(errors[0].subtype, request.subtype);
        assert.match(
          errors[0].message,
          /^(Elicitation callback for "docs"|Dialog callback for "pick_color") /,
        );
        assert.match(errors[0].message, fact);
        deadlines.close();
      }
    },
    { ids: ["R-12"] },
  );
}
