import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  CliExitError,
  type Conversation,
  type Message,
  query,
} from "@sluice/agent";
import { program } from "../_children.ts";
import { collect } from "../_collect.ts";
import { assistantLine, REPLY, resultLine } from "./_rig.ts";
import { pick, randomFrom } from "../options/_random.ts";

const KIB = 1_024;

/** How the stand-in CLI ends; those that end with a result end well. */
const ENDS = ["result", "holder", "close", "silent", "code", "kill"] as const;
const GOOD_ENDS: readonly string[] = ["result", "holder", "close"];
const CONSUMERS = ["for await", "batches", "messages"] as const;

/** The plan of `tests/fixtures/stand_in_cli.mjs`. */
interface Plan {
  readonly seed: number;
  readonly sizes: readonly number[];
  readonly writes: number;
  readonly ascii: boolean;
  readonly askEvery: number;
  readonly end: typeof ENDS[number];
}

/** Outcome of one round. */
export interface LostRound {
  /** Messages sent and received, without the result. */
  readonly messages: number;
  /** Whether it ended with an error, as it should. */
  readonly hasFailed: boolean;
}

/** The stand-in as a command, in the current runtime. */
const CLI: readonly string[] = scriptCommand();

/**
 * One conversation with a stand-in CLI: sizes, chunks, window, pauses of the consumer, its kind and the end of the CLI
 * all follow from the seed.
 *
 * Throws unless all messages that were sent are received, whole and in order, and the iteration ends as the CLI did.
 */
export async function lostRound(seed: number): Promise<LostRound> {
  const random = randomFrom(seed);
  const plan = planFrom(seed, random);
  const lines = {
    reply: REPLY,
    assistant: assistantLine(""),
    result: resultLine(),
  };
  const consumer = pick(random, CONSUMERS);
  const readAheadBytes = pick(random, [1, 4, 64, 256, 8_192]) * KIB;
  const conversation = query("x", {
    cliPath: [...CLI, JSON.stringify({ ...plan, ...lines })],
    limits: { readAheadBytes },
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
  });
  const errors = collect(conversation.errors);
  const received: Message[] = [];
  const story =
    `seed ${seed}, ${consumer}, window ${readAheadBytes}, end "${plan.end}", ` +
    `${plan.sizes.length} messages, writes of ${plan.writes}`;
  const pause = pausesFrom(random, plan.sizes.length, conversation);
  let failure: unknown;
  try {
    await receive(conversation, consumer, async (message) => {
      received.push(message);
      await pause(received.length);
    });
  } catch (error) {
    failure = error;
  }
  await conversation.close();
  check(received, plan, story);
  if (GOOD_ENDS.includes(plan.end)) assert.equal(failure, undefined, story);
  else assert.ok(failure instanceof CliExitError, `${story}: ${failure}`);
  const unread = (await errors).items.filter(({ code }) => code === "parse");
  assert.deepEqual(unread, [], story);
  return { messages: plan.sizes.length, hasFailed: failure !== undefined };
}

function planFrom(seed: number, random: () => number): Plan {
  const [count, size] = pick(
    random,
    [[1_500, 300], [2_500, 60], [200, 4_000], [40, 20_000], [12, 200_000], [
      3,
      100,
    ]] as const,
  );
  const sizes = Array.from(
    { length: 1 + Math.floor(random() * count) },
    () => 1 + Math.floor(random() ** 2 * size),
  );
  const total = sizes.reduce((sum, one) => sum + one, 0);
  return {
    seed: seed + 1,
    sizes,
    // A byte at a time is for what is short.
    writes: pick(random, total < 10_000 ? [1, 7, 0] : [0, 0, 997, 65_536]),
    ascii: random() < 0.3,
    askEvery: pick(random, [0, 0, 20]),
    end: pick(random, ENDS),
  };
}

/** Takes all messages, by one of the ways there are. */
async function receive(
  conversation: Conversation,
  consumer: typeof CONSUMERS[number],
  take: (message: Message) => Promise<void>,
): Promise<void> {
  if (consumer === "for await") {
    for await (const message of conversation) await take(message);
    return;
  }
  const reader = conversation[consumer]
    .getReader() as ReadableStreamDefaultReader<Message | readonly Message[]>;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const message of [value].flat() as Message[]) await take(message);
  }
}

/** Some pauses at some messages: short ones, until the CLI stands still or is gone, and one that blocks the event loop. */
function pausesFrom(
  random: () => number,
  count: number,
  conversation: Conversation,
): (received: number) => Promise<void> {
  const pauses = new Map<number, () => void | Promise<unknown>>();
  for (let n = Math.floor(random() * 4); n >= 0; n--) {
    const kind = random();
    const ms = Math.floor(random() * 20);
    pauses.set(
      // The last ones are worth more: then the CLI may be gone.
      1 + Math.floor(random() ** 0.7 * count),
      kind < 0.4
        ? () => sleep(ms)
        : kind < 0.95
        ? () => standstill(conversation)
        : () => block(300),
    );
  }
  return async (received) => {
    await pauses.get(received)?.();
  };
}

/** Waits until nothing more is read ahead, and whatever could end has ended. */
async function standstill(conversation: Conversation): Promise<void> {
  for (let same = 0, last = -1; same < 8;) {
    const { bytesRead, state } = conversation.health();
    same = bytesRead === last && state !== "starting" ? same + 1 : 0;
    last = bytesRead;
    await sleep(4);
  }
}

function block(ms: number): void {
  for (const end = Date.now() + ms; Date.now() < end;);
}

function check(
  received: readonly Message[],
  { sizes, end }: Plan,
  story: string,
): void {
  const results = received.filter(({ type }) => type === "result").length;
  const numbers = received.flatMap(numberOf);
  const missing = sizes.flatMap((_, n) => numbers.includes(n) ? [] : [n]);
  assert.deepEqual(missing, [], `${story}: messages are missing`);
  assert.deepEqual(numbers, [...sizes.keys()], `${story}: order`);
  assert.equal(results, GOOD_ENDS.includes(end) ? 1 : 0, `${story}: result`);
}

/** Which message it is; throws when its text is not the one that was sent. */
function numberOf(message: Message): readonly number[] {
  if (message.type !== "assistant" && message.type !== "stream_event") {
    return [];
  }
  const { uuid, sha256 } = message as Message & {
    readonly uuid: string;
    readonly sha256: string;
  };
  const hash = createHash("sha256").update(textIn(message)).digest("hex");
  assert.equal(hash, sha256, `message ${uuid} is not what was sent`);
  return [Number(uuid)];
}

function textIn(message: Message): string {
  if (message.type === "assistant") {
    const [block] = message.message.content;
    return block?.type === "text" ? block.text : "";
  }
  return message.type === "stream_event" &&
      message.event.type === "content_block_delta" &&
      message.event.delta?.type === "text_delta"
    ? message.event.delta.text
    : "";
}

function scriptCommand(): readonly string[] {
  const path = new URL("../fixtures/stand_in_cli.mjs", import.meta.url);
  const { command, args } = program(
    process.execPath,
    ..."Deno" in globalThis
      ? ["run", "-A", "--no-config", "--no-lock", "--quiet"]
      : [],
    fileURLToPath(path),
  );
  return [command, ...args];
}
