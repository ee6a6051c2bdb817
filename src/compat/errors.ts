import { ENDED } from "./texts.ts";

/** The query was aborted by its `abortController`. */
export class AbortError extends Error {}

/** What a query that was aborted ends with. */
export function abortedByUser(): AbortError {
  return new AbortError(ENDED.aborted);
}

/** What a call on an aborted query fails with. */
export function operationAborted(): AbortError {
  return new AbortError(ENDED.operationAborted);
}

/** Anything thrown as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
