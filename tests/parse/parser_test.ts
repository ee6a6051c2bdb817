import assert from "node:assert/strict";
import {
  type JsonObject,
  type JsonValue,
  type Message,
  ParseError,
} from "@sluice/agent";
import { typeOf } from "../../src/errors/text.ts";
import { Parser } from "../../src/parse/parser.ts";
import { test } from "../_harness.ts";
import {
  assistant,
  BLOCK_SAMPLES,
  IDENTITY,
  JSON_TYPES,
  SAMPLES,
  user,
} from "./_samples.ts";
import { recordedMessages } from "./_transcripts.ts";

/** Fields that may be null or text, although the sample is neither. Source: protocol reference. */
const ALSO: Readonly<Record<string, string>> = {
  "parent_tool_use_id": "null string",
  "stop_reason": "null",
  "error_status": "null",
  "request_id": "null",
  "value": "null",
  "status": "null",
};

/** Kinds whose `uuid` and `session_id` the protocol reference leaves open. */
const ANONYMOUS: ReadonlySet<string> = new Set([
  "user",
  "command_lifecycle",
  "system/session_title_changed",
  "system/model_fallback",
]);

/** Required fields of a result; other faults are reported and pass, for a turn must not wait for ever. */
const OF_A_RESULT: ReadonlySet<string> = new Set(["subtype", "is_error"]);

function parse(
  ...values: readonly (JsonObject | Message)[]
): { messages: readonly Message[]; errors: readonly ParseError[] } {
  const errors: ParseError[] = [];
  const parser = new Parser({ report: (error) => errors.push(error) });
  return { messages: parser.push(values.map(toJson)), errors };
}

/** As if it had come over the pipe. */
function toJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

function without(object: object, key: string): JsonObject {
  return toJson({ ...object, [key]: undefined });
}

function requiredFields(kind: string, sample: Message): readonly string[] {
  return Object.keys(sample).filter((key) =>
    key !== "type" && key !== "isReplay" &&
    !(ANONYMOUS.has(kind) && key in IDENTITY) &&
    !(kind.startsWith("system/") && key === "subtype")
  );
}

function allowedTypes(kind: string, field: string, sample: Message): string {
  if (field === "status" && kind !== "system/status") return "string";
  if (field === "request_id" && kind.endsWith("progress")) return "string";
  const value = (sample as unknown as JsonObject)[field];
  return `${typeOf(value)} ${ALSO[field] ?? ""}`;
}

test(
  "Parser.push() gives every kind of the protocol reference as it came",
  () => {
    for (const [kind, sample] of Object.entries(SAMPLES)) {
      const { messages, errors } = parse(sample);
      assert.deepEqual(messages, [sample], kind);
      assert.deepEqual(errors, [], kind);
    }
  },
  { ids: ["PA-15"] },
);

test("Parser.push() names the required field that is missing", () => {
  let count = 0;
  for (const [kind, sample] of Object.entries(SAMPLES)) {
    for (const field of requiredFields(kind, sample)) {
      const rest = without(sample, field);
      const { messages, errors } = parse(rest);
      const passes = sample.type === "result" && !OF_A_RESULT.has(field);
      assert.deepEqual(
        messages,
        passes ? [rest] : [],
        `${kind} without ${field}`,
      );
      assert.equal(errors.length, 1, `${kind} without ${field}`);
      assert.equal(errors[0]?.field, field);
      assert.equal(errors[0]?.messageType, sample.type);
      assert.ok(errors[0]?.message.startsWith(`Field "${field}" is missing (`));
      count++;
    }
  }
  assert.ok(count > 200, String(count));
}, { ids: ["PA-02", "R-10"] });

