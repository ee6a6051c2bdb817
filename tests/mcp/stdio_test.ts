import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import {
  DeliveryUnknownError,
  type McpConnection,
  McpInitError,
  type McpServerConfig,
  type McpStdioConfig,
} from "@sluice/agent";
import { JsonRpcError, McpFailure, McpHub } from "@sluice/agent/mcp";
import { host, isRunning, needsProc } from "../_children.ts";
import { test } from "../_harness.ts";
import {
  callText,
  Connecting,
  stdioFixture,
  textIn,
  withConnecting,
} from "./_connecting.ts";

const tools = stdioFixture("tools");

/** Runs with a connection to the usual server. */
async function withTools(
  run: (connection: McpConnection, connecting: Connecting) => Promise<void>,
): Promise<void> {
  await withConnecting(async (connecting) =>
    await run(await connecting.open(tools), connecting)
  );
}

test("connectServer() starts a program and shakes hands with it", async () => {
  await withTools(async (connection) => {
    assert.equal(connection.name, "srv");
    assert.deepEqual(connection.server, {
      name: "fixture",
      version: "1.2.3",
      capabilities: {
        tools: { listChanged: true },
        resources: {},
        prompts: {},
        logging: {},
      },
      instructions: "Be gentle",
      protocolVersion: "2025-11-25",
    });
    assert.equal(await callText(connection, "echo", { a: [1] }), '{"a":[1]}');
    assert.deepEqual(JSON.parse(await callText(connection, "heard")), [
      "notifications/initialized",
    ]);
  });
}, { ids: ["MI-09", "MA-01"] });

