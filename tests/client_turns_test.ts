import assert from "node:assert/strict";
import {
  Client,
  CliError,
  CliExitError,
  ClosedError,
  isAssistant,
  type Message,
  type MessageStream,
  NotConnectedError,
  ResultError,
} from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import {
  promptsOf,
  resultText,
  shorts,
  withClient,
  withConnected,
} from "./_clients.ts";
import { collect, rejectionOf } from "./_collect.ts";
import { test } from "./_harness.ts";
import { nextTurn } from "./_turn.ts";
import {
  ASK,
  assistantLine,
  isAnswerTo,
  isPrompt,
  memoryCli,
  requestLine,
  resultLine,
  turns,
} from "./conversation/_rig.ts";

test(
  "receiveMessages() gives the same object on every call of one connection",
  async () => {
    await withClient("x", async ({ client }) => {
      const connecting = client.connect();
      const early = client.receiveMessages();
      await connecting;
      const [a, b] = [client.receiveMessages(), client.receiveMessages()];
      assert.equal(a, early);
      assert.equal(a, b);
      assert.equal(a.errors, b.errors);
      assert.equal(a.messages, b.messages);
      assert.equal(a.batches, b.batches);
    });
  },
  { ids: ["C-15"] },
);

test(
  "receiveMessages() gives messages that end at once and one error before connect()",
  async () => {
    const client = new Client({ cliPath: "/does/not/exist" });
    for (const take of TAKES) {
      const { items, error } = await collect(take(client.receiveMessages()));
      assert.deepEqual([items, error], [[], undefined]);
    }
    const { items } = await collect(client.receiveMessages().errors);
    assert.equal(items.length, 1);
    assert.ok(items[0] instanceof NotConnectedError);
    await client.close();
  },
  { ids: ["C-13"] },
);

test("receiveMessages() throws ClosedError after close(), whether it was ever connected or not", async () => {
  const never = new Client({ cliPath: "/does/not/exist" });
  await never.close();
  const { items } = await collect(never.receiveMessages().errors);
  assert.ok(items.length === 1 && items[0] instanceof ClosedError);
  const fake = fakeCli([["x", { exit: 0 }]]);
  const [closed, ended] = [1, 2].map(() =>
    new Client({ cliPath: fake.cliPath })
  ) as [Client, Client];
  await closed.connect();
  await closed.close();
  await ended.connect("x");
  while (ended.state === "connected") await nextTurn();
  await ended.close();
  for (const client of [never, closed, ended]) {
    for (const take of TAKES) {
      const { items, error } = await collect(take(client.receiveMessages()));
      assert.deepEqual(items, []);
      assert.ok(error instanceof ClosedError);
    }
  }
  assert.deepEqual((await collect(closed.receiveMessages().errors)).items, []);
  await fake.close();
});

test("receiveMessages() continues across turns until close()", async () => {
  await withClient(["One.", "Two."], async ({ client }) => {
    await client.connect("first");
    const all = client.receiveMessages();
    const texts: string[] = [];
    const reading = (async () => {
      for await (const message of all) {
        texts.push(...shorts([message]));
        if (texts.at(-1) === "=One.") await client.sendMessage("second");
        if (texts.at(-1) === "=Two.") break;
      }
    })();
    await reading;
    assert.deepEqual(said(texts), ["One.", "=One.", "Two.", "=Two."]);
    const rest = collect(all);
    await client.close();
    assert.equal((await rest).error, undefined);
  });
}, { ids: ["C-14"] });

test(
  "sendMessage() in one task while another iterates loses nothing in 10 turns",
  async () => {
    const turns = Array.from({ length: 10 }, (_, n) => `Answer ${n}.`);
    await withConnected(turns, async ({ client }) => {
      const results: unknown[] = [];
      const reading = (async () => {
        for await (const message of client.receiveMessages()) {
          if (message.type !== "result") continue;
          results.push(resultText(message));
          if (results.length === turns.length) return;
        }
      })();
      for (let n = 0; n < turns.length; n++) await client.sendMessage(`${n}`);
      await reading;
      assert.deepEqual(results, turns);
    });
  },
  { ids: ["C-21"] },
);

