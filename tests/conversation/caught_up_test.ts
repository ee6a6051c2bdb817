import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import {
  Client,
  type Conversation,
  type JsonObject,
  type Message,
  type PermissionContext,
  query,
  textOf,
  textStream,
} from "@sluice/agent";
import type { MemoryPair } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import {
  ASK,
  assistantLine,
  isAnswerTo,
  isPrompt,
  memoryCli,
  requestLine,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

const ASKED = requestLine("p1", ASK);

/** Lines that come in one piece. */
function piece(...lines: readonly JsonObject[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A conversation whose permissions wait until the consumer has caught up, and what happens in which order. */
function watched(
  take: (conversation: Conversation, order: string[]) => Promise<unknown>,
): {
  readonly peer: MemoryPair["peer"];
  readonly order: string[];
  readonly conversation: Conversation;
  readonly taken: Promise<unknown>;
} {
  const { transport, peer } = memoryCli();
  const order: string[] = [];
  const conversation = query("x", {
    transport,
    permissions: {
      async canUseTool(_tool, _input, { caughtUp }) {
        await caughtUp;
        order.push("asked");
        return { behavior: "allow" };
      },
    },
  });
  return { peer, order, conversation, taken: take(conversation, order) };
}

const textOfAny = (message: Message) =>
  message.type === "assistant" ? textOf(message) : message.type;

const SHAPES: Readonly<
  Record<string, (conversation: Conversation, order: string[]) => Promise<void>>
> = {
  "for await": async (conversation, order) => {
    for await (const message of conversation) {
      order.push(textOfAny(message));
      await turns(3);
    }
  },
  messages: async (conversation, order) => {
    for await (const message of conversation.messages) {
      order.push(textOfAny(message));
      await turns(3);
    }
  },
  batches: async (conversation, order) => {
    for await (const batch of conversation.batches) {
      order.push(...batch.map(textOfAny));
      await turns(3);
    }
  },
  "textStream()": async (conversation, order) => {
    for await (const text of textStream(conversation)) {
      order.push(text);
      await turns(3);
    }
    order.push("result");
  },
};

for (const [shape, take] of Object.entries(SHAPES)) {
  test(`a permission that waits for caughtUp is asked behind what was read before it: ${shape}`, async () => {
    const { peer, order, conversation, taken } = watched(take);
    await peer.line(isPrompt);
    // A message in work, an unread one, and one that comes in one piece with the question.
    await peer.send(
      piece(assistantLine("1"), assistantLine("2"), assistantLine("3")),
    );
    await peer.send(piece(assistantLine("4"), assistantLine("5")));
    await peer.send(
      piece(assistantLine("6"), assistantLine("7"), ASKED, assistantLine("8")),
    );
    await peer.line(isAnswerTo("p1"));
    const before = order.slice(0, order.indexOf("asked"));
    assert.deepEqual(before.slice(0, 7), ["1", "2", "3", "4", "5", "6", "7"]);
    await peer.send(resultLine());
    peer.end();
    await taken;
    await conversation.close();
    assert.equal(order.at(-1), "result");
  });
}

test("a consumer that waits for the decision over the call that it was just given is caught up", async () => {
  for (const isOneChunk of [true, false]) {
    const { transport, peer } = memoryCli();
    const decided = new Deferred<void>();
    const conversation = query("x", {
      transport,
      permissions: {
        async canUseTool(_tool, _input, { caughtUp }) {
          await caughtUp;
          decided.resolve();
          return { behavior: "allow" };
        },
      },
    });
    const seen: string[] = [];
    const taken = (async () => {
      for await (const message of conversation) {
        seen.push(textOfAny(message));
        if (seen.length === 2) await decided.promise;
        else await turns(5);
      }
    })();
    await peer.line(isPrompt);
    // Messages behind the question are not waited for.
    const tail = [ASKED, assistantLine("3")];
    const head = [assistantLine("1"), assistantLine("2")];
    if (isOneChunk) await peer.send(piece(...head, ...tail));
    else {
      await peer.send(piece(...head));
      await peer.send(piece(...tail));
    }
    await peer.line(isAnswerTo("p1"));
    await peer.send(resultLine());
    peer.end();
    await taken;
    assert.deepEqual(seen, ["1", "2", "3", "result"]);
  }
});

test("text() and result() keep up on their own, and without a consumer nothing waits", async () => {
  const takers: readonly ((conversation: Conversation) => unknown)[] = [
    (conversation) => conversation.text(),
    (conversation) => conversation.result(),
    () => {},
  ];
  for (const take of takers) {
    const { peer, order, conversation } = watched((one) =>
      Promise.resolve(take(one))
    );
    await peer.line(isPrompt);
    await peer.send(piece(assistantLine("1"), ASKED));
    await peer.line(isAnswerTo("p1"));
    assert.deepEqual(order, ["asked"]);
    await conversation.close();
  }
});

test("caughtUp of a consumer that stopped reading resolves with the end of the conversation", async () => {
  const { transport, peer } = memoryCli();
  let context: PermissionContext | undefined;
  const conversation = query("x", {
    transport,
    permissions: {
      canUseTool: (_tool, _input, given) => {
        context = given;
        return new Promise(() => {});
      },
    },
  });
  const iterator = conversation[Symbol.asyncIterator]();
  const first = iterator.next();
  await peer.line(isPrompt);
  await peer.send(piece(assistantLine("1")));
  await first;
  await peer.send(piece(assistantLine("2"), ASKED));
  while (context === undefined) await turns(1);
  let isCaughtUp = false;
  const { caughtUp } = context;
  assert.equal(context.caughtUp, caughtUp, "it is one promise");
  caughtUp.then(() => isCaughtUp = true);
  await turns(10);
  assert.equal(isCaughtUp, false);
  await conversation.close();
  await caughtUp;
});

test("a client's permission waits for the current reader, and does not wait between two turns", async () => {
  const { transport, peer } = memoryCli();
  const order: string[] = [];
  let asked = 0;
  const client = new Client({
    transport,
    permissions: {
      async canUseTool(_tool, _input, { caughtUp }) {
        await caughtUp;
        order.push(`asked ${++asked}`);
        return { behavior: "allow" };
      },
    },
  });
  await client.connect();
  const read = (async () => {
    for await (const message of client.receiveResponse()) {
      order.push(textOfAny(message));
      await turns(3);
    }
  })();
  await client.sendMessage("x");
  const line = await peer.line(isPrompt);
  await peer.send(
    piece(stateLine("running"), assistantLine("1"), assistantLine("2")),
  );
  await peer.send(piece(assistantLine("3"), ASKED));
  await peer.line(isAnswerTo("p1"));
  await peer.send(resultLine({ user_message_uuid: line.uuid ?? null }));
  await read;
  assert.deepEqual(order, ["1", "2", "3", "asked 1", "result"]);
  await peer.send(
    piece(assistantLine("aside"), { ...ASKED, request_id: "p2" }),
  );
  await peer.line(isAnswerTo("p2"));
  const all = client.receiveMessages();
  const got: string[] = [];
  for await (const message of all) {
    got.push(textOfAny(message));
    if (got.length === 2) break;
    // Left in the middle: the rest is put back, and no consumer follows.
    await peer.send(piece(assistantLine("more"), assistantLine("most"), {
      ...ASKED,
      request_id: "p3",
    }));
  }
  await peer.line(isAnswerTo("p3"));
  assert.deepEqual(order.slice(-2), ["asked 2", "asked 3"]);
  await client.close();
});
