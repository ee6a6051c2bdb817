import assert from "node:assert/strict";
import {
  type AgentOptions,
  Client,
  ConfigError,
  type JsonObject,
  memoryApprovals,
  ProtocolError,
  query,
} from "@sluice/agent";
import { memoryTransport } from "@sluice/agent/testing";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  answerLine,
  isAnswerTo,
  isPrompt,
  isRequest,
  logSpy,
  memoryCli,
  REPLY,
  requestLine,
  requestOf,
  responseOf,
  resultLine,
} from "./_rig.ts";

const GUARDED: AgentOptions = {
  // All of Read: what is mentioned is no matter here.
  allowedTools: ["Bash(git:*)", "Read"],
  // No skills, which older ones would run shell lines of.
  settingSources: [],
};
const BARE = { bareMode: { exitHint: "unset CLAUDE_CODE_SIMPLE" } };

/** Lines of the host, in short. */
function kinds(lines: readonly JsonObject[]): readonly unknown[] {
  return lines.map((line) => requestOf(line).subtype ?? line.type);
}

/** The reply of a stand-in that does not say which version it is. */
const OLD_REPLY: JsonObject = { ...REPLY, claude_code_version: null };

/** A CLI that refuses some kinds of requests, and never answers others. */
function olderCli(
  refused: readonly string[],
  silent: readonly string[] = [],
  reply: JsonObject = OLD_REPLY,
) {
  return memoryTransport({
    respond: (line) => {
      const subtype = String(requestOf(line).subtype);
      if (line.type !== "control_request" || silent.includes(subtype)) {
        return undefined;
      }
      if (subtype === "initialize") return answerLine(line, reply);
      if (!refused.includes(subtype)) return answerLine(line, { hooks: [] });
      return refusal(line);
    },
  });
}

function refusal(line: JsonObject): JsonObject {
  const { subtype } = requestOf(line);
  return {
    type: "control_response",
    response: {
      subtype: "error",
      request_id: line.request_id,
      error: `Unsupported control request subtype: ${subtype}`,
    },
  } as JsonObject;
}

test("with hooks or lists the prompt waits until the CLI has said that it calls hooks", async () => {
  const held: { answer?: () => Promise<void> } = {};
  const { transport, peer } = memoryCli({
    get_hooks_listing: (line) => {
      held.answer = () => peer.reply(line, { hooks: [] });
      return undefined;
    },
  });
  const conversation = query("x", { ...GUARDED, transport });
  const listing = await peer.line(isRequest("get_hooks_listing"));
  await peer.line(isRequest("apply_flag_settings"));
  assert.deepEqual(kinds(peer.lines), [
    "initialize",
    "get_hooks_listing",
    "apply_flag_settings",
  ]);
  assert.ok(listing);
  await held.answer?.();
  await conversation.ready;
  await peer.line(isPrompt);
  const { settings } = requestOf(
    peer.lines.find(isRequest("apply_flag_settings")) ?? {},
  );
  assert.deepEqual(settings, {
    env: { CLAUDE_CODE_SIMPLE: "" },
    disableSkillShellExecution: true,
  });
  await conversation.close();
});

test("without hooks and lists nothing more is asked, and the prompt leaves at once", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", {
    transport,
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
  });
  await conversation.ready;
  assert.deepEqual(kinds(peer.lines), ["initialize", "user"]);
  await conversation.close();
});

test("a CLI in bare mode is one fatal error of the start, and is asked nothing", async () => {
  const hook = { hooks: [() => ({})] };
  const ways: readonly AgentOptions[] = [
    GUARDED,
    { deniedTools: ["Bash"] },
    { hooks: { PreToolUse: [hook] } },
    { hooks: { Stop: [hook] } },
  ];
  for (const options of ways) {
    const { transport, peer } = memoryCli({ get_hooks_listing: BARE });
    const conversation = query("x", { ...options, transport });
    const [messages, errors] = await Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    const error = await rejectionOf(conversation.ready);
    assert.ok(error instanceof ProtocolError);
    assert.equal(error.fatal, true);
    assert.equal(error.subtype, "get_hooks_listing");
    assert.match(error.message, /bare mode.*unset CLAUDE_CODE_SIMPLE/);
    assert.deepEqual(messages.items, []);
    assert.equal(messages.error, error);
    assert.deepEqual(errors.items, [error]);
    assert.equal(peer.lines.some(isPrompt), false);
    await conversation.close();
  }
  const { transport } = memoryCli({ get_hooks_listing: BARE });
  const client = new Client({ ...GUARDED, transport });
  assert.ok(await rejectionOf(client.connect("x")) instanceof ProtocolError);
  assert.equal(client.state, "disconnected");
  await client.close();
});