test(
  "leaving receiveMessages() early closes nothing and loses nothing, in every shape",
  async () => {
    const turns = [["a", "b", "c"], "d", ["e", "f"], "g"] as const;
    await withConnected(turns, async ({ client }) => {
      const seen: string[] = [];
      const note = (...messages: Message[]) => {
        seen.push(...shorts(messages));
        return seen.at(-1);
      };
      await client.sendMessage("1");
      for await (const message of client.receiveMessages()) {
        if (note(message) === "a") break;
      }
      assert.equal(client.state, "connected");
      for await (const message of client.receiveMessages()) {
        if (note(message) === "b") break;
      }
      for await (const message of client.receiveResponse()) note(message);
      assert.equal(seen.at(-1), "=c");
      await client.sendMessage("2");
      await readUntil(
        client.receiveMessages().batches,
        (batch) => {
          note(...batch);
          return seen.includes("=d");
        },
      );
      await client.sendMessage("3");
      await readUntil(
        client.receiveMessages().messages,
        (message) => note(message) === "e",
      );
      for await (const message of client.receiveResponse()) note(message);
      assert.equal(resultText(await client.ask("4")), "g");
      assert.deepEqual(said(seen), [
        "a",
        "b",
        "c",
        "=c",
        "d",
        "=d",
        "e",
        "f",
        "=f",
      ]);
    });
  },
  { ids: ["C-14"] },
);

test("receiveResponse() gives the messages up to and including the result, turn by turn", async () => {
  await withClient([["a", "b"], "c"], async ({ client }) => {
    await client.connect("first");
    const first = await collect(client.receiveResponse());
    assert.equal(first.items.at(-1)?.type, "result");
    assert.deepEqual(said(shorts(first.items)), ["a", "b", "=b"]);
    await client.sendMessage("second");
    const second = await collect(client.receiveResponse());
    assert.deepEqual(said(shorts(second.items)), ["c", "=c"]);
  });
});

test("receiveResponse() that began before the prompt ends with that prompt's result", async () => {
  await withConnected(["One.", "Two."], async ({ client }) => {
    const first = collect(client.receiveResponse());
    await client.sendMessage("1");
    assert.equal(resultText((await first).items.at(-1) as never), "One.");
    await client.sendMessage("2");
    const { items } = await collect(client.receiveResponse());
    assert.equal(resultText(items.at(-1) as never), "Two.");
  });
});

test("receiveResponse() passes results of background work on and continues to its own", async () => {
  const background = {
    message: resultLine({
      result: "in the background",
      origin: { kind: "task-notification" },
    }),
  };
  const turns = ["first", [background, "own"]] as const;
  await withClient(turns, async ({ client }) => {
    await client.connect("1");
    await collect(client.receiveResponse());
    await client.sendMessage("2");
    const { items } = await collect(client.receiveResponse());
    assert.deepEqual(said(shorts(items)), [
      "=in the background",
      "own",
      "=own",
    ]);
  });
});

test("receiveResponse() gives prompts that the CLI merged into one turn their common result", async () => {
  const merging = {
    mergePrompts: true,
    turns: [["busy", { wait: { control: "mcp_status" } }], "all three"],
  } as const;
  await withClient(merging, async ({ client, fake }) => {
    await client.connect("0");
    await Promise.all(["1", "2", "3"].map((text) => client.sendMessage(text)));
    await fake.until(([run]) => promptsOf(run?.received ?? []).length === 4);
    await client.mcpStatus();
    const replies = [];
    for (let n = 0; n < 4; n++) {
      replies.push((await collect(client.receiveResponse())).items);
    }
    assert.deepEqual(
      replies.map((items) => resultText(items.at(-1) as never)),
      ["busy", "all three", "all three", "all three"],
    );
    assert.equal(replies[1]?.at(-1), replies[2]?.at(-1));
    assert.deepEqual(replies.slice(2).map(({ length }) => length), [1, 1]);
    assert.equal(fake.runs.length, 1);
  });
});

