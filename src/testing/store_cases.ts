import { canonicalText } from "../errors/canonical.ts";
import { show } from "../errors/text.ts";

/** One thing that a store has to do. */
export interface StoreCase {
  /** What holds. */
  readonly name: string;
  /** Tries it; rejects with an `Error` that says what does not hold. */
  readonly run: () => Promise<void>;
}

/** Throws unless a condition is met. */
export function holds(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`Does not hold: ${what}`);
}

/** Throws unless two values are the same JSON. The order of keys does not count: databases have one of their own. */
export function same(actual: unknown, expected: unknown): void {
  const isSame = canonicalText(actual) === canonicalText(expected);
  holds(isSame, `got ${show(actual)} where ${show(expected)} was to be`);
}
