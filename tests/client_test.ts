import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import {
  AlreadyConnectedError,
  Client,
  CliExitError,
  ClosedError,
  ConfigError,
  ControlError,
  ControlMethods,
  NotConnectedError,
  type UserInput,
} from "@sluice/agent";
import { fakeCli, FakeClock, memoryTransport } from "@sluice/agent/testing";
import {
  isGoneWithin,
  needsProc,
  needsShell,
  ownChildren,
} from "./_children.ts";
import {
  promptsOf,
  requestsOf,
  resultText,
  withClient,
  withConnected,
  withOneAfterTheOther,
} from "./_clients.ts";
import { collect, rejectionOf } from "./_collect.ts";
import { test } from "./_harness.ts";
import { nextTurn } from "./_turn.ts";
import { logSpy, memoryCli, metricsSpy } from "./conversation/_rig.ts";

test(
  "new Client() starts and looks at nothing, also when what it is given does not exist",
  async () => {
    const { transport, peer } = memoryTransport();
    const fake = fakeCli("never said");
    const before = needsProc === undefined ? ownChildren() : [];
    const clients = [
      new Client({ transport }),
      new Client({ cliPath: fake.cliPath }),
      new Client({ cliPath: "/does/not/exist", cwd: "/not/there/either" }),
    ];
    assert.deepEqual(clients.map(({ state }) => state), [
      "disconnected",
      "disconnected",
      "disconnected",
    ]);
    assert.equal(peer.launch, undefined);
    assert.deepEqual(fake.runs, []);
    if (needsProc === undefined) assert.deepEqual(ownChildren(), before);
    await fake.close();
  },
  { ids: ["C-01"] },
);

test("new Client() throws ConfigError when an option is wrong", () => {
  for (
    const [options, key] of [
      [{ modle: "x" }, "modle"],
      [{ maxTurns: 0 }, "maxTurns"],
      [{ cwd: 7 }, "cwd"],
      [{ limits: { maxMessageBytes: -1 } }, "limits.maxMessageBytes"],
    ] as const
  ) {
    assert.throws(
      () => new Client(options as never),
      (error) => error instanceof ConfigError && error.key === key,
    );
  }
  assert.throws(
    () => new Client({ allowedTools: ["Read"], deniedTools: ["Bash"] }),
    ConfigError,
  );
}, { ids: ["C-01", "O-03"] });

test(
  "new Client() without options connects to the CLI that discovery finds",
  async () => {
    const fake = fakeCli("Found me.");
    const folder = await mkdtemp(join(tmpdir(), "client-"));
    const path = join(folder, "claude");
    const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
    await writeFile(path, `#!/bin/sh\nexec ${words} "$@"\n`);
    await chmod(path, 0o755);
    const before = process.env["CLAUDE_CLI_PATH"];
    process.env["CLAUDE_CLI_PATH"] = path;
    try {
      for (
        const client of [new Client(), new Client({}), new Client(undefined)]
      ) {
        await client.connect();
        assert.equal(resultText(await client.ask("Hello?")), "Found me.");
        await client.close();
      }
      const [first, ...others] = fake.runs;
      for (const run of others) assert.deepEqual(run.args, first?.args);
    } finally {
      if (before === undefined) delete process.env["CLAUDE_CLI_PATH"];
      else process.env["CLAUDE_CLI_PATH"] = before;
      await rm(folder, { recursive: true });
      await fake.close();
    }
  },
  { ids: ["C-02", "O-08"], skip: needsShell },
);

test(
  "connect() takes the CLI as an absolute path, a relative one, or a command with arguments",
  async () => {
    const fake = fakeCli("Here.");
    const folder = await mkdtemp(join(tmpdir(), "client-"));
    const path = join(folder, "claude");
    const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
    await writeFile(path, `#!/bin/sh\nexec ${words} "$@"\n`);
    await chmod(path, 0o755);
    for (
      const cliPath of [path, relative(process.cwd(), path), fake.cliPath, [
        path,
      ]]
    ) {
      const client = new Client({ cliPath });
      await client.connect();
      assert.equal(resultText(await client.ask("there?")), "Here.");
      await client.close();
    }
    assert.equal(fake.runs.length, 4);
    await rm(folder, { recursive: true });
    await fake.close();
  },
  { ids: ["O-01"], skip: needsShell },
);