test("a CLI that knows neither question is used, and the log says what that means", async () => {
  for (
    const [refused, silent] of [
      [["get_hooks_listing", "apply_flag_settings"], []],
      [[], ["get_hooks_listing", "apply_flag_settings"]],
    ] as const
  ) {
    const { transport, peer } = olderCli(refused, silent);
    const { logger, lines } = logSpy();
    const conversation = query("x", { ...GUARDED, transport, logger });
    await conversation.ready;
    await peer.line(isPrompt);
    const warnings = lines.filter(({ level }) => level === "warn");
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0]?.message ?? "",
      /cannot tell whether it calls hooks/,
    );
    await conversation.close();
  }
});

test("a CLI that only takes the settings is kept out of bare mode by them", async () => {
  const { transport, peer } = olderCli(["get_hooks_listing"]);
  const { logger, lines } = logSpy();
  const conversation = query("x", { ...GUARDED, transport, logger });
  await conversation.ready;
  await peer.line(isPrompt);
  assert.deepEqual(lines.filter(({ level }) => level === "warn"), []);
  await conversation.close();
});

test("an answer that says that hooks are not called is a fatal error", async () => {
  const safeMode = { exitHint: "restart without --safe-mode" };
  for (
    const answer of [
      { hooks: [], safeMode },
      { hooks: [], bareMode: 1 },
      { hooks: [], policy: { disabledByPolicy: true } },
      { hooks: [], policy: { managedOnly: true } },
    ]
  ) {
    const { transport, peer } = memoryTransport({
      respond: (line) => {
        const { subtype } = requestOf(line);
        if (line.type !== "control_request") return undefined;
        if (subtype === "initialize") return answerLine(line, REPLY);
        if (subtype !== "get_hooks_listing") return answerLine(line, {});
        const { request_id } = line;
        return {
          type: "control_response",
          response: {
            subtype: "success",
            request_id,
            response: answer,
          },
        } as JsonObject;
      },
    });
    const conversation = query("x", { ...GUARDED, transport });
    const error = await rejectionOf(conversation.ready);
    assert.ok(error instanceof ProtocolError, JSON.stringify(answer));
    assert.equal(error.fatal, true);
    assert.equal(error.subtype, "get_hooks_listing");
    assert.equal(peer.lines.some(isPrompt), false);
    await conversation.close();
  }
});

test("a CLI that knows both questions and refuses the settings is a fatal error", async () => {
  const { transport, peer } = olderCli(["apply_flag_settings"]);
  const conversation = query("x", { ...GUARDED, transport });
  const error = await rejectionOf(conversation.ready);
  assert.ok(error instanceof ProtocolError);
  assert.equal(error.subtype, "apply_flag_settings");
  assert.equal(peer.lines.some(isPrompt), false);
  await conversation.close();
});

test("a CLI that says too late that it is in bare mode ends the conversation", async () => {
  const { transport, peer } = olderCli([], ["get_hooks_listing"]);
  const conversation = query("x", { ...GUARDED, transport });
  await conversation.ready;
  const asked = await peer.line(isRequest("get_hooks_listing"));
  const messages = collect(conversation);
  await peer.reply(asked, BARE);
  const { error } = await messages;
  assert.ok(error instanceof ProtocolError);
  assert.match(error.message, /bare mode/);
  await conversation.close();
});

