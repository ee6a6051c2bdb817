import type { JsonObject } from "../types/json.ts";

/** Sends a request; resolves with the raw answer. */
// deno-lint-ignore no-explicit-any -- as the official declarations have it
export type Ask = (subtype: string, fields?: object) => Promise<any>;

export interface Asking {
  readonly parts: {
    readonly ask: Ask;
    /** The answer to the last `initialize`. */
    readonly initialized: Promise<JsonObject>;
  };
}

export function ask(
  { parts }: Asking,
  ...request: Parameters<Ask>
): ReturnType<Ask> {
  return parts.ask(...request);
}

/** Sends a request whose answer is empty. */
export async function tell(
  query: Asking,
  ...request: Parameters<Ask>
): Promise<void> {
  await ask(query, ...request);
}

/** A field of the answer to `initialize`. */
// deno-lint-ignore no-explicit-any -- each method declares its own
export async function know({ parts }: Asking, field: string): Promise<any> {
  return (await parts.initialized)[field];
}
