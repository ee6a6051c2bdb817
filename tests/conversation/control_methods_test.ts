import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  Client,
  ConfigError,
  ControlError,
  ControlMethods,
  type Controls,
  type JsonObject,
  ProtocolError,
  query,
} from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { requestsOf, withConnected } from "../_clients.ts";
import { sourcePath } from "../_examples.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { isRequest, memoryCli, requestOf } from "./_rig.ts";

/** Request of a control: its kind and fields, as in the protocol reference. */
interface Row {
  readonly call: (controls: Controls) => Promise<unknown>;
  readonly subtype: string;
  readonly fields?: JsonObject | undefined;
  /** Whether nothing comes back. */
  readonly isVoid?: true | undefined;
}

const UUID = "11111111-2222-4333-8444-555555555555";

const row = (
  call: Row["call"],
  subtype: string,
  fields?: JsonObject,
  isVoid?: true,
): Row => ({ call, subtype, fields, isVoid });

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  interrupt: [
    row((it) => it.interrupt(), "interrupt"),
    row((it) => it.interrupt({ cancelQueued: true }), "interrupt", {
      cancel_queued: true,
    }),
  ],
  setPermissionMode: [
    row((it) => it.setPermissionMode("plan"), "set_permission_mode", {
      mode: "plan",
    }),
  ],
  setModel: [
    row((it) => it.setModel(), "set_model"),
    row((it) => it.setModel(null), "set_model", { model: null }),
    row((it) => it.setModel("haiku"), "set_model", { model: "haiku" }),
  ],
  setMaxThinkingTokens: [
    row((it) => it.setMaxThinkingTokens(null), "set_max_thinking_tokens", {
      max_thinking_tokens: null,
    }, true),
    row(
      (it) => it.setMaxThinkingTokens(2_000, { display: "summarized" }),
      "set_max_thinking_tokens",
      { max_thinking_tokens: 2_000, thinking_display: "summarized" },
      true,
    ),
  ],
  mcpStatus: [row((it) => it.mcpStatus(), "mcp_status")],
  setMcpServers: [
    row((it) => it.setMcpServers({}), "mcp_set_servers", { servers: {} }),
    row(
      (it) =>
        it.setMcpServers({
          notes: { command: "node", via: "cli" },
          files: {
            type: "stdio",
            command: "node",
            args: ["files.mjs"],
            env: { A: "1" },
            callTimeoutMs: 900,
            via: "cli",
          },
          docs: {
            type: "http",
            url: new URL("http://127.0.0.1:1/mcp"),
            headers: { "x-key": "k" },
            via: "cli",
          },
          old: { type: "sse", url: "http://127.0.0.1:1/sse", via: "cli" },
        }),
      "mcp_set_servers",
      {
        servers: {
          notes: { type: "stdio", command: "node", args: [] },
          files: {
            type: "stdio",
            command: "node",
            args: ["files.mjs"],
            env: { A: "1" },
            timeout: 900,
          },
          docs: {
            type: "http",
            url: "http://127.0.0.1:1/mcp",
            headers: { "x-key": "k" },
          },
          old: { type: "sse", url: "http://127.0.0.1:1/sse" },
        },
      },
    ),
  ],
  reconnectMcpServer: [
    row((it) => it.reconnectMcpServer("docs"), "mcp_reconnect", {
      serverName: "docs",
    }, true),
  ],
  toggleMcpServer: [
    row((it) => it.toggleMcpServer("docs", false), "mcp_toggle", {
      serverName: "docs",
      enabled: false,
    }, true),
  ],
  callMcpTool: [
    row((it) => it.callMcpTool("mcp__docs__find"), "mcp_call", {
      tool: "mcp__docs__find",
    }),
    row(
      (it) =>
        it.callMcpTool("mcp__docs__find", { q: "x" }, {
          timeoutMs: 5_000,
          checkPermissions: true,
          softErrorResult: true,
          resultNotForModel: true,
          expiresAt: new Date(0),
          inputFiles: [{ name: "in", lanePath: "a" }],
          outputFiles: [
            { name: "out", lanePath: "b", ifMatch: "e" },
            { name: "too", lanePath: "c" },
          ],
        }),
      "mcp_call",
      {
        tool: "mcp__docs__find",
        arguments: { q: "x" },
        expires_at: "1970-01-01T00:00:00.000Z",
        timeout_ms: 5_000,
        check_permissions: true,
        soft_error_result: true,
        result_not_for_model: true,
        input_files: [{ name: "in", lane_path: "a" }],
        output_files: [
          { name: "out", lane_path: "b", if_match: "e" },
          { name: "too", lane_path: "c" },
        ],
      },
    ),
  ],
  readMcpResource: [
    row((it) => it.readMcpResource("docs", "ui://page"), "mcp_read_resource", {
      serverName: "docs",
      uri: "ui://page",
    }),
  ],
  rewindFiles: [
    row((it) => it.rewindFiles(UUID), "rewind_files", {
      user_message_id: UUID,
    }),
    row((it) => it.rewindFiles(UUID, { dryRun: true }), "rewind_files", {
      user_message_id: UUID,
      dry_run: true,
    }),
  ],
  contextUsage: [
    row((it) => it.contextUsage(), "get_context_usage"),
    row((it) => it.contextUsage({ detail: "summary" }), "get_context_usage", {
      detail: "summary",
    }),
  ],
  sessionCost: [
    row((it) => it.sessionCost(), "get_session_cost"),
  ],
  usage: [
    row((it) => it.usage(), "get_usage"),
    row((it) => it.usage({ skipBehaviors: true }), "get_usage", {
      skip_behaviors: true,
    }),
  ],
  listModels: [row((it) => it.listModels(), "list_models")],
  settings: [row((it) => it.settings(), "get_settings")],
  applySettings: [
    row((it) => it.applySettings({ model: "haiku" }), "apply_flag_settings", {
      settings: { model: "haiku" },
    }, true),
  ],
  updateSettings: [
    row(
      (it) => it.updateSettings("localSettings", { a: 1 }),
      "update_settings",
      { source: "localSettings", settings: { a: 1 } },
      true,
    ),
  ],
  hooksListing: [
    row((it) => it.hooksListing(), "get_hooks_listing"),
  ],
  permissionRules: [
    row((it) => it.permissionRules(), "list_permission_rules"),
  ],
  renameSession: [
    row(
      (it) => it.renameSession("New"),
      "rename_session",
      { title: "New" },
      true,
    ),
    row(
      (it) => it.renameSession("New", { source: "host", sessionId: UUID }),
      "rename_session",
      { title: "New", source: "host", session_id: UUID },
      true,
    ),
  ],
  fileSuggestions: [
    row((it) => it.fileSuggestions("src/"), "file_suggestions", {
      query: "src/",
    }),
  ],
  readFile: [
    row((it) => it.readFile("a.txt"), "read_file", { path: "a.txt" }),
    row(
      (it) => it.readFile("a.txt", { maxBytes: 9, encoding: "base64" }),
      "read_file",
      { path: "a.txt", max_bytes: 9, encoding: "base64" },
    ),
  ],
  seedReadState: [
    row(
      (it) => it.seedReadState("/a.txt", 1_700_000_000_000),
      "seed_read_state",
      { path: "/a.txt", mtime: 1_700_000_000_000 },
      true,
    ),
  ],
  reloadPlugins: [
    row((it) => it.reloadPlugins(), "reload_plugins"),
    row(
      (it) =>
        it.reloadPlugins({
          holdOnCacheImpact: true,
          addPlugins: [{ type: "local", path: "/p" }],
          refuseIfBusy: true,
        }),
      "reload_plugins",
      {
        hold_on_cache_impact: true,
        add_plugins: [{ type: "local", path: "/p" }],
        refuse_if_busy: true,
      },
    ),
  ],
  reloadSkills: [row((it) => it.reloadSkills(), "reload_skills")],
  reloadOutputStyles: [
    row((it) => it.reloadOutputStyles(), "reload_output_styles"),
  ],
  stopTask: [
    row((it) => it.stopTask("t1"), "stop_task", { task_id: "t1" }, true),
  ],
  backgroundTasks: [
    row((it) => it.backgroundTasks(), "background_tasks"),
    row((it) => it.backgroundTasks("toolu_1"), "background_tasks", {
      tool_use_id: "toolu_1",
    }),
  ],
  taskOutput: [
    row((it) => it.taskOutput("t1"), "get_task_output", { task_id: "t1" }),
  ],
  cancelQueued: [
    row((it) => it.cancelQueued(UUID), "cancel_async_message", {
      message_uuid: UUID,
    }),
  ],
  binaryVersion: [
    row((it) => it.binaryVersion(), "get_binary_version"),
  ],
  setMcpPermissionModeOverride: [
    row(
      (it) => it.setMcpPermissionModeOverride("docs", "default"),
      "set_mcp_permission_mode_override",
      { serverName: "docs", mode: "default" },
    ),
    row(
      (it) => it.setMcpPermissionModeOverride("docs", null),
      "set_mcp_permission_mode_override",
      { serverName: "docs", mode: null },
    ),
  ],
  registerRepoRoot: [
    row((it) => it.registerRepoRoot("/repos/copy"), "register_repo_root", {
      directory: "/repos/copy",
    }),
    row(
      (it) =>
        it.registerRepoRoot("/repos/copy", {
          reloadClaudeMd: true,
          reloadPlugins: true,
          reloadSkills: false,
        }),
      "register_repo_root",
      {
        directory: "/repos/copy",
        reload_claude_md: true,
        reload_plugins: true,
        reload_skills: false,
      },
    ),
  ],
  setHasSubscribers: [
    row((it) => it.setHasSubscribers(null), "set_has_subscribers", {
      has_subscribers: null,
    }, true),
  ],
  request: [
    row((it) => it.request("brand_new", { a: [1, { b: null }] }), "brand_new", {
      a: [1, { b: null }],
    }),
  ],
};

