import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Conversation, query } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { sseResponse } from "@sluice/agent/ui";
import { flood } from "../_steps.ts";
import { test } from "../_harness.ts";
import { serveWeb } from "./_server.ts";

const MESSAGES = 40_000;
const BYTES = 1_000;
/** Sockets of loopback, buffers of the server, and messages that were read ahead. */
const MOST_AHEAD = 20_000_000;
const MOST_GROWTH = 100_000_000;

/** Waits until a conversation reads no more; returns how much it has read. */
async function atRest({ health }: Pick<Conversation, "health">) {
  let before = -1;
  for (let same = 0; same < 20;) {
    await sleep(20);
    const { bytesRead } = health();
    same = bytesRead === before ? same + 1 : 0;
    before = bytesRead;
  }
  return before;
}

test(
  "a reader that stops holds a flooding CLI back, and gets everything when it reads again",
  async () => {
    const { cliPath } = fakeCli({
      turns: [flood(MESSAGES, BYTES)],
      record: false,
    });
    const conversation = query("x", { cliPath });
    const server = await serveWeb(() => sseResponse(conversation));
    const { port } = new URL(server.url);
    try {
      await conversation.ready;
      const before = process.memoryUsage().rss;
      const socket = connect(Number(port), "127.0.0.1");
      socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
      await once(socket, "readable");
      assert.ok(socket.read(64) !== null);
      const ahead = await atRest({ health: () => conversation.health() });
      const growth = process.memoryUsage().rss - before;
      assert.ok(ahead < MOST_AHEAD, `${ahead} bytes were read ahead`);
      assert.ok(growth < MOST_GROWTH, `memory grew by ${growth} bytes`);
      let text = "";
      let count = 0;
      for await (const chunk of socket) {
        text += String(chunk);
        const end = text.lastIndexOf("\n");
        count +=
          text.slice(0, end).split('data: {"type":"stream_event"').length - 1;
        text = text.slice(end);
      }
      assert.equal(count, MESSAGES);
    } finally {
      await server.close();
      await conversation.close();
    }
  },
  { timeoutMs: 300_000 },
);