test("hooks of the settings that may change calls are logged", async () => {
  const { transport } = memoryCli({
    get_hooks_listing: {
      hooks: [
        { event: "PreToolUse", source: "userSettings" },
        { event: "PreToolUse", disabled: true },
        { event: "Stop" },
      ],
    },
  });
  const { logger, lines } = logSpy();
  const conversation = query("x", { ...GUARDED, transport, logger });
  await conversation.ready;
  const told = lines.find(({ message }) =>
    /Hooks of the settings/.test(message)
  );
  assert.deepEqual(told?.fields, { count: 1 });
  await conversation.close();
});

test("settings that are applied later switch no hook off", async () => {
  const { transport, peer } = memoryCli({ update_settings: {} });
  const conversation = query("x", { ...GUARDED, transport });
  await conversation.ready;
  await conversation.applySettings({ env: { A: "1" } });
  const last = peer.lines.findLast(isRequest("apply_flag_settings")) ?? {};
  assert.deepEqual(requestOf(last).settings, {
    env: { A: "1", CLAUDE_CODE_SIMPLE: "" },
  });
  const bare = { env: { CLAUDE_CODE_SIMPLE: "1" } };
  const off = { disableAllHooks: true };
  for (
    const call of [
      () => conversation.applySettings(bare),
      () => conversation.request("apply_flag_settings", { settings: bare }),
      () => conversation.updateSettings("userSettings", bare),
      () => conversation.applySettings(off),
      () => conversation.applySettings({ allowManagedHooksOnly: true }),
      () => conversation.request("apply_flag_settings", { settings: off }),
      () => conversation.updateSettings("userSettings", off),
    ]
  ) assert.ok(await rejectionOf(call()) instanceof ConfigError);
  await conversation.close();
});

test("reinitialize() keeps the variables that were applied, where the CLI took them", async () => {
  let isRefused = false;
  const { transport, peer } = memoryCli({
    apply_flag_settings: (line) => {
      if (!isRefused) return {};
      void peer.send(refusal(line));
      return undefined;
    },
  });
  const envs = () =>
    peer.lines.filter(isRequest("apply_flag_settings")).map((line) =>
      (requestOf(line).settings as JsonObject).env
    );
  const conversation = query("x", { ...GUARDED, transport });
  await conversation.ready;
  const own = { CLAUDE_CODE_SIMPLE: "" };
  await conversation.applySettings({ env: { A: "1" } });
  await conversation.applySettings({ model: "m" });
  await conversation.reinitialize();
  await conversation.request("apply_flag_settings", {
    settings: { env: { B: "2" } },
  });
  isRefused = true;
  await rejectionOf(conversation.applySettings({ env: { C: "3" } }));
  isRefused = false;
  await conversation.reinitialize();
  await conversation.applySettings({ env: null });
  await conversation.reinitialize();
  assert.deepEqual(envs(), [
    own,
    { A: "1", ...own },
    undefined,
    { A: "1", ...own },
    { B: "2", ...own },
    { C: "3", ...own },
    { B: "2", ...own },
    own,
    own,
  ]);
  await conversation.close();
});

/** Answer to a CLI that asks for a tool, by its hook or not. */
async function permission(
  options: AgentOptions,
  tool: string,
  input: JsonObject,
): Promise<JsonObject> {
  const { transport, peer } = memoryCli();
  const conversation = query("x", { ...options, transport });
  await conversation.ready;
  await peer.send(requestLine("p1", {
    subtype: "can_use_tool",
    tool_name: tool,
    input,
    tool_use_id: "t1",
  }));
  const { response } = responseOf(await peer.line(isAnswerTo("p1")));
  await peer.send(resultLine());
  await conversation.close();
  return response as JsonObject;
}

test(
  "a permission outside allowedTools or in deniedTools is denied without asking, whatever the callback would say",
  async () => {
    let asked = 0;
    const permissions = {
      canUseTool: () => {
        asked++;
        return { behavior: "allow" as const };
      },
    };
    const lists: readonly AgentOptions[] = [
      { allowedTools: ["Read"] },
      { allowedTools: [] },
      { allowedTools: ["Bash(git:*)"] },
      { deniedTools: ["Bash"] },
      { deniedTools: ["Bash(rm:*)"] },
    ];
    for (const list of lists) {
      const answer = await permission(
        { ...list, permissions },
        "Bash",
        { command: "rm x" },
      );
      assert.equal(answer.behavior, "deny");
      assert.match(String(answer.message), /allowedTools|deniedTools/);
    }
    assert.equal(asked, 0);
    const allowed = await permission(
      { allowedTools: ["Bash(git:*)"], permissions },
      "Bash",
      { command: "git status" },
    );
    assert.deepEqual(allowed, { behavior: "allow" });
    assert.equal(asked, 1);
  },
  { ids: ["O-17"] },
);

