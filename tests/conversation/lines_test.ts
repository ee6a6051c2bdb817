import assert from "node:assert/strict";
import {
  type AgentError,
  type AgentOptions,
  type JsonObject,
  type Message,
  MessageTooLargeError,
  ParseError,
  query,
} from "@sluice/agent";
import { fakeCli, type PeerItem } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  isAnswerTo,
  isRequest,
  memoryCli,
  metricsSpy,
  requestOf,
  responseOf,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

const encoder = new TextEncoder();

/** Messages and errors from output of the CLI that ends with a result. */
async function read(
  items: readonly PeerItem[],
  options: AgentOptions = {},
): Promise<
  { readonly texts: readonly string[]; readonly errors: readonly AgentError[] }
> {
  const { transport, peer } = memoryCli();
  const conversation = query("x", { ...options, transport });
  await conversation.ready;
  const reading = Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  await peer.send(...items);
  await peer.send(resultLine());
  const [messages, errors] = await reading;
  assert.equal(messages.error, undefined);
  assert.equal(messages.items.at(-1)?.type, "result");
  await conversation.close();
  return { texts: textsOf(messages.items), errors: errors.items };
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.type !== "assistant") return [];
    const [block] = message.message.content;
    return block?.type === "text" ? [block.text] : [];
  });
}

function line(text: string): string {
  return `${JSON.stringify(assistantLine(text))}\n`;
}

test(
  "a line above limits.maxMessageBytes is one MessageTooLargeError with its full length, and the stream continues",
  async () => {
    for (const size of [11_000, 100_000]) {
      const long = line("x".repeat(size));
      const fake = fakeCli([[
        "before",
        { line: long.trimEnd() },
        "after",
      ]]);
      const conversation = query("x", {
        cliPath: fake.cliPath,
        limits: { maxMessageBytes: 10_000 },
      });
      const [messages, errors] = await Promise.all([
        collect(conversation),
        collect(conversation.errors),
      ]);
      assert.deepEqual(textsOf(messages.items), ["before", "after"]);
      const [error] = errors.items;
      assert.equal(errors.items.length, 1);
      assert.ok(error instanceof MessageTooLargeError);
      assert.equal(error.bytes, long.length - 1);
      assert.equal(error.limit, 10_000);
      assert.equal(error.fatal, false);
      assert.equal(error.code, "message_too_large");
      assert.match(error.message, /"limits\.maxMessageBytes" is 10000/);
      await fake.close();
    }
  },
  { ids: ["IO-01", "IO-02"] },
);

test(
  "limits.maxMessageBytes holds for each message, limits.readAheadBytes for all that are unread",
  async () => {
    const maxMessageBytes = 10_000;
    const readAheadBytes = 4_000;
    const limits = { maxMessageBytes, readAheadBytes };
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport, limits });
    await conversation.ready;
    const start = conversation.health().bytesRead;
    // Each below one limit and above the other, in a write of its own; all together far above both.
    const sent = Array.from(
      { length: 20 },
      (_, n) => `${n}`.padEnd(8_000, "."),
    );
    const over = peer.send(
      ...sent.map(line),
      line("x".repeat(11_000)),
      resultLine(),
    );
    await turns(20);
    const ahead = conversation.health().bytesRead - start;
    assert.ok(ahead >= readAheadBytes, `${ahead} bytes`);
    assert.ok(ahead <= 2 * maxMessageBytes, `${ahead} bytes`);
    const { items } = await collect(conversation);
    await over;
    assert.deepEqual(textsOf(items), sent);
    const { items: errors } = await collect(conversation.errors);
    assert.equal(errors.length, 1);
    assert.ok(errors[0] instanceof MessageTooLargeError);
    await conversation.close();
  },
  { ids: ["DEC-08"] },
);

test(
  "two long lines in a row are two errors, one at the end of the output is one",
  async () => {
    const long = line("x".repeat(20_000));
    const { texts, errors } = await read(
      [line("a"), long, long, line("b"), long.repeat(2) + line("c")],
      { limits: { maxMessageBytes: 10_000 } },
    );
    assert.deepEqual(texts, ["a", "b", "c"]);
    assert.deepEqual(
      errors.map((error) => (error as MessageTooLargeError).bytes),
      Array(4).fill(long.length - 1),
    );
  },
  { ids: ["IO-02"] },
);

test("a long line is skipped without being held", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", {
    transport,
    limits: { maxMessageBytes: 100_000, readAheadBytes: 200_000 },
  });
  await conversation.ready;
  const reading = collect(conversation);
  const piece = encoder.encode("x".repeat(50_000));
  // 50 MB of one line: with any of it held the window would stop the reading.
  for (let n = 0; n < 1_000; n++) await peer.send(piece);
  await peer.send("\n", assistantLine("a"), resultLine());
  const { items } = await reading;
  assert.deepEqual(textsOf(items), ["a"]);
  const { items: errors } = await collect(conversation.errors);
  assert.equal((errors[0] as MessageTooLargeError).bytes, 50_000_000);
  await conversation.close();
}, { ids: ["IO-02"] });

