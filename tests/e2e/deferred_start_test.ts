import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentOptions,
  type ApprovalDecision,
  type HookCallback,
  type HookOutput,
  query,
  ResultError,
  type UserInput,
} from "@sluice/agent";
import { createMcpServer, type McpServerInput } from "@sluice/agent/mcp";
import type { Launch } from "@sluice/agent/testing";
import { host, textOf } from "../_children.ts";
import type { RealCli } from "../_real_cli.ts";
import { CALL, deferredSession } from "./_deferred.ts";
import { realTest } from "./_real.ts";

const current = await host();
function hasRun({ cwd }: RealCli): boolean {
  return existsSync(join(cwd, "marker"));
}

async function* nothing(): AsyncGenerator<UserInput> {}

/** Decides the deferred call of a session, if there is a decision; gives the options that resume it, with a rule that allows the call. */
async function deferred(
  real: RealCli,
  decision: ApprovalDecision | undefined,
): Promise<AgentOptions> {
  const { id: resume, store } = await deferredSession(real);
  for (const { request } of await store.list()) {
    if (decision !== undefined) await store.answer(request.id, decision);
  }
  const permissions = { approvals: { store, waitMs: 0 }, approve: ["Bash"] };
  return { ...real.options, permissions, resume };
}

/** The arguments and variables of the CLI that a conversation would start. */
async function launchOf(options: AgentOptions): Promise<Launch> {
  let launch: Launch | undefined;
  const { cliPath: _path, ...rest } = options;
  const open = (given: Launch) => {
    launch = given;
    return Promise.reject(new Error("Not started"));
  };
  await assert.rejects(
    query(nothing(), { ...rest, transport: { open } }).text(),
  );
  assert.ok(launch);
  return launch;
}

for (const settings of [undefined, { includeCoAuthoredBy: false }]) {
  const shown = settings === undefined ? "without settings" : "with settings";
  realTest(
    `a CLI ${shown} whose program dies before "initialize" runs no deferred call, also one that a rule allows`,
    [{ text: "Done.", repeat: true }],
    async (real) => {
      const options = await deferred(real, { behavior: "deny", message: "No" });
      const launch = await launchOf({
        ...options,
        ...settings && { settings },
      });
      const cli = await current.spawn({ command: real.cliPath, ...launch });
      await cli.stdin.end();
      const [{ code }, output, problems] = await Promise.all([
        cli.exited,
        textOf(cli.stdout),
        textOf(cli.stderr),
      ]);
      assert.equal(hasRun(real), false, output);
      assert.equal(code, 1, output);
      assert.match(problems, /no usable initialize request was read/);
    },
  );
}

/** A server that delays `initialize` until the CLI has judged the call, or long enough for a CLI that judges it without. */
function late({ model }: RealCli): McpServerInput {
  const server = createMcpServer({ name: "late", tools: [] });
  const before = model.requests.length;
  return {
    ...server,
    async open(name) {
      // A CLI that waits reports nothing: only the clock ends this.
      for (let ms = 0; ms < 1500; ms += 10) {
        if (model.requests.length > before) break;
        await sleep(10);
      }
      return server.open(name);
    },
  };
}

for (
  const { decision, runs } of [
    { decision: { behavior: "allow" }, runs: true },
    { decision: { behavior: "deny", message: "No" }, runs: false },
  ] satisfies { decision: ApprovalDecision; runs: boolean }[]
) {
  realTest(
    `a decision to ${decision.behavior} a deferred call holds if "initialize" is late, whatever rules and mode decide`,
    [{ text: "Done.", repeat: true }],
    async (real) => {
      const { permissions, ...options } = await deferred(real, decision);
      // An approved call needs no rule.
      const approve = runs ? [] : ["Bash"];
      const result = await query(nothing(), {
        ...options,
        mcpServers: { late: late(real) },
        permissions: { ...permissions, approve, mode: "acceptEdits" },
      }).result();
      assert.equal(result.result, "Done.");
      assert.equal(hasRun(real), runs);
    },
  );
}

realTest(
  "a program without approvals runs no deferred call, whatever rules and mode decide, and leaves it to one with approvals",
  [{ text: "Done.", repeat: true }],
  async (real) => {
    const options = await deferred(real, { behavior: "allow" });
    const permissions: AgentOptions["permissions"] = {
      approve: ["Bash"],
      mode: "acceptEdits",
      canUseTool: () => ({ behavior: "allow" }),
    };
    const without = query(nothing(), { ...options, permissions });
    await assert.rejects(without.text(), ResultError);
    assert.equal(hasRun(real), false);
    assert.equal(await query(nothing(), options).text(), "Done.");
    assert.equal(hasRun(real), true);
  },
);

realTest(
  "a prompt of a program without approvals drops the deferred call",
  [{ text: "Two.", repeat: true }],
  async (real) => {
    const options = await deferred(real, { behavior: "allow" });
    const permissions = { approve: ["Bash"] };
    const without = query("What is 1+1?", { ...options, permissions });
    assert.equal(await without.text(), "Two.");
    await assert.rejects(query(nothing(), options).text(), ResultError);
    assert.equal(hasRun(real), false);
  },
);

