/** Who may import whom in `src`, as data; `layers.ts` holds the source to it. */

/** What the files of a room may import besides each other; a target is a room or one file of it. */
export interface Rule {
  /** Targets of any import. */
  readonly any?: readonly string[];
  /** Targets of `import type` alone. */
  readonly types?: readonly string[];
  /** Targets of `import()` and `import type`. */
  readonly dynamic?: readonly string[];
  /** More for single files of the room. */
  readonly files?: Readonly<Record<string, Rule>>;
  /** Says that the room has no code at run time, not even from itself. */
  readonly isErased?: boolean;
}

const WORDS: readonly string[] = ["protocol", "types", "errors"];
const FLOORS_0_1: readonly string[] = [
  ...WORDS,
  "ports",
  "async",
  "observe",
  "stream",
];
const HOST = "runtime/host.ts";

/** The rooms; a file directly in `src` is a room of its own. */
export const ROOMS: Readonly<Record<string, Rule>> = {
  protocol: { types: ["types"] },
  types: {
    types: [...WORDS, "ports", "approvals/store.ts", "transcripts/store.ts"],
    isErased: true,
  },
  errors: { any: ["types"], types: ["protocol"] },
  "version.ts": {},

  ports: { any: ["types"], types: ["errors"] },
  async: { any: ["errors", "ports"] },
  observe: { any: ["types", "ports", "async"], types: ["protocol"] },
  stream: { any: ["async", "ports"], types: WORDS },

  json_schema: { any: ["errors"] },

  runtime: { any: ["ports"] },
  process: { any: FLOORS_0_1 },
  wire: { any: FLOORS_0_1 },
  parse: { any: [...FLOORS_0_1, "json_schema"] },
  tools: { any: ["types"] },
  options: {
    any: [...FLOORS_0_1, "json_schema", "tools"],
    types: ["transcripts/store.ts"],
  },

  cli: { any: [...FLOORS_0_1, "process", "options"] },
  callbacks: { any: FLOORS_0_1, types: ["options/tool_policy.ts"] },
  approvals: {
    any: [
      ...FLOORS_0_1,
      "callbacks/plain.ts",
      "callbacks/shapes.ts",
      "session/files.ts",
      "session/lock.ts",
      HOST,
    ],
    types: ["callbacks/run_callback.ts"],
  },
  mcp: {
    // The hub checks its servers by the rules of the option "mcpServers".
    any: [...FLOORS_0_1, "process", "json_schema", "options", "version.ts"],
    files: {
      "connect.ts": { any: [HOST] },
      "exchanges.ts": { any: [HOST] },
    },
  },
  session: {
    any: [
      ...FLOORS_0_1,
      "parse/fields.ts",
      "parse/guards.ts",
    ],
    files: { "files.ts": { any: [HOST] } },
  },
  transcripts: {
    any: [
      ...FLOORS_0_1,
      "options/fields.ts",
      "options/host_objects.ts",
      "options/refuse.ts",
      "session/files.ts",
      "session/lock.ts",
    ],
    files: {
      // Chats of ./session become sessions of the CLI, and the other way round.
      "chats.ts": { any: ["session"] },
      "transcripts.ts": { any: [HOST] },
    },
  },

  // The seam below conversation and compat.
  engine: { any: [...FLOORS_0_1, "wire"] },
  conversation: {
    any: [
      ...FLOORS_0_1,
      "engine",
      "wire",
      "parse",
      "tools",
      "options",
      "callbacks",
    ],
    types: ["mcp/attached.ts", "transcripts/store.ts"],
    // The composition root: what is made, what is started, what becomes of its end.
    files: {
      "conversation.ts": { any: [HOST] },
      "consumers.ts": { any: [HOST] },
      // Warnings that no logger gets.
      "core.ts": { any: [HOST] },
      "version.ts": { any: ["cli"] },
      "cli_channel.ts": { any: ["cli", "process/paths.ts"] },
      "older_cli.ts": { any: ["cli", "process/paths.ts"] },
      "servers.ts": { dynamic: ["mcp"] },
      "transcripts.ts": { any: ["transcripts", "session/files.ts"] },
      "stages.ts": { dynamic: ["approvals/desk.ts"] },
      "exit.ts": { any: ["cli"] },
    },
  },

  "query.ts": { any: [...WORDS, "conversation", "options"] },
  "client.ts": { any: [...WORDS, "conversation", "options"] },
  "pool.ts": {
    any: [...WORDS, "conversation", "options", "client.ts"],
    dynamic: ["pool"],
    types: ["pool"],
  },
  pool: {
    any: [...WORDS, "ports", "async", "conversation", "options"],
    files: { "parking.ts": { any: [HOST] } },
  },
  "local_cli.ts": {
    any: [...WORDS, "ports", "options"],
    dynamic: ["cli", "observe", HOST],
  },
  "permissions.ts": {
    any: [...WORDS, "ports", "async/on_abort.ts"],
    dynamic: [
      "approvals",
      "callbacks/ask_person.ts",
      "callbacks/decisions.ts",
      "runtime/shown_file.ts",
      "runtime/terminal.ts",
    ],
  },
  "text_stream.ts": {
    any: ["types", "parse/read.ts"],
    types: ["protocol"],
  },
  "unstable_streams.ts": { any: [...FLOORS_0_1, "wire", "parse"] },

  // For packages that build on this one.
  "extend.ts": {
    any: [
      ...FLOORS_0_1,
      "approvals/store.ts",
      "options",
      "conversation/activity.ts",
      "conversation/user_line.ts",
      HOST,
    ],
  },

  compat: {
    any: [
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
      HOST,
    ],
    types: ["runtime/node_types.ts"],
    dynamic: ["options/zod_schema.ts", "cli/official.ts", "local_cli.ts"],
  },

  testing: {
    any: [
      ...FLOORS_0_1,
      "wire",
      "runtime",
      "options/versions.ts",
      "options/fields.ts",
      "options/plain_object.ts",
      "options/refuse.ts",
      "approvals/store.ts",
    ],
    types: ["transcripts/store.ts"],
  },

  // The program on top of everything.
  command: {
    any: [
      ...FLOORS_0_1,
      "runtime",
      "process",
      "cli",
      "parse",
      "options",
      "session",
      "transcripts/places.ts",
      "testing",
      "pool.ts",
      "query.ts",
      "client.ts",
      "local_cli.ts",
      "permissions.ts",
      "mcp",
      "version.ts",
    ],
    types: ["approvals/store.ts"],
  },
};

