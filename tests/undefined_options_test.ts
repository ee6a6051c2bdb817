import assert from "node:assert/strict";
import { type AgentOptions, Client, query } from "@sluice/agent";
import { checkOptions, OPTION_NAMES } from "@sluice/agent/extend";
import {
  type CallOptions,
  createMcpServer,
  type HubOptions,
  McpHub,
  tool,
} from "@sluice/agent/mcp";
import { Session } from "@sluice/agent/session";
import {
  fakeCli,
  type FakeCliPlan,
  scriptedModel,
} from "@sluice/agent/testing";
import { OPTION_KEYS } from "./options/_names.ts";
import { test } from "./_harness.ts";

/** Every key, and nothing in it; a key left out does not compile. */
type Absent<T> = { readonly [Key in keyof T]-?: undefined };

/** Every option, in its group, and none of them set. */
const ABSENT: Record<string, Record<string, undefined> | undefined> = {};
for (const key of OPTION_KEYS) {
  const [group = "", name] = key.split(".");
  if (name === undefined) ABSENT[group] = undefined;
  else (ABSENT[group] ??= {})[name] = undefined;
}

/** Every group at once. */
const GROUPS: AgentOptions = {
  ...ABSENT,
  metrics: { transport: undefined, parser: undefined },
  thinking: { type: "adaptive", display: undefined },
  systemPrompt: { preset: "claude_code", append: undefined },
  hooks: {
    Stop: undefined,
    PreToolUse: [{
      matcher: undefined,
      timeoutMs: undefined,
      onFailure: undefined,
      hooks: [() => ({ decision: undefined, reason: undefined })],
    }],
  },
  agents: { a: { description: "d", prompt: "p", tools: undefined } },
  mcpServers: {
    outside: { command: "true", via: "cli", env: undefined, args: undefined },
  },
};

/** The same with no key too many. */
const GROUPS_LEFT_OUT: AgentOptions = {
  thinking: { type: "adaptive" },
  systemPrompt: { preset: "claude_code" },
  hooks: { PreToolUse: [{ hooks: [() => ({})] }] },
  agents: { a: { description: "d", prompt: "p" } },
  mcpServers: { outside: { command: "true", via: "cli" } },
};

const HUB: Absent<HubOptions> = {
  onFailure: undefined,
  onElicitation: undefined,
  onSampling: undefined,
  roots: undefined,
  questionTimeoutMs: undefined,
  retry: undefined,
  classifier: undefined,
  metrics: undefined,
  connect: undefined,
  onListChanged: undefined,
  onWarning: undefined,
  clock: undefined,
  random: undefined,
};

const CALL: Absent<CallOptions> = {
  signal: undefined,
  timeoutMs: undefined,
  idempotent: undefined,
  onProgress: undefined,
  meta: undefined,
};

const PLAN: Absent<FakeCliPlan> = {
  match: undefined,
  runs: undefined,
  turns: undefined,
  start: undefined,
  initialize: undefined,
  ready: undefined,
  controls: undefined,
  onInterrupt: undefined,
  onStdinEnd: undefined,
  onSigterm: undefined,
  readStdin: undefined,
  mergePrompts: undefined,
  init: undefined,
  result: undefined,
  exitCode: undefined,
  version: undefined,
  record: undefined,
};

/** All that a conversation with these options sends to the CLI, but for ids. */
async function told(options: AgentOptions): Promise<unknown> {
  const { cliPath: path, ...rest } = options;
  void path;
  const initialize = { mcp_servers_applied: true };
  const fake = fakeCli({ turns: "Hello.", initialize });
  const text = await query("hi", { ...rest, cliPath: fake.cliPath }).text();
  const [run] = fake.runs;
  const lines = JSON.stringify(run?.received)
    .replaceAll(/"(uuid|request_id)":"[^"]*"/g, '"$1":""');
  await fake.close();
  return {
    text,
    args: run?.args,
    env: run?.env.toSorted(),
    lines: JSON.parse(lines),
  };
}

