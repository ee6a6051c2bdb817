import assert from "node:assert/strict";
import {
  CliError,
  CliExitError,
  type JsonObject,
  query,
  type UserInput,
} from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { faultyCli as fakeCli } from "../_faulty_cli.ts";
import { needsShell } from "../_children.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  ASK,
  begin,
  isAnswerTo,
  isPrompt,
  lifeLine,
  memoryCli,
  REPLY,
  requestLine,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

/** A source of prompts that a test feeds. */
function feed(...first: readonly UserInput[]): {
  readonly prompts: ReadableStream<UserInput>;
  add(prompt: UserInput): void;
  end(): void;
} {
  let controller: ReadableStreamDefaultController<UserInput> | undefined;
  const prompts = new ReadableStream<UserInput>({
    start: (one) => {
      controller = one;
      for (const prompt of first) one.enqueue(prompt);
    },
  });
  return {
    prompts,
    add: (prompt) => controller?.enqueue(prompt),
    end: () => controller?.close(),
  };
}

test("stdin stays open after the result until the session is idle, and what is asked meanwhile is answered", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", {
    transport,
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
  });
  const reading = collect(conversation);
  await conversation.ready;
  await peer.send(stateLine("running"), resultLine());
  await peer.send(requestLine("late", ASK));
  await peer.line(isAnswerTo("late"));
  await turns(3);
  assert.equal(peer.hasInputEnded, false);
  await peer.send(stateLine("idle"));
  await peer.inputEnded();
  assert.equal((await reading).error, undefined);
  await conversation.close();
});

test("stdin is closed at the last result where the CLI does not report its state", async () => {
  const { transport, peer } = memoryCli();
  const { prompts, add, end } = feed("one");
  const conversation = query(prompts, { transport });
  const reading = collect(conversation);
  await peer.line(isPrompt);
  await peer.send(resultLine());
  await turns(3);
  assert.equal(peer.hasInputEnded, false, "more prompts may come");
  add("two");
  end();
  await peer.line((line) => isPrompt(line) && peer.lines.indexOf(line) === 2);
  await turns(3);
  assert.equal(peer.hasInputEnded, false, "the second is not answered");
  await peer.send(resultLine());
  await peer.inputEnded();
  assert.equal((await reading).items.length, 2);
  await conversation.close();
});

test("stdin stays open for a source that is open, however idle the session is", async () => {
  const { transport, peer } = memoryCli();
  const { prompts, end } = feed("one");
  const conversation = query(prompts, { transport });
  const reading = collect(conversation);
  await peer.line(isPrompt);
  await peer.send(stateLine("running"), resultLine(), stateLine("idle"));
  await turns(5);
  assert.equal(peer.hasInputEnded, false);
  end();
  await peer.inputEnded();
  await reading;
  await conversation.close();
});

test("a prompt that the CLI took back, dropped or refused is not waited for", async () => {
  const { peer, conversation, reading, uuids: [first, second] } = await begin({
    count: 2,
  });
  await peer.send(lifeLine(second, "cancelled"));
  await peer.send(resultLine({ user_message_uuids: [first ?? ""] }));
  await peer.inputEnded();
  assert.equal((await reading).error, undefined);
  await conversation.close();
});

test("stdin stays open while a background task runs, and a moment after it", async () => {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport, clock });
  const reading = collect(conversation);
  await conversation.ready;
  const tasks = (...tasks: readonly JsonObject[]): JsonObject => ({
    type: "system",
    subtype: "background_tasks_changed",
    tasks,
    session_id: "s",
    uuid: "u",
  });
  await peer.send(
    tasks({ task_id: "b", task_type: "bash", description: "sleep" }),
    resultLine(),
  );
  await clock.advance(60_000);
  assert.equal(peer.hasInputEnded, false, "it runs");
  await peer.send(tasks());
  await clock.advance(1_000);
  assert.equal(peer.hasInputEnded, false, "the model may be told of it");
  await clock.advance(5_000);
  await peer.inputEnded();
  await reading;
  await conversation.close();
});