for (const size of [11_000, 100_000, 6_000_000]) {
  test(
    `a request of ${size} bytes, above the limit, is denied or gets an error answer`,
    async () => {
      const asked: string[] = [];
      const { transport, peer } = memoryCli();
      const conversation = query("x", {
        transport,
        limits: { maxMessageBytes: size - 1_000 },
        permissions: {
          canUseTool: (tool) => {
            asked.push(tool);
            return { behavior: "allow" };
          },
        },
        hooks: {
          PreToolUse: [{
            hooks: [() => {
              asked.push("hook");
              return {};
            }],
          }],
        },
      });
      await conversation.ready;
      const reading = collect(conversation);
      const { hooks } = requestOf(
        peer.lines.find(isRequest("initialize")) ?? {},
      ) as {
        hooks: {
          PreToolUse: readonly { hookCallbackIds: readonly string[] }[];
        };
      };
      const input = { content: '\\"ä'.repeat(size / 4), list: [{ a: 1 }] };
      const requests = {
        can_use_tool: { tool_name: "Write", input, tool_use_id: "t1" },
        hook_callback: {
          callback_id: hooks.PreToolUse[0]?.hookCallbackIds[0] ?? "",
          input: { tool_name: "Write", tool_input: input },
        },
        mcp_message: { server_name: "notes", message: { params: input } },
      };
      const answers: unknown[] = [];
      for (const [subtype, fields] of Object.entries(requests)) {
        const line = {
          type: "control_request",
          request_id: subtype,
          request: { subtype, ...fields },
        };
        // In one read, and in two.
        const bytes = encoder.encode(`${JSON.stringify(line)}\n`);
        const at = subtype === "hook_callback" ? 0 : bytes.length - 100;
        await peer.send(bytes.subarray(0, at), bytes.subarray(at));
        await peer.line(isAnswerTo(subtype));
        answers.push(responseOf(peer.lines.find(isAnswerTo(subtype)) ?? {}));
      }
      const message = "Answer failed: The request is too large";
      const [permission, hook, mcp] = answers as [
        { response: JsonObject },
        { response: { hookSpecificOutput: JsonObject } },
        JsonObject,
      ];
      assert.equal(permission.response.behavior, "deny");
      assert.equal(permission.response.message, message);
      assert.equal(hook.response.hookSpecificOutput.permissionDecision, "deny");
      assert.equal(mcp.subtype, "error");
      assert.equal(mcp.error, "The request is too large");
      assert.deepEqual(asked, []);
      await peer.send(assistantLine("a"), resultLine());
      assert.deepEqual(textsOf((await reading).items), ["a"]);
      const { items: errors } = await collect(conversation.errors);
      assert.ok(errors.every((one) => one instanceof MessageTooLargeError));
      assert.equal(errors.length, 3);
      await conversation.close();
    },
    { ids: ["IO-02"] },
  );
}

test(
  "a message cut anywhere between two reads is put together again",
  async () => {
    const bytes = encoder.encode(line("Grüße, 世界, 🙂"));
    const items: Uint8Array[] = [];
    for (let at = 1; at < bytes.length; at++) {
      items.push(bytes.slice(0, at), bytes.slice(at));
    }
    const { texts, errors } = await read(items);
    assert.equal(texts.length, bytes.length - 1);
    assert.ok(texts.every((text) => text === "Grüße, 世界, 🙂"));
    assert.deepEqual(errors, []);
  },
  { ids: ["IO-09", "IO-12"] },
);

test("a message spread over several lines is one message", async () => {
  const pretty = JSON.stringify(assistantLine("a"), null, 2) + "\n";
  const { texts, errors } = await read([pretty, line("b"), pretty + pretty]);
  assert.deepEqual(texts, ["a", "b", "a", "a"]);
  assert.deepEqual(errors, []);
}, { ids: ["IO-10"] });

test(
  "a broken line loses only itself, also before a control line or a result",
  async () => {
    const { texts, errors } = await read([
      line("a"),
      '{"type":"assistant","mess\n',
      line("b"),
      '{"cut": \n',
      { type: "control_cancel_request", request_id: "none" },
      line("c"),
      '{"cut again\n',
    ]);
    assert.deepEqual(texts, ["a", "b", "c"]);
    assert.equal(errors.length, 3);
    for (const error of errors) {
      assert.ok(error instanceof ParseError);
      assert.equal(error.messageType, "line");
    }
    assert.deepEqual(
      (errors[0] as ParseError).rawData,
      '{"type":"assistant","mess',
    );
  },
  { ids: ["IO-10", "PA-04"] },
);

