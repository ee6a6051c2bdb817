// Makes `src/protocol/`, the folders `generated/` of `src`, `protocol.schema.json` and tables of docs/ of the description in `protocol/`; with --check only compares them.
import { PROTOCOL } from "../protocol/mod.ts";
import { type Description, readRuns } from "./drift/runs.ts";
import {
  exists,
  formatted,
  keep,
  listFiles,
  remove,
  ROOT,
  say,
  SCHEMA_FILE,
} from "./project.ts";
import { apiOf } from "./protocol/api.ts";
import { controlsOf, queryTypesOf } from "./protocol/controls.ts";
import { guardsOf } from "./protocol/guards.ts";
import { hookParts } from "./protocol/hooks.ts";
import { pageWith } from "./protocol/markdown.ts";
import { controlParts, methodsOf, methodTypesOf } from "./protocol/methods.ts";
import { officialTypesOf, officialValuesOf } from "./protocol/official.ts";
import { optionsOf } from "./protocol/options.ts";
import { repliesOf } from "./protocol/replies.ts";
import { type PublishedSchema, schemaOf } from "./protocol/schema.ts";
import { readShapes } from "./protocol/shapes.ts";
import { answersOf, tablesOf, valuesOf } from "./protocol/tables.ts";
import { pageParts } from "./protocol/page.ts";
import { officialOf, toolsOf, typesOf } from "./protocol/types.ts";

/** The first line of every file that is made here. */
const MARK = "// Made from protocol/ by `npm run generate`; edit that.";
const FOLDER = "src/protocol";
/** The shapes as the official package has them. */
const OFFICIAL = "src/compat/generated";
/** Requests to a conversation, as types and as methods. */
const TYPES = "src/types/generated";
const CONVERSATION = "src/conversation/generated";
/** Discriminators of messages. */
const PARSE = "src/parse/generated";
/** Replies of a fake CLI. */
const TESTING = "src/testing/generated";
/** The official types of tools lie with the package that stands in for theirs. */
const TOOLS = "stand_in/sdk_tools.ts";
/** Files of the folder that are written by hand. */
const BY_HAND: readonly string[] = [
  `${FOLDER}/schema_types.ts`,
  // Made by `options.ts`.
  `${OFFICIAL}/sent_options.ts`,
];

const made = await makeAll();
const left = await leftOvers();
await keep(
  made,
  {
    fault: "differ from protocol/: run `npm run generate`",
    summary: `${made.size} files are what protocol/ makes`,
  },
  left.map((path) =>
    `${path} is not made from protocol/: run \`npm run generate\``
  ),
);
for (const path of left) await remove(path);
say(`Wrote ${made.size} files`);