test("An option that is undefined is one that was left out, key by key and in every group", async () => {
  for (const key of OPTION_NAMES) checkOptions({ [key]: undefined });
  assert.deepEqual(await told(ABSENT), await told({}));
  assert.deepEqual(await told(GROUPS), await told(GROUPS_LEFT_OUT));
});

test("A control that is given undefined sends what it sends without", async () => {
  const fake = fakeCli({ ...PLAN, turns: ["one"], controls: CONTROLS });
  const client = new Client({ cliPath: fake.cliPath });
  try {
    await client.connect(undefined, { signal: undefined });
    const none = { signal: undefined, timeoutMs: undefined };
    const calls: readonly ((all?: typeof none) => Promise<unknown>)[] = [
      (all) => client.interrupt(all && { ...all, cancelQueued: undefined }),
      (all) => client.setModel(undefined, all),
      (all) => client.contextUsage(all && { ...all, detail: undefined }),
      (all) => client.usage(all && { ...all, skipBehaviors: undefined }),
      (all) => client.mcpStatus(all),
      (all) =>
        client.readFile(
          "/a",
          all && { ...all, maxBytes: undefined, encoding: undefined },
        ),
      (all) => client.rewindFiles("u", all && { ...all, dryRun: undefined }),
      (all) => client.request("mcp_status", { more: undefined }, all),
    ];
    for (const call of calls) {
      await call();
      await call(none);
      const sent = fake.received.slice(-2).map(({ request }) => request);
      assert.deepEqual(sent[0], sent[1]);
    }
    assert.equal(await client.text("a", { signal: undefined }), "one");
  } finally {
    await client.close();
    await fake.close();
  }
});

/** Answers of the stand-in. */
const CONTROLS: NonNullable<FakeCliPlan["controls"]> = {
  interrupt: {},
  set_model: {},
  get_context_usage: {},
  get_usage: {},
  mcp_status: {},
  read_file: {},
  rewind_files: {},
};

test("A tool, a server and a hub take undefined for what may be left out", async () => {
  const bare = {
    name: "add",
    description: "Adds",
    input: { type: "object", properties: { a: { type: "number" } } },
  } as const;
  const full = tool({
    ...bare,
    title: undefined,
    output: undefined,
    annotations: { title: undefined, readOnlyHint: undefined },
    meta: undefined,
    run: ({ a = 0 }) => a + 1,
  });
  const plain = tool({ ...bare, annotations: {}, run: () => 1 });
  assert.equal(JSON.stringify(full), JSON.stringify(plain));
  const instance = createMcpServer({
    name: "sums",
    version: undefined,
    instructions: undefined,
    tools: [full],
  });
  await using hub = new McpHub(
    { sums: { type: "sdk", instance, trustAnnotations: undefined } },
    { ...HUB, retry: { attempts: undefined, baseMs: undefined } },
  );
  await hub.connect();
  const { content } = await hub.call("sums__add", { a: 1 }, CALL);
  assert.deepEqual(content, [{ type: "text", text: "2" }]);
});

test("A chat, a stand-in and a model take undefined for what may be left out", async () => {
  const chat = Session.create({
    id: undefined,
    system: undefined,
    clock: undefined,
  });
  chat.append({ role: "user", content: "hello" });
  const view = chat.view({
    maxTokens: 100,
    tokenizer: undefined,
    policy: undefined,
    strict: undefined,
    onTruncated: undefined,
  });
  assert.equal(view.length, 1);
  const absent = fakeCli({ ...PLAN, turns: "Hello." });
  const plain = fakeCli({ turns: "Hello." });
  assert.deepEqual(
    await query("a", { cliPath: absent.cliPath }).text(),
    await query("a", { cliPath: plain.cliPath }).text(),
  );
  const model = await scriptedModel(
    [{ text: "one", tools: undefined, thinking: undefined, match: undefined }],
    { sideText: undefined, clock: undefined },
  );
  await model.close();
  await absent.close();
  await plain.close();
});