test(
  "a CLI that does not read its stdin is a CliError of stage write at timeouts.writeMs",
  async () => {
    const fake = fakeCli({ readStdin: false, start: [{ wait: "forever" }] });
    const began = performance.now();
    const conversation = query("x".repeat(4_000_000), {
      cliPath: fake.cliPath,
      timeouts: { writeMs: 300 },
    });
    const error = await rejectionOf(conversation.ready);
    const tookMs = performance.now() - began;
    assert.ok(error instanceof CliError);
    assert.equal(error.code, "cli_write");
    assert.match(error.message, /did not take its input within 300 ms/);
    assert.ok(tookMs >= 295, `took ${tookMs} ms`);
    await conversation.close();
    assert.equal(conversation.health().state, "gone");
    await fake.close();
  },
  { ids: ["E-02", "IO-08"] },
);

test(
  "send() rejects with a CliError of stage write when the CLI accepts no more input, and the conversation continues",
  async () => {
    const clock = new FakeClock();
    const { transport, peer } = memoryCli();
    const { prompts } = feed("one");
    const conversation = query(prompts, {
      transport,
      clock,
      timeouts: { writeMs: 5_000 },
    });
    await conversation.ready;
    await peer.line(isPrompt);
    peer.pause();
    const first = rejectionOf(conversation.send("stuck"));
    const second = rejectionOf(conversation.send("behind it"));
    await clock.advance(4_999);
    await clock.advance(1);
    for (const error of await Promise.all([first, second])) {
      assert.ok(error instanceof CliError);
      assert.equal(error.stage, "write");
      assert.equal(error.fatal, false);
    }
    peer.resume();
    await conversation.send("again");
    await peer.send(resultLine());
    const { value } = await conversation[Symbol.asyncIterator]().next();
    assert.equal(value?.type, "result");
    const closing = conversation.close();
    await clock.advance(60_000);
    await closing;
  },
  { ids: ["E-02", "IO-08"] },
);

test("an answer that cannot be written is reported to errors", async () => {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport, clock });
  await conversation.ready;
  peer.pause();
  await peer.send(requestLine("p1", ASK));
  await turns(2);
  await clock.advance(5_000);
  const { value } = await conversation.errors.getReader().read();
  assert.ok(value instanceof CliError);
  assert.equal(value.stage, "write");
  peer.resume();
  const closing = conversation.close();
  await clock.advance(60_000);
  await closing;
}, { ids: ["R-12"] });

test(
  "a CLI that closes its stdin before the start and lives on is a CliError of stage write",
  async () => {
    const fake = fakeCli({ start: [{ close: "stdin" }, { wait: "forever" }] });
    // More than a pipe holds, so that it fails in either order.
    const conversation = query("x".repeat(1_000_000), {
      cliPath: fake.cliPath,
    });
    const error = await rejectionOf(conversation.ready);
    assert.ok(error instanceof CliError);
    assert.equal(error.stage, "write");
    assert.notEqual(error.cause, undefined);
    assert.deepEqual((await collect(conversation.errors)).items, [error]);
    await conversation.close();
    await fake.close();
  },
  { ids: ["IO-18"] },
);

test(
  "a CLI that closes its stdin and exits is a CliExitError: its end is the story",
  async () => {
    const fake = fakeCli({
      start: [{ close: "stdin" }, { wait: 100 }, { stderr: "Bad flag\n" }, {
        exit: 2,
      }],
    });
    const conversation = query("x".repeat(1_000_000), {
      cliPath: fake.cliPath,
      // It waits for the end as long as that takes.
      clock: new FakeClock(),
    });
    const error = await rejectionOf(conversation.ready);
    assert.ok(error instanceof CliExitError, `is ${error}`);
    assert.equal(error.exitCode, 2);
    assert.match(error.message, /Bad flag/);
    await conversation.close();
    await fake.close();
  },
  { ids: ["P-01"] },
);

