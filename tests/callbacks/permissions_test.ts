import assert from "node:assert/strict";
import type { CanUseTool, JsonObject } from "@sluice/agent";
import { Deferred } from "@sluice/agent/extend";
import { test } from "../_harness.ts";
import { asking, never } from "./_asking.ts";

const REQUEST: JsonObject = {
  subtype: "can_use_tool",
  tool_name: "Bash",
  input: { command: "touch a.txt" },
  tool_use_id: "toolu_1",
};

test(
  "a malformed decision is a denial that names the fault",
  async () => {
    const cases: readonly [value: unknown, fact: string][] = [
      [undefined, "must be a decision, as in"],
      ["allow", "must be a decision, as in"],
      [[], "must be an object, is array"],
      [{}, '"behavior" is missing'],
      [{ behavior: "maybe" }, 'must be "allow" or "deny", is "maybe"'],
      [{ behavior: "deny" }, '"message" is missing'],
      [{ behavior: "deny", message: "x", interrupt: 1 }, '"interrupt" must be'],
      [{ behavior: "allow", updatedInput: "ls" }, '"updatedInput" must be'],
      [
        { behavior: "allow", updatedInput: { command: undefined } },
        "updatedInput",
      ],
      [
        { behavior: "allow", updatedPermissions: [{ type: "addRule" }] },
        '"updatedPermissions.0.type" must be',
      ],
      [{ behavior: "allow", message: "Go on" }, '"message" is unknown'],
      [
        { behavior: "allow", toolUseID: "toolu_2" },
        "must be the id of the call that was asked about",
      ],
      [Object.create({ behavior: "allow" }), "another prototype"],
    ];
    let value: unknown;
    const { ask, errors, close } = await asking({
      permissions: { canUseTool: (() => value) as unknown as CanUseTool },
    });
    for (const [returned, fact] of cases) {
      value = returned;
      const { behavior, message } = await ask(REQUEST);
      assert.equal(behavior, "deny", fact);
      assert.ok(String(message).includes(fact), String(message));
    }
    value = { behavior: "allow", updatedInput: undefined };
    assert.equal((await ask(REQUEST)).behavior, "allow");
    await close();
    assert.equal(errors.length, cases.length);
  },
  { ids: ["R-12"] },
);

test(
  "a callback waits as long as the option says, whatever its own timeout is, and counts for nothing after it",
  async () => {
    for (
      const [timeoutMs, own, expected] of [
        [2_000, 5_000, 2_000],
        [5_000, 2_000, 5_000],
        [undefined, 3_000, 3_000],
      ] as const
    ) {
      const asked = new Deferred<void>();
      let late: (decision: never) => void = () => {};
      const canUseTool = Object.assign(() => {
        asked.resolve();
        return new Promise<never>((resolve) => late = resolve);
      }, { timeoutMs: own });
      const { ask, clock, errors, close } = await asking({
        permissions: {
          canUseTool,
          ...timeoutMs !== undefined && { timeoutMs },
        },
      });
      const decision = ask(REQUEST);
      await asked.promise;
      await clock.advance(expected);
      assert.match(
        String((await decision).message),
        new RegExp(`did not answer within ${expected} ms`),
      );
      late({ behavior: "allow" } as never);
      await close();
      assert.equal(errors.length, 1);
    }
  },
  { ids: ["T-03", "DEC-09"] },
);

const ELICITATION: JsonObject = {
  subtype: "elicitation",
  mcp_server_name: "docs",
  message: "Your name?",
  mode: "form",
  elicitation_id: "e1",
  requested_schema: { type: "object" },
  title: "A question",
};
const PAGE: JsonObject = {
  subtype: "elicitation",
  mcp_server_name: "docs",
  message: "Sign in",
  mode: "url",
  url: "https://example.com/",
};
const DIALOG: JsonObject = {
  subtype: "request_user_dialog",
  dialog_kind: "pick_color",
  payload: { colors: ["red"] },
  tool_use_id: "toolu_1",
};

test("elicitations and dialogs hand over what is asked, and answer what the callback says", async () => {
  const seen: unknown[] = [];
  const { ask, errors, close } = await asking({
    onElicitation: (request) => {
      seen.push(request);
      return { action: "accept", content: { name: "Ada" } };
    },
    onUserDialog: (request) => {
      seen.push(request);
      return { behavior: "completed", result: null };
    },
  });
  for (const request of [ELICITATION, PAGE]) {
    assert.deepEqual(await ask(request), {
      action: "accept",
      content: { name: "Ada" },
    });
  }
  const chosen = { behavior: "completed", result: null };
  assert.deepEqual(await ask(DIALOG), chosen);
  assert.deepEqual(seen, [
    {
      serverName: "docs",
      message: "Your name?",
      mode: "form",
      elicitationId: "e1",
      requestedSchema: { type: "object" },
      raw: ELICITATION,
    },
    {
      serverName: "docs",
      message: "Sign in",
      mode: "url",
      url: "https://example.com/",
      raw: PAGE,
    },
    {
      kind: "pick_color",
      payload: { colors: ["red"] },
      toolUseId: "toolu_1",
    },
  ]);
  await close();
  assert.deepEqual(errors, []);
});

test(
  "elicitations and dialogs change nothing when their callback breaks",
  async () => {
    const boom = () => {
      throw new Error("boom");
    };
    const cases: readonly [(key: string) => unknown, RegExp][] = [
      [boom, /failed: boom/],
      [() => Promise.reject(new Error("boom")), /failed: boom/],
      [never, /did not answer within 120000 ms/],
      [() => {}, /wrong shape: must be an object, is undefined/],
      [() => ({}), /field "(action|behavior)" is missing/],
      [(key) => ({ [key]: "yes" }), /field "(action|behavior)" must be/],
      [
        (key) =>
          key === "action"
            ? { action: "accept", content: 7 }
            : { behavior: "completed" },
        /field "(content" must be an object|result" is missing)/,
      ],
      [
        (key) =>
          key === "action"
            ? { action: "accept", behavior: "completed" }
            : { behavior: "cancelled", action: "accept" },
        /field "(behavior|action)" is unknown/,
      ],
    ];
    for (const [callback, fact] of cases) {
      const asked = [new Deferred<void>(), new Deferred<void>()];
      const { ask, clock, errors, close } = await asking({
        onElicitation: (() => {
          asked[0]?.resolve();
          return callback("action");
        }) as never,
        onUserDialog: (() => {
          asked[1]?.resolve();
          return callback("behavior");
        }) as never,
      });
      const answers = [ask(ELICITATION), ask(DIALOG)];
      await Promise.all(asked.map(({ promise }) => promise));
      await clock.advance(120_000);
      assert.deepEqual(await Promise.all(answers), [
        { action: "cancel" },
        { behavior: "cancelled" },
      ]);
      await close();
      assert.equal(errors.length, 2);
      for (const { message } of errors) assert.match(message, fact);
    }
  },
  { ids: ["R-12"] },
);
