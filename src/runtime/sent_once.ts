import { deno } from "./globals.ts";

/**
 * A text as the body of a request that is sent once at most.
 *
 * When a connection that served before closes without an answer, Deno sends a text or bytes a second time, a POST too; a
 * blob it cannot, and the length is told all the same.
 */
export function sentOnce(text: string): string | Blob {
  return deno === undefined ? text : new Blob([text]);
}