const ALL = Object.values(ROWS).flat();

interface Control {
  readonly direction: "host-to-cli" | "cli-to-host" | "both";
  readonly published: boolean;
}

const CONTROLS: Readonly<Record<string, Control>> = JSON.parse(
  readFileSync(sourcePath("protocol.schema.json"), "utf8"),
)["x-controls"];

/** The published control requests, as the description of the protocol has them. */
const PUBLISHED = Object.entries(CONTROLS)
  .filter(([, { published }]) => published);

/** Published ones that no row sends: by reinitialize(), for MCP servers, and refused by the CLI in sessions of programs. */
const WITHOUT_ROW = ["initialize", "mcp_message", "set_color"];

test("every published control request of the host is sent by a method", () => {
  const ofHost = PUBLISHED
    .filter(([, { direction }]) => direction !== "cli-to-host");
  const sent = new Set(ALL.map(({ subtype }) => subtype));
  assert.deepEqual(
    [...sent, ...WITHOUT_ROW].toSorted(),
    [
      ...ofHost.map(([subtype]) => subtype),
      "brand_new",
      "set_mcp_permission_mode_override",
    ].toSorted(),
  );
});

test("every control sends its request as the wire has it, and passes the reply on", async () => {
  const replies = Object.fromEntries(
    ALL.map(({ subtype }) => [subtype, { about: subtype, more: [1, "x"] }]),
  );
  await withConnected({ controls: replies }, async ({ client, fake }) => {
    for (const { call, subtype, isVoid } of ALL) {
      const expected = isVoid ? undefined : replies[subtype];
      assert.deepEqual(await call(client), expected, subtype);
    }
    assert.deepEqual(
      requestsOf(fake.received),
      ALL.map(({ subtype, fields }) => ({ ...fields, subtype })),
    );
  });
});

