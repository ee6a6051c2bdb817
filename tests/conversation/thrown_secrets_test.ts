import assert from "node:assert/strict";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import { type AgentOptions, type JsonObject, query } from "@sluice/agent";
import { record } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { leakIn, Plants } from "../_planted.ts";
import { pick, randomFrom } from "../options/_random.ts";
import {
  isAnswerTo,
  isRequest,
  logSpy,
  memoryCli,
  metricsSpy,
  requestLine,
  responseOf,
  resultLine,
  textIn,
} from "./_rig.ts";

class Session {
  readonly token: string;
  constructor(token: string) {
    this.token = token;
  }
}

/** Thrown values with a secret. */
const THROWN: readonly ((secret: string) => unknown)[] = [
  (secret) => new Error(`it was ${secret}`),
  (secret) => `it was ${secret}`,
  (secret) => ({ headers: { authorization: `Bearer ${secret}` } }),
  (secret) => new Session(secret),
  (secret) => Object.assign(new Error("a"), { client: new Session(secret) }),
  (secret) => new AggregateError([new Error(secret)], `all of ${secret}`),
  (secret) => new Error(`${"x".repeat(9_990)}${secret}`),
];

/** All callbacks that may throw, and a line of the CLI that calls them. */
function scene(thrown: unknown): {
  readonly options: AgentOptions;
  readonly asks: Readonly<Record<string, JsonObject>>;
} {
  const fail = () => {
    throw thrown;
  };
  const failLater = () => Promise.reject(thrown);
  const callTool = (name: string): JsonObject => ({
    subtype: "mcp_message",
    server_name: "here",
    message: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: {} },
    },
  });
  return {
    options: {
      permissions: { canUseTool: fail },
      hooks: {
        PreToolUse: [{ hooks: [fail, failLater] }],
        Stop: [{ hooks: [failLater], onFailure: "block" }],
        PermissionRequest: [{ hooks: [fail], onFailure: "block" }],
      },
      onElicitation: failLater,
      onUserDialog: fail,
      mcpServers: {
        here: {
          type: "sdk",
          instance: createMcpServer({
            name: "here",
            tools: [
              tool({ name: "now", description: "Now", input: {}, run: fail }),
              tool({
                name: "later",
                description: "Later",
                input: {},
                run: failLater,
              }),
            ],
          }),
        },
      },
    },
    asks: {
      permission: {
        subtype: "can_use_tool",
        tool_name: "Bash",
        input: { command: "ls" },
        tool_use_id: "t1",
      },
      ...Object.fromEntries(
        [
          ["PreToolUse", "hook_0"],
          ["PreToolUse", "hook_1"],
          ["Stop", "hook_2"],
          ["PermissionRequest", "hook_3"],
        ].map(([event = "", id = ""]) => [id, {
          subtype: "hook_callback",
          callback_id: id,
          input: {
            hook_event_name: event,
            tool_name: "Bash",
            tool_input: { command: "ls" },
          },
        }]),
      ),
      elicitation: {
        subtype: "elicitation",
        mcp_server_name: "here",
        message: "?",
      },
      dialog: { subtype: "request_user_dialog", dialog_kind: "a", payload: {} },
      now: callTool("now"),
      later: callTool("later"),
    },
  };
}

function assertClean(told: unknown, secret: string, what: string): void {
  const text = textIn(told);
  const leak = leakIn(text, secret);
  if (leak === undefined) return;
  const at = text.indexOf(leak);
  assert.fail(`${what}: ${text.slice(Math.max(0, at - 200), at + 60)}`);
}

test(
  "no secret in what callbacks and tools throw reaches the CLI, errors, logs, metrics or cassettes",
  async () => {
    const random = randomFrom(4711);
    for (const [at, make] of THROWN.entries()) {
      const plants = new Plants(random);
      const secret = pick(random, [plants.odd(), plants.plain()]);
      const { options, asks } = scene(make(secret));
      const { transport, peer } = memoryCli();
      const log = logSpy();
      const metrics = metricsSpy();
      const cassette: string[] = [];
      const conversation = query("x", {
        ...options,
        env: { MY_TOKEN: secret },
        transport: record(transport, (line) => void cassette.push(line)),
        logger: log.logger,
        metrics: metrics.metrics,
      });
      await conversation.ready;
      const answers: JsonObject[] = [];
      for (const [id, request] of Object.entries(asks)) {
        await peer.send(requestLine(id, request));
        answers.push(responseOf(await peer.line(isAnswerTo(id))));
      }
      // A text of the CLI that an answer quotes.
      await peer.send(
        requestLine("odd", { subtype: "hook_callback", callback_id: secret }),
      );
      answers.push(responseOf(await peer.line(isAnswerTo("odd"))));
      await peer.send(resultLine());
      const [{ error }, errors] = await Promise.all([
        collect(conversation),
        collect(conversation.errors),
      ]);
      await conversation.close();
      const what = `thrown ${at}`;
      assert.ok(errors.items.length >= 7, String(errors.items.length));
      assertClean(answers, secret, `${what}, answers`);
      // The environment is no line.
      assertClean(peer.lines, secret, `${what}, lines`);
      assertClean([error, errors.items], secret, `${what}, errors`);
      assertClean(log.lines, secret, `${what}, log`);
      assertClean(metrics.calls, secret, `${what}, metrics`);
      assertClean(cassette, secret, `${what}, cassette`);
      assert.match(JSON.stringify(answers[0]), /"deny".*Bash.*failed/);
    }
  },
  { ids: ["E-07"] },
);

test(
  "no promise rejects with a secret that the CLI says again or that a request named",
  async () => {
    const secret = "z8f3kq-Secret-4711";
    const { transport, peer } = memoryCli({ set_model: () => undefined });
    const conversation = query("x", {
      env: { MY_TOKEN: secret },
      transport,
    });
    await conversation.ready;
    const late = await conversation.setModel(secret, { timeoutMs: 20 })
      .catch((error) => error);
    assert.equal(late.name, "ProtocolError");
    assertClean(late, secret, "a request without an answer");
    const asking = conversation.setModel(secret).catch((error) => error);
    await peer.line(() =>
      peer.lines.filter(isRequest("set_model")).length === 2
    );
    const { request_id } = peer.lines.findLast(isRequest("set_model")) ?? {};
    await peer.send({
      type: "control_response",
      response: { subtype: "error", request_id, error: `No ${secret}` },
    } as JsonObject);
    const refused = await asking;
    assert.equal(refused.name, "ControlError");
    assertClean(refused, secret, "a request that is refused");
    await peer.send(resultLine({
      subtype: "error_during_execution",
      is_error: true,
      errors: [`key ${secret} is wrong`],
    }));
    const [text, output] = await Promise.all(
      [conversation.text(), conversation.output()].map((one) =>
        one.catch((error) => error)
      ),
    );
    assert.equal((text as Error).name, "ResultError");
    assertClean([text, output], secret, "a result");
    await conversation.close();
    const ended = await conversation.setModel(secret).catch((error) => error);
    assertClean(ended, secret, "a request after the end");
  },
  { ids: ["E-07"] },
);
