/** Allowed imports between the rooms of `src`, as data; `layers.ts` enforces them. */

const WORDS: readonly string[] = ["protocol", "types", "errors"];
const FLOORS_0_1: readonly string[] = [
  ...WORDS,
  "ports",
  "async",
  "observe",
  "stream",
];

/**
 * The rooms, a file directly in `src` being one of its own, and what each may import besides itself: rooms, or single files.
 * `type:` allows `import type` alone, `lazy:` also `import()`. A file that is not named by its own room may be in {@link ONLY}.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  protocol: ["type:types"],
  types: [
    ...["protocol", "errors", "ports"].map((room) => `type:${room}`),
    "type:approvals/store.ts",
    "type:transcripts/store.ts",
  ],
  errors: ["types", "type:protocol"],
  "version.ts": [],

  ports: ["types", "type:errors"],
  async: ["errors", "ports"],
  observe: ["types", "ports", "async", "type:protocol"],
  stream: ["async", "ports", ...WORDS.map((room) => `type:${room}`)],

  json_schema: ["errors"],

  runtime: ["ports"],
  process: FLOORS_0_1,
  wire: FLOORS_0_1,
  parse: [...FLOORS_0_1, "json_schema"],
  tools: ["types"],
  options: [...FLOORS_0_1, "json_schema", "tools", "type:transcripts/store.ts"],

  cli: [...FLOORS_0_1, "process", "options"],
  callbacks: [
    ...FLOORS_0_1,
    "tools/command_words.ts",
    "type:options/tool_policy.ts",
  ],
  approvals: [
    ...FLOORS_0_1,
    "callbacks/approved_plan.ts",
    "callbacks/plain.ts",
    "callbacks/shapes.ts",
    "session/files.ts",
    "session/lock.ts",
    "type:callbacks/run_callback.ts",
  ],
  // The hub checks its servers by the rules of the option "mcpServers".
  mcp: [...FLOORS_0_1, "process", "json_schema", "options", "version.ts"],
  session: [...FLOORS_0_1, "parse/fields.ts", "parse/guards.ts"],
  transcripts: [
    ...FLOORS_0_1,
    "options/fields.ts",
    "options/host_objects.ts",
    "options/refuse.ts",
    "process/paths.ts",
    "session",
  ],

  // The seam below conversation and compat.
  engine: [...FLOORS_0_1, "wire"],
  conversation: [
    ...FLOORS_0_1,
    "engine",
    "wire",
    "parse",
    "tools",
    "options",
    "callbacks",
    "cli",
    "process/paths.ts",
    "session/files.ts",
    "transcripts",
    "type:mcp/attached.ts",
    "lazy:mcp",
    "lazy:approvals/desk.ts",
  ],

  "query.ts": [...WORDS, "conversation", "options"],
  "client.ts": [...WORDS, "conversation", "options"],
  "pool.ts": [
    ...WORDS,
    "observe",
    "conversation",
    "options",
    "client.ts",
    "lazy:pool",
  ],
  pool: [...WORDS, "ports", "async", "conversation", "options"],
  "local_cli.ts": [
    ...WORDS,
    "ports",
    "options",
    "lazy:cli",
    "lazy:observe",
    "lazy:runtime/host.ts",
  ],
  "prompt_person.ts": [
    ...WORDS,
    "ports",
    "lazy:callbacks/ask_person.ts",
    "lazy:runtime/shown_file.ts",
    "lazy:runtime/terminal.ts",
  ],
  "permission_queue.ts": [
    ...WORDS,
    "async/on_abort.ts",
    "callbacks/approved_plan.ts",
    "lazy:callbacks/decisions.ts",
  ],
  "approval_stores.ts": [...WORDS, "approvals/store.ts", "lazy:approvals"],
  "text_stream.ts": ["types", "parse/read.ts", "type:protocol"],
  "unstable_streams.ts": [...FLOORS_0_1, "wire", "parse"],

  otel: [
    ...FLOORS_0_1,
    "options/fields.ts",
    "options/host_objects.ts",
    "options/plain_object.ts",
    "version.ts",
  ],

  // For packages that build on this one.
  "extend.ts": [
    ...FLOORS_0_1,
    "approvals/store.ts",
    "options",
    "conversation/activity.ts",
    "conversation/user_line.ts",
  ],

  compat: [
    ...FLOORS_0_1,
    "engine",
    "wire",
    "options/launch.ts",
    "options/merged_settings.ts",
    "mcp/failure.ts",
    "mcp/jsonrpc.ts",
    "mcp/peer.ts",
    "process/paths.ts",
    "session/files.ts",
    "tools",
    "transcripts",
    "type:runtime/node_types.ts",
    "lazy:options/zod_schema.ts",
    "lazy:cli/official.ts",
    "lazy:local_cli.ts",
  ],

  testing: [
    ...FLOORS_0_1,
    "wire",
    "runtime",
    "options/versions.ts",
    "options/fields.ts",
    "options/plain_object.ts",
    "options/refuse.ts",
    "approvals/store.ts",
    "type:transcripts/store.ts",
  ],

  // Behind a web page.
  ui: [
    ...FLOORS_0_1,
    "approvals/store.ts",
    "parse/read.ts",
    "stream/byte_length.ts",
    "type:client.ts",
    "conversation/live_client.ts",
    "options",
    "session/files.ts",
    "transcripts",
  ],

  // The program on top of everything.
  command: [
    ...FLOORS_0_1,
    "runtime",
    "process",
    "cli",
    "parse",
    "options",
    "callbacks/approved_plan.ts",
    "callbacks/call_view.ts",
    "callbacks/change_view.ts",
    "callbacks/grants.ts",
    "callbacks/plan_change.ts",
    "callbacks/questions.ts",
    "callbacks/visible.ts",
    "session",
    "transcripts",
    "testing",
    "pool.ts",
    "query.ts",
    "client.ts",
    "local_cli.ts",
    "permission_queue.ts",
    "prompt_person.ts",
    "mcp",
    "ui/request_body.ts",
    "ui/sse.ts",
    "version.ts",
    "type:approvals/store.ts",
  ],
};

/** Rooms without code at run time: they import nothing but types, not even from themselves. */
export const ERASED: readonly string[] = ["types"];

