/** Which test files run together in one program. */
import { isDealt, reasonOf } from "./slow.ts";

/** Files for which a program of their own is worth its start, and the most programs of a lane. */
const SLOW_PARTS = { ofPart: 20, mostParts: 6 };
const SHORT_PARTS = { ofPart: 75, mostParts: 2 };

/** A number of hands, each with as many files that are slow for one reason as the others; a hand keeps the order. */
export function deal(
  files: readonly string[],
  count: number,
): readonly (readonly string[])[] {
  const cards = files.toSorted((a, b) => reasonOf(a) - reasonOf(b));
  const hands = new Map(cards.map((file, card) => [file, card % count]));
  return Array.from(
    { length: count },
    (_, hand) => files.filter((file) => hands.get(file) === hand),
  );
}

/** The files of each program of a lane: of those with slow files, or of the others, which are short. */
export function partsOf(
  files: readonly string[],
  isShort: boolean,
): readonly (readonly string[])[] {
  const own = files.filter((file) => isDealt(file) !== isShort);
  const { ofPart, mostParts } = isShort ? SHORT_PARTS : SLOW_PARTS;
  return deal(own, Math.min(mostParts, Math.ceil(own.length / ofPart)));
}

/** The same order for the same seed. */
export function shuffle<T>(items: readonly T[], seed: number): readonly T[] {
  let state = seed;
  return items
    .map((item) => {
      // A linear congruential generator is random enough for an order.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return { item, key: state };
    })
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