test(
  "Parser.push() names field and type when a required field has another type",
  () => {
    for (const [kind, sample] of Object.entries(SAMPLES)) {
      for (const field of requiredFields(kind, sample)) {
        const allowed = allowedTypes(kind, field, sample);
        for (const [type, value] of Object.entries(JSON_TYPES)) {
          // An empty object is no message of the API.
          if (field === "message" && type === "object") continue;
          const { messages, errors } = parse({
            ...toJson(sample),
            [field]: value,
          });
          const label = `${kind}.${field} as ${type}`;
          if (allowed.includes(type)) {
            assert.equal(messages.length, 1, label);
            continue;
          }
          const passes = sample.type === "result" && !OF_A_RESULT.has(field);
          assert.equal(messages.length, passes ? 1 : 0, label);
          assert.equal(errors.length, 1, label);
          assert.ok(errors[0] instanceof ParseError, label);
          assert.equal(errors[0].field, field, label);
          assert.match(
            errors[0].message,
            new RegExp(`must be an? .*, is ${type} \\(`),
          );
        }
      }
    }
  },
  { ids: ["PA-01", "R-10"] },
);

test("Parser.push() checks the required fields of every known block", () => {
  for (const [kind, block] of Object.entries(BLOCK_SAMPLES)) {
    for (const content of [[block], [BLOCK_SAMPLES.text ?? block, block]]) {
      const index = content.length - 1;
      const message = assistant(content);
      assert.deepEqual(parse(message).messages, [message], kind);
      for (const field of Object.keys(block)) {
        const value = toJson(block)[field];
        for (
          const [type, other] of [
            ["missing", undefined],
            ...Object.entries(JSON_TYPES),
          ]
        ) {
          if (type === typeOf(value)) continue;
          const bad = { ...toJson(block), [String(field)]: other as JsonValue };
          const { messages, errors } = parse(toJson(assistant([
            ...content.slice(0, index),
            bad as never,
          ])));
          const label = `${kind}.${field} as ${type}`;
          assert.deepEqual(messages, [], label);
          assert.equal(errors.length, 1, label);
          assert.equal(errors[0]?.field, `message.content[${index}].${field}`);
          assert.match(
            errors[0].message,
            type === "missing"
              ? /" is missing \(/
              : new RegExp(`, is ${type} \\(`),
          );
        }
      }
    }
  }
}, { ids: ["PA-01", "PA-02"] });

test("Parser.push() tells kind and place of the block that is wrong", () => {
  const { errors } = parse(toJson(assistant([
    { type: "text", text: "One" },
    { type: "text", text: "Two" },
    { type: "tool_use", name: "Bash", input: {} } as never,
  ])));
  assert.equal(errors[0]?.field, "message.content[2].id");
  assert.ok(errors[0].message.startsWith(
    'Field "message.content[2].id" is missing (message: assistant, block: tool_use, index: 2): {',
  ));
  assert.deepEqual(errors[0].details, { blockType: "tool_use", index: 2 });
}, { ids: ["PA-11"] });

test(
  "Parser.push() names the place of a content element that is no block",
  () => {
    for (const [type, value] of Object.entries(JSON_TYPES)) {
      for (
        const message of [assistant([value as never]), user([value as never])]
      ) {
        const { messages, errors } = parse(toJson(message));
        assert.deepEqual(messages, [], type);
        const field = type === "object"
          ? "message.content[0].type"
          : "message.content[0]";
        assert.equal(errors[0]?.field, field, type);
        assert.equal(errors[0].details.index, 0);
        assert.match(
          errors[0].message,
          type === "object" ? /is missing/ : /must be an object/,
        );
      }
    }
  },
  { ids: ["PA-06"] },
);