test(
  "send() to a CLI that closed its stdin rejects, and messages continue",
  async () => {
    const fake = fakeCli([[
      "a",
      { close: "stdin" },
      "b",
      { wait: "forever" },
    ]]);
    const { prompts } = feed("one");
    const conversation = query(prompts, {
      cliPath: fake.cliPath,
      shutdown: { graceMs: 50 },
    });
    const texts: string[] = [];
    for await (const message of conversation) {
      if (message.type !== "assistant") continue;
      const [block] = message.message.content;
      texts.push(block?.type === "text" ? block.text : "");
      if (texts.length < 2) continue;
      const error = await rejectionOf(
        conversation.send("x".repeat(1_000_000)),
      );
      assert.ok(error instanceof CliError);
      assert.equal(error.stage, "write");
      break;
    }
    assert.deepEqual(texts, ["a", "b"]);
    await fake.close();
  },
  { ids: ["IO-18"] },
);

test(
  "a prompt of a source that cannot be written ends the conversation with a CliError of stage write",
  async () => {
    const { transport, peer } = memoryCli();
    const { prompts, add } = feed("one");
    let isBroken = false;
    const conversation = query(prompts, {
      transport: {
        open: async (launch, signal) => {
          const channel = await transport.open(launch, signal);
          return {
            ...channel,
            write: (text) =>
              isBroken
                ? Promise.reject(new Error("EPIPE"))
                : channel.write(text),
          };
        },
      },
    });
    const reading = collect(conversation);
    await peer.line(isPrompt);
    isBroken = true;
    add("lost");
    const { error } = await reading;
    assert.ok(error instanceof CliError);
    assert.equal(error.stage, "write");
    assert.equal(error.fatal, true);
    assert.deepEqual((await collect(conversation.errors)).items, [error]);
    await conversation.close();
  },
  { ids: ["IO-18"] },
);

test("50 send() at once are 50 whole lines in the order of the calls, however large", async () => {
  const fake = fakeCli({ turns: "ok", record: true });
  const { prompts } = feed();
  const conversation = query(prompts, { cliPath: fake.cliPath });
  const size = 100_000;
  await Promise.all(
    Array.from(
      { length: 50 },
      (_, n) => conversation.send(`${n} ${"x".repeat(size)}`),
    ),
  );
  await fake.until((runs) => runs[0]?.received.length === 51);
  const texts = fake.received.filter(isPrompt).map(({ message }) =>
    String((message as JsonObject).content)
  );
  assert.deepEqual(
    texts.map((text) => Number.parseInt(text)),
    Array.from({ length: 50 }, (_, n) => n),
  );
  assert.ok(texts.every((text) => text.length > size));
  await conversation.close();
  await fake.close();
});

/** Answers `initialize`, then never reads again. */
const DEAF_CLI = [
  "/bin/sh",
  "-c",
  `read -r line
id=\${line#*\\"request_id\\":\\"}
id=\${id%%\\"*}
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":%s}}\\n' "$id" '${
    JSON.stringify(REPLY)
  }'
exec sleep 60`,
];

test(
  "a prompt that the CLI does not take within timeouts.writeMs ends the conversation, a text or a source alike",
  async () => {
    const large = "x".repeat(2_000_000);
    async function* source(): AsyncGenerator<string> {
      yield large;
      await new Promise(() => {});
    }
    for (const prompt of [large, source()]) {
      const conversation = query(prompt, {
        cliPath: DEAF_CLI,
        timeouts: { writeMs: 300 },
        shutdown: { graceMs: 100, killMs: 500 },
      });
      await conversation.ready;
      const { error } = await collect(conversation);
      assert.ok(error instanceof CliError);
      assert.equal(error.stage, "write");
      assert.equal(error.fatal, true);
      assert.match(error.message, /did not take its input within 300 ms/);
      await conversation.close();
    }
  },
  { skip: needsShell },
);
