import assert from "node:assert/strict";
import * as root from "@sluice/agent";
import {
  AgentError,
  CapacityError,
  ConfigError,
  ControlError,
  isAgentError,
  ParseError,
  PoolBudgetError,
  ProtocolError,
  ResultError,
  StructuredOutputError,
} from "@sluice/agent";
import { McpFailure } from "@sluice/agent/mcp";
import { TranscriptError } from "@sluice/agent/transcripts";
import * as mcpEntry from "@sluice/agent/mcp";
import * as sessionEntry from "@sluice/agent/session";
import * as transcriptsEntry from "@sluice/agent/transcripts";
import { test } from "../_harness.ts";

const cause = new RangeError("the root of it");
const details = { tried: 3 };
const startedAt = new Date(0);
const context: root.CliContext = {
  cliPath: "/opt/claude",
  command: ["/opt/claude", "--api-key", "[redacted]"],
  environment: ["HOME", "ANTHROPIC_API_KEY"],
  processInfo: { pid: 4711, runtimeMs: 12, host: "Node 20.1", startedAt },
  stderrTail: "first line\nlast line\n",
};
const discovery = {
  path: undefined,
  version: undefined,
  executable: false,
  source: undefined,
  attempts: [],
  warnings: [],
} as unknown as root.CliNotFoundError["discovery"];
const call = { server: "docs", tool: "search", attempts: 2, cause };
const cli = { context, cause };

type Facts = Readonly<Record<string, unknown>>;

/** An error, its code, and the facts of its class. */
type Row = readonly [error: AgentError, code: string, facts: Facts];

/** An error of a class that takes its facts by name, with facts that follow from them. */
function row(
  Class: new (init: never) => AgentError,
  code: string,
  init: Facts,
  more: Facts = {},
): Row {
  const { context: about, ...own } = init;
  const message = "Something failed: the fact";
  const error = new Class({ message, ...init } as never);
  return [error, code, { ...own, ...about as Facts, ...more }];
}

/** One error of every class, made with everything it takes. */
function allErrors(): Row[] {
  const exit = { context, signal: null };
  const versions = { version: "2.1.200", minimum: "2.1.261" };
  const stages = ["discovery", "connect", "write", "read", "exit"] as const;
  const categories = ["protocol", "timeout", "transport", "handler"] as const;
  const request = {
    cause,
    requestId: "req_1",
    subtype: "set_model",
    requestData: { subtype: "set_model" },
  };
  return [
    row(ConfigError, "config", { key: "limits.maxMessageBytes", value: -1 }),
    ...stages.map((stage) =>
      row(root.CliError, `cli_${stage}`, { ...cli, stage })
    ),
    row(root.CliNotFoundError, "cli_not_found", { ...cli, discovery }),
    row(root.CliExitError, "cli_exit", { ...exit, exitCode: 3, reason: "x" }),
    row(
      root.SessionNotFoundError,
      "session_not_found",
      { ...exit, exitCode: 1, sessionId: "s" },
      { reason: "found no session to resume" },
    ),
    row(root.CliVersionError, "cli_version", { context, ...versions }),
    row(root.CliStalledError, "cli_stalled", { context, idleMs: 120_000 }),
    row(root.MessageTooLargeError, "message_too_large", {
      bytes: 12,
      limit: 9,
    }),
    ...categories.map((category) =>
      row(ProtocolError, `protocol_${category}`, { ...request, category })
    ),
    row(ControlError, "control", { subtype: "set_model", errorCode: "no" }),
    row(ParseError, "parse", {
      ...{
        messageType: "assistant",
        field: "a.b[0]",
        rawData: { a: 1 },
        cause,
      },
    }),
    [new root.NotConnectedError("sendMessage()"), "not_connected", {}],
    [new root.AlreadyConnectedError("Client"), "already_connected", {}],
    [new root.ClosedError("Client"), "closed", {}],
    [new root.NotPendingError("p1", "answered"), "not_pending", { id: "p1" }],
    [new root.PromptError("Prompt source failed", cause), "prompt", { cause }],
    row(ResultError, "result", { result: undefined, cause }),
    row(StructuredOutputError, "structured_output", { result: undefined }),
    [new PoolBudgetError(2, 2.5), "pool_budget", { maxUsd: 2, spentUsd: 2.5 }],
    [new mcpEntry.McpInitError("docs", cause, details), "mcp_init", {
      ...{ server: "docs", cause, details },
    }],
    row(mcpEntry.UnknownServerError, "mcp_unknown_server", { server: "docs" }),
    row(mcpEntry.UnknownToolError, "mcp_unknown_tool", call),
    [
      new McpFailure("Call failed", { kind: "network", cause, details }),
      "mcp_failure",
      { kind: "network", delivery: "unknown", cause, details },
    ],
    row(mcpEntry.InvalidNameError, "mcp_invalid_name", {}),
    row(mcpEntry.ServerUnavailableError, "mcp_unavailable", call),
    row(mcpEntry.DeliveryUnknownError, "mcp_delivery_unknown", call),
    row(mcpEntry.McpProtocolError, "mcp_protocol", { server: "docs", cause }),
    row(sessionEntry.SessionFormatError, "session_format", { line: 7 }),
    row(sessionEntry.BudgetError, "session_budget", { budget: 10, needed: 12 }),
    row(sessionEntry.SessionLockedError, "session_locked", {
      holder: { pid: 1 },
    }),
    [
      new CapacityError("maxPerKey", 3),
      "capacity",
      { limit: "maxPerKey", allowed: 3 },
    ],
    row(TranscriptError, "transcript", { lost: 3, sessionId: "s" }),
  ];
}