test("receiveResponse() that was left early is read to its end before the next", async () => {
  const turns = [["a", "b", "c"], ["d", "e"], "f"] as const;
  await withClient(turns, async ({ client }) => {
    await client.connect("1");
    for await (const message of client.receiveResponse()) {
      if (isAssistant(message)) break;
    }
    assert.equal(client.state, "connected");
    await client.sendMessage("2");
    const { items } = await collect(client.receiveResponse());
    assert.deepEqual(said(shorts(items)), ["d", "e", "=e"]);
    await client.sendMessage("3");
    for await (const _message of client.receiveResponse()) break;
    const rest = client.receiveMessages();
    const seen: string[] = [];
    for await (const message of rest) {
      seen.push(...shorts([message]));
      if (message.type === "result") break;
    }
    assert.deepEqual(said(seen), ["f", "=f"], "all messages drain nothing");
  });
});

test("receiveResponse() ends without a result when its prompt was taken back", async () => {
  const uuid = "11111111-2222-4333-8444-555555555555";
  const taken = {
    message: {
      type: "command_lifecycle",
      command_uuid: uuid,
      state: "cancelled",
    },
  };
  // Nothing can be taken back before it was written.
  const turns = [["busy", { wait: "prompt" }, taken], "next"] as const;
  await withClient(turns, async ({ client }) => {
    await client.connect("1");
    await client.sendMessage({
      type: "user",
      uuid,
      message: { role: "user", content: "2" },
    });
    await collect(client.receiveResponse());
    const { items } = await collect(client.receiveResponse());
    assert.equal(items.some(({ type }) => type === "result"), false);
  });
});

test("receiveResponse() gives every message once when several calls of next() wait", async () => {
  await withClient([["a", "b", "c"]], async ({ client }) => {
    await client.connect("1");
    const turn = client.receiveResponse();
    const results = await Promise.all(
      Array.from({ length: 12 }, () => turn.next()),
    );
    const messages = results.flatMap(({ value }) => value ?? []);
    assert.deepEqual(said(shorts(messages)), ["a", "b", "c", "=c"]);
    assert.equal(results.at(-1)?.done, true);
  });
});

test("receiveResponse() that is left while it waits loses no message", async () => {
  const plan = [["a", { wait: { control: "mcp_status" } }, "b"]] as const;
  await withClient(plan, async ({ client }) => {
    await client.connect("1");
    const turn = client.receiveResponse();
    for (let isFirst = true; isFirst;) {
      const { value } = await turn.next();
      isFirst = !isAssistant(value);
    }
    const waiting = turn.next();
    await turn.return?.();
    assert.equal((await waiting).done, true);
    await client.mcpStatus();
    const seen: string[] = [];
    for await (const message of client.receiveMessages()) {
      seen.push(...shorts([message]));
      if (message.type === "result") break;
    }
    assert.deepEqual(said(seen), ["b", "=b"]);
  });
});

test(
  "receiveResponse() rejects with its own signal's reason, and the next reads on",
  async () => {
    const plan = {
      turns: [["a", { wait: { control: "mcp_status" } }, "b"], "c"],
    } as const;
    await withClient(plan, async ({ client }) => {
      await client.connect("1");
      const reason = new Error("Enough");
      const controller = new AbortController();
      const turn = client.receiveResponse({ signal: controller.signal });
      const seen: string[] = [];
      const reading = (async () => {
        for await (const message of turn) {
          seen.push(...shorts([message]));
          if (isAssistant(message)) {
            setTimeout(() => controller.abort(reason), 5);
          }
        }
      })();
      assert.equal(await rejectionOf(reading), reason);
      assert.equal(client.state, "connected");
      assert.equal((await turn.next()).done, true);
      await client.mcpStatus();
      for await (const message of client.receiveMessages()) {
        seen.push(...shorts([message]));
        if (message.type === "result") break;
      }
      assert.deepEqual(said(seen), ["a", "b", "=b"]);
      assert.equal(resultText(await client.ask("2")), "c");
    });
  },
  { ids: ["C-25"] },
);

test("receiveResponse() throws the fatal error after what had arrived, and ends from then on", async () => {
  await withClient([["a", { exit: 3 }]], async ({ client }) => {
    await client.connect("1");
    const { items, error } = await collect(client.receiveResponse());
    assert.deepEqual(said(shorts(items)), ["a"]);
    assert.ok(error instanceof CliExitError);
    const after = await collect(client.receiveMessages());
    assert.deepEqual(after, { items: [], error: undefined });
  });
});