test(
  "Parser.push() takes text or blocks from a user, and blocks alone from the model",
  () => {
    const text = user("Say hello");
    const blocks = user([{ type: "text", text: "Say hello" }]);
    assert.deepEqual(parse(text, blocks).messages, [text, blocks]);
    for (const [type, content] of Object.entries(JSON_TYPES)) {
      const fromUser = parse({
        ...toJson(text),
        message: { role: "user", content },
      });
      const fromModel = parse({
        ...toJson(assistant([])),
        message: { role: "assistant", content },
      });
      assert.equal(
        fromUser.messages.length,
        type === "string" || type === "array" ? 1 : 0,
        type,
      );
      assert.equal(fromModel.messages.length, type === "array" ? 1 : 0, type);
      if (type === "number") {
        assert.match(
          String(fromUser.errors[0]?.message),
          /^Field "message.content" must be a string or an array, is number/,
        );
        assert.match(
          String(fromModel.errors[0]?.message),
          /^Field "message.content" must be an array, is number/,
        );
      }
    }
  },
  { ids: ["PA-08"] },
);

test("Parser.push() wants no uuid and no session id of a user message unless it is an echo", () => {
  assert.equal(parse(user("Say hello")).messages.length, 1);
  assert.equal(
    parse(toJson({ ...user("Say hello"), isReplay: true })).errors[0]?.field,
    "uuid",
  );
});

test(
  "Parser.push() wraps a message of an unknown kind and keeps the whole",
  () => {
    const raw = {
      type: "telepathy",
      subtype: "loud",
      thought: { deep: [1, null] },
    };
    const { messages, errors } = parse(raw, { type: "hunch" });
    assert.deepEqual(messages, [
      {
        type: "unknown",
        originalType: "telepathy",
        originalSubtype: "loud",
        raw,
      },
      { type: "unknown", originalType: "hunch", raw: { type: "hunch" } },
    ]);
    assert.deepEqual(errors, []);
  },
  { ids: ["PA-03", "DEC-10"] },
);

test("Parser.push() wraps a system message of an unknown subtype", () => {
  const raw = {
    ...IDENTITY,
    type: "system",
    subtype: "moon_phase",
    phase: "full",
  };
  assert.deepEqual(parse(raw).messages, [
    {
      type: "unknown",
      originalType: "system",
      originalSubtype: "moon_phase",
      raw,
    },
  ]);
}, { ids: ["PA-03"] });

test("Parser.push() takes names of object members for unknown kinds", () => {
  for (
    const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]
  ) {
    const block = { type: name };
    const { messages, errors } = parse(
      { type: name },
      { type: "system", subtype: name },
      toJson(assistant([block as never])),
    );
    assert.deepEqual(errors, [], name);
    assert.deepEqual(messages.slice(0, 2).map(({ type }) => type), [
      "unknown",
      "unknown",
    ]);
    assert.deepEqual(
      messages[2],
      assistant([
        { type: "unknown", originalType: name, raw: block },
      ]),
    );
  }
}, { ids: ["PA-03", "PA-10"] });

test("Parser.push() keeps a result whose subtype is unknown", () => {
  const { result: _, ...rest } = toJson(SAMPLES["result/success"]);
  const message = { ...rest, subtype: "error_out_of_luck" };
  assert.deepEqual(parse(message).messages, [message]);
});

test("Parser.push() misses the subtype of system and result", () => {
  for (const type of ["system", "result"]) {
    for (const subtype of [undefined, null, 1, {}]) {
      const sample =
        SAMPLES[type === "system" ? "system/status" : "result/success"];
      const { messages, errors } = parse(toJson({ ...sample, subtype }));
      assert.deepEqual(messages, []);
      assert.equal(errors[0]?.field, "subtype");
      assert.equal(errors[0].messageType, type);
    }
  }
}, { ids: ["PA-02"] });

test(
  "Parser.push() wraps an unknown block in its place and leaves its input alone",
  () => {
    const block = { type: "hologram", depth: 3 };
    const line = toJson(assistant([
      { type: "text", text: "before" },
      block as never,
      { type: "text", text: "after" },
    ]));
    const before = toJson(line);
    const batch = [line];
    const parser = new Parser({ report: (error) => assert.fail(error) });
    const messages = parser.push(batch);
    assert.deepEqual(messages, [
      assistant([
        { type: "text", text: "before" },
        { type: "unknown", originalType: "hologram", raw: block },
        { type: "text", text: "after" },
      ]),
    ]);
    assert.deepEqual(line, before);
    assert.notEqual(messages, batch);
  },
  { ids: ["PA-10"] },
);

