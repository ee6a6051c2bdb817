import { withTimeout } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { canonicalText } from "../errors/canonical.ts";
import { show } from "../errors/text.ts";

/** One part of the contract of a store. */
export interface StoreCase {
  /** Name of the rule. */
  readonly name: string;
  /** Tests it; rejects with an `Error` that describes the difference. */
  readonly run: () => Promise<void>;
}

const TIMEOUT_MS = 30_000;

/** Cases by their names, each on a store of its own, and with whatever else `own` makes for it. */
export function casesOf<Store, Own>(
  make: () => Store | Promise<Store>,
  own: () => Own,
  cases: Readonly<Record<string, (store: Store, own: Own) => Promise<void>>>,
): readonly StoreCase[] {
  return Object.entries(cases).map(([name, hold]) => ({
    name,
    run: () =>
      withTimeout(async () => await hold(await make(), own()), {
        clock: systemClock,
        ms: TIMEOUT_MS,
        onTimeout: () => new Error(`It took longer than ${TIMEOUT_MS} ms`),
      }),
  }));
}

export function holds(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`Does not hold: ${what}`);
}

/** Throws unless two values are the same JSON. The order of keys does not count: databases have one of their own. */
export function same(actual: unknown, expected: unknown): void {
  const isSame = canonicalText(actual) === canonicalText(expected);
  holds(isSame, `got ${show(actual)} instead of ${show(expected)}`);
}