realTest(
  "without approvals, hooks and rules decide about a deferred call if there is a PreToolUse hook",
  [{ text: "Done.", repeat: true }],
  async (real) => {
    const options = await deferred(real, { behavior: "deny", message: "No" });
    const seen: unknown[] = [];
    const hook: HookCallback<"PreToolUse"> = ({ tool_input }) => {
      seen.push(tool_input);
      return {};
    };
    const resumed = query(nothing(), {
      ...options,
      permissions: { approve: ["Bash"] },
      hooks: { PreToolUse: [{ hooks: [hook] }] },
    });
    assert.equal(await resumed.text(), "Done.");
    assert.deepEqual(seen, [CALL.input]);
    assert.equal(hasRun(real), true);
  },
);

for (
  const { decision, runs, text } of [
    { decision: { behavior: "allow" }, runs: true, text: "Two." },
    {
      decision: { behavior: "deny", message: "No" },
      runs: false,
      text: "Two.",
    },
    // The prompt alone reaches the model.
    { decision: undefined, runs: false, text: "One." },
  ] satisfies {
    decision: ApprovalDecision | undefined;
    runs: boolean;
    text: string;
  }[]
) {
  const how = decision?.behavior ?? "no";
  realTest(
    `a resume with another prompt and ${how} decision ${
      text === "One." ? "drops" : "settles"
    } the deferred call`,
    ["One.", { text: "Two.", repeat: true }],
    async (real) => {
      const options = await deferred(real, decision);
      assert.equal(await query("And now?", options).text(), text);
      assert.equal(hasRun(real), runs);
      // A later decision has no effect.
      const { store } = options.permissions?.approvals ?? {};
      for (const { request } of await store?.list() ?? []) {
        const isFirst = await store?.answer(request.id, { behavior: "allow" });
        assert.equal(isFirst, decision === undefined);
      }
      await assert.rejects(
        query(nothing(), options).text(),
        /no deferred call of the session waits/,
      );
      assert.equal(hasRun(real), runs);
    },
  );
}

/** Outputs of hooks that refuse nothing. */
const NO_REFUSALS: readonly (readonly HookOutput<"PreToolUse">[])[] = [
  [{ continue: false, stopReason: "Enough" }],
  [
    { decision: "approve" },
    { async: true },
    { suppressOutput: true, systemMessage: "Fine", reason: "Fine" },
    { continue: true, hookSpecificOutput: saying("allow") },
  ],
];

/** Outputs of which one half refuses. */
const REFUSALS: readonly HookOutput<"PreToolUse">[] = [
  { decision: "block", hookSpecificOutput: saying("allow") },
  { decision: "approve", hookSpecificOutput: saying("deny") },
];

function saying(permissionDecision: "allow" | "deny" | "defer") {
  return { hookEventName: "PreToolUse", permissionDecision } as const;
}

function hooksOf(
  outputs: readonly HookOutput<"PreToolUse">[],
): AgentOptions["hooks"] {
  return { PreToolUse: [{ hooks: outputs.map((output) => () => output) }] };
}

for (const outputs of NO_REFUSALS) {
  realTest(
    `a denial in the store holds beside hooks that return ${
      JSON.stringify(outputs)
    }`,
    [{ text: "Done.", repeat: true }],
    async (real) => {
      const options = await deferred(real, { behavior: "deny", message: "No" });
      const hooks = hooksOf(outputs);
      await query(nothing(), { ...options, hooks }).result();
      assert.equal(hasRun(real), false);
    },
  );
}

for (const output of REFUSALS) {
  realTest(
    `a hook that returns ${JSON.stringify(output)} refuses an approved call`,
    [{ text: "Done.", repeat: true }],
    async (real) => {
      const options = await deferred(real, { behavior: "allow" });
      const hooks = hooksOf([output]);
      await query(nothing(), { ...options, hooks }).result();
      assert.equal(hasRun(real), false);
      const { store } = options.permissions?.approvals ?? {};
      assert.equal((await store?.list())?.[0]?.isTaken, undefined);
    },
  );
}

realTest(
  "a hook that defers an approved call leaves the approval for the next resume",
  [{ text: "Done.", repeat: true }],
  async (real) => {
    const options = await deferred(real, { behavior: "allow" });
    const hooks = hooksOf([{ hookSpecificOutput: saying("defer") }]);
    const again = await query(nothing(), { ...options, hooks }).result();
    assert.equal(again.stop_reason, "tool_deferred");
    assert.equal(hasRun(real), false);
    assert.equal(await query(nothing(), options).text(), "Done.");
    assert.equal(hasRun(real), true);
  },
);

realTest(
  "a denial in the store holds if park of the resuming program does not select the call",
  [{ text: "Done.", repeat: true }],
  async (real) => {
    const { permissions, ...options } = await deferred(real, {
      behavior: "deny",
      message: "No",
    });
    const { store } = permissions?.approvals ?? assert.fail("No store");
    const approvals = { store, waitMs: 0, park: () => false };
    const resumed = query(nothing(), {
      ...options,
      permissions: { ...permissions, approvals },
    });
    assert.equal(await resumed.text(), "Done.");
    assert.equal(hasRun(real), false);
  },
);
