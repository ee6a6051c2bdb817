import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CanUseTool,
  type JsonObject,
  type PermissionContext,
  type PermissionOptions,
  query,
} from "@sluice/agent";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import {
  bash,
  CHOICE,
  inTurns,
  ofType,
  realTest,
  systemKinds,
  toolResults,
  toolsOffered,
} from "./_real.ts";

realTest(
  "canUseTool allows, denies and rewrites calls, updates the rules, answers questions, is not asked for what is approved, and is a denial when it throws",
  [
    ...[bash("echo made > made.txt"), "Made."],
    ...[bash("touch never.txt"), "Then not."],
    ...[bash("touch asked.txt"), "Done."],
    ...[bash("touch a.txt"), bash("touch a.txt"), "Twice."],
    ...[bash("touch approved.txt"), bash("touch other.txt"), "Both."],
    ...[CHOICE, "Blue it is."],
    ...[bash("touch never.txt"), "Then not."],
  ],
  async ({ options, cwd, model }) => {
    const isThere = (name: string) => existsSync(join(cwd, name));
    let asked: {
      tool: string;
      input: JsonObject;
      context: PermissionContext;
    }[] = [];
    let decide: CanUseTool = () => ({ behavior: "allow" });
    const permissions: PermissionOptions = {
      approve: ["Bash(touch approved.txt)"],
      canUseTool: (tool, input, context) => {
        asked.push({ tool, input, context });
        return decide(tool, input, context);
      },
    };
    const all = { ...options, permissions };
    const errors = await inTurns(all, async (turn) => {
      const next = (prompt: string, decision: CanUseTool) => {
        asked = [];
        decide = decision;
        return turn(prompt);
      };

      const made = await next("Allow it", () => ({ behavior: "allow" }));
      const [result] = ofType(made, "result");
      assert.equal(resultText(result), "Made.");
      assert.deepEqual(result?.permission_denials, []);
      assert.equal(readFileSync(join(cwd, "made.txt"), "utf8"), "made\n");
      assert.equal(asked.length, 1);
      const [{ tool, context }] = asked as [(typeof asked)[number]];
      assert.equal(tool, "Bash");
      assert.match(context.toolUseId ?? "", /^toolu_/);
      assert.equal(context.raw["tool_name"], "Bash");
      assert.ok((context.suggestions ?? []).length > 0);
      assert.equal(context.signal.aborted, false);
      assert.equal(model.requests.length, 2);

      const denied = await next("Deny it", () => ({
        behavior: "deny",
        message: "Not on my disk",
      }));
      assert.deepEqual(toolResults(denied), [
        { text: "Not on my disk", isError: true },
      ]);
      const [refused] = ofType(denied, "result");
      assert.equal(resultText(refused), "Then not.");
      assert.equal(refused?.permission_denials.at(-1)?.tool_name, "Bash");
      assert.equal(isThere("never.txt"), false);

      await next("Rewrite it", (_tool, input) => ({
        behavior: "allow",
        updatedInput: { ...input, command: "touch given.txt" },
      }));
      assert.equal(isThere("given.txt"), true);
      assert.equal(isThere("asked.txt"), false);

      const twice = await next("Allow it for good", () => ({
        behavior: "allow",
        updatedPermissions: [{
          type: "addRules",
          rules: [{ toolName: "Bash", ruleContent: "touch a.txt" }],
          behavior: "allow",
          destination: "session",
        }],
      }));
      assert.equal(resultText(ofType(twice, "result")[0]), "Twice.");
      assert.equal(asked.length, 1);

      const both = await next("One is approved", () => ({ behavior: "allow" }));
      assert.equal(resultText(ofType(both, "result")[0]), "Both.");
      assert.deepEqual(asked.map(({ input }) => input["command"]), [
        "touch other.txt",
      ]);
      assert.equal(isThere("approved.txt"), true);

      const answered = await next("Ask me", (_tool, input) => ({
        behavior: "allow",
        updatedInput: { ...input, answers: { "Which colour?": "Blue" } },
      }));
      assert.deepEqual(asked.map(({ tool }) => tool), ["AskUserQuestion"]);
      assert.equal(resultText(ofType(answered, "result")[0]), "Blue it is.");
      assert.match(model.requests.at(-1)?.lastText ?? "", /Blue/);

      const broken = await next("Throw", () => {
        throw new Error("out of order");
      });
      const [first] = toolResults(broken);
      assert.equal(first?.isError, true);
      assert.match(first?.text ?? "", /out of order/);
      assert.equal(isThere("never.txt"), false);
    });
    assert.deepEqual(errors.map(({ code }) => code), ["protocol_handler"]);
  },
  { ids: ["R-12"] },
);

realTest(
  "canUseTool denies and interrupts: the turn ends, and its exit code is explained",
  [
    bash("touch never.txt"),
  ],
  async ({ options, cwd }) => {
    const conversation = query("Make it", {
      ...options,
      permissions: {
        canUseTool: () => ({
          behavior: "deny",
          message: "Stop",
          interrupt: true,
        }),
      },
    });
    const { items, error } = await collect(conversation);
    assert.equal(error, undefined);
    const [result] = ofType(items, "result");
    assert.equal(result?.subtype, "error_during_execution");
    assert.equal(existsSync(join(cwd, "never.txt")), false);
  },
);

realTest(
  "without permissions the CLI's own rules decide, and nothing more is granted",
  [
    bash("touch never.txt"),
    "Then not.",
  ],
  async ({ options, cwd, model }) => {
    const { items } = await collect(query("Make it", options));
    assert.equal(toolResults(items)[0]?.isError, true);
    assert.ok(systemKinds(items).includes("permission_denied"));
    assert.equal(existsSync(join(cwd, "never.txt")), false);
    const [init] = ofType(items, "system");
    assert.ok(init?.subtype === "init");
    assert.equal(init.permissionMode, "default");
    const offered = toolsOffered(model.requests[0]?.body ?? {});
    for (const tool of ["Bash", "Read", "Edit", "Write"]) {
      assert.ok(offered.includes(tool), `${tool} is there`);
    }
  },
  { ids: ["O-02", "O-06"] },
);

realTest(
  "plan mode: the plan comes to the callback, and allowing it ends the mode",
  [
    {
      text: "My plan.",
      tool: "ExitPlanMode",
      input: { plan: "1. Do it" },
    },
    "Carrying on.",
  ],
  async ({ options }) => {
    const asked: string[] = [];
    const { items } = await collect(query("Plan it", {
      ...options,
      planModeInstructions: "Be brief.",
      permissions: {
        mode: "plan",
        canUseTool: (tool, _input, { requiresUserInteraction }) => {
          asked.push(`${tool} ${requiresUserInteraction}`);
          return { behavior: "allow" };
        },
      },
    }));
    assert.deepEqual(asked, ["ExitPlanMode true"]);
    const [init] = ofType(items, "system");
    assert.ok(init?.subtype === "init");
    assert.equal(init.permissionMode, "plan");
    const modes = ofType(items, "system").flatMap((message) =>
      message.subtype === "status" && message.permissionMode !== undefined
        ? [message.permissionMode]
        : []
    );
    assert.equal(modes.at(-1), "default");
    assert.equal(resultText(ofType(items, "result")[0]), "Carrying on.");
  },
);
