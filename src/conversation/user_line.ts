import { beginningOf, isObject, show, typeOf } from "../errors/text.ts";
import { ConfigError } from "../errors/base.ts";
import type { Prompt, UserInput } from "../types/conversation.ts";
import type { UserMessageInput } from "../protocol/lines.ts";

const LONGEST_NAME = 4_096;

/** One prompt as the line that goes to stdin. */
export interface UserLine {
  readonly text: string;
  readonly message: UserMessageInput;
  /** Its id, if it has one. */
  readonly uuid: string | undefined;
  /** Its name in errors: its id, else the beginning of its text. */
  readonly name: string;
}

/** Additions to a prompt. */
export interface LineSettings {
  /** Its id, unless it has one. */
  readonly uuid?: string | undefined;
  /** Whether the CLI takes it as it is, without commands and files in it. */
  readonly isVerbatim?: boolean | undefined;
}

/** Prompts one after the other. */
export type PromptSource = AsyncIterable<UserInput> | ReadableStream<UserInput>;

/** The first prompt: one line, or a source. */
export type FirstPrompt = UserLine | PromptSource;

/**
 * Makes what is said first; a source is looked at item by item.
 *
 * @throws {ConfigError} If the prompt is one that the CLI would not take
 */
export function firstPrompt(
  prompt: Prompt,
  settings: LineSettings,
): FirstPrompt {
  return isSource(prompt) ? prompt : userLine(prompt, settings);
}

export function isSource(prompt: Prompt | UserLine): prompt is PromptSource {
  return typeof prompt === "object" && prompt !== null &&
    (Symbol.asyncIterator in prompt || prompt instanceof ReadableStream);
}

/**
 * Checks a prompt; throws if the CLI would not accept it.
 *
 * @param prompt A text, content blocks, or a user message
 * @throws {ConfigError} If it has another form
 *
 * @example Refuse a number as a prompt
 * ```ts
 * import { checkPrompt } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * checkPrompt("Which files are here?");
 * assert.throws(() => checkPrompt(7 as never), { name: "ConfigError" });
 * ```
 */
export function checkPrompt(prompt: UserInput): void {
  userLine(prompt, {});
}

/**
 * Makes the line of one prompt.
 *
 * A line that the CLI would not take ends it, so whatever is wrong is refused here.
 *
 * @throws {ConfigError} If the input has another form
 */
export function userLine(
  input: UserInput,
  { uuid, isVerbatim }: LineSettings,
): UserLine {
  const message = toMessage(input);
  const id = message.uuid ?? uuid;
  const line: UserMessageInput = {
    ...message,
    ...id !== undefined && { uuid: id },
    ...isVerbatim && { client_composed: true },
  };
  try {
    const text = JSON.stringify(line) + "\n";
    return { text, message: line, uuid: id, name: id ?? nameOf(message) };
  } catch (cause) {
    throw refusal("Prompt cannot be written as JSON", input, cause);
  }
}

/** Names of prompts as errors show them. */
export function shownNames(
  names: readonly string[],
  scrub: (text: string) => string,
): readonly string[] {
  return names.map((name) => beginningOf(scrub(name)));
}

/** Longer than what is shown, so that no half of a secret is. */
function nameOf({ message: { content } }: UserMessageInput): string {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return beginningOf(text, LONGEST_NAME);
}

function toMessage(input: UserInput): UserMessageInput {
  if (Array.isArray(input)) {
    for (const block of input) {
      if (!isObject(block) || typeof block.type !== "string") {
        throw refusal('Content block must be an object with a "type"', block);
      }
    }
  }
  if (typeof input === "string" || Array.isArray(input)) {
    return {
      type: "user",
      message: { role: "user", content: input },
      parent_tool_use_id: null,
      session_id: "",
    };
  }
  if (!isObject<unknown>(input) || input.type !== "user") {
    const form = isObject<unknown>(input) && "prompt" in input
      ? ", given on its own: query(prompt, options)"
      : "";
    throw refusal(
      `Prompt must be a text, content blocks or a user message${form}`,
      input,
    );
  }
  const { message } = input;
  if (!isObject(message) || message.role !== "user") {
    throw refusal(
      'Field "message.role" of a user message must be "user"',
      input,
    );
  }
  const { content } = message;
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw refusal(
      `Field "message.content" of a user message must be a text or an array, is ${
        typeOf(content)
      }`,
      input,
    );
  }
  return input as UserMessageInput;
}

function refusal(what: string, value: unknown, cause?: unknown): ConfigError {
  return new ConfigError({
    message: `${what}: ${show(value)}`,
    key: "prompt",
    value,
    fatal: false,
    cause,
  });
}