/** Runs with variables of the parent that tests look for. */
async function withVariables(
  variables: Readonly<Record<string, string>>,
  run: () => Promise<void>,
): Promise<void> {
  const before = Object.keys(variables).map((name) =>
    [name, process.env[name]] as const
  );
  Object.assign(process.env, variables);
  try {
    await run();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

const PARENT = {
  SLUICE_TEST_TOKEN: "own",
  SLUICE_TEST_OTHER: "other",
  ANTHROPIC_API_KEY: "secret",
  CLAUDE_CODE_OAUTH_TOKEN: "secret",
  CLAUDECODE: "1",
  AWS_BEARER_TOKEN_BEDROCK: "secret",
  DEBUG: "*",
};

const GIVEN = {
  SLUICE_TEST_TOKEN: "given",
  DEBUG: "given",
  // The user may want a server to have a key.
  ANTHROPIC_API_KEY: "given",
};

/** Configurations, and what the program sees of the parent's variables; `PATH` unless said. */
const ENVIRONMENTS: readonly (readonly [
  string,
  Pick<McpStdioConfig, "env" | "inheritEnv">,
  Readonly<Record<string, string | undefined>>,
])[] = [
  ["inherits all but the agent's own credentials", {}, {
    SLUICE_TEST_TOKEN: "own",
    SLUICE_TEST_OTHER: "other",
  }],
  ["gets what it is given, over that", { env: GIVEN }, {
    ...GIVEN,
    SLUICE_TEST_OTHER: "other",
  }],
  ["gets only what it needs with inheritEnv false", { inheritEnv: false }, {}],
  [
    "gets only the variables of a list, and no credentials",
    { inheritEnv: ["PATH", "SLUICE_TEST_OTHER", "ANTHROPIC_API_KEY"] },
    { SLUICE_TEST_OTHER: "other", HOME: undefined },
  ],
];

for (const [what, config, expected] of ENVIRONMENTS) {
  test(`A program ${what}`, async () => {
    await withVariables(PARENT, () =>
      withConnecting(async (connecting) => {
        const connection = await connecting.open({ ...tools, ...config });
        const seen: Readonly<Record<string, string>> = JSON.parse(
          await callText(connection, "environment"),
        );
        assert.equal(seen.PATH, process.env.PATH);
        for (const name of [...Object.keys(PARENT), ...Object.keys(expected)]) {
          assert.equal(seen[name], expected[name], name);
        }
        assert.equal(seen.NODE_OPTIONS, undefined);
      }));
  }, { ids: ["O-10", "MI-16"] });
}

test("Noise on stdout is skipped, with one warning", async () => {
  await withConnecting(async (connecting) => {
    const connection = await connecting.open(stdioFixture("noisy"));
    assert.equal(await callText(connection, "any"), "fine");
    assert.equal(connecting.warnings.length, 1);
    assert.match(connecting.warnings[0] ?? "", /what is no message/);
  });
});

test("A result of 20 MB comes through whole", async () => {
  await withTools(async (connection) => {
    const bytes = 20 * 1024 * 1024;
    const text = await callText(connection, "big", { bytes });
    assert.equal(text.length, bytes);
    const wide = await callText(connection, "wide", { characters: 300_000 });
    assert.equal(wide, "é😀".repeat(150_000));
  });
});

test("Arguments of 5 MB reach the program whole", async () => {
  await withTools(async (connection) => {
    const a = "ü".repeat(2_500_000);
    const b = "x".repeat(100);
    const answers = await Promise.all([
      callText(connection, "echo", { a }),
      callText(connection, "echo", { b }),
    ]);
    assert.deepEqual(answers.map((one) => JSON.parse(one)), [{ a }, { b }]);
  });
});

test("request() rejects with the error that the server answered", async () => {
  await withTools(async (connection) => {
    const call = connection.request("tools/call", { name: "refused" });
    await assert.rejects(call, {
      name: "JsonRpcError",
      code: -32007,
      message: "Not today",
      data: { until: "tomorrow" },
    });
    await assert.rejects(
      connection.request("no/such"),
      (error) => error instanceof JsonRpcError && error.code === -32601,
    );
    const failed = await connection.request("tools/call", { name: "failing" });
    assert.deepEqual(failed, {
      content: [{ type: "text", text: "it broke" }],
      isError: true,
    });
  });
});

test("request() past its limit rejects with a timeout, and the server gets a cancellation", async () => {
  await withTools(async (connection) => {
    const call = connection.request("tools/call", { name: "silent" }, {
      timeoutMs: 50,
    });
    await assert.rejects(call, {
      name: "McpFailure",
      kind: "timeout",
      message: 'MCP server "srv" did not answer tools/call within 50 ms',
    });
    const [cancelled] = JSON.parse(await callText(connection, "cancelled"));
    assert.equal(cancelled.requestId, 2);
  });
});

test("an aborted request() rejects with the signal's reason, and the server gets a cancellation", async () => {
  await withTools(async (connection) => {
    const controller = new AbortController();
    const { signal } = controller;
    const call = connection.request("tools/call", { name: "silent" }, {
      signal,
      timeoutMs: 20_000,
    });
    const reason = new Error("changed my mind");
    controller.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    const [cancelled] = JSON.parse(await callText(connection, "cancelled"));
    assert.deepEqual(cancelled, { requestId: 2, reason: "changed my mind" });
    // One that is aborted from the start is never sent.
    const late = connection.request("tools/call", { name: "echo" }, { signal });
    await assert.rejects(late, (error) => error === reason);
  });
});

test("listen() hears what the server says, until it is taken back", async () => {
  await withTools(async (connection) => {
    const heard: unknown[] = [];
    const stop = connection.listen((...said) => heard.push(said));
    const method = "notifications/tools/list_changed";
    await callText(connection, "say", { method, times: 2 });
    await callText(connection, "say", {
      method: "notifications/message",
      params: { level: "info" },
    });
    assert.deepEqual(heard, [
      [method, undefined],
      [method, undefined],
      ["notifications/message", { level: "info" }],
    ]);
    stop();
    await callText(connection, "say", { method });
    assert.equal(heard.length, 3);
  });
});

test("serve() answers what the server asks; without it the server is refused", async () => {
  await withConnecting(async (connecting) => {
    const connection = await connecting.open(tools, {
      capabilities: { roots: {} },
    });
    const ask = { method: "roots/list", params: { a: 1 } };
    assert.match(await callText(connection, "ask", ask), /^-32601 /);
    connection.serve((method, params) => ({ method, ...params }));
    assert.deepEqual(JSON.parse(await callText(connection, "ask", ask)), {
      method: "roots/list",
      a: 1,
    });
    connection.serve(() => {
      throw new JsonRpcError(-32042, "Not here");
    });
    assert.equal(await callText(connection, "ask", ask), "-32042 Not here");
  });
});

test("An answer after the cancellation is ignored", async () => {
  await withTools(async (connection, connecting) => {
    const call = connection.request("tools/call", { name: "late" }, {
      timeoutMs: 30,
    });
    await assert.rejects(call, McpFailure);
    assert.equal(await callText(connection, "echo"), "{}");
    assert.deepEqual(connecting.warnings, []);
  });
});

test("A server that dies in the middle of calls fails each of them with its last words", async () => {
  await withTools(async (connection) => {
    const silent = connection.request("tools/call", { name: "silent" });
    const dying = connection.request("tools/call", { name: "dieLoudly" });
    const text =
      'MCP server "srv" is gone: Process ended: exit code 7 (the reason)';
    for (const call of [silent, dying]) {
      await assert.rejects(call, {
        name: "McpFailure",
        message: text,
        kind: "closed",
        delivery: "unknown",
      });
    }
    const cause = await connection.closed;
    assert.equal(
      (cause as Error).message,
      "Process ended: exit code 7 (the reason)",
    );
    // The next one was surely not sent.
    await assert.rejects(
      connection.request("ping"),
      (error) => error instanceof McpFailure && error.delivery === "not_sent",
    );
    await assert.rejects(connection.notify("notifications/x"), /is gone/);
    await connection.close();
  });
});

test("A server that is killed says by which signal", async () => {
  await withTools(async (connection) => {
    await assert.rejects(
      connection.request("tools/call", { name: "crash" }),
      /is gone: Process ended: killed by SIGKILL$/,
    );
  });
}, { skip: needsProc });

test("A server that closes its stdout is stopped", async () => {
  const connecting = new Connecting();
  const connection = await connecting.open(stdioFixture("closes_stdout"));
  await assert.rejects(
    connection.request("ping"),
    /is gone: Server closed its stdout$/,
  );
  await connecting.close();
}, {
  skip: process.platform === "win32"
    ? "a program there cannot close its stdout"
    : undefined,
});

test("close() resolves when the program is gone", async () => {
  const connecting = new Connecting();
  const connection = await connecting.open(tools);
  const pid = Number(await callText(connection, "pid"));
  const pending = connection.request("tools/call", { name: "silent" });
  const failed = assert.rejects(pending, /is gone/);
  const closing = connection.close();
  assert.equal(connection.close(), closing);
  await closing;
  assert.ok(!isRunning(pid), "the program lives");
  await failed;
  assert.equal(await connection.closed, undefined);
  await assert.rejects(connection.request("ping"), /is gone$/);
  await connecting.close();
}, { ids: ["MA-14"] });

test("close() kills a program that ignores SIGTERM", async () => {
  const connecting = new Connecting();
  const connection = await connecting.open(
    stdioFixture("ignores_everything"),
  );
  const pid = Number(textIn(await connection.request("tools/call", {})));
  const began = performance.now();
  await connecting.close();
  const tookMs = performance.now() - began;
  assert.ok(!isRunning(pid), "the program lives");
  assert.ok(tookMs > 3_900, `${tookMs}`);
}, { skip: process.platform === "win32" ? "needs POSIX signals" : undefined });

/** How connecting fails. */
async function failureOf(
  config: McpServerConfig,
  more: { readonly signal?: AbortSignal } = {},
): Promise<{ readonly error: unknown; readonly tookMs: number }> {
  const connecting = new Connecting();
  const began = performance.now();
  try {
    await connecting.open(config, more);
  } catch (error) {
    return { error, tookMs: performance.now() - began };
  } finally {
    await connecting.close();
  }
  throw new Error("It connected");
}

test("A server has a session of its own, without a terminal", async () => {
  await withTools(async (connection) => {
    assert.deepEqual(JSON.parse(await callText(connection, "session")), {
      isOwn: true,
      terminal: "ENXIO",
    });
  });
}, { skip: needsProc });

test("A server that no watchdog would end stays with the program", async () => {
  const here = { ...await host(), mayStart: () => false };
  await withConnecting(async (connecting) => {
    for (const more of [{ guardProcess: false }, { host: here }]) {
      const connection = await connecting.open(tools, more);
      const { isOwn } = JSON.parse(await callText(connection, "session"));
      assert.equal(isOwn, false);
    }
  });
}, { skip: needsProc });

test("connectServer() fails for a program that does not exist", async () => {
  const { error, tookMs } = await failureOf({ command: "/no/such/program" });
  assert.match(
    (error as Error).message,
    /^Program does not exist: "\/no\/such\/program"/,
  );
  assert.ok(tookMs < 10_000, `${tookMs}`);
}, { ids: ["MI-17"] });

test("connectServer() names both versions if one is unknown", async () => {
  const { error } = await failureOf(stdioFixture("wrong_version"));
  const { message } = error as Error;
  assert.match(message, /"1999-12-31"/);
  assert.match(message, /"2025-11-25"/);
}, { ids: ["MI-18"] });

/** Runs with a file for the id of a process. */
async function withPidFile(
  run: (file: string, pid: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-mcp-"));
  const file = join(folder, "pid");
  try {
    await run(file, async () => {
      for (;;) {
        const text = await readFile(file, "utf8").catch(() => "");
        if (text !== "") return Number(text);
        await sleep(5);
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("connectServer() gives up a server that never answers", async () => {
  await withPidFile(async (file, pid) => {
    const config = {
      ...stdioFixture("never_answers", file),
      // Long enough for it to write its file on a busy machine.
      connectTimeoutMs: 3_000,
    };
    const { error } = await failureOf(config);
    assert.ok(error instanceof McpFailure && error.kind === "timeout");
    assert.equal(
      error.message,
      "Server did not answer initialize within 3000 ms",
    );
    assert.ok(!isRunning(await pid()), "the program lives");
  });
}, { ids: ["MI-05"] });

test("connectServer() aborted rejects when the process is gone", async () => {
  await withPidFile(async (file, pid) => {
    const controller = new AbortController();
    const failing = failureOf(
      stdioFixture("never_answers", file),
      { signal: controller.signal },
    );
    const child = await pid();
    const reason = new Error("never mind");
    controller.abort(reason);
    const { error } = await failing;
    assert.equal(error, reason);
    assert.ok(!isRunning(child), "the program lives");
  });
}, { ids: ["MI-15", "MI-19"] });

test("A server that crashes at its start says why, and its stderr is on the error", async () => {
  const hub = new McpHub({ srv: stdioFixture("crashes") });
  await assert.rejects(hub.connect(), (error) => {
    assert.ok(error instanceof McpInitError);
    assert.equal(
      error.message,
      'Failed to initialize MCP server "srv": Process ended: exit code 1 (Error: No key: set ISSUES_KEY)',
    );
    assert.match(String(error.details.stderrTail), /^Starting\n/);
    assert.match(String(error.details.stderrTail), /at .*crashes\.mjs/);
    return true;
  });
});

test("A server that dies in a call leaves its stderr on the error", async () => {
  const hub = new McpHub({ srv: tools });
  await hub.connect();
  try {
    await assert.rejects(hub.call("srv__dieLoudly"), (error) => {
      assert.ok(error instanceof DeliveryUnknownError);
      assert.equal(error.details.stderrTail, "first line\nthe reason\n");
      return true;
    });
  } finally {
    await hub.close();
  }
});

test("onStderr hears each line of a server; one that throws or rejects ends nothing", async () => {
  const lines: string[] = [];
  const listeners = [
    (line: string) => void lines.push(line),
    () => {
      throw new Error("no");
    },
    () => Promise.reject(new Error("no")),
  ];
  for (const onStderr of listeners) {
    await withConnecting(async (connecting) => {
      const connection = await connecting.open({ ...tools, onStderr });
      await assert.rejects(
        connection.request("tools/call", { name: "dieLoudly" }),
        /the reason/,
      );
      assert.deepEqual(
        connecting.warnings,
        lines.length > 0 && onStderr === listeners[0]
          ? []
          : ["Callback for stderr failed: no"],
      );
    });
  }
  assert.deepEqual(lines, ["first line", "the reason"]);
});

test("A server starts in its own working directory, else in the one it is given", async () => {
  await withConnecting(async (connecting) => {
    const cwd = realpathSync(tmpdir());
    const own = await connecting.open({ ...tools, cwd }, { cwd: "/" });
    assert.equal(await callText(own, "where"), cwd);
    const given = await connecting.open(tools, { cwd });
    assert.equal(await callText(given, "where"), cwd);
    const program = await connecting.open(tools);
    assert.equal(await callText(program, "where"), process.cwd());
  });
});