test("Parser.push() wraps an unknown block inside a tool result", () => {
  const reference = { type: "tool_reference", tool_name: "Bash" };
  const result = { type: "tool_result", tool_use_id: "toolu_1" } as const;
  const { messages, errors } = parse(toJson(user([
    { ...result, content: [{ type: "text", text: "a" }, reference as never] },
    { ...result, content: "plain" },
  ])));
  assert.deepEqual(errors, []);
  assert.deepEqual(messages, [user([
    {
      ...result,
      content: [
        { type: "text", text: "a" },
        { type: "unknown", originalType: "tool_reference", raw: reference },
      ],
    },
    { ...result, content: "plain" },
  ])]);
  const { errors: [error] } = parse(toJson(user([
    { ...result, content: [{ type: "text" } as never] },
  ])));
  assert.equal(error?.field, "message.content[0].content[0].text");
}, { ids: ["PA-10"] });

test("Parser.push() knows the blocks of tools that the API runs, whatever they hold", () => {
  const blocks = [
    "server_tool_use",
    "web_search_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
  ].map((type) => ({ type }) as never);
  assert.deepEqual(parse(assistant(blocks)).messages, [assistant(blocks)]);
});

test(
  "Parser.push() skips the bad ones of a batch and keeps the order of the others",
  () => {
    const good = Object.values(SAMPLES).map(toJson);
    const batch = good.flatMap((message, index) =>
      index % 3 === 1
        ? [{ type: "result" }, message, { type: "news" }]
        : [message]
    );
    const { messages, errors } = parse(...batch);
    assert.deepEqual(messages.filter(({ type }) => type !== "unknown"), good);
    assert.equal(errors.length, Math.floor((good.length + 1) / 3));
  },
  { ids: ["PA-04"] },
);

test("Parser.push() never throws, whatever fields hold", () => {
  const values = [undefined, ...Object.values(JSON_TYPES), [null], [[]], [{}], {
    content: [7],
  }];
  const types = [
    "assistant",
    "user",
    "result",
    "stream_event",
    "system",
    "tool_progress",
    "news",
    7,
    undefined,
  ];
  for (const type of types) {
    for (const message of values) {
      for (const subtype of values) {
        const { messages, errors } = parse(
          { type, subtype, message, event: message } as JsonObject,
          toJson(user("after")),
        );
        assert.equal(messages.length + errors.length, 2);
        assert.deepEqual(messages.at(-1), user("after"));
      }
    }
  }
}, { ids: ["PA-01", "PA-04"] });

test("Parser.push() keeps odd text as it is", () => {
  const texts = [
    "",
    "\u0000",
    "\ud800",
    "a\udc00b",
    "\ud83d\ude80",
    "\u2028\u2029",
    "e\u0301",
    "\ufeff",
    ...Array.from({ length: 200 }, randomText),
  ];
  const blocks = texts.map((text) => ({ type: "text", text }) as const);
  const { messages } = parse(assistant(blocks), ...texts.map(user));
  assert.deepEqual(messages, [assistant(blocks), ...texts.map(user)]);
}, { ids: ["PA-05"] });

test(
  "Parser.push() leaves optional fields absent and unknown ones in place",
  () => {
    const message = toJson({
      ...SAMPLES["system/status"],
      weather: "mild",
      status: null,
    });
    const [parsed] = parse(message).messages;
    assert.deepEqual(Object.keys(parsed ?? {}), Object.keys(message));
    assert.equal("permissionMode" in (parsed ?? {}), false);
    const empty = toJson({ ...SAMPLES["system/task_started"], prompt: "" });
    assert.deepEqual(parse(empty).messages, [empty]);
  },
  { ids: ["PA-12"] },
);

