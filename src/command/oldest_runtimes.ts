/** The oldest of each runtime that this package is tested with; the npm package refuses an older Node. */
export const OLDEST = { node: [20, 19], deno: [2, 0], bun: [1, 2] } as const;
