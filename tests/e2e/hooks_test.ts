import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentOptions, HookCallback } from "@sluice/agent";
import { resultText } from "../_clients.ts";
import {
  bash,
  inTurns,
  ofType,
  realTest,
  systemKinds,
  toolResults,
} from "./_real.ts";

realTest(
  "hooks deny, allow, change and end what they are called for; guards that break stay shut, other hooks do not",
  [
    ...[bash("touch never.txt"), "Then not."],
    ...[bash("touch asked.txt"), "Done."],
    ...Array.from({ length: 5 }, () => bash("touch never.txt")),
    "Then not.",
    { tool: "Write", input: { file_path: "made.txt", content: "x" } },
    "Done.",
    ...["First stop.", "Second stop."],
    "Noted.",
    bash("echo hi"),
  ],
  async ({ options, cwd, model }) => {
    const isThere = (name: string) => existsSync(join(cwd, name));
    const broken = () => {
      throw new Error("out of order");
    };
    let asked = 0;
    let guard: HookCallback<"PreToolUse"> = () => ({});
    let after: HookCallback<"PostToolUse"> = () => ({});
    let stop: HookCallback<"Stop"> = () => ({});
    const all: AgentOptions = {
      ...options,
      permissions: {
        canUseTool: () => {
          asked++;
          return { behavior: "allow" };
        },
      },
      hooks: {
        PreToolUse: [
          {
            matcher: "Bash",
            timeoutMs: 50,
            hooks: [(input, context) => guard(input, context)],
          },
          { matcher: "Write", hooks: [broken], onFailure: "continue" },
        ],
        PostToolUse: [{ hooks: [(input, context) => after(input, context)] }],
        Stop: [{ hooks: [(input, context) => stop(input, context)] }],
        UserPromptSubmit: [{
          hooks: [({ prompt }) => {
            if (prompt === "secret") {
              return { decision: "block", reason: "Not this" };
            }
            return prompt !== "hello" ? {} : {
              hookSpecificOutput: {
                hookEventName: "UserPromptSubmit",
                additionalContext: "It is raining.",
              },
            };
          }],
        }],
      },
    };
    const errors = await inTurns(all, async (turn) => {
      guard = () => ({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "Not today",
        },
      });
      const [denied] = toolResults(await turn("Deny it"));
      assert.equal(denied?.isError, true);
      assert.match(denied?.text ?? "", /Not today/);
      assert.equal(isThere("never.txt"), false);

      guard = ({ tool_input: input }) => ({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "allow",
          updatedInput: { ...input, command: "touch given.txt" },
        },
      });
      await turn("Change it");
      assert.equal(isThere("given.txt"), true);
      assert.equal(isThere("asked.txt"), false);
      assert.equal(asked, 0);

      const guards: readonly HookCallback<"PreToolUse">[] = [
        broken,
        () => new Promise(() => {}),
        () => 7 as never,
        () => new Error("denied") as never,
        () => ({ behavior: "deny", message: "no" }) as never,
      ];
      let calls = 0;
      guard = (input, context) => guards[calls++]?.(input, context) ?? {};
      const shut = toolResults(await turn("Break"));
      assert.deepEqual(
        shut.map(({ isError }) => isError),
        guards.map(() => true),
      );
      assert.match(shut[0]?.text ?? "", /out of order/);
      assert.match(shut[1]?.text ?? "", /50 ms/);
      assert.equal(isThere("never.txt"), false);
      assert.equal(asked, 0);

      after = stop = broken;
      const [written, ...rest] = await turn("Break and go on")
        .then((items) => ofType(items, "result"));
      assert.equal(resultText(written), "Done.");
      assert.deepEqual(rest, []);
      assert.equal(isThere("made.txt"), true);

      const active: boolean[] = [];
      stop = ({ stop_hook_active: isActive }) => {
        active.push(isActive);
        return isActive ? {} : { decision: "block", reason: "Keep going" };
      };
      const [stopped] = ofType(await turn("Stop twice"), "result");
      assert.equal(resultText(stopped), "Second stop.");
      assert.deepEqual(active, [false, true]);
      assert.match(model.requests.at(-1)?.lastText ?? "", /Keep going/);
      stop = () => ({});

      const [noted] = ofType(await turn("hello"), "result");
      assert.equal(resultText(noted), "Noted.");
      const texts = JSON.stringify(model.requests.at(-1)?.body["messages"]);
      assert.match(texts, /It is raining\./);
      const before = model.requests.length;
      const blocked = await turn("secret");
      assert.ok(systemKinds(blocked).includes("informational"));
      assert.match(resultText(ofType(blocked, "result")[0]) ?? "", /Not this/);
      assert.equal(model.requests.length, before);

      guard = () => ({});
      after = () => ({ continue: false });
      const [ended] = ofType(await turn("End it"), "result");
      assert.equal(ended?.terminal_reason, "hook_stopped");
    });
    assert.deepEqual(errors.map(({ code }) => code), [
      "protocol_handler",
      "protocol_timeout",
      ...Array.from({ length: 6 }, () => "protocol_handler"),
    ]);
  },
  { ids: ["R-12", "T-02", "T-09"] },
);
