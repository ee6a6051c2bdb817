import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentError,
  type AgentOptions,
  Client,
  type Conversation,
  type JsonObject,
  type Message,
  type MessageOf,
  query,
  type UserInput,
} from "@sluice/agent";
import type { ModelAnswer, ModelTurn } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test, type TestOptions } from "../_harness.ts";
import { type RealCli, reasonWithoutCli, withRealCli } from "../_real_cli.ts";

/** Runs unasked whatever is called of the server "srv". */
export const APPROVED = { permissions: { approve: ["mcp__srv"] } } as const;

/** The model lets the fixture `tools.mjs` ask the user for a name. */
export const QUESTION = {
  tool: "mcp__srv__ask",
  input: {
    method: "elicitation/create",
    params: {
      message: "Your name?",
      requestedSchema: {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
      },
    },
  },
} as const;

/** The model asks for one of two colours. */
export const CHOICE = {
  tool: "AskUserQuestion",
  input: {
    questions: [{
      question: "Which colour?",
      header: "Colour",
      multiSelect: false,
      options: [
        { label: "Red", description: "Warm" },
        { label: "Blue", description: "Cold" },
      ],
    }],
  },
} as const;

/** Declares a test with the real CLI and a model that plays a script. */
export function realTest(
  name: string,
  turns: readonly ModelTurn[],
  use: (real: RealCli) => Promise<void>,
  options: TestOptions = {},
): void {
  test(name, () => withRealCli(turns, use), {
    skip: reasonWithoutCli,
    ...options,
  });
}

/** A connected client of the real CLI, closed afterwards. */
export async function withRealClient(
  { options }: RealCli,
  more: AgentOptions,
  use: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ ...options, ...more });
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.close();
  }
}

/** Sends a prompt and gives the messages up to its result. */
export type TakeTurn = (prompt: UserInput) => Promise<readonly Message[]>;

/** Several turns of one conversation, each start of the CLI costs a second; gives the errors that it reported. */
export async function inTurns(
  options: AgentOptions,
  use: (turn: TakeTurn, conversation: Conversation) => Promise<void>,
): Promise<readonly AgentError[]> {
  const { readable, writable } = new TransformStream<UserInput>();
  const prompts = writable.getWriter();
  const conversation = query(readable, options);
  const reported = collect(conversation.errors);
  const messages = conversation[Symbol.asyncIterator]();
  try {
    await use(async (prompt) => {
      const written = prompts.write(prompt);
      const items: Message[] = [];
      while (items.at(-1)?.type !== "result") {
        const { done, value } = await messages.next();
        if (done) throw new Error("The messages ended before a result");
        items.push(value);
      }
      await written;
      return items;
    }, conversation);
    await prompts.close();
    for await (const { type } of { [Symbol.asyncIterator]: () => messages }) {
      assert.notEqual(type, "result");
    }
  } finally {
    await conversation.close();
  }
  return (await reported).items;
}

/** Allows every call. */
export const ALLOW: AgentOptions = {
  permissions: { canUseTool: () => ({ behavior: "allow" }) },
};

/** Waits until a file is there. */
export async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(5);
}

/** A command that waits until a file is there: a busy machine may take longer for a turn than a sleep. */
export function after(path: string, command: string): string {
  return `while ! [ -e ${path} ]; do sleep 0.05; done; ${command}`;
}

/** The model calls Bash. */
export function bash(command: string): ModelAnswer {
  return { tool: "Bash", input: { command, description: "run it" } };
}

/** The messages of one kind. */
export function ofType<T extends Message["type"]>(
  messages: readonly Message[],
  type: T,
): readonly MessageOf<T>[] {
  return messages.filter((message): message is MessageOf<T> =>
    message.type === type
  );
}

/** The subtypes of the system messages. */
export function systemKinds(messages: readonly Message[]): readonly string[] {
  return ofType(messages, "system").map(({ subtype }) => subtype);
}

/** The results of tools as the model got them: text, and whether it was an error. */
export function toolResults(
  messages: readonly Message[],
): readonly { readonly text: string; readonly isError: boolean }[] {
  return ofType(messages, "user").flatMap(({ message: { content } }) => {
    if (typeof content === "string") return [];
    return content.flatMap((block) => {
      if (block.type !== "tool_result") return [];
      const text = typeof block.content === "string"
        ? block.content
        : JSON.stringify(block.content);
      return [{ text, isError: block.is_error === true }];
    });
  });
}

/** Names of the tools that a request offered to the model. */
export function toolsOffered(body: JsonObject): readonly string[] {
  const tools = (body["tools"] ?? []) as readonly { name: string }[];
  return tools.map(({ name }) => name)
    // It stands for tools that are loaded on demand, and cannot be called.
    .filter((name) => name !== "DeferredToolPlaceholder");
}