test(
  "connect() resolves with the session's facts only when initialize was answered",
  async () => {
    const script = {
      start: [{ wait: 150 }],
      initialize: { output_style: "terse", brand_new: [1] },
    };
    await withClient(script, async ({ client }) => {
      const startedAt = performance.now();
      assert.equal(client.state, "disconnected");
      const connecting = client.connect();
      assert.equal(client.state, "connecting");
      const info = await connecting;
      assert.ok(performance.now() - startedAt >= 145);
      assert.equal(client.state, "connected");
      assert.equal(info.output_style, "terse");
      assert.deepEqual(info["brand_new"], [1]);
      assert.equal(info.pid, client.pid);
      const closing = client.close();
      assert.equal(client.state, "closing");
      await closing;
      assert.equal(client.state, "closed");
    });
  },
  { ids: ["C-04", "C-05"] },
);

test(
  "connect() rejects when initialize is refused, and leaves nothing running",
  async () => {
    const refusal = { error: "Not today", error_code: "not_offered" };
    await withClient({ initialize: refusal }, async ({ client, fake }) => {
      const error = await rejectionOf(client.connect());
      assert.ok(error instanceof ControlError);
      assert.equal(error.errorCode, "not_offered");
      assert.equal(client.state, "disconnected");
      assert.equal(fake.runs.length, 1);
      assert.equal(await isGoneWithin(0, fake.runs[0]?.pid ?? 0), true);
    });
  },
  { ids: ["C-04", "C-06"], skip: needsProc },
);

test(
  "connect() may be called again after it failed, and leaves no process of the first try",
  async () => {
    const dying = fakeCli({ start: [{ stderr: "no luck\n" }, { exit: 1 }] });
    const healthy = fakeCli("Second try.");
    await withOneAfterTheOther([dying, healthy], async (cliPath) => {
      const client = new Client({ cliPath });
      const error = await rejectionOf(client.connect("first"));
      assert.ok(error instanceof CliExitError);
      assert.match(error.stderrTail ?? "", /no luck/);
      assert.equal(client.state, "disconnected");
      assert.equal(await isGoneWithin(0, dying.runs[0]?.pid ?? 0), true);
      await client.connect("second");
      assert.equal(client.state, "connected");
      const { items } = await collect(client.receiveResponse());
      assert.equal(resultText(items.at(-1) as never), "Second try.");
      assert.deepEqual(promptsOf(healthy.received), ["second"]);
      await client.close();
    });
  },
  { ids: ["C-06"], skip: needsProc },
);

test(
  "connect() may be called again after the CLI ended by itself",
  async () => {
    const mortal = fakeCli([["One.", { result: "One." }, { exit: 0 }]]);
    const other = fakeCli("Two.");
    await withOneAfterTheOther([mortal, other], async (cliPath) => {
      const client = new Client({ cliPath });
      await client.connect("go");
      const first = client.receiveMessages();
      await collect(first);
      assert.equal(client.state, "disconnected");
      await client.connect();
      assert.notEqual(client.receiveMessages(), first);
      assert.equal(resultText(await client.ask("again")), "Two.");
      await client.close();
    });
  },
  { ids: ["C-06", "C-15"], skip: needsShell },
);

