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
  const [a, b] = [sorted(actual), sorted(expected)];
  holds(a === b, `got ${show(a)} where ${show(b)} was to be`);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    const isPlain = typeof part === "object" && part !== null &&
      !Array.isArray(part);
    if (!isPlain) return part;
    const pairs = Object.entries(part).filter(([, one]) => one !== undefined);
    // As a list: an object would lose a key called __proto__.
    return ["object", ...pairs.sort(([a], [b]) => a < b ? -1 : 1)];
  });
}