test(
  "ask() that is given up leaves its turn to be read to its end before the next",
  async () => {
    const plan = {
      turns: [["a", { wait: { control: "mcp_status" } }], "b", "c"],
    } as const;
    await withConnected(plan, async ({ client, fake }) => {
      const reason = new Error("Enough");
      const controller = new AbortController();
      const asking = client.ask("1", { signal: controller.signal });
      await fake.until(([run]) => promptsOf(run?.received ?? []).length === 1);
      controller.abort(reason);
      assert.equal(await rejectionOf(asking), reason);
      await client.mcpStatus();
      assert.equal(resultText(await client.ask("2")), "b");
      const aborted = AbortSignal.abort(reason);
      assert.equal(
        await rejectionOf(client.ask("never", { signal: aborted })),
        reason,
      );
      const atOnce = new AbortController();
      const given = client.ask("3", { signal: atOnce.signal });
      atOnce.abort(reason);
      assert.equal(await rejectionOf(given), reason);
      assert.equal(client.state, "connected");
      assert.deepEqual(promptsOf(fake.received).slice(0, 2), ["1", "2"]);
    });
  },
  { ids: ["C-25"] },
);

test(
  "a consumer that leaves while it waits does not stop the reading: permissions are still asked for, and the turn ends",
  async () => {
    const signalled: Readonly<
      Record<string, (client: Client, signal: AbortSignal) => Promise<unknown>>
    > = {
      ask: (client, signal) => client.ask("1", { signal }),
      text: (client, signal) => client.text("1", { signal }),
      output: (client, signal) => client.output("1", { signal }),
      async receiveResponse(client, signal) {
        await client.sendMessage("1");
        for await (const _message of client.receiveResponse({ signal }));
      },
      async receiveMessages(client, signal) {
        await client.sendMessage("1");
        const all = client.receiveMessages()[Symbol.asyncIterator]();
        signal.addEventListener("abort", () => void all.return?.());
        await all.next();
        signal.throwIfAborted();
      },
    };
    for (const [name, read] of Object.entries(signalled)) {
      const { transport, peer } = memoryCli();
      const client = new Client({
        transport,
        permissions: { canUseTool: () => ({ behavior: "allow" }) },
      });
      await client.connect();
      const controller = new AbortController();
      const reading = read(client, controller.signal);
      await peer.line(isPrompt);
      await nextTurn();
      const reason = new Error("Enough");
      controller.abort(reason);
      assert.equal(await rejectionOf(reading), reason, name);
      await peer.send(assistantLine("a"));
      await nextTurn();
      await peer.send(requestLine("p", ASK));
      await peer.line(isAnswerTo("p"));
      await peer.send(resultLine());
      assert.equal((await client.settled()).state, "idle", name);
      await client.close();
    }
  },
  { timeoutMs: 20_000 },
);

test("ask() rejects with ResultError without a result when its prompt was taken back, whatever else came", async () => {
  const uuid = "11111111-2222-4333-8444-555555555555";
  const { transport, peer } = memoryCli();
  const client = new Client({ transport });
  await client.connect();
  const asking = client.ask({
    type: "user",
    uuid,
    message: { role: "user", content: "never mind" },
  });
  await peer.line(({ type }) => type === "user");
  void peer.send(
    resultLine({
      user_message_uuids: ["somebody-else"],
      result: "in the background",
    }),
    {
      type: "command_lifecycle",
      command_uuid: uuid,
      state: "cancelled",
      uuid: "u",
      session_id: "s",
    },
  );
  const error = await rejectionOf(asking);
  assert.ok(error instanceof ResultError);
  assert.equal(error.result, undefined);
  assert.equal(client.state, "connected");
  await client.close();
});

test("ask() leaves no result of an earlier prompt for the next receiveResponse()", async () => {
  await withConnected(["1", "2", "3"], async ({ client }) => {
    await client.sendMessage("one");
    assert.equal(resultText(await client.ask("two")), "2");
    await client.sendMessage("three");
    const { items } = await collect(client.receiveResponse());
    assert.equal(resultText(items.at(-1) as never), "3");
  });
});

