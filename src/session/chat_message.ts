import { ConfigError } from "../errors/config.ts";
import { show, typeOf } from "../errors/text.ts";
import { Problem } from "../parse/fields.ts";
import type { ContentBlock } from "../types/content.ts";
import { liveContent } from "./content.ts";

/** Who says a message of a chat. */
export type ChatRole = "system" | "user" | "assistant";

/** The roles there are. */
export const ROLES: ReadonlySet<unknown> = new Set<ChatRole>([
  "system",
  "user",
  "assistant",
]);

/** One message of a chat; calls of tools and their results are content blocks. */
export interface ChatMessage {
  /** Who says it; tool results are said by the user. */
  readonly role: ChatRole;
  /** Text, or blocks. */
  readonly content: string | readonly ContentBlock[];
  /** Id of the message, if it has one. */
  readonly id?: string;
  /** When it was said; a session sets it where it is missing. */
  readonly created?: Date;
}

/** Checks a message that a program hands over and copies it, so that later changes to it change nothing here. */
export function takeMessage(
  message: ChatMessage,
  key: string,
  now: number,
): ChatMessage {
  if (typeof message !== "object" || message === null) {
    throw refused(key, `must be an object, is ${typeOf(message)}`, message);
  }
  const { role, content, id, created } = message;
  if (!ROLES.has(role)) {
    const fact = 'must be "system", "user" or "assistant"';
    throw refused(`${key}.role`, `${fact}: ${show(role)}`, role);
  }
  if (id !== undefined && typeof id !== "string") {
    throw refused(`${key}.id`, `must be a string, is ${typeOf(id)}`, id);
  }
  if (created !== undefined && !isDate(created)) {
    const fact = `must be a valid Date: ${show(created)}`;
    throw refused(`${key}.created`, fact, created);
  }
  const taken = liveContent(content, `${key}.content`);
  if (taken instanceof Problem) throw refused(taken.field, taken.fact, content);
  return Object.freeze({
    role,
    content: taken,
    ...(id === undefined ? {} : { id }),
    created: new Date(created ?? now),
  });
}

function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

function refused(key: string, fact: string, value: unknown): ConfigError {
  return new ConfigError({
    message: `Message cannot be taken: "${key}" ${fact}`,
    key,
    value,
    fatal: false,
  });
}