test(
  "a brace that nothing closes is one error, and later messages arrive",
  async () => {
    const { texts, errors } = await read(
      [
        line("a"),
        '{"open":\n',
        ..."x".repeat(500).split("").map((one) => `${one.repeat(200)}\n`),
        line("b"),
      ],
      { limits: { maxMessageBytes: 10_000 } },
    );
    assert.deepEqual(texts, ["a", "b"]);
    assert.equal(errors.length, 1);
    const [error] = errors;
    assert.ok(error instanceof ParseError);
    assert.ok(String(error.rawData).length <= 200);
    assert.ok(String(error.rawData).startsWith('{"open":'));
  },
  { ids: ["IO-11"] },
);

test("invalid UTF-8 is replaced and never ends the stream", async () => {
  const [head = "", tail = ""] = line("@").split("@");
  const { texts, errors } = await read([
    Uint8Array.from([
      ...encoder.encode(head),
      0xff,
      0xfe,
      ...encoder.encode(tail),
    ]),
    Uint8Array.from([0xff, 0xfe, 0x0a]),
    line("after"),
  ]);
  assert.deepEqual(texts, ["��", "after"]);
  assert.equal(errors.length, 1, "the noise");
}, { ids: ["IO-12"] });

test(
  "U+2028, U+2029 and a carriage return do not end a line, blank lines and a byte-order mark are nothing",
  async () => {
    const raw = JSON.stringify(assistantLine("a\u2028b\u2029c"));
    assert.ok(raw.includes("\u2028"), "they stand raw in the line");
    const { texts, errors } = await read([
      "\ufeff\n",
      "\n\r\n",
      `${raw}\r\n`,
      "   \n",
      line("d"),
    ]);
    assert.deepEqual(texts, ["a\u2028b\u2029c", "d"]);
    assert.deepEqual(errors, []);
  },
  { ids: ["IO-12"] },
);

test(
  "messages between carriage returns of a progress bar are read, and the rest is reported",
  async () => {
    const { texts, errors } = await read([
      `10%\r100%\r${line("a")}`,
      `\r${line("b").trimEnd()}\r${line("c")}`,
    ]);
    assert.deepEqual(texts, ["a", "b", "c"]);
    assert.deepEqual(errors.map((error) => (error as ParseError).rawData), [
      "10%\r100%",
    ]);
  },
  { ids: ["IO-12"] },
);

test("odd Unicode survives a message", async () => {
  const odd = '\u0000\ud800 \udfff🙂\u{10ffff}"\\';
  const { texts, errors } = await read([line(odd)]);
  assert.deepEqual(texts, [odd]);
  assert.deepEqual(errors, []);
}, { ids: ["PA-05"] });

test(
  "each value that is no message is one non-fatal ParseError with what came",
  async () => {
    const metrics = metricsSpy();
    const nonsense = [
      "plain text",
      "null",
      "true",
      "17",
      '"text"',
      "[1,2]",
      "{}",
      '{"type":5}',
      "{broken}",
    ];
    const { texts, errors } = await read(
      [line("a"), ...nonsense.map((one) => `${one}\n`), line("b")],
      { metrics: metrics.metrics },
    );
    assert.deepEqual(texts, ["a", "b"]);
    assert.deepEqual(
      errors.map((error) => [
        error.code,
        error.fatal,
        (error as ParseError).messageType,
        (error as ParseError).field,
        (error as ParseError).rawData,
      ]),
      [
        ["parse", false, "line", undefined, "plain text"],
        ["parse", false, "line", undefined, null],
        ["parse", false, "line", undefined, true],
        ["parse", false, "line", undefined, 17],
        ["parse", false, "line", undefined, "text"],
        ["parse", false, "line", undefined, [1, 2]],
        ["parse", false, "line", "type", {}],
        ["parse", false, "line", "type", { type: 5 }],
        ["parse", false, "line", undefined, "{broken}"],
      ],
    );
    assert.deepEqual(
      metrics.of("protocol.malformedMessage"),
      Array(nonsense.length - 2).fill(["line"]),
      "text that is no JSON is no message at all",
    );
  },
  { ids: ["PA-04", "Q-16", "R-03"] },
);

