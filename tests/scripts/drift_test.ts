import assert from "node:assert/strict";
import { test } from "../_harness.ts";

// Scripts run on Deno alone, and are compiled for no other lane.
const scripts = () =>
  Promise.all([
    import("../../scripts/drift.ts"),
    import("../../scripts/drift/lines.ts"),
    import("../../scripts/drift/official.ts"),
    import("../../scripts/drift/protocol.ts"),
    import("../../scripts/drift/shapes.ts"),
  ]).then(([drift, lines, official, protocol, shapes]) => ({
    ...drift,
    ...lines,
    ...official,
    ...protocol,
    ...shapes,
  }));

const ONLY = { only: "deno" } as const;

type Node = Readonly<Record<string, unknown>>;

/** An object of a schema; names that end in `?` are optional. */
function object(fields: Readonly<Record<string, Node>>, more: Node = {}): Node {
  const names = Object.keys(fields);
  return {
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => [name.replace("?", ""), fields[name]]),
    ),
    required: names.filter((name) => !name.endsWith("?")),
    ...more,
  };
}

const TEXT = { type: "string" };
const NUMBER = { type: "number" };

/** How a declared type and a schema differ, one line each. */
async function differ(
  declared: string,
  schema: Node,
  $defs: Readonly<Record<string, Node>> = {},
): Promise<readonly string[]> {
  const { readDeclarations, schemaReader, compareShapes } = await scripts();
  const theirs = readDeclarations("/declared.ts", new Set(), declared)
    .shape("Subject");
  assert.ok(theirs);
  const ours = schemaReader({ $defs: { ...$defs, Subject: schema } })(
    "Subject",
  );
  return compareShapes(theirs, ours, "it")
    .map(({ change, path, what }) => `${change} ${path}: ${what}`);
}

test("a type and a schema that say the same do not differ", async () => {
  const found = await differ(
    `import type { UUID } from "crypto";
    interface Base { readonly id: string; extra?: undefined | number }
    type Level = "low" | "high";
    export declare type Subject = Base & {
      level: Level | null;
      done: boolean;
      tags: readonly string[];
      pairs?: [string, number];
      byName: Record<string, { size: number }>;
      anything: unknown;
      foreign: UUID;
      text: string | (string & {});
      free?: Partial<Record<"a" | "b", number>>;
    };`,
    {
      allOf: [
        { $ref: "#/$defs/Base" },
        object({
          level: { enum: ["low", "high", null] },
          done: { type: "boolean" },
          tags: { type: "array", items: TEXT },
          "pairs?": { type: "array", prefixItems: [TEXT, { type: "integer" }] },
          byName: {
            type: "object",
            additionalProperties: object({ size: NUMBER }),
          },
          anything: { description: "whatever" },
          foreign: TEXT,
          text: TEXT,
          "free?": object({ "a?": NUMBER, "b?": NUMBER }),
        }),
      ],
    },
    { Base: object({ id: TEXT, "extra?": NUMBER }) },
  );
  assert.deepEqual(found, []);
}, ONLY);

test(
  "what a schema lacks is new, what it has beyond the type is gone, unless it was only seen",
  async () => {
    assert.deepEqual(
      await differ(
        `type Subject = { a: string; b?: { c: number }; d: 1 | 2 };`,
        object({
          a: TEXT,
          "e?": TEXT,
          "f?": { ...TEXT, "x-published": false },
          "g?": { not: {} },
        }),
      ),
      [
        "new it.b: optional: object",
        "new it.d: required: 1 | 2",
        "gone it.e: field",
      ],
    );
  },
  ONLY,
);

