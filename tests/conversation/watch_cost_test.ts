import assert from "node:assert/strict";
import process from "node:process";
import { type Message, query } from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { collectGarbage } from "../_garbage.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  logSpy,
  memoryCli,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

/** A clock that counts the timers it is asked for. */
class CountingClock extends FakeClock {
  sleeps = 0;
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps++;
    return super.sleep(ms, signal);
  }
}

/** Number of timers for a turn of this many messages. */
async function sleepsFor(count: number): Promise<number> {
  const clock = new CountingClock();
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport, clock });
  await conversation.ready;
  const reading = collect(conversation);
  await peer.send(stateLine("running"));
  for (let index = 0; index < count; index++) {
    await peer.send(assistantLine(`message ${index}`));
  }
  await turns(2);
  const { sleeps } = clock;
  await peer.send(resultLine());
  peer.end();
  const { items } = await reading;
  assert.ok(items.length > count);
  await conversation.close();
  return sleeps;
}

test(
  "health is watched without an option, warns by default, and costs no timer for a message",
  async () => {
    const clock = new FakeClock();
    const { transport, peer } = memoryCli();
    const { logger, lines } = logSpy();
    const conversation = query("x", { transport, clock, logger });
    await conversation.ready;
    const reading = collect(conversation);
    await peer.send(stateLine("running"));
    await turns(2);
    await clock.advance(120_000);
    assert.equal(conversation.health().state, "stalled");
    const warnings = () => lines.filter(({ level }) => level === "warn");
    assert.equal(warnings().length, 1);
    assert.equal(lines.filter(({ level }) => level === "error").length, 0);
    await peer.send(assistantLine("goes on"), resultLine());
    peer.end();
    assert.equal((await reading).error, undefined);
    await conversation.close();
    const [few, many] = [await sleepsFor(10), await sleepsFor(1_000)];
    assert.ok(
      many <= few + 2,
      `${few} timers for 10 messages, ${many} for 1000`,
    );
  },
  { ids: ["DEC-07"] },
);

test(
  "a conversation that took large messages holds nothing of their size once it is idle",
  async () => {
    const COUNT = 8;
    const BYTES = 2 * 1024 * 1024;
    const clock = new FakeClock();
    const open = async () => {
      const { transport, peer } = memoryCli();
      const conversation = query(new ReadableStream<string>(), {
        transport,
        clock,
      });
      await conversation.ready;
      const messages: AsyncIterator<Message> = conversation
        [Symbol.asyncIterator]();
      return { conversation, peer, messages };
    };
    /** Sends a large message through, and keeps nothing of it. */
    const take = async (
      { peer, messages }: Awaited<ReturnType<typeof open>>,
    ) => {
      const next = messages.next();
      await peer.send(assistantLine("x".repeat(BYTES)));
      const { value } = await next;
      assert.equal(JSON.stringify(value).length > BYTES, true);
    };
    const warm = await open();
    await take(warm);
    const all = [];
    for (let index = 0; index < COUNT; index++) all.push(await open());
    const used = async () => {
      // Objects released in a first round are freed by a second one.
      for (let round = 0; round < 3; round++) {
        collectGarbage();
        await turns(2);
      }
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      return heapUsed + Math.max(external, arrayBuffers ?? 0);
    };
    const before = await used();
    for (const one of all) await take(one);
    // Each consumer waits for what comes next.
    const waiting = all.map(({ messages }) => messages.next());
    const mostKib = BYTES / 1_024 / 2;
    let grownKib = Infinity;
    // Bun takes its stacks for references: what one of them still shows goes with a later round.
    for (let round = 0; round < 20 && grownKib >= mostKib; round++) {
      grownKib = (await used() - before) / 1_024 / COUNT;
    }
    for (const { conversation } of [warm, ...all]) {
      const closing = conversation.close();
      await clock.advance(60_000);
      await closing;
    }
    await Promise.all(waiting);
    assert.ok(grownKib < mostKib, `${grownKib} KiB for each`);
  },
  { ids: ["IO-17"] },
);