test(
  "a known message without a required field is skipped with one error, the next one comes",
  async () => {
    const { type, message, session_id } = assistantLine("x");
    const { texts, errors } = await read([
      line("a"),
      { type, message, session_id, parent_tool_use_id: null },
      {
        ...assistantLine("x"),
        message: { content: [{ type: "tool_use", name: "x" }] },
      },
      { ...assistantLine("x"), message: { content: ["x"] } },
      { ...assistantLine("x"), message: { content: 5 } },
      line("b"),
    ]);
    assert.deepEqual(texts, ["a", "b"]);
    assert.deepEqual(
      errors.map((error) => [
        (error as ParseError).messageType,
        (error as ParseError).field,
      ]),
      [
        ["assistant", "uuid"],
        ["assistant", "message.content[0].id"],
        ["assistant", "message.content[0]"],
        ["assistant", "message.content"],
      ],
    );
  },
  { ids: ["PA-01", "PA-02", "PA-06", "PA-11", "QA-03"] },
);

test(
  "unknown kinds and unknown blocks are delivered, never errors",
  async () => {
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport });
    await conversation.ready;
    const reading = collect(conversation);
    const raw = { type: "invented", subtype: "odd", deep: { list: [1] } };
    const block = { type: "hologram", data: "x" };
    await peer.send(
      raw,
      { type: "system", subtype: "invented_too", x: 1 },
      {
        ...assistantLine("x"),
        message: {
          ...assistantLine("x").message as object,
          content: [{ type: "text", text: "1" }, block, {
            type: "text",
            text: "2",
          }],
        },
      },
      resultLine({ subtype: "brand_new" }),
    );
    const { items } = await reading;
    assert.deepEqual(items[0], {
      type: "unknown",
      originalType: "invented",
      originalSubtype: "odd",
      raw,
    });
    assert.equal(items[1]?.type, "unknown");
    assert.ok(items[2]?.type === "assistant");
    assert.deepEqual(items[2].message.content.map(({ type }) => type), [
      "text",
      "unknown",
      "text",
    ]);
    assert.deepEqual(items[2].message.content[1], {
      type: "unknown",
      originalType: "hologram",
      raw: block,
    });
    assert.equal(items[3]?.type, "result");
    assert.deepEqual((await collect(conversation.errors)).items, []);
    await conversation.close();
  },
  { ids: ["PA-03", "PA-10", "DEC-10", "QA-03"] },
);

test("keep_alive, transcript_mirror and what is for the host alone are never delivered", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport });
  await conversation.ready;
  const reading = collect(conversation);
  await peer.send(
    { type: "keep_alive" },
    { type: "transcript_mirror", filePath: "x", entries: [] },
    stateLine("running"),
    { ...stateLine("running"), sdk_host_only: undefined },
    resultLine(),
    stateLine("idle"),
  );
  const { items } = await reading;
  assert.deepEqual(items.map(({ type }) => type), ["system", "result"]);
  assert.deepEqual((await collect(conversation.errors)).items, []);
  await conversation.close();
});

test(
  'validation: "strict" reports a deviation and still delivers the message',
  async () => {
    const odd = {
      ...assistantLine("odd"),
      message: {
        ...assistantLine("odd").message as object,
        id: 5,
      },
    };
    const plain = await read([odd]);
    assert.deepEqual(plain.texts, ["odd"]);
    assert.deepEqual(plain.errors, []);
    const strict = await read([line("a"), odd], { validation: "strict" });
    assert.deepEqual(strict.texts, ["a", "odd"]);
    const [error] = strict.errors;
    assert.ok(error instanceof ParseError);
    assert.match(String(error.field), /message\.id/);
    assert.equal(error.fatal, false);
  },
  { ids: ["PA-01"] },
);

test(
  "a message is the wire object: unknown fields stay, nothing is added",
  async () => {
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport });
    await conversation.ready;
    const reading = collect(conversation);
    const sent = [
      { ...assistantLine(""), extra: { deep: [null, ""] } },
      resultLine({ extra: true }),
    ];
    await peer.send(...sent);
    assert.deepEqual((await reading).items, sent);
    await conversation.close();
  },
  { ids: ["PA-12"] },
);

test("a line of very many levels never ends the conversation: it is delivered, or told as a ParseError", async () => {
  const nested = (levels: number, open: string, close: string) =>
    `${open.repeat(levels)}"x"${close.repeat(levels)}`;
  const result = '[{"type":"tool_result","tool_use_id":"t","content":';
  const unknown = '[{"type":"x","content":';
  for (const levels of [20_000, 100_000]) {
    for (const open of [result, unknown]) {
      const content = nested(levels, open, "}]");
      const deep =
        `{"type":"user","parent_tool_use_id":null,"message":{"role":"user","content":${content}}}\n`;
      const { texts, errors } = await read([deep, line("after")]);
      assert.deepEqual(texts, ["after"]);
      assert.ok(errors.length <= 1);
      if (open === result) assert.equal(errors.length, 1);
      for (const error of errors) {
        assert.ok(error instanceof ParseError);
        assert.equal(error.fatal, false);
      }
    }
  }
});