test(
  "optionality, types, members of unions and being published are compared",
  async () => {
    assert.deepEqual(
      await differ(
        `type Subject = {
        optional?: string; required: string; type: string; list: string[];
        word: "a" | "b" | "c"; open: "a" | "b"; loose: "a" | "b"; nullable: string | null;
        both: string; seen: number; deep: { list: { word: "x" }[] }[];
      };`,
        object({
          optional: TEXT,
          "required?": TEXT,
          type: NUMBER,
          list: TEXT,
          word: { enum: ["a", "b", "d"] },
          open: { anyOf: [{ enum: ["a", "b"] }, TEXT] },
          loose: TEXT,
          nullable: TEXT,
          both: { type: ["string", "number"] },
          seen: { ...NUMBER, "x-published": false },
          deep: {
            type: "array",
            items: object({
              list: { type: "array", items: object({ word: { const: "y" } }) },
            }),
          },
        }),
      ),
      [
        "changed it.optional: is optional, described as required",
        "changed it.required: is required, described as optional",
        "changed it.type: may be string",
        "changed it.type: is never number",
        "changed it.list: is never string",
        "changed it.list: may be an array",
        'changed it.word: has new members "c"',
        'changed it.word: is never "d"',
        'changed it.loose: is one of words that are not described: "a" | "b"',
        "changed it.nullable: may be null",
        "changed it.both: is never number",
        "changed it.seen: is published, described as seen only",
        'changed it.deep[].list[].word: has new members "x"',
        'changed it.deep[].list[].word: is never "y"',
      ],
    );
  },
  ONLY,
);

test(
  "objects of a union are told apart by what discriminates them, whatever they are called",
  async () => {
    assert.deepEqual(
      await differ(
        `type One = { type: "system"; subtype: "one"; a: string };
      type Two = { type: "system"; subtype: "two"; b: string };
      type User = { type: "user"; c: string };
      type Replay = { type: "user"; isReplay: true; d: string };
      type Failed = { type: "result"; subtype: "error_a" | "error_b"; e: string };
      type Added = { type: "added" };
      type Subject = One | Two | User | Replay | Failed | Added;`,
        {
          oneOf: [
            object({
              type: { const: "user" },
              isReplay: { const: true },
              d: NUMBER,
            }),
            object({ type: { const: "user" }, c: TEXT }),
            object({
              type: { const: "system" },
              subtype: { const: "two" },
              b: TEXT,
            }),
            object({ type: { const: "system" }, subtype: { const: "one" } }),
            object({
              type: { const: "result" },
              subtype: { const: "error_a" },
              e: TEXT,
            }),
            object({
              type: { const: "result" },
              subtype: { const: "error_b" },
            }),
            object({ type: { const: "left" } }),
            object({ type: { const: "seen" } }, { "x-published": false }),
          ],
        },
      ),
      [
        "new it system/one.a: required: string",
        "changed it user/isReplay.d: may be string",
        "changed it user/isReplay.d: is never number",
        // Two of ours are one of theirs.
        "changed it result/error_a+.e: is required, described as optional",
        "new it added: object",
        "gone it left: object",
      ],
    );
  },
  ONLY,
);

test(
  "what is known of words and objects counts, and any other beside it is no difference",
  async () => {
    assert.deepEqual(
      await differ(
        `type Block = { type: "text"; text: string } | { type: "image"; source: string };
      type Subject = { level: "low" | "high"; content: Block[] };`,
        object({
          level: { type: "string", "x-known": "#/$defs/Level" },
          content: {
            type: "array",
            items: object({ type: TEXT }, { "x-known": "#/$defs/Block" }),
          },
        }),
        {
          Level: { enum: ["low"] },
          Block: {
            anyOf: [
              object({ type: { const: "text" }, text: TEXT }),
              object({ type: { const: "image" } }),
            ],
          },
        },
      ),
      [
        'changed it.level: has new members "high"',
        "new it.content[] image.source: required: string",
      ],
    );
  },
  ONLY,
);

test(
  "objects that nothing tells apart are compared as one, and a bare object says nothing",
  async () => {
    assert.deepEqual(
      await differ(
        `type Subject = { either: { a: string } | { b: number }; config: { c: 1 } };`,
        object({
          either: object({ "a?": TEXT, "b?": TEXT }),
          config: { type: "object" },
        }),
      ),
      [
        "changed it.either.b: may be number",
        "changed it.either.b: is never string",
        "changed it.config: is described as any object",
      ],
    );
  },
  ONLY,
);

test("shapes that hold themselves are compared once", async () => {
  assert.deepEqual(
    await differ(
      `type Subject = { next?: Subject; all: Subject[]; a: string };`,
      object({
        "next?": { $ref: "#/$defs/Subject" },
        all: { type: "array", items: { $ref: "#/$defs/Subject" } },
      }),
    ),
    ["new it.a: required: string"],
  );
}, ONLY);

