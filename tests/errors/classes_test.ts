import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as root from "@sluice/agent";
import {
  AgentError,
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
import { keptBytes, longText } from "../_garbage.ts";
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
const call = { message: "Call failed", server: "docs", tool: "search", cause };

interface Row {
  readonly error: AgentError;
  readonly name: string;
  readonly code: string;
  readonly isFatal: boolean;
  /** The facts of this class, which nobody has to take out of the text. */
  readonly facts: Readonly<Record<string, unknown>>;
}

function row(
  error: AgentError,
  name: string,
  code: string,
  facts: Readonly<Record<string, unknown>>,
  isFatal = false,
): Row {
  return { error, name, code, isFatal, facts };
}

/** One error of every class, made with everything it takes. */
function allErrors(): Row[] {
  const message = "Something failed: the fact";
  const cliFacts = {
    cliPath: context.cliPath,
    command: context.command,
    environment: context.environment,
    processInfo: context.processInfo,
    stderrTail: context.stderrTail,
  };
  const stages = ["discovery", "connect", "write", "read", "exit"] as const;
  return [
    row(
      new ConfigError({ message, key: "limits.maxMessageBytes", value: -1 }),
      "ConfigError",
      "config",
      { key: "limits.maxMessageBytes", value: -1 },
      true,
    ),
    ...stages.map((stage) =>
      row(
        new root.CliError({ message, stage, cause, context }),
        "CliError",
        `cli_${stage}`,
        { ...cliFacts, stage, cause },
        true,
      )
    ),
    row(
      new root.CliNotFoundError({ message, cause, context, discovery }),
      "CliNotFoundError",
      "cli_not_found",
      { ...cliFacts, stage: "discovery", cause, discovery },
      true,
    ),
    row(
      new root.CliExitError({
        message,
        context,
        exitCode: 3,
        signal: null,
        reason: "no result came",
      }),
      "CliExitError",
      "cli_exit",
      {
        ...cliFacts,
        stage: "exit",
        exitCode: 3,
        signal: null,
        reason: "no result came",
      },
      true,
    ),
    row(
      new root.SessionNotFoundError({
        context,
        exitCode: 1,
        signal: null,
        sessionId: "s",
      }),
      "SessionNotFoundError",
      "session_not_found",
      {
        ...cliFacts,
        stage: "exit",
        exitCode: 1,
        signal: null,
        reason: "found no session to resume",
        sessionId: "s",
      },
      true,
    ),
    row(
      new root.CliVersionError({
        message,
        context,
        version: "2.1.200",
        minimum: "2.1.261",
      }),
      "CliVersionError",
      "cli_version",
      {
        ...cliFacts,
        stage: "connect",
        version: "2.1.200",
        minimum: "2.1.261",
      },
      true,
    ),
    row(
      new root.CliStalledError({ message, context, idleMs: 120_000 }),
      "CliStalledError",
      "cli_stalled",
      { ...cliFacts, stage: "read", idleMs: 120_000 },
      true,
    ),
    row(
      new root.MessageTooLargeError({ context, bytes: 12, limit: 10 }),
      "MessageTooLargeError",
      "message_too_large",
      { ...cliFacts, stage: "read", bytes: 12, limit: 10 },
    ),
    ...(["protocol", "timeout", "transport", "handler"] as const).map((
      category,
    ) =>
      row(
        new ProtocolError({
          message,
          category,
          cause,
          requestId: "req_1",
          subtype: "set_model",
          requestData: { subtype: "set_model" },
        }),
        "ProtocolError",
        `protocol_${category}`,
        {
          category,
          cause,
          requestId: "req_1",
          subtype: "set_model",
          requestData: { subtype: "set_model" },
        },
      )
    ),
    row(
      new ControlError({ message, subtype: "set_model", errorCode: "no_mode" }),
      "ControlError",
      "control",
      { subtype: "set_model", errorCode: "no_mode" },
    ),
    row(
      new ParseError({
        message,
        messageType: "assistant",
        field: "message.content[0]",
        rawData: { a: 1 },
        cause,
      }),
      "ParseError",
      "parse",
      {
        messageType: "assistant",
        field: "message.content[0]",
        rawData: { a: 1 },
        cause,
      },
    ),
    row(
      new root.NotConnectedError("sendMessage()"),
      "NotConnectedError",
      "not_connected",
      {},
    ),
    row(
      new root.AlreadyConnectedError("Client"),
      "AlreadyConnectedError",
      "already_connected",
      {},
    ),
    row(new root.ClosedError("Client"), "ClosedError", "closed", {}),
    row(
      new root.NotPendingError("p1", "answered"),
      "NotPendingError",
      "not_pending",
      { id: "p1", reason: "answered" },
    ),
    row(
      new root.PromptError("Prompt source failed: x", cause),
      "PromptError",
      "prompt",
      { cause },
      true,
    ),
    row(
      new ResultError({ message, result: undefined, cause }),
      "ResultError",
      "result",
      { result: undefined, cause },
    ),
    row(
      new StructuredOutputError({ message, result: undefined }),
      "StructuredOutputError",
      "structured_output",
      { result: undefined },
    ),
    row(
      new mcpEntry.McpInitError("docs", cause, details),
      "McpInitError",
      "mcp_init",
      { server: "docs", cause, details },
      true,
    ),
    row(
      new mcpEntry.UnknownServerError(call),
      "UnknownServerError",
      "mcp_unknown_server",
      { server: "docs" },
    ),
    row(
      new mcpEntry.UnknownToolError(call),
      "UnknownToolError",
      "mcp_unknown_tool",
      { server: "docs", tool: "search" },
    ),
    row(
      new McpFailure(message, { kind: "network", cause, details }),
      "McpFailure",
      "mcp_failure",
      { kind: "network", delivery: "unknown", cause, details },
    ),
    row(
      new mcpEntry.InvalidNameError({ message }),
      "InvalidNameError",
      "mcp_invalid_name",
      {},
    ),
    row(
      new mcpEntry.ServerUnavailableError({ ...call, attempts: 5 }),
      "ServerUnavailableError",
      "mcp_unavailable",
      { server: "docs", tool: "search", attempts: 5, cause },
    ),
    row(
      new mcpEntry.DeliveryUnknownError({ ...call, attempts: 2 }),
      "DeliveryUnknownError",
      "mcp_delivery_unknown",
      { server: "docs", tool: "search", attempts: 2, cause },
    ),
    row(
      new sessionEntry.SessionFormatError({ message, line: 7 }),
      "SessionFormatError",
      "session_format",
      { line: 7 },
    ),
    row(
      new sessionEntry.BudgetError({ message, budget: 10, needed: 12 }),
      "BudgetError",
      "session_budget",
      { budget: 10, needed: 12 },
    ),
    row(
      new PoolBudgetError(2, 2.5),
      "PoolBudgetError",
      "pool_budget",
      { maxUsd: 2, spentUsd: 2.5 },
    ),
    row(
      new sessionEntry.SessionLockedError({
        message,
        holder: { pid: 4711, machine: "here" },
      }),
      "SessionLockedError",
      "session_locked",
      { holder: { pid: 4711, machine: "here" } },
    ),
    row(
      new TranscriptError({ message, lost: 3, sessionId: "s" }),
      "TranscriptError",
      "transcript",
      { lost: 3, sessionId: "s" },
    ),
    row(
      new mcpEntry.McpProtocolError(call),
      "McpProtocolError",
      "mcp_protocol",
      { server: "docs", cause },
    ),
  ];
}

test("AgentError: every class has its name, code, facts and form", () => {
  for (const { error, name, code, isFatal, facts } of allErrors()) {
    assert.ok(error instanceof Error);
    assert.ok(error instanceof AgentError);
    assert.equal(isAgentError(error), true);
    assert.equal(error.name, name);
    assert.equal(error.code, code, name);
    assert.equal(error.fatal, isFatal, name);
    assert.match(error.message, /^[A-Z]/, name);
    assert.ok(!error.message.endsWith("."), error.message);
    assert.doesNotMatch(error.message, /n't\b|'s not\b/);
    assert.equal(String(error), `${name}: ${error.message}`);
    for (const [fact, value] of Object.entries(facts)) {
      const shown = (error as unknown as Record<string, unknown>)[fact];
      assert.deepEqual(shown, value, `${name}.${fact}`);
    }
    if (!("details" in facts)) assert.deepEqual(error.details, {});
    if (!("cause" in facts) && !name.startsWith("Unknown")) {
      assert.equal("cause" in error, false, name);
    }
  }
}, { ids: ["E-05", "E-08", "PA-13", "R-11"] });

test(
  "AgentError: the entries export the classes of the table, and no other",
  () => {
    const known = new Set<unknown>(
      allErrors().map(({ error }) => error.constructor),
    );
    const exported = new Set<unknown>();
    for (
      const value of Object.values({
        ...root,
        ...mcpEntry,
        ...sessionEntry,
        ...transcriptsEntry,
      })
    ) {
      if (typeof value !== "function" || value === AgentError) continue;
      if (value.prototype instanceof AgentError) exported.add(value);
    }
    assert.deepEqual(
      [...exported].map((one) => (one as { name: string }).name).sort(),
      [...known].map((one) => (one as { name: string }).name).sort(),
    );
    assert.deepEqual(
      [...exported].filter((one) => !known.has(one)),
      [],
    );
  },
  { ids: ["E-08"] },
);

test("AgentError keeps what it is given, and may be made fatal or not", () => {
  const error = new ConfigError({
    message: "Option is wrong",
    key: "model",
    cause,
    details,
    fatal: false,
  });
  assert.equal(error.cause, cause);
  assert.equal(error.details, details);
  assert.equal(error.fatal, false);
  assert.equal(
    new ProtocolError({ message: "Broken", category: "protocol", fatal: true })
      .fatal,
    true,
  );
});

test("isAgentError() knows errors of another loaded copy of the package", async () => {
  const original = new URL("../../src/errors/base.ts", import.meta.url);
  const folder = await mkdtemp(join(tmpdir(), "sluice-copy-"));
  const path = join(folder, basename(original.pathname));
  await cp(new URL(".", original), folder, { recursive: true });
  const copy: typeof import("../../src/errors/base.ts") = await import(
    pathToFileURL(path).href
  );
  await rm(folder, { recursive: true });
  assert.notEqual(copy.AgentError, AgentError);
  class Foreign extends copy.AgentError {
    override readonly name = "Foreign";
    override readonly code = "foreign";
  }
  const foreign = new Foreign({ message: "From elsewhere" });
  assert.equal(foreign instanceof AgentError, false);
  assert.equal(isAgentError(foreign), true);
  assert.equal(copy.isAgentError(new root.ClosedError("Client")), true);
});

test("isAgentError() is false for everything else", () => {
  const others = [
    undefined,
    null,
    0,
    "AgentError",
    {},
    [],
    () => {},
    new Error("another"),
    { name: "ConfigError", code: "config", message: "No", fatal: true },
  ];
  for (const value of others) assert.equal(isAgentError(value), false);
});

test(
  "CliError names stage, cause, pid, runtime, path and the last words on stderr",
  () => {
    const error = new root.CliError({
      message: "Cannot write to the CLI",
      stage: "write",
      cause,
      context,
    });
    assert.equal(
      error.message,
      "Cannot write to the CLI (stage: write, pid: 4711, runtime: 12 ms, host: Node 20.1, " +
        'cli: "/opt/claude", cause: the root of it, stderr: "last line")',
    );
  },
  { ids: ["E-06"] },
);

test(
  "CliError does not say the cause twice, and nothing that it does not know",
  () => {
    const error = new root.CliError({
      message: "Cannot start the CLI: the root of it",
      stage: "connect",
      cause,
    });
    assert.equal(
      error.message,
      "Cannot start the CLI: the root of it (stage: connect)",
    );
    assert.equal(error.cliPath, undefined);
    assert.deepEqual(error.command, []);
    assert.deepEqual(error.environment, []);
    assert.deepEqual(error.processInfo, {});
    assert.equal(error.stderrTail, "");
  },
  { ids: ["E-06"] },
);

test("CliError cuts long words on stderr and of the cause in its text, and keeps them whole", () => {
  const long = "x".repeat(10_000);
  const error = new root.CliError({
    message: "CLI ended",
    stage: "exit",
    cause: new Error(long),
    context: { stderrTail: `warning\n${long}\n\n` },
  });
  assert.ok(error.message.length < 500, `${error.message.length}`);
  assert.ok(error.message.includes("x".repeat(150)));
  assert.ok(!error.message.includes("warning"));
  assert.equal(error.stderrTail.length, long.length + 10);
});

test("CliError that ends nothing keeps the end of a long stderr, and nothing else of it alive", () => {
  const context = { stderrTail: `${"x".repeat(10_000)}the end` };
  const { stderrTail } = new root.MessageTooLargeError({
    bytes: 12,
    limit: 10,
    context,
  });
  assert.match(stderrTail, /^x{4089}the end$/);
  const bytes = keptBytes(() =>
    Array.from({ length: 30 }, (_, n) =>
      new root.MessageTooLargeError({
        bytes: 12,
        limit: 10,
        context: { stderrTail: longText(n) },
      }))
  );
  assert.ok(bytes < 10 * 1024 * 1024, `${bytes} bytes`);
});

test("MessageTooLargeError names both sizes and the option", () => {
  const error = new root.MessageTooLargeError({ bytes: 12, limit: 10 });
  assert.match(
    error.message,
    /too large: 12 bytes, "limits.maxMessageBytes" is 10 \(stage: read\)$/,
  );
}, { ids: ["IO-02"] });

test(
  "ProtocolError shows category, subtype and id, as far as they are known",
  () => {
    const message = "Control request failed";
    assert.equal(
      new ProtocolError({ message, category: "transport" }).message,
      "Control request failed (category: transport)",
    );
    assert.equal(
      new ProtocolError({
        message,
        category: "timeout",
        subtype: "set_model",
        requestId: "req_1",
      }).message,
      "Control request failed (category: timeout, subtype: set_model, request: req_1)",
    );
  },
  { ids: ["R-11"] },
);

test(
  "ParseError cuts its data in the text and keeps it whole in the field",
  () => {
    const rawData = { text: "x".repeat(10_000) };
    for (const data of [rawData, JSON.stringify(rawData)]) {
      const error = new ParseError({
        message: 'Field "type" is missing',
        messageType: "line",
        rawData: data,
      });
      assert.equal(error.rawData, data);
      assert.match(error.message, /^Field "type" is missing: \{"text":"xxx/);
      const shown = error.message.slice('Field "type" is missing: '.length);
      assert.equal(shown.length, 200);
    }
  },
  { ids: ["PA-14"] },
);

test("ParseError shows data of any kind", () => {
  for (const [rawData, text] of [[null, "null"], [7, "7"], ["a", "a"]]) {
    const error = new ParseError({
      message: "Line is no message",
      messageType: "line",
      rawData,
    });
    assert.equal(error.message, `Line is no message: ${text}`);
    assert.equal(error.field, undefined);
  }
});

test("McpInitError has the one text that is promised", () => {
  const error = new mcpEntry.McpInitError("docs", new Error("refused"));
  assert.equal(
    error.message,
    'Failed to initialize MCP server "docs": refused',
  );
});

test("NotConnectedError says what helps", () => {
  assert.equal(
    new root.NotConnectedError("sendMessage()").message,
    "Cannot call sendMessage() before connect(): call connect() first",
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