test("every control resolves with an empty object or nothing when the reply has no fields", async () => {
  const controls = Object.fromEntries(
    ALL.map(({ subtype }) => [subtype, "void" as const]),
  );
  await withConnected({ controls }, async ({ client }) => {
    for (const { call, subtype, isVoid } of ALL) {
      assert.deepEqual(await call(client), isVoid ? undefined : {}, subtype);
    }
  });
});

test(
  "every control rejects with ControlError that keeps the CLI's code when the CLI refuses",
  async () => {
    const refusal = { error: "Not now", error_code: "reload_plugins_busy" };
    const controls = Object.fromEntries(
      ALL.map(({ subtype }) => [subtype, refusal]),
    );
    await withConnected({ controls }, async ({ client }) => {
      for (const { call, subtype } of ALL) {
        const error = await rejectionOf(call(client));
        assert.ok(error instanceof ControlError, subtype);
        assert.equal(error.subtype, subtype);
        assert.equal(error.errorCode, "reload_plugins_busy");
        assert.equal(error.fatal, false);
        assert.match(error.message, /Not now$/);
      }
      assert.equal(client.health().pendingRequests, 0);
    });
  },
  { ids: ["CP-10"] },
);

test(
  "every control can be aborted, and the CLI gets the id of the cancelled request",
  async () => {
    const silent = () => undefined;
    const { transport, peer } = memoryCli({
      get_hooks_listing: silent,
      apply_flag_settings: silent,
    });
    const conversation = query(open(), { transport });
    await conversation.ready;
    const reason = new Error("Changed my mind");
    for (const name of Object.keys(ROWS)) {
      const controller = new AbortController();
      const options = { signal: controller.signal };
      const calling = rejectionOf(withOptions(conversation, name, options));
      await peer.line((line) =>
        line === peer.lines.at(-1) && line.type === "control_request"
      );
      const { request_id } = peer.lines.at(-1) ?? {};
      controller.abort(reason);
      assert.equal(await calling, reason, name);
      await peer.line((line) =>
        line.type === "control_cancel_request" && line.request_id === request_id
      );
    }
    assert.equal(conversation.health().pendingRequests, 0);
    await conversation.close();
  },
  { ids: ["T-06", "CP-08"] },
);

