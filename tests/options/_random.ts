/** Numbers from 0 up to 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the items. */
export function pick<T>(random: () => number, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError("Nothing to pick from");
  return item;
}

/** Up to `most` picks, joined. */
export function textOf(
  random: () => number,
  pieces: readonly string[],
  most: number,
): string {
  const length = Math.floor(random() * (most + 1));
  return Array.from({ length }, () => pick(random, pieces)).join("");
}