test(
  "an input that a permission callback changes is judged as well",
  async () => {
    for (
      const list of [{ allowedTools: ["Bash(git:*)"] }, {
        deniedTools: ["Bash(rm:*)"],
      }]
    ) {
      const change = (command: string) =>
        permission(
          {
            ...list,
            permissions: {
              canUseTool: (_tool, input) => {
                // Changes to its arguments are no answer.
                Object.assign(input, { command: "git status" });
                return { behavior: "allow", updatedInput: { command } };
              },
            },
          },
          "Bash",
          { command: "git log" },
        );
      assert.equal((await change("rm x")).behavior, "deny");
      assert.equal((await change("git diff")).behavior, "allow");
    }
  },
  { ids: ["O-17"] },
);

test(
  "an input that a hook changes is judged as well, and so is what it allows",
  async () => {
    const output = (event: string, command: string) =>
      event === "PreToolUse"
        ? { permissionDecision: "allow", updatedInput: { command } }
        : { decision: { behavior: "allow", updatedInput: { command } } };
    for (const event of ["PreToolUse", "PermissionRequest"]) {
      for (
        const [before, after, isOpen] of [
          ["git log", "git diff", true],
          ["git log", "rm x", false],
          ["rm x", "git diff", false],
        ] as const
      ) {
        const { transport, peer } = memoryCli();
        const conversation = query("x", {
          ...GUARDED,
          transport,
          hooks: {
            [event]: [{
              onFailure: "continue",
              hooks: [() => ({ hookSpecificOutput: output(event, after) })],
            }],
          },
        });
        await conversation.ready;
        const { hooks } = requestOf(peer.lines[0] ?? {}) as {
          hooks: Record<
            string,
            readonly { hookCallbackIds: readonly string[] }[]
          >;
        };
        const callback_id = hooks[event]?.at(-1)?.hookCallbackIds[0] ?? "";
        await peer.send(requestLine("h1", {
          subtype: "hook_callback",
          callback_id,
          input: {
            hook_event_name: event,
            tool_name: "Bash",
            tool_input: { command: before },
          },
        }));
        const { response } = responseOf(await peer.line(isAnswerTo("h1")));
        const text = JSON.stringify(response);
        assert.equal(/allow"/.test(text), isOpen, text);
        assert.equal(/deny"/.test(text), !isOpen, text);
        await conversation.close();
      }
    }
  },
  { ids: ["O-17"] },
);

test("a resumed conversation starts in a mode that asks until its hooks hold: a deferred call may run before that", async () => {
  const hook = () => ({ decision: "block" as const });
  const guards: readonly AgentOptions[] = [
    { hooks: { PreToolUse: [{ hooks: [hook] }] } },
    { permissions: { approvals: { store: memoryApprovals() } } },
  ];
  for (const guard of guards) {
    for (
      const mode of [
        "acceptEdits",
        "auto",
        "bypassPermissions",
        "plan",
      ] as const
    ) {
      const { transport, peer } = memoryCli({ set_permission_mode: {} });
      const conversation = query("Go on.", {
        ...guard,
        permissions: { ...guard.permissions, mode, allowBypass: true },
        resume: "5fa1b7ee-6c3f-4f6c-9d1b-2b0a5b1f8a11",
        transport,
      });
      await peer.line(isPrompt);
      const { args = [] } = peer.launch ?? {};
      const isLate = mode !== "plan";
      const first = isLate ? "default" : mode;
      assert.ok(args.includes(`--permission-mode=${first}`), args.join(" "));
      // The prompt is the last line, behind the mode.
      assert.equal(kinds(peer.lines).at(-2) === "set_permission_mode", isLate);
      await conversation.close();
    }
  }
});
