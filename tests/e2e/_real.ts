import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../../src/client.ts";
import type { ModelAnswer, ModelTurn } from "../../src/testing/model_script.ts";
import type { JsonObject } from "../../src/types/json.ts";
import type { Message, MessageOf } from "../../src/types/message.ts";
import type { AgentOptions } from "../../src/types/options.ts";
import { test, type TestOptions } from "../_harness.ts";
import { type RealCli, reasonWithoutCli, withRealCli } from "../_real_cli.ts";

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

/** Whoever is asked allows everything. */
export const ALLOW: AgentOptions = {
  permissions: { canUseTool: () => ({ behavior: "allow" }) },
};

/** Waits until a file is there. */
export async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(5);
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