test(
  "every control rejects when its own limit passes, and names kind and limit",
  async () => {
    const controls = Object.fromEntries(
      ALL.map(({ subtype }) => [subtype, "silent" as const]),
    );
    await withConnected({ controls }, async ({ client }) => {
      const calls = Object.keys(ROWS).map(async (name) => {
        const calling = withOptions(client, name, { timeoutMs: 20 });
        const error = await rejectionOf(calling);
        assert.ok(error instanceof ProtocolError, name);
        assert.equal(error.category, "timeout");
        assert.equal(error.subtype, ROWS[name]?.[0]?.subtype);
        assert.match(error.message, /within 20 ms/);
      });
      await Promise.all(calls);
      assert.equal(client.health().pendingRequests, 0);
    });
  },
  { ids: ["T-05", "CP-03", "CP-10"] },
);

test(
  "a control request that is not answered rejects after timeouts.controlMs, 60 s unless set",
  async () => {
    for (
      const [timeouts, limitMs] of [[{}, 60_000], [
        { controlMs: 700 },
        700,
      ]] as const
    ) {
      const silent = () => undefined;
      const { transport, peer } = memoryCli({
        mcp_status: silent,
        something_new: silent,
      });
      const clock = new FakeClock();
      const conversation = query(open(), { transport, clock, timeouts });
      await conversation.ready;
      let settled = 0;
      const calls = [
        conversation.mcpStatus(),
        conversation.request("something_new"),
      ].map(async (call) => {
        const error = await rejectionOf(call);
        settled++;
        assert.ok(error instanceof ProtocolError);
        assert.equal(error.category, "timeout");
        assert.match(error.message, new RegExp(`within ${limitMs} ms`));
      });
      await peer.line((line) => requestOf(line).subtype === "something_new");
      await clock.advance(limitMs - 1);
      assert.equal(settled, 0);
      await clock.advance(1);
      await Promise.all(calls);
      await conversation.close();
    }
  },
  { ids: ["T-01"] },
);

test("supportedCommands(), supportedAgents() and accountInfo() tell the answer to initialize and send nothing", async () => {
  const facts = {
    commands: [{ name: "compact", description: "", argumentHint: "" }],
    agents: [{ name: "helper", description: "Helps" }],
    account: { apiProvider: "firstParty" },
  };
  const fake = fakeCli({ initialize: facts, turns: [[{ wait: "forever" }]] });
  const conversation = query("x", { cliPath: fake.cliPath });
  assert.deepEqual(await conversation.supportedCommands(), facts.commands);
  assert.deepEqual(await conversation.supportedAgents(), facts.agents);
  assert.deepEqual(await conversation.accountInfo(), facts.account);
  const reason = new Error("No");
  const signal = AbortSignal.abort(reason);
  assert.equal(
    await rejectionOf(conversation.supportedAgents({ signal })),
    reason,
  );
  assert.deepEqual(requestsOf(fake.received), []);
  await conversation.close();
  await fake.close();
});

test(
  "setMcpServers() rejects with ConfigError for an unknown kind, on either side",
  async () => {
    await withConnected("x", async ({ client, fake }) => {
      for (
        const odd of [{ type: "carrier" }, { type: "carrier", via: "cli" }]
      ) {
        const error = await rejectionOf(client.setMcpServers({ odd } as never));
        assert.ok(error instanceof ConfigError);
        assert.match(error.key, /odd/);
      }
      assert.deepEqual(requestsOf(fake.received), []);
    });
  },
  { ids: ["MI-13"] },
);

test("setMcpServers() rejects with ConfigError for malformed servers, on either side", async () => {
  const wrong: readonly (readonly [servers: unknown, key: string])[] = [
    [null, "mcpServers"],
    [undefined, "mcpServers"],
    ["docs", "mcpServers"],
    [[], "mcpServers"],
    [{ docs: null }, "mcpServers.docs"],
    [{ docs: { command: 7, via: "cli" } }, "mcpServers.docs.command"],
    [{ docs: { type: "http", via: "cli" } }, "mcpServers.docs.url"],
  ];
  const conversation = query(open(), { transport: memoryCli().transport });
  const client = new Client({ transport: memoryCli().transport });
  await client.connect();
  for (const [servers, key] of wrong) {
    for (const one of [client, conversation, new Methods()]) {
      const error = await rejectionOf(one.setMcpServers(servers as never));
      assert.ok(error instanceof ConfigError, `${error}`);
      assert.equal(error.key, key);
    }
  }
  await client.close();
  await conversation.close();
});