/** Each file by its path. */
async function makeAll(): Promise<ReadonlyMap<string, string>> {
  const shapes = readShapes(PROTOCOL);
  const schema = schemaOf(PROTOCOL, shapes);
  const sources: readonly (readonly [string, string])[] = [
    ...PROTOCOL.topics.map((topic) =>
      [topic.name, typesOf(topic, shapes)] as const
    ),
    ["tables", tablesOf(shapes)],
    ["answers", answersOf(PROTOCOL, shapes)],
    ["values", valuesOf(PROTOCOL, shapes)],
    ["schema", moduleOf(schema)],
    ["version", versionSource()],
    ["mod", entryOf()],
  ];
  const files = new Map([[
    SCHEMA_FILE,
    await formatted(JSON.stringify(schema), "json"),
  ]]);
  const paths: readonly (readonly [string, string])[] = [
    ...sources.map(([name, source]) =>
      [`${FOLDER}/${name}.ts`, source] as const
    ),
    [`${OFFICIAL}/api.ts`, apiOf(PROTOCOL.api)],
    [`${OFFICIAL}/controls.ts`, controlsOf(PROTOCOL)],
    [`${OFFICIAL}/options.ts`, optionsOf(PROTOCOL)],
    [`${OFFICIAL}/official.ts`, officialOf(PROTOCOL, shapes)],
    [`${OFFICIAL}/types.ts`, officialTypesOf(PROTOCOL, queryTypesOf(PROTOCOL))],
    [`${OFFICIAL}/values.ts`, officialValuesOf(PROTOCOL)],
    [`${TYPES}/controls.ts`, methodTypesOf(PROTOCOL, shapes)],
    [`${CONVERSATION}/controls.ts`, methodsOf(PROTOCOL, shapes)],
    [`${PARSE}/guards.ts`, guardsOf(shapes)],
    [`${TESTING}/replies.ts`, repliesOf(schema)],
    [TOOLS, toolsOf(PROTOCOL, shapes)],
  ];
  for (const [path, source] of paths) {
    files.set(path, await formatted(`${MARK}\n${source}`, "ts"));
  }
  const runs = await readRuns(new URL("tests/fixtures/transcripts/", ROOT));
  const pages = new Map([
    ["docs/controls.md", controlParts(PROTOCOL, shapes)],
    ["docs/hooks.md", hookParts(PROTOCOL, shapes)],
    [
      "docs/protocol.md",
      pageParts(schema as unknown as Description, runs.values()),
    ],
  ]);
  for (const [path, parts] of pages) {
    files.set(path, await pageWith(path, parts));
  }
  return files;
}

function versionSource(): string {
  return `/** Version of the CLI that the protocol is described for. */
export const PROTOCOL_VERSION: string = ${JSON.stringify(PROTOCOL.version)};
`;
}

/** Files of the folders that nothing makes any more. */
async function leftOvers(): Promise<readonly string[]> {
  const all: string[] = [];
  for (
    const folder of [FOLDER, OFFICIAL, TYPES, CONVERSATION, PARSE, TESTING]
  ) {
    if (await exists(folder)) all.push(...await listFiles(folder));
  }
  return all.filter((path) => !made.has(path) && !BY_HAND.includes(path));
}

/** The schema as a module; as text, because the runtimes read that several times faster than an object. */
function moduleOf({ $defs, ...rest }: PublishedSchema): string {
  const lines = [
    `${JSON.stringify(rest).slice(0, -1)},"$defs":{`,
    ...Object.entries($defs).map(([name, schema], index) =>
      `${index === 0 ? "" : ","}${JSON.stringify(name)}:${
        JSON.stringify(schema)
      }`
    ),
    "}}",
  ];
  return `import type { ProtocolSchema } from "./schema_types.ts";

/** The whole protocol as JSON Schema. */
export const protocolSchema: ProtocolSchema = JSON.parse([
${lines.map((line) => `  ${literal(line)},`).join("\n")}
].join(""));
`;
}

/** The entry: all shapes, and the schema. */
function entryOf(): string {
  const types = PROTOCOL.topics.map(({ name, shapes }) =>
    `export type { ${
      Object.keys(shapes).sort().join(", ")
    } } from "./${name}.ts";`
  );
  return `/**
 * The stream-JSON protocol of the Claude Code CLI as data: every line of either side as JSON Schema, and its shapes as types.
 *
 * The same schema is a file of the package, \`protocol.schema.json\`, for programs in other languages.
 *
 * \`\`\`ts
 * import { protocolSchema } from "@sluice/agent/protocol";
 * import assert from "node:assert/strict";
 *
 * assert.equal(protocolSchema["x-controls"].interrupt?.reply, "InterruptReceipt");
 * \`\`\`
 *
 * @module
 */
export { PROTOCOL_VERSION } from "./version.ts";
export { protocolSchema } from "./schema.ts";
export type { ControlEntry, HookEntry, MessageEntry, ProtocolSchema } from "./schema_types.ts";
${types.join("\n")}
export type { JsonInput, JsonObject, JsonValue } from "../types/json.ts";
`;
}

/** A text in single quotes: nearly all of its quotes are double. */
function literal(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
