import assert from "node:assert/strict";
import { type AgentOptions, query } from "@sluice/agent";
import { fakeCli, type FakeCliPlan } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { logSpy, metricsSpy, textIn } from "./_rig.ts";

const SECRETS = {
  apiKey: "sk-ant-api03-abcdefghijklmnop",
  token: "tok_7f3a9c1e5b2d",
  header: "Bearer qwertz-4711-asdf",
  setting: "hunter2-hunter2",
  flag: "flagged-secret-99",
} as const;

/** Options with a secret in every place that may hold one. */
const OPTIONS: AgentOptions = {
  env: { ANTHROPIC_API_KEY: SECRETS.apiKey, MY_AUTH_TOKEN: SECRETS.token },
  settings: { env: { DB_PASSWORD: SECRETS.setting }, apiKeyHelper: "x" },
  mcpServers: {
    remote: {
      type: "http",
      url: "http://127.0.0.1:9/mcp",
      headers: { Authorization: SECRETS.header },
      via: "cli",
    },
  },
  extraArgs: { "api-key": SECRETS.flag },
};

/** What a CLI says that took all of it. */
const APPLIED = { settings_applied: true, mcp_servers_applied: true };

/** All text that a conversation of a script tells: errors, logs, metrics. */
async function told(
  script: FakeCliPlan,
  {
    act,
    ...options
  }: AgentOptions & {
    act?: (conversation: ReturnType<typeof query>) => Promise<unknown>;
  } = {},
): Promise<string> {
  const fake = fakeCli({ initialize: APPLIED, ...script });
  const log = logSpy();
  const metrics = metricsSpy();
  const conversation = query("x", {
    ...OPTIONS,
    ...options,
    cliPath: fake.cliPath,
    logger: log.logger,
    metrics: metrics.metrics,
  });
  const acted = act?.(conversation).catch((error) => error);
  const [messages, errors] = await Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  const ready = await conversation.ready.catch((error) => error);
  await conversation.close();
  await fake.close();
  return textIn([
    messages.error,
    errors.items,
    ready instanceof Error ? ready : undefined,
    await acted,
    log.lines,
    metrics.calls,
  ]);
}

function assertClean(text: string, what: string): void {
  assert.ok(text.length > 1_000, "there is something to look through");
  for (const [name, secret] of Object.entries(SECRETS)) {
    const at = text.indexOf(secret);
    assert.equal(
      at,
      -1,
      `${what}: ${name} in ${text.slice(Math.max(0, at - 300), at + 50)}`,
    );
  }
}

/** All secrets in one line, as a careless CLI would print them. */
const BLAB = Object.values(SECRETS).join(" ");

test("no error, log or metric holds a secret when all goes well", async () => {
  assertClean(await told({ turns: "ok" }), "a good run");
}, { ids: ["E-07"] });

test(
  "no error, log or metric holds a secret whatever fails, also when the CLI prints it",
  async () => {
    const cases: Readonly<Record<string, [FakeCliPlan, AgentOptions?]>> = {
      "exit at the start": [{
        start: [{ stderr: `${BLAB}\n` }, { exit: 1 }],
      }],
      "exit in mid-turn": [{
        turns: [["a", { stderr: `${BLAB}\n` }, { exit: 1 }]],
      }],
      "refused start": [{ initialize: { error: `Cannot log in: ${BLAB}` } }],
      "silent start": [{ initialize: "silent" }, {
        timeouts: { connectMs: 300 },
      }],
      "deaf start": [{ readStdin: false, start: [{ wait: "forever" }] }, {
        timeouts: { writeMs: 100 },
        systemPrompt: "x".repeat(1_000_000),
      }],
      "noise": [{
        turns: [[{ line: BLAB }, { line: `{"x":"${BLAB}` }, "a"]],
      }],
      "noise at the start": [{ start: [{ line: BLAB }, { exit: 1 }] }],
      "a long line": [{ turns: [[{ line: BLAB.repeat(100) }, "a"]] }, {
        limits: { maxMessageBytes: 5_000 },
      }],
      "missing directory": [{}, { cwd: "/nowhere/at/all" }],
      "bad messages": [{
        turns: [[
          { line: `{"type":"assistant","note":"${BLAB}"}` },
          { line: `{"type":"system","subtype":7,"deep":[{"a":"${BLAB}"}]}` },
          { line: `{"note":"${BLAB}"}` },
          { line: JSON.stringify(BLAB) },
          { line: `[${JSON.stringify(BLAB)}]` },
          { line: `{"type":"control_request","request":"${BLAB}"}` },
          {
            line:
              `{"type":"control_request","request_id":"r1","request":{"subtype":"hook_callback","callback_id":"none","input":{"a":"${BLAB}"}}}`,
          },
          "a",
        ]],
      }],
      "words that do not fit": [{
        turns: [[
          {
            line:
              `{"type":"system","subtype":"status","status":"${SECRETS.apiKey}","uuid":"u","session_id":"s"}`,
          },
          "a",
        ]],
      }, { validation: "strict" }],
      "callbacks that fail": [{
        turns: [[
          { tool: "Bash", input: { command: BLAB } },
          "a",
        ]],
      }, {
        permissions: {
          canUseTool: () => {
            throw new Error("boom");
          },
        },
      }],
      "callbacks that are late": [{
        turns: [[
          { tool: "Bash", input: { command: BLAB } },
          "a",
        ]],
      }, {
        permissions: {
          timeoutMs: 50,
          canUseTool: () => new Promise(() => {}),
        },
      }],
    };
    for (const [what, [script, options]] of Object.entries(cases)) {
      assertClean(await told(script, options), what);
    }
  },
  { ids: ["E-07"] },
);

test(
  "no error, log or metric holds a secret of a control request that fails",
  async () => {
    const servers = {
      late: {
        type: "http" as const,
        url: "http://127.0.0.1:9/mcp",
        headers: { Authorization: SECRETS.header },
        via: "cli" as const,
      },
    };
    const hold: FakeCliPlan = { turns: [["a", { wait: 600 }]] };
    for (
      const answer of [
        "silent",
        { error: `Server refused: ${SECRETS.header}` },
      ] as const
    ) {
      const text = await told({
        ...hold,
        controls: { mcp_set_servers: answer, apply_flag_settings: answer },
      }, {
        act: async (conversation) => {
          const outcomes = await Promise.allSettled([
            conversation.setMcpServers(servers, { timeoutMs: 100 }),
            conversation.applySettings(
              { env: { API_TOKEN: SECRETS.token } },
              { timeoutMs: 100 },
            ),
          ]);
          return outcomes.map((one) =>
            one.status === "rejected" ? one.reason : undefined
          );
        },
      });
      assertClean(text, String(answer));
    }
  },
  { ids: ["E-07", "T-07"] },
);

test(
  "no argument of the CLI holds a secret of the environment, the settings or a server",
  async () => {
    const fake = fakeCli({ initialize: APPLIED });
    const { extraArgs: _extraArgs, ...options } = OPTIONS;
    await query("x", { ...options, cliPath: fake.cliPath }).text();
    const args = fake.runs[0]?.args.join(" ") ?? "";
    for (const secret of [SECRETS.apiKey, SECRETS.token, SECRETS.header]) {
      assert.equal(args.includes(secret), false);
    }
    await fake.close();
  },
  { ids: ["E-07", "MI-20"] },
);