test("a second taker at the same time throws TypeError that names the first", async () => {
  const takers: Readonly<Record<string, (client: Client) => Promise<unknown>>> =
    {
      "receiveMessages()": (client) =>
        client.receiveMessages()[Symbol.asyncIterator]().next(),
      "receiveResponse()": (client) => client.receiveResponse().next(),
      "ask()": (client) => client.ask("x"),
    };
  for (const [first, take] of Object.entries(takers)) {
    await withConnected([[{ wait: "forever" }]], async ({ client, fake }) => {
      const taking = take(client);
      taking.catch(() => {});
      for (const takeToo of Object.values(takers)) {
        const error = await rejectionOf(takeToo(client));
        assert.ok(error instanceof TypeError);
        assert.ok(error.message.includes(`taken by ${first}`), error.message);
        assert.match(error.message, /await that first, or take a client for /);
      }
      assert.equal(client.state, "connected");
      assert.equal(
        promptsOf(fake.received).length <= 1,
        true,
        "a refused ask() says nothing",
      );
    });
  }
});

test("a prompt that could not be written is not waited for", async () => {
  const { transport, peer } = memoryCli();
  const client = new Client({ transport, timeouts: { writeMs: 20 } });
  await client.connect();
  peer.pause();
  const error = await rejectionOf(client.sendMessage("lost"));
  assert.ok(error instanceof CliError);
  assert.equal(error.stage, "write");
  peer.resume();
  await client.sendMessage("found");
  const { uuid } = peer.lines.at(-1) ?? {};
  void peer.send(
    resultLine({ result: "found", user_message_uuids: [String(uuid)] }),
  );
  const { items } = await collect(client.receiveResponse());
  assert.deepEqual(shorts(items), []);
  const second = await collect(client.receiveResponse());
  assert.equal(shorts(second.items).at(-1), "=found");
  await client.close();
});

const TAKES: readonly ((
  stream: MessageStream,
) => AsyncIterable<unknown> | ReadableStream<unknown>)[] = [
  (stream) => stream,
  (stream) => stream.messages,
  (stream) => stream.batches,
];

/** The texts, without the kinds between. */
function said(texts: readonly string[]): readonly string[] {
  return texts.filter((text) =>
    !["system", "queued", "started", "completed"].includes(text)
  );
}

/** Reads a stream up to an item, and leaves it. */
async function readUntil<T>(
  stream: ReadableStream<T>,
  isLast: (item: T) => boolean,
): Promise<void> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || isLast(value)) break;
  }
  await reader.cancel();
}

test(
  "a consumer of all messages that leaves before a result leaves the turn to receiveResponse()",
  async () => {
    const { transport, peer } = memoryCli();
    const client = new Client({ transport });
    await client.connect();
    await client.sendMessage("a");
    await client.sendMessage("b");
    const lines = [assistantLine("one"), assistantLine("two"), resultLine()];
    await peer.send(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    for await (const message of client.receiveMessages()) {
      assert.equal(message.type, "assistant");
      break;
    }
    const reading = collect(client.receiveResponse());
    await turns(5);
    await peer.send(assistantLine("three"), resultLine());
    const rest = await reading;
    assert.deepEqual(rest.items.map(({ type }) => type), [
      "assistant",
      "result",
    ]);
    const next = await collect(client.receiveResponse());
    assert.deepEqual(next.items.map(({ type }) => type), [
      "assistant",
      "result",
    ]);
    await client.close();
  },
  { timeoutMs: 20_000 },
);

test(
  "receiveResponse() whose signal is aborted rejects at once, also with messages in hand, which stay for others",
  async () => {
    const { transport, peer } = memoryCli();
    const client = new Client({ transport });
    await client.connect();
    await client.sendMessage("a");
    const lines = [assistantLine("one"), assistantLine("two"), resultLine()];
    await peer.send(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const controller = new AbortController();
    const turn = client.receiveResponse({ signal: controller.signal });
    assert.equal((await turn.next()).value?.type, "assistant");
    const reason = new RangeError("enough");
    controller.abort(reason);
    assert.equal(await rejectionOf(turn.next()), reason);
    const all = await client.receiveMessages()[Symbol.asyncIterator]().next();
    assert.equal(all.value?.type, "assistant");
    await client.close();
  },
  { timeoutMs: 20_000 },
);