test(
  "connect() after a crash says that a new session begins, and the id of the old one leads back",
  async () => {
    const dying = fakeCli(["One.", [{ exit: 3 }]]);
    const other = fakeCli("Two.");
    await withOneAfterTheOther([dying, other], async (cliPath) => {
      const { logger, lines } = logSpy();
      const client = new Client({ cliPath, logger });
      const warnings = () =>
        lines.filter(({ message }) => message.includes("new session"));
      await client.connect();
      await client.ask("one");
      assert.ok(await rejectionOf(client.ask("two")) instanceof CliExitError);
      const { sessionId } = client;
      assert.equal(typeof sessionId, "string");
      assert.deepEqual(warnings(), []);
      await client.connect();
      assert.equal(warnings().length, 1);
      assert.equal(warnings()[0]?.level, "warn");
      assert.deepEqual(warnings()[0]?.fields, { sessionId });
      await client.close();
      const again = new Client({ cliPath, logger, resume: sessionId ?? "" });
      await again.connect();
      assert.equal(resultText(await again.ask("two")), "Two.");
      await again.close();
      assert.ok(other.runs.at(-1)?.args.includes(`--resume=${sessionId}`));
      assert.equal(warnings().length, 1);
    });
  },
  { ids: ["C-06"], skip: needsShell },
);

test("connect() again with resume or continue continues a session without a warning", async () => {
  for (const options of [{ continue: true }, { resume: SESSION }]) {
    const { logger, lines } = logSpy();
    const { transport, peer } = memoryCli();
    const client = new Client({ transport, logger, ...options });
    await client.connect();
    peer.end();
    while (client.state === "connected") await nextTurn();
    await client.connect();
    assert.ok(lines.every(({ message }) => !message.includes("new session")));
    await client.close();
  }
});

const SESSION = "11111111-2222-4333-8444-555555555555";

test(
  "connect() rejects with AlreadyConnectedError when connecting or connected, with ClosedError after close()",
  async () => {
    await withClient("x", async ({ client, fake }) => {
      const connecting = client.connect();
      const twice = await rejectionOf(client.connect());
      assert.ok(twice instanceof AlreadyConnectedError);
      assert.equal(twice.code, "already_connected");
      await connecting;
      assert.ok(
        await rejectionOf(client.connect()) instanceof AlreadyConnectedError,
      );
      assert.equal(client.state, "connected");
      assert.equal(fake.runs.length, 1);
      const closing = client.close();
      assert.ok(await rejectionOf(client.connect()) instanceof ClosedError);
      await closing;
      assert.ok(await rejectionOf(client.connect()) instanceof ClosedError);
      assert.equal(fake.runs.length, 1);
    });
  },
  { ids: ["C-07"] },
);

test(
  "connect() with a prompt sends it as the first user line, without one sends none",
  async () => {
    await withClient("Hi.", async ({ client, fake }) => {
      await client.connect("Say hi");
      await collect(client.receiveResponse());
      assert.deepEqual(promptsOf(fake.received), ["Say hi"]);
    });
    await withConnected("Hi.", async ({ client, fake }) => {
      await client.mcpStatus();
      assert.deepEqual(promptsOf(fake.received), []);
      assert.deepEqual(requestsOf(fake.received).map((one) => one.subtype), [
        "mcp_status",
      ]);
    });
  },
  { ids: ["C-24"] },
);

test(
  "connect() takes a source of prompts, and more may be sent after its end",
  async () => {
    async function* source(): AsyncGenerator<UserInput> {
      yield "one";
      yield [{ type: "text", text: "two" }];
    }
    await withClient(["1", "2", "3"], async ({ client }) => {
      await client.connect(source());
      for (const expected of ["1", "2"]) {
        const { items } = await collect(client.receiveResponse());
        assert.equal(resultText(items.at(-1) as never), expected);
      }
      assert.equal(resultText(await client.ask("three")), "3");
    });
  },
  { ids: ["C-24"] },
);

test("connect() rejects a malformed prompt with ConfigError before anything starts", async () => {
  await withClient("x", async ({ client, fake }) => {
    for (const prompt of [7, null, { type: "x" }, [{}]]) {
      const error = await rejectionOf(client.connect(prompt as never));
      assert.ok(error instanceof ConfigError);
      assert.equal(error.key, "prompt");
      assert.equal(client.state, "disconnected");
    }
    assert.deepEqual(fake.runs, []);
    await client.connect();
  });
});