test(
  "Parser.push() gives kind, field, cause and data with an error, and cuts its text",
  () => {
    const message = {
      type: "user",
      message: { role: "user", content: 7 },
      parent_tool_use_id: null,
      note: "x".repeat(3_000),
    };
    const { errors: [error] } = parse(message);
    assert.ok(error instanceof ParseError);
    assert.equal(error.messageType, "user");
    assert.equal(error.field, "message.content");
    assert.ok(error.cause instanceof TypeError);
    assert.deepEqual(error.rawData, message);
    assert.equal(error.fatal, false);
    assert.ok(error.message.length < 400, String(error.message.length));
    const raw = error.message.slice(error.message.indexOf("{"));
    assert.ok(raw.length <= 200, String(raw.length));
  },
  { ids: ["PA-13", "PA-14"] },
);

test(
  "Parser.push() keeps only the beginning of a big message with its error, and tells its size",
  () => {
    const message = {
      type: "user",
      message: { role: "user", content: 7 },
      note: "x".repeat(1_000_000),
    };
    const { errors: [error] } = parse(message);
    const { type, note } = error?.rawData as JsonObject;
    assert.equal(type, "user");
    assert.match(String(note), /^x{3000,4096}$/);
    assert.equal(error?.details.bytes, JSON.stringify(message).length);
  },
  { ids: ["PA-13"] },
);

test(
  "Parser.push() counts messages, unknown kinds, unknown blocks and errors",
  () => {
    const calls: unknown[] = [];
    const count = (name: string) => (...args: readonly unknown[]) => {
      calls.push([name, ...args]);
    };
    const parser = new Parser({
      report: () => {},
      metrics: {
        parse: count("parse"),
        unknownMessageType: count("unknownMessageType"),
        unknownBlockType: count("unknownBlockType"),
        parseError: count("parseError"),
      },
    });
    parser.push([
      toJson(user("hi")),
      { type: "telepathy", subtype: "loud" },
      { type: "system", subtype: "moon_phase" },
      toJson(assistant([{ type: "hologram" } as never])),
      toJson(assistant([{ type: "text" } as never])),
    ]);
    assert.deepEqual(calls, [
      ["parse", "user", true],
      ["unknownMessageType", "telepathy"],
      ["parse", "telepathy", true],
      ["unknownMessageType", "system/moon_phase"],
      ["parse", "system", true],
      ["unknownBlockType", "hologram"],
      ["parse", "assistant", true],
      ["parse", "assistant", false],
      ["parseError", "assistant", "message.content[0].text"],
    ]);
  },
  { ids: ["PA-16", "OB-04"] },
);

test("Parser.push() takes every recorded run without an error", async () => {
  const runs = await recordedMessages();
  assert.ok(runs.size >= 43, String(runs.size));
  const seen = new Set<string>();
  for (const [name, lines] of runs) {
    const parser = new Parser({
      report: (error) => assert.fail(`${name}: ${error.message}`),
    });
    const messages = parser.push(lines);
    assert.equal(messages, lines, name);
    for (const message of messages) {
      seen.add(message.type);
      if (message.type !== "assistant" && message.type !== "user") continue;
      const { content } = message.message;
      if (typeof content === "string") continue;
      for (const block of content) seen.add(`block ${block.type}`);
    }
  }
  const wanted = ["assistant", "user", "system", "result", "stream_event"];
  const blocks = ["text", "thinking", "tool_use", "tool_result"];
  for (const kind of [...wanted, ...blocks.map((type) => `block ${type}`)]) {
    assert.ok(seen.has(kind), kind);
  }
}, { ids: ["PA-07", "PA-09"] });

function randomText(): string {
  const units = Array.from(
    { length: 1 + Math.floor(Math.random() * 12) },
    () => Math.floor(Math.random() * 0x10000),
  );
  return String.fromCharCode(...units);
}
