/** One line of a comparison: kept, removed or added. */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Most changed lines for which the shortest comparison is searched: the cost grows with their square. */
const MOST_CHANGES = 1_000;

/** Compares two texts line by line. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
): readonly DiffLine[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < shorter - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) end++;
  return [
    ...signed(" ", before.slice(0, start)),
    ...changes(
      before.slice(start, before.length - end),
      after.slice(start, after.length - end),
    ),
    ...signed(" ", before.slice(before.length - end)),
  ];
}

/** The shortest comparison, by the algorithm of Myers; all removed and all added where that takes too long. */
function changes(
  before: readonly string[],
  after: readonly string[],
): readonly DiffLine[] {
  const [width, height] = [before.length, after.length];
  /** For each number of changes: how far each diagonal leads. */
  const reached: Map<number, number>[] = [];
  let furthest = new Map<number, number>([[1, 0]]);
  const most = Math.min(width + height, MOST_CHANGES);
  for (let count = 0; count <= most; count++) {
    reached.push(furthest);
    const next = new Map(furthest);
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = step(furthest, diagonal, count);
      while (
        x < width && x - diagonal < height && before[x] === after[x - diagonal]
      ) x++;
      next.set(diagonal, x);
      if (x >= width && x - diagonal >= height) {
        return walkBack(before, after, reached);
      }
    }
    furthest = next;
  }
  return [...signed("-", before), ...signed("+", after)];
}

/** Start of a diagonal: a line was added (from above), or removed (from below). */
function step(
  furthest: ReadonlyMap<number, number>,
  diagonal: number,
  count: number,
): number {
  const below = furthest.get(diagonal - 1) ?? -1;
  const above = furthest.get(diagonal + 1) ?? -1;
  return diagonal === -count || diagonal !== count && below < above
    ? above
    : below + 1;
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  reached: readonly ReadonlyMap<number, number>[],
): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [before.length, after.length];
  for (let count = reached.length - 1; count >= 0; count--) {
    const furthest = reached[count] ?? new Map();
    const diagonal = x - y;
    const begin = step(furthest, diagonal, count);
    while (x > begin && y > begin - diagonal) {
      lines.push({ sign: " ", text: before[--x] ?? "" });
      y--;
    }
    if (count === 0) break;
    const isAdded = diagonal === -count || diagonal !== count &&
        (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1);
    lines.push(
      isAdded
        ? { sign: "+", text: after[--y] ?? "" }
        : { sign: "-", text: before[--x] ?? "" },
    );
  }
  return lines.reverse();
}

function signed(
  sign: DiffLine["sign"],
  lines: readonly string[],
): readonly DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}