test(
  "sendMessage() and every control reject with NotConnectedError before connect(), with ClosedError after close()",
  async () => {
    const client = new Client({ cliPath: "/does/not/exist" });
    for (const [name, call] of calls(client)) {
      const error = await rejectionOf(call());
      assert.ok(error instanceof NotConnectedError, name);
      assert.match(error.message, /connect\(\) first/);
    }
    await client.close();
    assert.equal(client.state, "closed");
    for (const [name, call] of calls(client)) {
      assert.ok(await rejectionOf(call()) instanceof ClosedError, name);
    }
  },
  { ids: ["C-10"] },
);

test(
  "sendMessage() resolves when the line was handed over, not before",
  async () => {
    const { transport, peer } = memoryCli();
    const client = new Client({ transport });
    await client.connect();
    peer.pause();
    let isSent = false;
    const sending = client.sendMessage("hello").then(() => isSent = true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(isSent, false);
    peer.resume();
    await sending;
    assert.deepEqual(promptsOf(peer.lines), ["hello"]);
    await client.close();
  },
  { ids: ["C-11"] },
);

test("sendMessage() rejects a malformed prompt with ConfigError, and the connection continues", async () => {
  await withConnected("Still here.", async ({ client, fake }) => {
    for (const input of [7, {}, null, [1], { type: "user" }]) {
      assert.ok(
        await rejectionOf(client.sendMessage(input as never)) instanceof
          ConfigError,
      );
    }
    assert.equal(resultText(await client.ask("well?")), "Still here.");
    assert.deepEqual(promptsOf(fake.received), ["well?"]);
  });
});

test(
  "sendMessage() keeps the order of messages of 1 MiB sent at once",
  async () => {
    const plan = { turns: "ok", mergePrompts: true };
    await withConnected(plan, async ({ client, fake }) => {
      const texts = Array.from(
        { length: 10 },
        (_, n) => `${n} ${"x".repeat(1 << 20)}`,
      );
      await Promise.all(texts.map((text) => client.sendMessage(text)));
      await fake.until(
        ([run]) => promptsOf(run?.received ?? []).length === texts.length,
      );
      const lengths = promptsOf(fake.received)
        .map((text) => [text.slice(0, 2), text.length]);
      assert.deepEqual(
        lengths,
        texts.map((text) => [text.slice(0, 2), text.length]),
      );
    });
  },
  { ids: ["C-12"] },
);

test("messages and controls leave in the order of their calls", async () => {
  await withConnected(
    { turns: "ok", mergePrompts: true },
    async ({ client, fake }) => {
      const { signal } = new AbortController();
      await Promise.all([
        client.setModel("one"),
        client.sendMessage("two"),
        client.setModel("three", { signal }),
        client.sendMessage("four", { signal }),
        client.setPermissionMode("plan"),
        client.sendMessage("five"),
        client.request("set_model", { model: "six" }),
      ]);
      const order = fake.received.slice(1).map(({ type, message, request }) =>
        type === "user"
          ? (message as { content: string }).content
          : (request as { model?: string; mode?: string }).model ??
            (request as { mode?: string }).mode
      );
      assert.deepEqual(order, [
        "one",
        "two",
        "three",
        "four",
        "plan",
        "five",
        "six",
      ]);
    },
  );
}, { ids: ["C-03", "C-20"] });

test("ask() says something and gives the result of its turn, many times", async () => {
  const turns = ["First.", "Second.", [{
    result: { subtype: "error_max_turns", is_error: true, errors: ["enough"] },
  }], "Fourth."] as const;
  await withConnected(turns, async ({ client, fake }) => {
    assert.equal(resultText(await client.ask("one")), "First.");
    assert.equal(
      resultText(await client.ask([{ type: "text", text: "two" }])),
      "Second.",
    );
    const failed = await client.ask("three");
    assert.equal(failed.is_error, true);
    assert.equal(failed.subtype, "error_max_turns");
    const line = {
      type: "user",
      uuid: "11111111-2222-4333-8444-555555555555",
      message: { role: "user", content: "four" },
    } as const;
    const last = await client.ask(line);
    assert.equal(resultText(last), "Fourth.");
    assert.deepEqual(last.user_message_uuids, [line.uuid]);
    assert.equal(fake.runs.length, 1);
    assert.equal(client.sessionId, last.session_id);
  });
});

test("ask() rejects with the fatal error when the CLI dies in its turn", async () => {
  await withConnected([["Well,", { exit: 7 }]], async ({ client }) => {
    const error = await rejectionOf(client.ask("go"));
    assert.ok(error instanceof CliExitError);
    assert.equal(error.exitCode, 7);
    assert.equal(client.state, "disconnected");
    const { items } = await collect(client.receiveMessages().errors);
    assert.deepEqual(items, [error]);
  });
});

test(
  "a client tells pid, session id and health as a conversation does",
  async () => {
    await withClient("Hello.", async ({ client, fake }) => {
      assert.equal(client.pid, undefined);
      assert.equal(client.sessionId, undefined);
      assert.equal(client.health().state, "gone");
      await client.connect();
      assert.equal(client.pid, fake.runs[0]?.pid);
      assert.equal(client.health().state, "idle");
      const result = await client.ask("hi");
      assert.equal(client.sessionId, result.session_id);
      const health = client.health();
      assert.equal(health.pid, client.pid);
      assert.ok(health.messagesReceived > 0 && health.bytesRead > 0);
      assert.ok(health.messagesSent >= 2 && health.bytesWritten > 0);
      await client.close();
      assert.equal(client.health().state, "gone");
    });
  },
);

test("a client tells when the last byte went either way", async () => {
  const plan = {
    turns: [["a", { wait: { control: "mcp_status" } }, "b"]],
  } as const;
  const clock = new FakeClock();
  const seen: number[] = [];
  await withConnected(plan, async ({ client }) => {
    const look = async () => {
      seen.push(client.health().lastActivityAt?.getTime() ?? 0);
      await clock.advance(10);
    };
    await look();
    await client.sendMessage("x");
    await look();
    for await (const message of client.receiveResponse()) {
      if (message.type !== "assistant") continue;
      await look();
      await client.mcpStatus();
    }
    await look();
  }, { clock });
  assert.deepEqual(seen, seen.toSorted((x, y) => x - y));
  assert.ok(new Set(seen).size >= 4, seen.join());
}, { ids: ["P-09", "E-11"] });

test("two clients of one program count for themselves", async () => {
  const spies = [metricsSpy(), metricsSpy()] as const;
  const counts = [2, 3] as const;
  for (const [index, { metrics }] of spies.entries()) {
    await withConnected("ok", async ({ client }) => {
      for (let n = 0; n < (counts[index] ?? 0); n++) await client.ask("x");
    }, { metrics });
  }
  for (const [index, spy] of spies.entries()) {
    assert.equal(spy.of("transport.processStart").length, 1);
    assert.equal(spy.of("transport.processExit").length, 1);
    const results = spy.of("parser.parse").filter(([type]) =>
      type === "result"
    );
    assert.equal(results.length, counts[index]);
  }
}, { ids: ["DEC-06"] });

/** Every call that needs a connection. */
function calls(
  client: Client,
): readonly (readonly [string, () => Promise<unknown>])[] {
  const controls = Object.getOwnPropertyNames(ControlMethods.prototype)
    .filter((name) => name !== "constructor" && name !== "called");
  return [
    ...controls.map((name) =>
      [name, () => client[name as "setMcpServers"]({})] as const
    ),
    ["request", () => client.request("x")],
    ["sendMessage", () => client.sendMessage("x")],
    ["ask", () => client.ask("x")],
    ["receiveResponse", async () => {
      for await (const _message of client.receiveResponse());
    }],
  ];
}