/** Files that one file alone may import, and how. */
export const PRIVATE_FILES: Readonly<
  Record<string, { readonly by: readonly string[]; readonly isLazy?: boolean }>
> = {
  "runtime/deno.ts": { by: ["runtime/host.ts"], isLazy: true },
  "runtime/bun.ts": { by: ["runtime/host.ts"], isLazy: true },
  "runtime/node.ts": { by: ["runtime/host.ts"], isLazy: true },
  "parse/schemas.ts": { by: ["parse/parser.ts"], isLazy: true },
  "protocol/schema.ts": { by: ["parse/schemas.ts", "protocol/mod.ts"] },
  "options/zod_schema.ts": {
    by: [
      "options/output_schema.ts",
      "mcp/tool_schema.ts",
      "compat/zod_arguments.ts",
    ],
    isLazy: true,
  },
};

/** The stages of the line, which `pipeline.ts` alone joins. */
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
  "compat/session.ts",
];

/** Where an npm package may be named; entries may still load it only on demand. */
export const NPM_FILES: Readonly<Record<string, readonly string[]>> = {
  "@modelcontextprotocol/sdk": ["mcp/remote.ts"],
  "zod": ["options/zod_schema.ts"],
  "zod-to-json-schema": ["compat/zod_arguments.ts"],
  "commander": ["command/main.ts"],
  "picocolors": ["command/command_line.ts"],
};

/** Where `@sluice/fleet`, a package of its own in `fleet/src`, may name one; beside it it names this package by its entries. */
export const FLEET_NPM_FILES: Readonly<Record<string, readonly string[]>> = {
  "@nats-io/transport-node": [
    "connect_nats.ts",
    "nats_calls.ts",
    "nats_engine.ts",
  ],
};

/** The room that alone may name a runtime. */
export const RUNTIME_ROOM = "runtime";

/** The names of the runtimes and of what they offer. */
export const RUNTIME_WORDS: readonly string[] = ["Deno", "Bun", "process"];
