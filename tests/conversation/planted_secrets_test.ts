import assert from "node:assert/strict";
import { type AgentOptions, localTransport, query } from "@sluice/agent";
import { fakeCli, type FakeCliPlan, record } from "@sluice/agent/testing";
import { needsShell } from "../_children.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { leakIn, packed, Plants } from "../_planted.ts";
import { randomFrom } from "../options/_random.ts";
import { logSpy, metricsSpy, textIn } from "./_rig.ts";

/** Options with a secret in every place that may hold one. */
function planted(plants: Plants): AgentOptions {
  const inUrl = () => encodeURIComponent(plants.odd());
  return {
    env: {
      ADMIN_TOKEN: plants.odd(),
      INPUT_GITHUB_TOKEN: plants.odd(),
      PGPASSWORD: plants.odd(),
      MYSQL_PWD: plants.odd(),
      SSHPASS: plants.odd(),
      TOKEN1: plants.odd(),
      AWS_SECRET_ACCESS_KEY: plants.odd(),
      DATABASE_URL: `postgres://me:${inUrl()}@db/x`,
      HTTPS_PROXY: `http://me:${inUrl()}@proxy:8080`,
    },
    settings: { env: { DB_PASS: plants.odd() }, apiKeyHelper: "x" },
    mcpServers: {
      remote: {
        type: "http",
        url: `https://me:${inUrl()}@host/mcp?token=${inUrl()}`,
        headers: {
          Authorization: `Basic ${packed(`me:${plants.odd()}`)}`,
          "X-Own": plants.plain(),
        },
        via: "cli",
      },
      local: {
        command: "serve",
        args: ["--api-key", plants.odd(), "-H", `X-Key: ${plants.plain()}`],
        env: { OPENAI_KEY: plants.odd() },
        via: "cli",
      },
    },
    agents: {
      helper: {
        description: "Helps",
        prompt: "Help",
        mcpServers: [{
          inner: { command: "serve", env: { INNER_TOKEN: plants.odd() } },
        }],
      },
    },
    managedSettings: { env: { POLICY_TOKEN: plants.odd() } },
    extraArgs: { "api-key": plants.odd() },
  };
}

function assertClean(told: unknown, { secrets }: Plants, what: string): void {
  const text = textIn(told);
  for (const secret of secrets) {
    const leak = leakIn(text, secret);
    const at = text.indexOf(leak ?? text);
    const around = text.slice(Math.max(0, at - 200), at + 60);
    assert.equal(leak, undefined, `${what}: ${around}`);
  }
}

const APPLIED = {
  settings_applied: true,
  managed_settings_applied: true,
  mcp_servers_applied: true,
};

/** Ways for a conversation to fail, each with a CLI that repeats its input. */
function failures(
  said: string,
): Readonly<Record<string, readonly [FakeCliPlan, AgentOptions?]>> {
  const json = JSON.stringify(said);
  const encoded = encodeURIComponent(said);
  const thrown = () => {
    throw new Error(said, { cause: new TypeError(`Because of ${said}`) });
  };
  return {
    "exit at the start": [{ start: [{ stderr: `${said}\n` }, { exit: 1 }] }],
    "exit in a turn": [{
      turns: [["a", { stderr: `${json} ${encoded}\n` }, { exit: 1 }]],
    }],
    "refusal": [{ initialize: { error: said } }],
    "silence": [{ initialize: "silent" }, { timeouts: { connectMs: 300 } }],
    "noise": [{
      turns: [[
        { line: said },
        { line: `{"x":${json}` },
        { line: `{"type":"assistant","note":${json}}` },
        { line: `{"type":${json}}` },
        { line: `{"type":"system","subtype":${json}}` },
        { line: `{"note":${json}}` },
        { line: json },
        { line: `{"type":"control_request","request":${json}}` },
        {
          line:
            `{"type":"control_request","request_id":"r1","request":{"subtype":${json}}}`,
        },
        {
          line:
            `{"type":"control_response","response":{"request_id":${json},"subtype":"success"}}`,
        },
        "a",
      ]],
    }],
    "callbacks that throw": [{
      turns: [[{ tool: "Bash", input: { command: said } }, "a"]],
    }, {
      permissions: { canUseTool: thrown },
      hooks: { PreToolUse: [{ hooks: [thrown] }] },
    }],
    "no directory": [{}, { cwd: "/nowhere/at/all" }],
  };
}

test(
  "no error, log, metric or cassette holds a planted secret, whatever fails and however it is said again",
  async () => {
    for (let seed = 1; seed <= 2; seed++) {
      const plants = new Plants(randomFrom(seed));
      const given = planted(plants);
      const said = [JSON.stringify(given), ...plants.secrets].join(" ");
      for (const [what, [script, more]] of Object.entries(failures(said))) {
        const fake = fakeCli({ initialize: APPLIED, ...script });
        const log = logSpy();
        const metrics = metricsSpy();
        const cassette: string[] = [];
        const options: AgentOptions = {
          ...given,
          ...more,
          cliPath: fake.cliPath,
          logger: log.logger,
          metrics: metrics.metrics,
        };
        const conversation = query("x", {
          ...options,
          transport: record(
            localTransport(options),
            (line) => void cassette.push(line),
          ),
        });
        const [{ error }, errors] = await Promise.all([
          collect(conversation),
          collect(conversation.errors),
          conversation.ready.catch(() => {}),
        ]);
        await conversation.close();
        await fake.close();
        assertClean(
          [error, errors.items, log.lines, metrics.calls],
          plants,
          `${what}, seed ${seed}`,
        );
        // Recordings keep the output of models and tools, which holds no planted secret here.
        assertClean(cassette, plants, `cassette of ${what}, seed ${seed}`);
      }
    }
  },
  { ids: ["E-07"] },
);

test(
  "no error holds a secret of the arguments in front of the CLI",
  async () => {
    const secret = "leading-4711-secret";
    const fake = fakeCli([[
      { line: `noise ${secret}` },
      {
        line: `{"type":"assistant","note":"${secret}"}`,
      },
      { stderr: `${secret}\n` },
      { exit: 3 },
    ]]);
    const log = logSpy();
    const conversation = query("x", {
      cliPath: ["/usr/bin/env", `GITHUB_TOKEN=${secret}`, ...fake.cliPath],
      logger: log.logger,
    });
    const [{ error }, errors] = await Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    await conversation.close();
    await fake.close();
    assert.equal(errors.items.length, 3);
    assert.ok(!textIn([error, errors.items, log.lines]).includes(secret));
  },
  { ids: ["E-07"], skip: needsShell },
);