test("a reference that leads nowhere is an error that names it", async () => {
  await assert.rejects(
    differ(
      `type Subject = { a: { b: string } };`,
      object({ a: { $ref: "#/$defs/Missing" } }),
    ),
    /No \$defs\/Missing in the schema/,
  );
}, ONLY);

/** A description of next to nothing. */
const SMALL = {
  $id: "urn:sluice:protocol:2.1.7",
  $defs: {
    Note: object({
      type: { const: "note" },
      text: TEXT,
      "more?": object({ n: NUMBER }),
    }),
    Said: object({ type: { const: "user" }, message: TEXT }),
    Request: object({
      type: { const: "control_request" },
      request_id: TEXT,
      request: { anyOf: [{ $ref: "#/$defs/Ask" }, { $ref: "#/$defs/Quit" }] },
    }),
    Response: object({
      type: { const: "control_response" },
      response: { type: "object" },
    }),
    Ask: object({ subtype: { const: "ask" }, what: TEXT }),
    AskReply: object({ answer: NUMBER }),
    Quit: object({ subtype: { const: "quit" } }),
    HookIn: object({ hook_event_name: { const: "Stop" } }),
    StdoutLine: {
      anyOf: [{ $ref: "#/$defs/Note" }, { $ref: "#/$defs/Response" }],
    },
    StdinLine: {
      anyOf: [{ $ref: "#/$defs/Said" }, { $ref: "#/$defs/Request" }],
    },
  },
  "x-controls": {
    ask: {
      direction: "host-to-cli",
      request: "Ask",
      reply: "AskReply",
      published: true,
    },
    quit: {
      direction: "host-to-cli",
      request: "Quit",
      reply: null,
      published: true,
    },
  },
  "x-hooks": { Stop: { input: "HookIn", output: null, published: true } },
  "x-messages": [{ type: "note", def: "Note", published: true }],
} as const;

/** Declarations that say the same as {@link SMALL}. */
const SMALL_TYPES = `
  type SDKUserMessage = { type: "user"; message: string };
  type NoteMessage = { type: "note"; text: string; more?: { n: number } };
  type SDKControlAskRequest = { subtype: "ask"; what: string };
  type SDKControlAskResponse = { answer: number };
  type SDKControlQuitRequest = { subtype: "quit" };
  type SDKControlRequestInner = SDKControlAskRequest | SDKControlQuitRequest;
  type SDKControlRequest = { type: "control_request"; request_id: string; request: SDKControlRequestInner };
  type SDKControlResponse = { type: "control_response"; response: Record<string, unknown> };
  type StdoutMessage = NoteMessage | SDKControlRequest | SDKControlResponse;
  type StopHookInput = { hook_event_name: "Stop" };
  type HookInput = StopHookInput;
  type SyncHookJSONOutput = {};
`;

test(
  "lines, requests, replies and hooks are compared, each in its topic",
  async () => {
    const { readDeclarations, compareProtocol, OPAQUE } = await scripts();
    const compare = (text: string) =>
      compareProtocol(readDeclarations("/declared.ts", OPAQUE, text), SMALL)
        .differences
        // The five replies that go by other names.
        .filter(({ path }) => !/^(reply|type) (?!ask)/.test(path))
        .map(({ change, path }) => `${change} ${path}`);
    assert.deepEqual(compare(SMALL_TYPES), []);
    assert.deepEqual(
      compare(
        SMALL_TYPES
          .replace('"ask"; what: string', '"ask"; what: number')
          .replace("answer: number", "answer: string")
          .replace("NoteMessage |", 'NoteMessage | { type: "more" } |')
          .replace('subtype: "quit"', 'subtype: "leave"')
          .replace(
            "HookInput = StopHookInput",
            'HookInput = StopHookInput | { hook_event_name: "Go" }',
          ),
      ),
      [
        "new line more",
        "new hook input Go",
        "changed request ask.what",
        "changed request ask.what",
        "new request leave",
        "gone request quit",
        "changed reply ask.answer",
        "changed reply ask.answer",
      ],
    );
  },
  ONLY,
);

