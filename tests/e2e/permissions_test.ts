import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { query } from "../../src/query.ts";
import type { PermissionContext } from "../../src/types/permissions.ts";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import {
  bash,
  ofType,
  realTest,
  systemKinds,
  toolResults,
  toolsOffered,
} from "./_real.ts";

realTest("canUseTool allows a call, and it runs", [
  bash("echo made > made.txt"),
  "Made.",
], async ({ options, cwd, model }) => {
  const asked: { tool: string; context: PermissionContext }[] = [];
  const result = await query("Make it", {
    ...options,
    permissions: {
      canUseTool: (tool, _input, context) => {
        asked.push({ tool, context });
        return { behavior: "allow" };
      },
    },
  }).result();
  assert.equal(resultText(result), "Made.");
  assert.equal(readFileSync(join(cwd, "made.txt"), "utf8"), "made\n");
  assert.equal(asked.length, 1);
  const [{ tool, context }] = asked as [(typeof asked)[number]];
  assert.equal(tool, "Bash");
  assert.match(context.toolUseId ?? "", /^toolu_/);
  assert.equal(context.raw["tool_name"], "Bash");
  assert.ok((context.suggestions ?? []).length > 0);
  assert.equal(context.signal.aborted, false);
  assert.deepEqual(result.permission_denials, []);
  assert.equal(model.requests.length, 2);
});

realTest(
  "canUseTool denies a call, the model is told why, and the turn goes on",
  [
    bash("touch never.txt"),
    "Then not.",
  ],
  async ({ options, cwd }) => {
    const { items } = await collect(query("Make it", {
      ...options,
      permissions: {
        canUseTool: () => ({ behavior: "deny", message: "Not on my disk" }),
      },
    }));
    assert.deepEqual(toolResults(items), [
      { text: "Not on my disk", isError: true },
    ]);
    const [result] = ofType(items, "result");
    assert.equal(resultText(result), "Then not.");
    assert.equal(result?.permission_denials[0]?.tool_name, "Bash");
    assert.equal(existsSync(join(cwd, "never.txt")), false);
  },
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

realTest("canUseTool rewrites the input of a call", [
  bash("touch asked.txt"),
  "Done.",
], async ({ options, cwd }) => {
  await query("Make it", {
    ...options,
    permissions: {
      canUseTool: (_tool, input) => ({
        behavior: "allow",
        updatedInput: { ...input, command: "touch given.txt" },
      }),
    },
  }).text();
  assert.equal(existsSync(join(cwd, "given.txt")), true);
  assert.equal(existsSync(join(cwd, "asked.txt")), false);
});

realTest("canUseTool is not asked again after it updated the permissions", [
  bash("touch a.txt"),
  bash("touch a.txt"),
  "Twice.",
], async ({ options }) => {
  let asked = 0;
  const text = await query("Twice", {
    ...options,
    permissions: {
      canUseTool: () => {
        asked++;
        return {
          behavior: "allow",
          updatedPermissions: [{
            type: "addRules",
            rules: [{ toolName: "Bash", ruleContent: "touch a.txt" }],
            behavior: "allow",
            destination: "session",
          }],
        };
      },
    },
  }).text();
  assert.equal(text, "Twice.");
  assert.equal(asked, 1);
});

realTest("canUseTool that throws is a denial with the reason, and is told", [
  bash("touch never.txt"),
  "Then not.",
], async ({ options, cwd }) => {
  const conversation = query("Make it", {
    ...options,
    permissions: {
      canUseTool: () => {
        throw new Error("out of order");
      },
    },
  });
  const { items } = await collect(conversation);
  const [first] = toolResults(items);
  assert.equal(first?.isError, true);
  assert.match(first?.text ?? "", /out of order/);
  assert.equal(existsSync(join(cwd, "never.txt")), false);
  const { items: errors } = await collect(conversation.errors);
  assert.deepEqual(errors.map(({ code }) => code), ["protocol_handler"]);
}, { ids: ["R-12"] });

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
  "permissions.approve lets a call run unasked, and forbids nothing else",
  [
    bash("touch approved.txt"),
    bash("touch other.txt"),
    "Both.",
  ],
  async ({ options, cwd }) => {
    const asked: unknown[] = [];
    const text = await query("Both", {
      ...options,
      permissions: {
        approve: ["Bash(touch approved.txt)"],
        canUseTool: (_tool, input) => {
          asked.push(input["command"]);
          return { behavior: "allow" };
        },
      },
    }).text();
    assert.equal(text, "Both.");
    assert.deepEqual(asked, ["touch other.txt"]);
    assert.equal(existsSync(join(cwd, "approved.txt")), true);
  },
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

realTest("AskUserQuestion is answered through the callback", [
  {
    tool: "AskUserQuestion",
    input: {
      questions: [{
        question: "Which colour?",
        header: "Colour",
        multiSelect: false,
        options: [
          { label: "Red", description: "Warm" },
          { label: "Blue", description: "Cold" },
        ],
      }],
    },
  },
  "Blue it is.",
], async ({ options, model }) => {
  const text = await query("Ask me", {
    ...options,
    permissions: {
      canUseTool: (tool, input) => {
        assert.equal(tool, "AskUserQuestion");
        return {
          behavior: "allow",
          updatedInput: { ...input, answers: { "Which colour?": "Blue" } },
        };
      },
    },
  }).text();
  assert.equal(text, "Blue it is.");
  assert.match(model.requests[1]?.lastText ?? "", /Blue/);
});