/** Families of errors that end the conversation. */
const FATAL = /^(?:config|cli_.*|session_not_found|prompt|mcp_init)$/;

test("AgentError: every class has its name, code, facts and form", () => {
  for (const [error, code, facts] of allErrors()) {
    const { name } = error;
    assert.ok(error instanceof Error && error instanceof AgentError);
    assert.equal(isAgentError(error), true);
    assert.equal(name, error.constructor.name);
    assert.equal(error.code, code, name);
    assert.equal(error.fatal, FATAL.test(code), name);
    assert.match(error.message, /^[A-Z]/, name);
    assert.ok(!error.message.endsWith("."), error.message);
    assert.doesNotMatch(error.message, /n't\b|'s not\b/);
    assert.equal(String(error), `${name}: ${error.message}`);
    for (const [fact, value] of Object.entries(facts)) {
      assert.deepEqual(Reflect.get(error, fact), value, `${name}.${fact}`);
    }
    if (!("details" in facts)) assert.deepEqual(error.details, {});
    assert.equal("cause" in error, "cause" in facts, name);
  }
}, { ids: ["E-05", "E-08", "PA-13", "R-11"] });

test("the entries export the classes of the table, and no other", () => {
  const entries = [root, mcpEntry, sessionEntry, transcriptsEntry];
  const exported = entries.flatMap((entry) => Object.values(entry))
    .filter((one) =>
      typeof one === "function" && one.prototype instanceof AgentError
    );
  assert.deepEqual(
    new Set(exported),
    new Set(allErrors().map(([error]) => error.constructor)),
  );
}, { ids: ["E-08"] });

test(
  "CliError names what is known: stage, pid, runtime, path, cause and last words on stderr",
  () => {
    const said = "Cannot write to the CLI";
    const full = new root.CliError({
      ...{ message: said, stage: "write", cause, context },
    });
    assert.equal(
      full.message,
      `${said} (stage: write, pid: 4711, runtime: 12 ms, host: Node 20.1, ` +
        'cli: "/opt/claude", cause: the root of it, stderr: "last line")',
    );
    const message = "Cannot start the CLI: the root of it";
    const bare = new root.CliError({ message, stage: "connect", cause });
    assert.equal(bare.message, `${message} (stage: connect)`);
    const { cliPath, command, environment, processInfo, stderrTail } = bare;
    assert.deepEqual(
      [cliPath, command, environment, processInfo, stderrTail],
      [undefined, [], [], {}, ""],
    );
  },
  { ids: ["E-06"] },
);

test("CliError that ends nothing keeps the end of a long stderr", () => {
  const context = { stderrTail: `${"x".repeat(10_000)}the end` };
  const init = { bytes: 12, limit: 10, context };
  const { stderrTail } = new root.MessageTooLargeError(init);
  assert.match(stderrTail, /^x{4089}the end$/);
});

test(
  "ProtocolError shows category, subtype and id, as far as they are known",
  () => {
    const message = "Control request failed";
    const facts = { subtype: "set_model", requestId: "req_1" };
    for (
      const [error, text] of [
        [new ProtocolError({ message, category: "transport" }), "transport"],
        [
          new ProtocolError({ message, category: "timeout", ...facts }),
          "timeout, subtype: set_model, request: req_1",
        ],
      ] as const
    ) assert.equal(error.message, `${message} (category: ${text})`);
  },
  { ids: ["R-11"] },
);

test("ParseError keeps the beginning of its data, and shows less of it", () => {
  const rawData = { text: "x".repeat(10_000) };
  for (const data of [rawData, JSON.stringify(rawData)]) {
    const message = 'Field "type" is missing';
    const init = { message, messageType: "line", rawData: data };
    const error = new ParseError(init);
    const { length } = JSON.stringify(error.rawData);
    assert.ok(length > 4_000 && length < 4_200, String(length));
    assert.ok(Number(error.details.bytes) > 10_000);
    assert.match(error.message, /^Field "type" is missing: \{"text":"xxx/);
    assert.equal(error.message.length, message.length + 2 + 200);
  }
}, { ids: ["PA-14"] });

test("McpInitError has the one text that is promised", () => {
  const error = new mcpEntry.McpInitError("docs", new Error("refused"));
  assert.equal(
    error.message,
    'Failed to initialize MCP server "docs": refused',
  );
});

test("CliNotFoundError prints without its long lists, which are read by their names", () => {
  const error = new root.CliNotFoundError({
    message: "Claude CLI not found: nowhere",
    context,
    discovery,
  });
  const shown = Object.keys(error);
  assert.ok(shown.includes("command"));
  assert.ok(!shown.includes("environment"));
  assert.ok(!shown.includes("discovery"));
  assert.equal(error.discovery, discovery);
  assert.equal(error.environment, context.environment);
});
