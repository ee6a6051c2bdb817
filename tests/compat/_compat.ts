import assert from "node:assert/strict";
import { type Options, type Query, query } from "@sluice/agent/compat";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
} from "@sluice/agent/testing";
import type { JsonObject } from "@sluice/agent";

/** The options by which the official SDK starts a stand-in CLI. */
export function standIn({ cliPath }: Pick<FakeCli, "cliPath">): Options {
  const [program = "", ...executableArgs] = cliPath;
  return { pathToClaudeCodeExecutable: program, executableArgs };
}

/** Runs a test body with a stand-in CLI, and removes it afterwards. */
export async function withFake(
  script: FakeCliScript,
  use: (options: Options, fake: FakeCli) => Promise<void>,
): Promise<void> {
  const fake = fakeCli(script);
  try {
    await use(standIn(fake), fake);
  } finally {
    await fake.close();
  }
}

/** All messages of a query, as plain objects. */
export async function messagesOf(
  messages: AsyncIterable<unknown>,
): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  for await (const message of messages) all.push(message as JsonObject);
  return all;
}

/** The one process of a stand-in, once it has ended. */
export async function ended(fake: FakeCli): ReturnType<FakeCli["until"]> {
  return await fake.until((runs) =>
    runs.length > 0 &&
    runs.every((run) => run.exitCode !== undefined || run.signals.length > 0)
  );
}

/** A prompt that never ends by itself, and how to end it. */
export function openPrompts(): {
  readonly stream: AsyncIterable<ReturnType<typeof userMessage>>;
  readonly say: (text: string) => void;
  readonly end: () => void;
} {
  const { readable, writable } = new TransformStream<
    ReturnType<typeof userMessage>
  >(undefined, { highWaterMark: 100 });
  const writer = writable.getWriter();
  return {
    stream: readable,
    say: (text) => void writer.write(userMessage(text)),
    end: () => void writer.close().catch(() => {}),
  };
}

/** A prompt as a line. */
export function userMessage(text: string): {
  type: "user";
  message: { role: "user"; content: string };
  parent_tool_use_id: null;
} {
  return {
    type: "user",
    message: { role: "user", content: text },
    parent_tool_use_id: null,
  };
}

/** Takes messages up to a result. */
export async function upToResult(run: Query): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  while (all.at(-1)?.["type"] !== "result") {
    const { done, value } = await run.next();
    assert.ok(!done, "the messages ended before a result");
    all.push(value as unknown as JsonObject);
  }
  return all;
}

/** Runs a query and drops its messages. */
export async function drained(
  prompt: string,
  options: Options,
): Promise<readonly JsonObject[]> {
  return await messagesOf(query({ prompt, options }));
}