test("setMcpServers() takes a server that is undefined for none", async () => {
  const { transport, peer } = memoryCli({ mcp_set_servers: {} });
  const client = new Client({ transport });
  await client.connect();
  await client.setMcpServers({ docs: undefined } as never);
  const line = await peer.line(isRequest("mcp_set_servers"));
  assert.deepEqual(requestOf(line).servers, {});
  await client.close();
});

test("request() rejects with ConfigError for fields that are no JSON, and leaves nothing waiting", async () => {
  await withConnected("x", async ({ client, fake }) => {
    const round: Record<string, unknown> = {};
    round["self"] = round;
    for (const fields of [round, { big: 1n }]) {
      const error = await rejectionOf(client.request("x", fields as never));
      assert.ok(error instanceof ConfigError);
    }
    assert.equal(client.health().pendingRequests, 0);
    assert.deepEqual(requestsOf(fake.received), []);
    await client.mcpStatus();
  });
});

test("setPermissionMode() rejects with the CLI's own code for a mode that there is not", async () => {
  const refusal = {
    error: "Unknown permission mode: lenient",
    error_code: "invalid_mode",
  };
  const plan = { controls: { set_permission_mode: refusal } };
  await withConnected(plan, async ({ client }) => {
    const error = await rejectionOf(
      client.setPermissionMode("lenient" as never),
    );
    assert.ok(error instanceof ControlError);
    assert.equal(error.errorCode, "invalid_mode");
    assert.match(error.message, /Unknown permission mode: lenient/);
  });
});

test("controls work before ready has resolved, in the order of their calls", async () => {
  const { transport, peer } = memoryCli({
    set_model: { model: "m" },
    mcp_status: { mcpServers: [] },
  });
  const conversation = query(open(), { transport });
  const { signal } = new AbortController();
  await Promise.all([
    conversation.setModel("one"),
    conversation.mcpStatus({ signal }),
    conversation.setModel("two", { timeoutMs: 1_000 }),
    conversation.send("three"),
    conversation.setModel("four", { signal }),
  ]);
  assert.deepEqual(peer.lines.slice(1).map(nameOf), [
    "one",
    "mcp_status",
    "two",
    "three",
    "four",
  ]);
  assert.equal(isRequest("initialize")(peer.lines[0] ?? {}), true);
  await conversation.close();
});

function nameOf({ type, request, message }: JsonObject): unknown {
  if (type === "user") return (message as JsonObject).content;
  const { model, subtype } = request as JsonObject;
  return model ?? subtype;
}

/** Calls a control by its name, with the least that it takes and with options. */
function withOptions(
  controls: Controls,
  name: string,
  options: { signal?: AbortSignal; timeoutMs?: number },
): Promise<unknown> {
  const args: Readonly<Record<string, readonly unknown[]>> = {
    setPermissionMode: ["plan"],
    setModel: [undefined],
    setMaxThinkingTokens: [null],
    setMcpServers: [{}],
    reconnectMcpServer: ["x"],
    toggleMcpServer: ["x", true],
    callMcpTool: ["x", {}],
    readMcpResource: ["x", "ui://x"],
    rewindFiles: ["x"],
    applySettings: [{}],
    updateSettings: ["userSettings", {}],
    renameSession: ["x"],
    fileSuggestions: ["x"],
    readFile: ["x"],
    seedReadState: ["x", 0],
    stopTask: ["x"],
    backgroundTasks: [undefined],
    taskOutput: ["x"],
    cancelQueued: ["x"],
    setMcpPermissionModeOverride: ["x", null],
    registerRepoRoot: ["x"],
    setHasSubscribers: [true],
    request: ["brand_new", {}],
  };
  // The table above fits the names.
  const method = (controls as never)[name] as (
    ...all: unknown[]
  ) => Promise<unknown>;
  return method.call(controls, ...args[name] ?? [], options);
}

/** Controls of another program, whose requests never settle. */
class Methods extends ControlMethods {
  request(): Promise<never> {
    return Promise.reject(new Error("Nothing is sent"));
  }

  reinitialize(): Promise<never> {
    return this.request();
  }

  protected sessionInfo(): Promise<never> {
    return this.request();
  }
}

/** A prompt source that stays open. */
function open(): ReadableStream<string> {
  return new ReadableStream();
}