test(
  "lines of runs are checked: kinds, fields, and replies beside what was asked",
  async () => {
    const { lineChecker } = await scripts();
    const checker = lineChecker(SMALL);
    const out = (msg: unknown) => ({ dir: "out", msg });
    const into = (msg: unknown) => ({ dir: "in", msg });
    const ask = (id: string, request: unknown) =>
      into({ type: "control_request", request_id: id, request });
    const answer = (id: string, response: unknown) =>
      out({
        type: "control_response",
        response: { subtype: "success", request_id: id, response },
      });
    checker.check("good", [
      { dir: "meta" },
      { dir: "in" },
      into({ type: "user", message: "hi" }),
      ask("1", { subtype: "ask", what: "this" }),
      answer("1", { answer: 1 }),
      ask("2", { subtype: "quit" }),
      answer("2", {}),
      answer("no such id", { free: true }),
      out({ type: "note", text: "hi", more: { n: 1 } }),
    ]);
    assert.deepEqual(checker.found(), []);
    assert.equal(checker.checked(), 7);
    checker.check("bad", [
      out({ type: "note", text: 1, more: { n: 1, m: 2 }, __proto__x: 1 }),
      out({ type: "strange" }),
      into({ type: "user" }),
      ask("1", { subtype: "ask" }),
      answer("1", { answer: "x", more: 1 }),
      ask("2", { subtype: "quit" }),
      answer("2", { bye: true }),
      ask("3", { subtype: "unheard" }),
      out({ type: "strange" }),
    ]);
    assert.deepEqual(
      checker.found().map(({ change, path, what, where, count }) =>
        `${change} ${path}: ${what} (${where}, ${count})`
      ),
      [
        "changed line note.text: must be string (bad:1, 1)",
        "new line note.more.m: field: number (bad:1, 1)",
        "new line note.__proto__x: field: number (bad:1, 1)",
        "new line strange: kind (bad:2, 2)",
        "changed stdin user: must have required property 'message' (bad:3, 1)",
        "changed request ask: must have required property 'what' (bad:4, 1)",
        "changed reply ask.answer: must be number (bad:5, 1)",
        "new reply ask.more: field: number (bad:5, 1)",
        "new reply quit: the reply has a body (bad:7, 1)",
        "new request unheard: kind (bad:8, 1)",
      ],
    );
  },
  ONLY,
);

test(
  "known differences need a reason that still applies, and new fields of runs fail nothing",
  async () => {
    const { judge } = await scripts();
    const differences = [
      { change: "gone", path: "line a.b", what: "field" },
      { change: "new", path: "line c", what: "kind" },
    ] as const;
    const seen = [
      { change: "new", path: "line d.e", what: "field: string" },
      { change: "new", path: "line f", what: "kind" },
    ] as const;
    const parts = [{ in: "official", differences }, {
      in: "runs",
      differences: seen,
    }] as const;
    const paths = (found: readonly { readonly path: string }[]) =>
      found.map(({ path }) => path);
    const judged = judge(parts, [
      { in: "official", path: "line a.*", reason: "never sent" },
      { in: "runs", path: "line c", reason: "of another part" },
      {
        in: "official",
        path: "line c",
        change: "gone",
        reason: "of another kind",
      },
    ]);
    assert.deepEqual(paths(judged.excused), ["line a.b"]);
    assert.deepEqual(paths(judged.open), ["line c", "line f"]);
    assert.deepEqual(paths(judged.notes), ["line d.e"]);
    assert.deepEqual(paths(judged.stale), ["line c", "line c"]);
    // What was not compared is not stale.
    const alone = judge([{ in: "runs", differences: [] }], [
      { in: "official", path: "line a.*", reason: "never sent" },
    ]);
    assert.deepEqual(alone.stale, []);
  },
  ONLY,
);

test(
  "the release of the official package follows from the CLI that is described",
  async () => {
    const { officialVersion } = await scripts();
    assert.equal(
      officialVersion({ $id: "urn:sluice:protocol:2.1.330" }),
      "0.3.330",
    );
    assert.throws(
      () => officialVersion({ $id: "urn:sluice:protocol:banana" }),
      /banana/,
    );
  },
  ONLY,
);