/** Files that these alone may import with their code: files, or rooms; those that begin with `lazy:` by `import()`. */
export const ONLY: Readonly<Record<string, readonly string[]>> = {
  // The composition roots.
  "runtime/host.ts": [
    "approvals",
    "command",
    "compat",
    "conversation/consumers.ts",
    "conversation/conversation.ts",
    // Warnings that no logger gets.
    "conversation/core.ts",
    "extend.ts",
    "lazy:local_cli.ts",
    "mcp/connect.ts",
    "mcp/exchanges.ts",
    "runtime",
    "session/files.ts",
  ],
  "runtime/deno.ts": ["lazy:runtime/host.ts"],
  "runtime/bun.ts": ["lazy:runtime/host.ts"],
  "runtime/node.ts": ["lazy:runtime/host.ts"],
  "parse/schemas.ts": ["lazy:parse/parser.ts"],
  "protocol/schema.ts": ["parse/schemas.ts", "protocol/mod.ts"],
  "options/zod_schema.ts": [
    "lazy:options/output_schema.ts",
    "lazy:mcp/tool_schema.ts",
    "lazy:compat/zod_arguments.ts",
  ],
};

/** The stages of the line, which {@link JOINERS} alone join. */
export const STAGES: readonly string[] = [
  "stream/line_framer.ts",
  "stream/json.ts",
  "wire/router.ts",
  "parse/parser.ts",
];

/** Files that may import more than one of {@link STAGES}. */
export const JOINERS: readonly string[] = [
  "engine/pipeline.ts",
  "unstable_streams.ts",
];

/** Files that may name an npm package; entries may still load it only on demand. */
export const NPM_FILES: Readonly<Record<string, readonly string[]>> = {
  "@modelcontextprotocol/sdk": ["mcp/linked.ts", "mcp/remote.ts"],
  "zod": ["options/zod_schema.ts"],
  "zod-to-json-schema": ["compat/zod_arguments.ts"],
  "commander": ["command/main.ts"],
  "picocolors": ["command/command_line.ts"],
  "@nats-io/transport-node": [
    "fleet/src/connect_nats.ts",
    "fleet/src/nats_calls.ts",
    "fleet/src/nats_engine.ts",
  ],
};
