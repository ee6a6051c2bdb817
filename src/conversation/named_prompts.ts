import type { ResultMessage } from "../types/message_turn.ts";

/** Ids of the prompts that a result answers, where the CLI names them; both fields are optional and may hold anything. */
export function namedPrompts(
  { user_message_uuid: first, user_message_uuids: all }: ResultMessage,
): ReadonlySet<unknown> {
  const named = new Set<unknown>(Array.isArray(all) ? all : []);
  if (first !== undefined) named.add(first);
  return named;
}
